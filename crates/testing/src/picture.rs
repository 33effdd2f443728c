//! Screenshots: read, and made coarse.

use std::io::Read;
use std::path::Path;

use crate::look::Look;

/// A picture: width, height, and the lightness of every pixel.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    light: Vec<u8>,
}

impl Picture {
    /// Reads a PNG file; see [`Picture::from_png`].
    ///
    /// # Panics
    /// If there is no such file, or it is no PNG of that kind.
    pub fn read(path: &Path) -> Picture {
        let bytes = std::fs::read(path);
        Picture::from_png(&bytes.unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    }

    /// Reads a PNG as browsers write it: eight bits per channel, not interlaced.
    ///
    /// # Panics
    /// If it is no PNG of that kind.
    pub fn from_png(bytes: &[u8]) -> Picture {
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "this is no PNG");
        let number =
            |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
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
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut rows).expect("packed");
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

    /// The lightness that most pixels have: that of the paper.
    pub fn paper(&self) -> u8 {
        let mut counts = [0usize; 256];
        self.light.iter().for_each(|light| counts[usize::from(*light)] += 1);
        (0..=255u8).max_by_key(|light| counts[usize::from(*light)]).unwrap_or_default()
    }

    /// One digit per square of that size: how much is drawn there, from 0 for bare paper to 9. Light
    /// and dark pages give much the same.
    pub fn coarse(&self, size: usize) -> Look {
        let paper = self.paper();
        let cells = |n: usize| n / size;
        let ink = |row: usize, column: usize| {
            let pixels = (0..size * size).map(|i| {
                let light = self.at(column * size + i % size, row * size + i / size);
                u32::from(light.abs_diff(paper))
            });
            // A line of text covers a tenth to a third of its square.
            let mean = pixels.sum::<u32>() / (size * size) as u32;
            (mean * 9 / DARKEST).min(9) as u8
        };
        let row = |row| (0..cells(self.width)).map(|column| ink(row, column)).collect();
        Look((0..cells(self.height)).map(row).collect())
    }
}

/// Squares whose pixels differ from the paper by so much on average have the digit 9.
const DARKEST: u32 = 96;

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
