//! Sources of events as `.ww` files have them.

use watchword_model::{
    Capture, EventDecl, FieldPattern, InstanceOf, JvmSource, JvmTerm, JvmWhen, LogSelect,
    LogSource, LogTerm, LogTest, MethodPattern, NativeCaller, NativePattern, NativeSource,
    NativeTerm, NativeVariable, NativeWhen, ParamPattern, PointPattern, Source, TypePattern,
    Within,
};

use super::words::{quoted, variable};

/// One source, with what the event carries.
pub fn source(source: &Source, decl: &EventDecl) -> String {
    match source {
        Source::Jvm(source) => jvm(source, decl),
        Source::Native(source) => native(source, decl),
        Source::Log(source) => log(source, decl),
    }
}

fn with<T>(captures: &[Capture<T>], decl: &EventDecl, term: impl Fn(&T) -> String) -> String {
    if captures.is_empty() {
        return String::new();
    }
    let one = |c: &Capture<T>| {
        let param = decl.params.get(c.param).map_or("", |p| p.name.as_str());
        format!("{} = {}", variable(param), term(&c.term))
    };
    format!(" with {}", captures.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn jvm(source: &JvmSource, decl: &EventDecl) -> String {
    let when = match source.when {
        JvmWhen::Before => "before",
        JvmWhen::After => "after",
        JvmWhen::Throwing => "throwing",
    };
    let kind = source.point.kind.facts().words;
    let point = match &source.point.pattern {
        PointPattern::Method(p) => format!("{kind} {}", method(p)),
        PointPattern::Field(p) => format!("{kind} {}", field(p)),
        PointPattern::Type(p) => format!("{kind} {}", ty(p)),
        PointPattern::Mnemonic(glob) => format!("{kind} {}", glob.text()),
        PointPattern::All => kind.to_string(),
    };
    let says = |text: &String| format!(" saying {}", quoted(text, false));
    let says = source.saying.as_ref().map_or(String::new(), says);
    let by = source.thrown_by.word().map_or(String::new(), |word| format!(" from {word}{says}"));
    let thrown = source.thrown.as_ref();
    let thrown = thrown.map_or(String::new(), |class| format!(" throws _: {class}{by}"));
    let instances = instances(source);
    let within: String = source.within.iter().map(inside).collect();
    format!(
        "jvm {when} {point}{thrown}{instances}{within}{}",
        with(&source.captures, decl, JvmTerm::to_string)
    )
}

/// ` args (_, _: java.lang.String) returns _: java.util.List on _: not java.util.Vector`.
fn instances(source: &JvmSource) -> String {
    let mut args: Vec<Vec<String>> = Vec::new();
    let (mut receiver, mut result) = (String::new(), String::new());
    for InstanceOf { term, ty: pattern } in &source.instances {
        let class = ty(&TypePattern { subtypes: false, ..pattern.clone() });
        match term {
            JvmTerm::Arg(n) => {
                let n = *n as usize;
                // A list has one test of every argument.
                let free = |list: &Vec<String>| list.get(n).is_none_or(|text| text == "_");
                let at = args.iter().position(free).unwrap_or(args.len());
                args.resize(args.len().max(at + 1), Vec::new());
                let list = &mut args[at];
                list.resize(list.len().max(n + 1), "_".to_string());
                list[n] = format!("_: {class}");
            }
            JvmTerm::Receiver => receiver.push_str(&format!(" on _: {class}")),
            JvmTerm::Value => receiver.push_str(&format!(" value _: {class}")),
            _ => result = format!(" returns _: {class}"),
        }
    }
    let args = args.iter().map(|list| format!(" args ({})", list.join(", ")));
    format!("{}{result}{receiver}", args.collect::<String>())
}

fn inside(within: &Within) -> String {
    let not = if within.negated { "not " } else { "" };
    let method = match &within.method {
        Some(method) => format!(".{}(..)", method.text()),
        None => String::new(),
    };
    format!(" {not}within {}{method}", ty(&within.owner))
}

fn annotations(list: &[watchword_model::Glob]) -> String {
    list.iter().map(|a| format!("@{} ", a.text())).collect()
}

fn ty(pattern: &TypePattern) -> String {
    let not = if pattern.negated { "not " } else { "" };
    let text = pattern.name.text();
    let (name, brackets) = match text.find('[') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let plus = if pattern.subtypes { "+" } else { "" };
    format!("{}{not}{name}{plus}{brackets}", annotations(&pattern.annotations))
}

/// `Owner.name`, or `(@A not Owner).name` where the owner is more than a name.
fn owned(owner: &TypePattern, name: &str) -> String {
    let plain = !owner.negated && owner.annotations.is_empty() && !owner.name.text().contains('[');
    if plain { format!("{}.{name}", ty(owner)) } else { format!("({}).{name}", ty(owner)) }
}

fn method(pattern: &MethodPattern) -> String {
    let not = if pattern.negated { "not " } else { "" };
    let params = match &pattern.params {
        None => "..".to_string(),
        Some(list) => {
            let one = |p: &ParamPattern| match p {
                ParamPattern::One(p) => ty(p),
                ParamPattern::Rest => "..".to_string(),
            };
            list.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    };
    let returns = pattern.returns.as_ref().map_or(String::new(), |p| format!(": {}", ty(p)));
    let name = owned(&pattern.owner, pattern.name.text());
    let supers = if pattern.supers { "" } else { "not super " };
    format!("{supers}{}{not}{name}({params}){returns}", annotations(&pattern.annotations))
}

fn field(pattern: &FieldPattern) -> String {
    let of = pattern.ty.as_ref().map_or(String::new(), |p| format!(": {}", ty(p)));
    let name = owned(&pattern.owner, pattern.name.text());
    format!("{}{name}{of}", annotations(&pattern.annotations))
}

fn native(source: &NativeSource, decl: &EventDecl) -> String {
    let when = match source.when {
        NativeWhen::Before => "before",
        NativeWhen::After => "after",
    };
    let pattern = match &source.point.pattern {
        NativePattern::Named(glob) => quoted(glob.text(), false),
        NativePattern::Variable(NativeVariable { term, scope }) => {
            let scope = scope.as_ref().map(|s| format!(" in {}", quoted(s, false)));
            format!("{term}{}", scope.unwrap_or_default())
        }
    };
    let point = format!("{} {pattern}", source.point.kind.facts().word);
    let module = source.module.as_ref();
    let module = module.map_or(String::new(), |m| format!(" module {}", quoted(m.text(), false)));
    let caller = match source.caller {
        Some(NativeCaller::Inside) => " from inside",
        Some(NativeCaller::Outside) => " from outside",
        None => "",
    };
    format!(
        "native {when} {point}{module}{caller}{}",
        with(&source.captures, decl, NativeTerm::to_string)
    )
}

fn log(source: &LogSource, decl: &EventDecl) -> String {
    let select = match &source.select {
        LogSelect::Record(name) => format!("record {}", quoted(name, false)),
        LogSelect::Regex(text) => format!("/{}/", text.replace('/', "\\/")),
        LogSelect::Where(test) => format!("where {}", log_test(test)),
    };
    let term = |term: &LogTerm| match term {
        LogTerm::Field(at) => path(at),
        LogTerm::Group(name) => format!("group {name}"),
        LogTerm::Position(n) => format!("arg {n}"),
        LogTerm::Line => "line".to_string(),
    };
    format!("log {select}{}", with(&source.captures, decl, term))
}

fn log_test(test: &LogTest) -> String {
    let regex = |text: &str| format!("/{}/", text.replace('/', "\\/"));
    let inner = |test: &LogTest| match test {
        LogTest::All(_) | LogTest::Any(_) => format!("({})", log_test(test)),
        _ => log_test(test),
    };
    let joined = |tests: &[LogTest], word| tests.iter().map(inner).collect::<Vec<_>>().join(word);
    match test {
        LogTest::Like(at, glob) => format!("{} == {}", path(at), quoted(glob.text(), false)),
        LogTest::Unlike(at, glob) => format!("{} != {}", path(at), quoted(glob.text(), false)),
        LogTest::Finds(at, text) => format!("{} == {}", path(at), regex(text)),
        LogTest::Misses(at, text) => format!("{} != {}", path(at), regex(text)),
        LogTest::Compares(at, order, number) => {
            format!("{} {} {number}", path(at), order.text())
        }
        LogTest::Not(test) => format!("not {}", inner(test)),
        LogTest::All(tests) => joined(tests, " and "),
        LogTest::Any(tests) => joined(tests, " or "),
    }
}

fn path(parts: &[String]) -> String {
    parts.iter().map(|p| format!(".{}", quoted(p, false))).collect()
}
