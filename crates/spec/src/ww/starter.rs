//! The commented property `watchword new NAME` begins with.

/// A property of that name that loads as it stands, says nothing wrong and explains itself.
pub fn starter(name: &str) -> String {
    let mut name: String = name
        .chars()
        .map(|c| if super::lexer::is_ident_continue(c) && c != '$' { c } else { '_' })
        .collect();
    if !name.starts_with(super::lexer::is_ident_start) || name == "_" {
        name.insert(0, 'P');
    }
    TEXT.replace("NAME", &name)
}

const TEXT: &str = "\
// An event is something that happens, with the values it carries. `watchword replay` takes it
// from a trace: {\"event\":\"open\",\"args\":{\"file\":7}}, or `open,7` in a CSV file. To take it from
// elsewhere, say where it comes from after `=`:
//
//   event open(file) = log /opened (?<file>\\S+)/
//   event open(file) = jvm after call java.io.FileInputStream.<init>(..) on file
//   event open(file) = native after call fopen with file = ret
event open(file)
event read(file)
event close(file)

/// A file is read only while it is open, and closed in the end.
///
/// The parameter makes one copy of the property for every file that turns up; an event goes to
/// the copies it concerns.
property NAME(file) {
  message \"file {file}\"

  start state Closed {
    on open(file) -> Open
    on read(file) -> Misused \"read while closed\"
  }

  // `pending`: reported if the run ends here.
  pending state Open {
    on close(file) -> Closed
    on open(file)  -> Misused \"opened twice\"
  }

  // `bad`: reported on entry, with the events that led here.
  bad state Misused
}

// Other things to say in a property:
//
//   never open open                       no such sequence of its events
//   only (open read* close)*              its events always follow this pattern
//   ltl always (read implies once open)   a temporal formula
//   var n: int = 0                        a variable, for guards and updates:
//   on read(file) if n < 8 { n += 1 }     a guard, an update, and no target: stay
//   state Open within 5 s else Late       a time limit
//
// `watchword lint` finds mistakes, `watchword fmt` lays the file out.
";
