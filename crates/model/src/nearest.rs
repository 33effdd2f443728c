//! Names for “did you mean …?”.

/// The candidate nearest to a misspelt name, if one is near enough to be worth naming.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Short names are all near one another.
    let limit = name.chars().count() / 3;
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            if candidate.eq_ignore_ascii_case(name) {
                return Some((0, candidate));
            }
            distance(name, candidate, limit).map(|d| (d, candidate))
        })
        .min_by_key(|(d, candidate)| (*d, candidate.len(), *candidate))
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other;
/// `None` if more than `limit`.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    (last[b.len()] <= limit).then_some(last[b.len()])
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["push", "pop", "length", "Full"];
        assert_eq!(nearest("psuh", names), Some("push"));
        assert_eq!(nearest("lenght", names), Some("length"));
        assert_eq!(nearest("full", names), Some("Full"));
        assert_eq!(nearest("queue", names), None);
        assert_eq!(nearest("push", names), None);
        assert_eq!(nearest("f", ["e", "g"]), None);
        assert_eq!(nearest("bat", ["cat", "bar"]), nearest("bat", ["bar", "cat"]));
    }
}
