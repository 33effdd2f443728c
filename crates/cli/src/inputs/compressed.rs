//! Compressed traces, told by their first bytes: gzip and zstd, of one member or of many.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How compressed data begins.
const MAGIC: [(&[u8], &str); 2] = [(&[0x1f, 0x8b], "gzip"), (&[0x28, 0xb5, 0x2f, 0xfd], "zstd")];

/// What data that begins like this is compressed with.
pub fn magic(start: &[u8]) -> Option<&'static str> {
    MAGIC.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, what)| *what)
}

/// A stream that may be compressed, as the text that is in it; and whether it was.
pub fn open(mut input: Box<dyn Read>) -> io::Result<(Box<dyn Read>, bool)> {
    // A live log may have said only a few characters yet: more are asked for only if those so far
    // can begin something compressed.
    let mut start = Vec::new();
    while MAGIC.iter().any(|(m, _)| m.len() > start.len() && m.starts_with(&start)) {
        let mut byte = [0];
        match input.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => start.push(byte[0]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let kind = magic(&start);
    let whole = Cursor::new(start).chain(input);
    let Some(what) = kind else { return Ok((Box::new(whole), false)) };
    let buffered = BufReader::with_capacity(1 << 16, whole);
    let text: Box<dyn Read> = match what {
        "gzip" => Box::new(Told { inner: MultiGzDecoder::new(buffered), what, read: 0 }),
        _ => Box::new(Told { inner: Zstd::new(buffered), what, read: 0 }),
    };
    Ok((text, true))
}

/// Says what was being read, and how far it got, when something is wrong.
struct Told<R> {
    inner: R,
    what: &'static str,
    read: u64,
}

impl<R: Read> Read for Told<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Ok(n) => {
                self.read += n as u64;
                Ok(n)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(e),
            Err(e) => {
                let how = match e.kind() {
                    io::ErrorKind::UnexpectedEof => "ends too early".to_string(),
                    _ => format!("is damaged ({e})"),
                };
                let (what, read) = (self.what, self.read);
                let text = format!("the {what} data {how}, after {read} bytes of the trace");
                Err(io::Error::new(io::ErrorKind::InvalidData, text))
            }
        }
    }
}

/// The frames of a zstd stream, one after the other.
struct Zstd<R> {
    source: R,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: BufRead> Zstd<R> {
    fn new(source: R) -> Zstd<R> {
        Zstd { source, decoder: FrameDecoder::new(), inside: false }
    }

    /// Begins the next frame; answers whether there is one.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.source.by_ref().take(u64::from(length));
                    if io::copy(&mut skipped, &mut io::sink())? < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(wrong(&mut self.source, &error)),
            }
        }
        Ok(false)
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.inside = false;
        let (wanted, found) =
            (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        match wanted {
            Some(sum) if found != Some(sum) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum is wrong"))
            }
            _ => Ok(()),
        }
    }
}

/// What the decoder says, told apart by whether there was more to read.
fn wrong(source: &mut impl BufRead, error: &FrameDecoderError) -> io::Error {
    match source.fill_buf() {
        Ok([]) => io::ErrorKind::UnexpectedEof.into(),
        _ => io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if self.inside {
                if self.decoder.can_collect() > 0 {
                    return self.decoder.read(buffer);
                }
                if self.decoder.is_finished() {
                    self.end_frame()?;
                    continue;
                }
                let some = BlockDecodingStrategy::UptoBytes(buffer.len().max(1 << 16));
                if let Err(error) = self.decoder.decode_blocks(&mut self.source, some) {
                    return Err(wrong(&mut self.source, &error));
                }
            } else if !self.next_frame()? {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let (mut text, _) = open(Box::new(Cursor::new(bytes.to_vec())))?;
        let mut out = Vec::new();
        text.read_to_end(&mut out).map(|_| out)
    }

    /// Text that compresses, but not to nothing.
    fn sample() -> Vec<u8> {
        (0..20_000u32)
            .flat_map(|i| format!("{}\n", i.wrapping_mul(2_654_435_761)).into_bytes())
            .collect()
    }

    #[test]
    fn members_follow_each_other() {
        let text = sample();
        for compress in [gzip, zstd] {
            assert_eq!(read(&compress(&text)).unwrap(), text);
            let two = [compress(b"one\n"), compress(b""), compress(&text)].concat();
            assert_eq!(read(&two).unwrap(), [b"one\n", text.as_slice()].concat());
        }
        // A skippable frame in between.
        let skip = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        assert_eq!(read(&[zstd(b"a"), skip, zstd(b"b")].concat()).unwrap(), b"ab");
    }

    #[test]
    fn what_is_not_compressed_stays_as_it_is() {
        for text in [&b""[..], b"{", b"\x1f", b"(\xb5/", b"a plain line\n"] {
            assert_eq!(read(text).unwrap(), text);
        }
    }

    #[test]
    fn cut_off_and_damaged_data_is_an_error_never_a_panic() {
        let text = sample();
        for compress in [gzip, zstd] {
            let whole = compress(&text);
            for cut in [5, 20, whole.len() / 2, whole.len() - 1] {
                let error = read(&whole[..cut]).unwrap_err().to_string();
                assert!(error.contains("ends too early"), "{cut}: {error}");
            }
            let mut seed = 1u64;
            for _ in 0..300 {
                let mut bytes = whole[..2_000].to_vec();
                for _ in 0..3 {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let at = 4 + (seed >> 33) as usize % (bytes.len() - 4);
                    bytes[at] ^= (seed >> 20) as u8;
                }
                let _ = read(&bytes);
            }
        }
    }
}
