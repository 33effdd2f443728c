//! Programs that would have more rights if they were not traced.

use std::os::unix::fs::MetadataExt;

use super::Program;
use crate::source::ArmNote;

const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;

impl Program {
    /// Notes if the program that the process executes was denied the rights that its file gives it.
    pub(super) fn note_privilege(&mut self) {
        let process = self.process.raw();
        let path = format!("/proc/{process}/exe");
        let (Ok(file), Ok(status)) =
            (std::fs::metadata(&path), std::fs::read_to_string(format!("/proc/{process}/status")))
        else {
            return;
        };
        let lacks = |bit: u32, owner: u32, line: &str| {
            file.mode() & bit != 0 && effective(&status, line).is_some_and(|id| id != owner)
        };
        if lacks(SET_USER, file.uid(), "Uid:") || lacks(SET_GROUP, file.gid(), "Gid:") {
            let program = std::fs::read_link(&path).unwrap_or_default();
            self.notes.push(ArmNote::Unprivileged { program });
        }
    }
}

/// The effective number in a line of a process's status.
fn effective(status: &str, line: &str) -> Option<u32> {
    let numbers = status.lines().find_map(|l| l.strip_prefix(line))?;
    numbers.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::effective;

    #[test]
    fn the_second_number_is_the_effective_one() {
        let status = "Name:\tx\nUid:\t1000\t0\t1000\t1000\nGid:\t5\t6\t7\t8\n";
        assert_eq!(effective(status, "Uid:"), Some(0));
        assert_eq!(effective(status, "Gid:"), Some(6));
    }
}
