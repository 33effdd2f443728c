//! Screenshots: read, made coarse, and compared.

use std::io::Read;
use std::path::Path;

/// A picture: width, height, and the lightness of every pixel.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    light: Vec<u8>,
}

impl Picture {
    /// Reads a PNG as browsers write it: eight bits per channel, not interlaced.
    pub fn read(path: &Path) -> Picture {
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (width, height) = (number(16), number(20));
        let channels = match bytes[25] {
            2 => 3,
            6 => 4,
            other => panic!("colour type {other}"),
        };
        assert_eq!((bytes[24], bytes[28]), (8, 0), "eight bits, not interlaced");
        let mut packed = Vec::new();
        let mut at = 8;
        while at + 8 <= bytes.len() {
            let length = number(at);
            if &bytes[at + 4..at + 8] == b"IDAT" {
                packed.extend_from_slice(&bytes[at + 8..at + 8 + length]);
            }
            at += 12 + length;
        }
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut rows).unwrap();
        let light = unfilter(&rows, width * channels, channels)
            .chunks(channels)
            .map(|p| ((u32::from(p[0]) * 3 + u32::from(p[1]) * 6 + u32::from(p[2])) / 10) as u8)
            .collect();
        Picture { width, height, light }
    }

    /// The lightness of a pixel.
    pub fn at(&self, x: usize, y: usize) -> u8 {
        self.light[y * self.width + x]
    }

    /// One digit per square of that size: how light it is on average, from 0 to 9.
    pub fn coarse(&self, size: usize) -> Vec<Vec<u8>> {
        let cells = |n: usize| n / size;
        (0..cells(self.height))
            .map(|row| {
                (0..cells(self.width))
                    .map(|column| {
                        let pixels = (0..size * size).map(|i| {
                            u32::from(self.at(column * size + i % size, row * size + i / size))
                        });
                        (pixels.sum::<u32>() / (size * size) as u32 * 9 / 255) as u8
                    })
                    .collect()
            })
            .collect()
    }
}

fn unfilter(rows: &[u8], stride: usize, channels: usize) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(rows.len());
    for row in rows.chunks(stride + 1) {
        let start = out.len();
        for (i, byte) in row[1..].iter().enumerate() {
            let left = if i >= channels { out[start + i - channels] } else { 0 };
            let up = if start > 0 { out[start + i - stride] } else { 0 };
            let corner =
                if start > 0 && i >= channels { out[start + i - stride - channels] } else { 0 };
            let guess = match row[0] {
                0 => 0,
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                _ => paeth(left, up, corner),
            };
            out.push(byte.wrapping_add(guess));
        }
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let estimate = i32::from(left) + i32::from(up) - i32::from(corner);
    let off = |v: u8| (estimate - i32::from(v)).abs();
    if off(left) <= off(up) && off(left) <= off(corner) {
        left
    } else if off(up) <= off(corner) {
        up
    } else {
        corner
    }
}

/// The share of squares that look as they did, here or right beside: fonts differ a little from
/// machine to machine, a page that fell apart differs a lot.
pub fn alike(now: &[Vec<u8>], before: &[Vec<u8>]) -> f64 {
    let mut same = 0;
    let mut all = 0;
    for (y, row) in now.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            let near = (y.saturating_sub(1)..=y + 1)
                .flat_map(|y| (x.saturating_sub(1)..=x + 1).map(move |x| (x, y)))
                .filter_map(|(x, y)| before.get(y)?.get(x));
            all += 1;
            same += usize::from(near.into_iter().any(|b| b.abs_diff(*cell) <= 1));
        }
    }
    f64::from(same as u32) / f64::from(all as u32)
}

/// As a file of digits.
pub fn to_text(cells: &[Vec<u8>]) -> String {
    cells
        .iter()
        .map(|row| row.iter().map(|c| char::from(b'0' + c)).collect::<String>() + "\n")
        .collect()
}

/// From a file of digits.
pub fn from_text(text: &str) -> Vec<Vec<u8>> {
    text.lines().map(|line| line.bytes().map(|b| b - b'0').collect()).collect()
}

#[test]
fn pictures_that_differ_are_told_apart() {
    let page: Vec<Vec<u8>> =
        (0..20).map(|y| (0..20).map(|x| ((x / 5 + y / 5) % 2) * 9).collect()).collect();
    let empty = vec![vec![9u8; 20]; 20];
    assert!((alike(&page, &page) - 1.0).abs() < 1e-9);
    assert!(alike(&page, &empty) < 0.8);
    assert_eq!(from_text(&to_text(&page)), page);
}
