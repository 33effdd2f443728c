//! What pages look like: compared with what somebody has looked at.
//!
//! `WATCHWORD_REFRESH=1` keeps what a test has now instead of comparing it. Look at it before.

use std::path::{Path, PathBuf};

use crate::picture::Picture;

/// The size of a square, in pixels.
const SQUARE: usize = 20;
/// A page looks as it did if so many of its squares do. Another font moves some; a part that is
/// missing, or lies over another one, moves more.
const ALIKE: f64 = 0.85;

/// A picture made coarse: a digit per square, by rows; 0 is bare paper. See [`Picture::coarse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look(pub Vec<Vec<u8>>);

impl Look {
    /// The share of the squares with something in them, of this and of the other one, that find
    /// their like in the other picture: at the same place or right beside, and one digit more or
    /// less. The smaller of both shares counts, so that nothing may be missing and nothing be added.
    pub fn alike(&self, other: &Look) -> f64 {
        self.found_in(other).min(other.found_in(self))
    }

    fn found_in(&self, other: &Look) -> f64 {
        let (mut found, mut all) = (0u32, 0u32);
        for (y, row) in self.0.iter().enumerate() {
            for (x, cell) in row.iter().enumerate().filter(|(_, cell)| **cell > 0) {
                let mut near = (y.saturating_sub(1)..=y + 1)
                    .flat_map(|y| (x.saturating_sub(1)..=x + 1).map(move |x| (x, y)))
                    .filter_map(|(x, y)| other.0.get(y)?.get(x));
                all += 1;
                found += u32::from(near.any(|there| *there > 0 && there.abs_diff(*cell) <= 1));
            }
        }
        if all == 0 { 1.0 } else { f64::from(found) / f64::from(all) }
    }

    /// As lines of digits.
    pub fn to_text(&self) -> String {
        let line = |row: &Vec<u8>| row.iter().map(|c| char::from(b'0' + c)).collect::<String>();
        self.0.iter().map(|row| line(row) + "\n").collect()
    }

    /// From lines of digits; whatever else they have is 0.
    pub fn from_text(text: &str) -> Look {
        let row = |line: &str| line.bytes().map(|b| b.wrapping_sub(b'0').min(9)).collect();
        Look(text.lines().map(row).collect())
    }
}

fn is_refreshed() -> bool {
    std::env::var_os("WATCHWORD_REFRESH").is_some()
}

/// Compares a picture with a file of digits.
///
/// # Panics
/// If it does not look as it did.
pub fn compare(file: &Path, picture: &Picture) {
    let now = picture.coarse(SQUARE);
    if is_refreshed() {
        std::fs::write(file, now.to_text()).expect("it is ours");
    }
    let before = std::fs::read_to_string(file);
    let before =
        before.unwrap_or_else(|e| panic!("{}: {e}; WATCHWORD_REFRESH=1 makes it", file.display()));
    let alike = now.alike(&Look::from_text(&before));
    let name = file.display();
    assert!(alike > ALIKE, "{name}: {alike:.3} of the page looks as it did:\n{}", now.to_text());
}

/// Whether a picture looks as a file of digits says.
///
/// # Panics
/// If there is no such file.
pub fn is_alike(file: &Path, picture: &Picture) -> bool {
    let before = std::fs::read_to_string(file);
    let before = before.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    picture.coarse(SQUARE).alike(&Look::from_text(&before)) > ALIKE
}

/// The folder of the pictures that pages of the book show.
fn pictures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures")
}

/// Compares a picture with the file of that name in `docs/pictures`, which the book shows. A PNG must
/// look as the file does; other pictures must be equal to it, byte by byte.
///
/// # Panics
/// If the file is missing, or out of date.
pub fn documented(name: &str, picture: &[u8]) {
    let file = pictures().join(name);
    if is_refreshed() {
        std::fs::create_dir_all(pictures()).expect("it is ours");
        std::fs::write(&file, picture).expect("it is ours");
    }
    let kept = std::fs::read(&file);
    let kept =
        kept.unwrap_or_else(|e| panic!("docs/pictures/{name}: {e}; WATCHWORD_REFRESH=1 makes it"));
    if !name.ends_with(".png") {
        assert!(
            kept == picture,
            "docs/pictures/{name} is out of date; WATCHWORD_REFRESH=1 makes it anew"
        );
        return;
    }
    let [kept, now] = [&kept[..], picture].map(Picture::from_png);
    assert_eq!((kept.width, kept.height), (now.width, now.height), "docs/pictures/{name}");
    let alike = kept.coarse(SQUARE).alike(&now.coarse(SQUARE));
    assert!(
        alike > ALIKE,
        "docs/pictures/{name} is out of date: {alike:.3} of it looks so; WATCHWORD_REFRESH=1 makes \
         it anew"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns of lines, as pages have.
    fn page(columns: &[usize]) -> Look {
        let cell =
            |x: usize, y: usize| u8::from(y.is_multiple_of(2) && columns.contains(&(x / 10))) * 4;
        Look((0..30).map(|y| (0..30).map(|x| cell(x, y)).collect()).collect())
    }

    #[test]
    fn what_is_missing_added_or_paler_is_noticed() {
        let whole = page(&[0, 2]);
        assert!((whole.alike(&whole) - 1.0).abs() < 1e-9);
        assert_eq!(Look::from_text(&whole.to_text()), whole);
        for other in [page(&[0]), page(&[0, 1, 2]), page(&[1]), page(&[])] {
            assert!(whole.alike(&other) < ALIKE && other.alike(&whole) < ALIKE, "{other:?}");
        }
        let pale = Look(whole.0.iter().map(|r| r.iter().map(|c| c / 3).collect()).collect());
        assert!(whole.alike(&pale) < ALIKE);
        // Fonts differ: the same a little to the right.
        let moved = whole.0.iter().map(|r| std::iter::once(0).chain(r.iter().copied()).collect());
        assert!(whole.alike(&Look(moved.collect())) > 0.99);
    }
}
