//! What is said of many properties is said once: whoever asks for a whole family has to do with a
//! few of them.

/// So many properties may each have a line of their own.
pub const APART: usize = 3;

/// Texts of the form `NAME: something`; what is said of more than a few is one text that names the
/// first of them, or all.
pub fn gathered(texts: &[String], name_all: bool) -> Vec<String> {
    let said = |text: &str| text.split_once(": ").map(|(_, said)| said.to_string());
    let mut told: Vec<String> = Vec::new();
    let mut gathered = Vec::new();
    for text in texts {
        let Some(what) = said(text) else {
            gathered.push(text.clone());
            continue;
        };
        let same: Vec<&str> = texts
            .iter()
            .filter(|t| said(t).as_ref() == Some(&what))
            .filter_map(|t| t.split_once(": ").map(|(name, _)| name))
            .collect();
        if same.len() <= APART {
            gathered.push(text.clone());
        } else if !told.contains(&what) {
            // Classes and methods have names with dots.
            let kind = match same.iter().any(|name| name.contains('.')) {
                true => "places",
                false => "properties",
            };
            let shown = if name_all { &same[..] } else { &same[..APART] };
            let more = if shown.len() < same.len() { ", …" } else { "" };
            let names = shown.join(", ");
            gathered.push(format!("{} {kind}: {what}: {names}{more}", same.len()));
            told.push(what);
        }
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::gathered;

    #[test]
    fn what_is_said_of_many_is_said_once() {
        let of = |name: &str| format!("{name}: nothing of it was loaded");
        let few: Vec<String> = ["A", "B", "C"].map(of).to_vec();
        assert_eq!(gathered(&few, false), few);
        let mut many: Vec<String> = ["A", "B", "C", "D"].map(of).to_vec();
        many.insert(1, "something else".to_string());
        many.push("E: another thing".to_string());
        let rest = ["something else", "E: another thing"];
        let all = gathered(&many, true);
        assert_eq!(all[0], "4 properties: nothing of it was loaded: A, B, C, D");
        assert_eq!(all[1..], rest);
        let some = gathered(&many, false);
        assert_eq!(some[0], "4 properties: nothing of it was loaded: A, B, C, …");
        assert_eq!(some[1..], rest);
        let classes: Vec<String> = ["a.A", "a.B", "a.C", "a.D"].map(of).to_vec();
        let said = "4 places: nothing of it was loaded: a.A, a.B, a.C, …";
        assert_eq!(gathered(&classes, false), [said]);
    }
}
