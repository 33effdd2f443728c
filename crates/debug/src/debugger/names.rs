//! Names that a program has: of types, variables, and what is in a function.

use super::Debugger;
use crate::tracer::ProcessId;

/// A parameter or variable of a function.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Whether it is a parameter.
    pub is_parameter: bool,
    /// Whether it exists once.
    pub is_static: bool,
}

impl Debugger {
    /// The parameters and variables of the function at a run-time address, of all its blocks.
    pub fn variables_of_function(&mut self, process: ProcessId, address: u64) -> Vec<Variable> {
        let Some((_, info, bias)) = self.module_at(process, address) else { return Vec::new() };
        let Some((_, body)) = info.function_at(address.wrapping_sub(bias)) else {
            return Vec::new();
        };
        let all = info.everything_in(body).into_iter();
        all.map(|(v, is_static)| Variable {
            ty: v.ty.get().map_or("?".to_string(), |t| t.name.clone()),
            name: v.name,
            is_parameter: v.is_parameter,
            is_static,
        })
        .collect()
    }

    /// The names of the program's own types.
    pub fn type_names(&mut self, process: ProcessId) -> Vec<String> {
        self.of_program(process, |info| info.type_names())
    }

    /// The names of the program's own variables that exist once.
    pub fn global_names(&mut self, process: ProcessId) -> Vec<String> {
        self.of_program(process, |info| info.globals().iter().map(|v| v.name.clone()).collect())
    }

    fn of_program(
        &mut self,
        process: ProcessId,
        names: impl Fn(&crate::info::DebugInfo) -> Vec<String>,
    ) -> Vec<String> {
        let Some(module) = self.modules(process).first().cloned() else { return Vec::new() };
        let Some((info, _)) = self.load(process, &module) else { return Vec::new() };
        let mut all = names(&info);
        all.sort();
        all.dedup();
        all
    }

    /// What a run-time address was compiled from: the file as it was named, the folder, the compiler.
    pub fn unit_at(
        &mut self,
        process: ProcessId,
        address: u64,
    ) -> Option<(String, String, String)> {
        let (_, info, bias) = self.module_at(process, address)?;
        let (_, body) = info.function_at(address.wrapping_sub(bias))?;
        info.unit_of_body(body)
    }
}
