//! Text files of the kernel that are read again and again from their start, and
//! the cutting of their lines into words and numbers.

use std::fs::File;
use std::io::{BufRead, ErrorKind};
use std::os::unix::fs::FileExt;

use crate::Host;
use crate::sampler::ABSENT;

/// What a buffer begins with; it grows to what a file needs.
const BYTES_USUAL: usize = 4096;
/// Longer files are left alone; `/proc/stat` of the largest machines is far
/// shorter.
const BYTES_MAX: usize = 16 << 20;

/// A file that stays open.
#[derive(Debug)]
pub(super) struct OpenFile {
    /// Absent for a text out of a recording, which stands in the buffer.
    file: Option<File>,
    buffer: Vec<u8>,
}

impl OpenFile {
    pub(super) fn open(host: &Host, path: &str) -> Option<Self> {
        if let Some(file) = host.file(path) {
            return Some(Self { file: Some(file), buffer: vec![0; BYTES_USUAL] });
        }
        let mut text = host.text(path).filter(|_| !host.is_this())?;
        text.push('\n');
        Some(Self { file: None, buffer: text.into_bytes() })
    }

    /// Its present content; none if it cannot be read.
    pub(super) fn read(&mut self) -> Option<&[u8]> {
        let Some(file) = &self.file else { return Some(&self.buffer) };
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                if length >= BYTES_MAX {
                    return None;
                }
                self.buffer.resize(length * 2, 0);
            }
            // The kernel hands a file of many records (/proc/diskstats) out in
            // pieces, however long the buffer is: only nothing is the end.
            match file.read_at(&mut self.buffer[length..], length as u64) {
                Ok(0) => return Some(&self.buffer[..length]),
                Ok(more) => length += more,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}

/// The lines that are whole: what stands behind the last line break was cut off.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let text = rest;
        // Of all ways that the library has, this one looks at many bytes at once.
        let length = rest.skip_until(b'\n').ok()?;
        text[..length].strip_suffix(b"\n")
    })
}

/// The first word of a line, and what follows it.
pub(super) fn split_word(line: &[u8]) -> (&[u8], &[u8]) {
    let start = line.iter().position(|b| !is_blank(*b)).unwrap_or(line.len());
    let word = &line[start..];
    word.split_at(word.iter().position(|b| is_blank(*b)).unwrap_or(word.len()))
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Whole numbers with blanks between them; what is no number, negative, or
/// absurdly large is [`ABSENT`].
pub(super) struct Numbers<'a>(pub(super) &'a [u8]);

impl Iterator for Numbers<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let mut text = self.0;
        while let [first, rest @ ..] = text
            && is_blank(*first)
        {
            text = rest;
        }
        let (mut value, mut digits) = (0u64, 0);
        while let [first, rest @ ..] = text
            && first.is_ascii_digit()
        {
            value = value.wrapping_mul(10).wrapping_add(u64::from(first - b'0'));
            digits += 1;
            text = rest;
        }
        let ends = text.first().is_none_or(|b| is_blank(*b));
        if digits == 0 && text.is_empty() {
            self.0 = text;
            return None;
        }
        self.0 = if ends { text } else { split_word(text).1 };
        Some(if ends && digits <= DIGITS_MAX { value } else { ABSENT })
    }
}

/// Every number of so many digits fits. Longer ones are those that a counter
/// reaches by stepping below 0.
const DIGITS_MAX: usize = 19;

/// The whole number that `word` is; [`ABSENT`] if it is none.
pub(super) fn number(word: &[u8]) -> u64 {
    let mut numbers = Numbers(word);
    let number = numbers.next();
    number.filter(|_| numbers.0.is_empty() && !word.first().is_some_and(|b| is_blank(*b))).unwrap_or(ABSENT)
}

/// Puts the first numbers of `text` into `values`; further ones are left out.
pub(super) fn fill(values: &mut [u64], text: &[u8]) {
    for (value, number) in values.iter_mut().zip(Numbers(text)) {
        *value = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_what_is_none_is_absent() {
        let text = b"  12 -1 x7 7x 0\t18446744073709551615 9999999999999999999  5";
        let found: Vec<_> = Numbers(text).collect();
        assert_eq!(found, [12, ABSENT, ABSENT, ABSENT, 0, ABSENT, 9_999_999_999_999_999_999, 5]);
        assert_eq!(Numbers(b" ").next(), None);
        assert_eq!(Numbers(b"").next(), None);
        for (word, value) in
            [(&b"12"[..], 12), (b"", ABSENT), (b"1 2", ABSENT), (b" 1", ABSENT), (b"1x", ABSENT)]
        {
            assert_eq!(number(word), value);
        }
    }

    #[test]
    fn a_line_that_was_cut_off_is_left_out() {
        let whole = |bytes: &'static [u8]| lines(bytes).collect::<Vec<_>>();
        assert_eq!(whole(b"a 1\nb 2\nc 3"), [b"a 1", b"b 2"]);
        assert_eq!(whole(b"a 1\n"), [b"a 1"]);
        assert!(whole(b"a 1").is_empty());
        assert_eq!(whole(b"a\n\nb\n"), [&b"a"[..], b"", b"b"]);
        assert_eq!(split_word(b" ab  c d"), (&b"ab"[..], &b"  c d"[..]));
    }

    /// A file as long as the buffer is, one byte less, one more, and far more.
    #[test]
    fn a_file_of_any_length_is_read_whole_and_again() {
        let tree = tempfile::tempdir().unwrap();
        for length in [0, 1, 4095, 4096, 4097, 8192, 100_000] {
            let text: Vec<u8> = (0..length).map(|i| b'a' + (i % 23) as u8).collect();
            std::fs::write(tree.path().join("f"), &text).unwrap();
            let mut file = OpenFile::open(&Host::recorded(tree.path()), "/f").unwrap();
            assert_eq!(file.read().unwrap(), text);
            assert_eq!(file.read().unwrap(), text, "the second time");
            std::fs::write(tree.path().join("f"), "short").unwrap();
            assert_eq!(file.read().unwrap(), b"short");
        }
        assert!(OpenFile::open(&Host::recorded(tree.path()), "/none").is_none());
    }

    #[test]
    fn a_recording_in_one_file_is_read_as_well() {
        let host = Host::parse("==> /f\na 1\nb 2\n");
        assert_eq!(OpenFile::open(&host, "/f").unwrap().read().unwrap(), b"a 1\nb 2\n");
        assert!(OpenFile::open(&host, "/g").is_none());
    }
}
