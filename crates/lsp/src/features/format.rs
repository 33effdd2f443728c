//! Formatting.

use serde_json::{Value, json};

use super::Analysis;
use crate::text;

/// The edits that lay the document out; none if it is laid out, or cannot be read.
pub fn of(analysis: &Analysis) -> Vec<Value> {
    let old = analysis.text();
    let name = &analysis.files[0].name;
    let laid = match name.ends_with(".scn") {
        true => watchword_scenario::format(old),
        false => watchword_spec::format_as(watchword_spec::lang_of(name, old), old),
    };
    match laid {
        Ok(new) if new != old => {
            // Only the lines that change, so that the cursor stays where it is.
            let head = common_lines(old.split_inclusive('\n'), new.split_inclusive('\n'));
            let (old_rest, new_rest) = (&old[head..], &new[head..]);
            let tail = common_lines(
                old_rest.split_inclusive('\n').rev(),
                new_rest.split_inclusive('\n').rev(),
            );
            let range = text::range(old, head, old.len() - tail);
            vec![json!({"range": range, "newText": &new_rest[..new_rest.len() - tail]})]
        }
        _ => Vec::new(),
    }
}

fn common_lines<'t>(a: impl Iterator<Item = &'t str>, b: impl Iterator<Item = &'t str>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum()
}
