//! A text by its lines, in memory that does not grow with it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read};

use super::encoding::{LineDecoder, Utf16Reader};
use super::{PasteError, markup, terminal};
use crate::tool::block::ToolLine;

/// The most bytes of one line; what is beyond them is dropped. JSON may stand on one line.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// The beginning of files that are no text, with what they are.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "compressed by gzip"),
    (b"\xfd7zXZ", "compressed by xz"),
    (b"BZh", "compressed by bzip2"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
];

/// The bytes that are looked at for a signature.
const HEAD: usize = 16;

/// So many lines are looked at for empty ones between them.
const LOOKED_AT: usize = 12;

/// None behind a line of more bytes is looked at.
const LOOKED_AT_BYTES: usize = 1 << 16;

/// Fewer of them that are not empty show nothing.
const FULL_MIN: usize = 3;

/// Hands out lines.
pub(super) struct LineSource<'a> {
    input: Box<dyn BufRead + 'a>,
    decoder: LineDecoder,
    number: u64,
    /// The first lines, which were looked at.
    ahead: VecDeque<ToolLine>,
    has_looked: bool,
    /// Whether an empty line stands behind each, as some pages and terminals copy them.
    is_spread: bool,
}

impl<'a> LineSource<'a> {
    /// Begins to read; fails if it is no text.
    pub(super) fn new(mut input: impl Read + 'a) -> Result<Self, PasteError> {
        let mut head = Vec::new();
        input.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        if let Some(&(_, what)) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)) {
            return Err(PasteError::NotText { what });
        }
        let marked = [(&b"\xff\xfe"[..], false), (&b"\xfe\xff"[..], true)];
        let wide = marked.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, is_big)| *is_big);
        let skipped = if wide.is_some() { 2 } else { 0 };
        let rest = std::io::Cursor::new(head.split_off(skipped)).chain(input);
        let input: Box<dyn BufRead + 'a> = match wide {
            Some(is_big_endian) => Box::new(BufReader::new(Utf16Reader::new(rest, is_big_endian))),
            None => Box::new(BufReader::with_capacity(1 << 16, rest)),
        };
        Ok(Self {
            input,
            decoder: LineDecoder::default(),
            number: 0,
            ahead: VecDeque::new(),
            has_looked: false,
            is_spread: false,
        })
    }

    /// How many lines were read.
    pub(super) fn count(&self) -> u64 {
        self.number
    }

    /// The name of the encoding, where it is not UTF-8.
    pub(super) fn encoding(&self) -> Option<String> {
        self.decoder.name().map(str::to_owned)
    }

    /// The next line; nothing at the end. Where an empty one stands behind each, these are left out.
    pub(super) fn next_line(&mut self) -> Result<Option<ToolLine>, PasteError> {
        self.look()?;
        loop {
            let line = match self.ahead.pop_front() {
                Some(line) => Some(line),
                None => self.read_line()?,
            };
            match line {
                Some(line) if self.is_spread && line.number.is_multiple_of(2) => {
                    self.is_spread = line.is_blank();
                    if !self.is_spread {
                        return Ok(Some(line));
                    }
                }
                line => return Ok(line),
            }
        }
    }

    /// Looks at the first lines.
    fn look(&mut self) -> Result<(), PasteError> {
        let mut is_long = false;
        while !self.has_looked && !is_long && self.ahead.len() < LOOKED_AT {
            let Some(line) = self.read_line()? else { break };
            // As many of the longest lines would be too much to keep.
            is_long = line.text.len() > LOOKED_AT_BYTES;
            self.ahead.push_back(line);
        }
        if !self.has_looked {
            let mut second = self.ahead.iter().filter(|line| line.number.is_multiple_of(2));
            let full = self.ahead.iter().filter(|line| !line.is_blank()).count();
            self.is_spread = full >= FULL_MIN && second.all(ToolLine::is_blank);
        }
        self.has_looked = true;
        Ok(())
    }

    fn read_line(&mut self) -> Result<Option<ToolLine>, PasteError> {
        let mut raw = RawLine::default();
        let mut is_any = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            if chunk.is_empty() {
                break;
            }
            is_any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            if taken.contains(&0) {
                return Err(PasteError::Binary { line: self.number + 1 });
            }
            raw.take(taken);
            let used = taken.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        if !is_any {
            return Ok(None);
        }
        self.number += 1;
        let bytes = raw.last_shown();
        let text = as_shown(&self.decoder.decode(bytes));
        Ok(Some(ToolLine { number: self.number, text }))
    }
}

/// A line as a terminal would have shown it, without the marks of the page that it was copied from.
pub(in crate::tool) fn as_shown(text: &str) -> String {
    markup::without(terminal::shown(text))
}

/// The bytes of one line: what carriage returns overwrote is let go.
#[derive(Default)]
struct RawLine {
    now: Vec<u8>,
    before: Vec<u8>,
    /// Whether a carriage return came: what follows overwrites.
    is_returned: bool,
}

impl RawLine {
    fn take(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|byte| *byte == b'\r');
        if let Some(first) = parts.next() {
            self.add(first);
        }
        for part in parts {
            self.is_returned = true;
            self.add(part);
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if std::mem::take(&mut self.is_returned) {
            if !self.now.trim_ascii().is_empty() {
                std::mem::swap(&mut self.now, &mut self.before);
            }
            self.now.clear();
        }
        let room = LINE_BYTES_MAX.saturating_sub(self.now.len());
        self.now.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
    }

    fn last_shown(&self) -> &[u8] {
        if self.now.trim_ascii().is_empty() && !self.before.is_empty() { &self.before } else { &self.now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut source = LineSource::new(bytes).unwrap();
        let mut all = Vec::new();
        while let Some(line) = source.next_line().unwrap() {
            all.push(line.text);
        }
        assert_eq!(source.count(), all.len() as u64);
        all
    }

    #[test]
    fn of_a_progress_bar_the_last_state_is_left() {
        assert_eq!(lines(b"\r10%\r20%\r30%\nend\r\n\nx"), ["30%", "end", "", "x"]);
        assert_eq!(lines(b"10%\r100%\r      \r\n"), ["100%"]);
        assert_eq!(lines(b""), [""; 0]);
        assert_eq!(lines(b"\n"), [""]);
    }

    #[test]
    fn empty_lines_behind_each_line_are_left_out() {
        let all = |text: &str| {
            let mut source = LineSource::new(text.as_bytes()).unwrap();
            let mut lines = Vec::new();
            while let Some(line) = source.next_line().unwrap() {
                lines.push((line.number, line.text));
            }
            lines.into_iter().map(|(number, text)| format!("{number}{text}")).collect::<Vec<_>>()
        };
        assert_eq!(all("a\n\nb\n\nc\n\n\n\nd\n"), ["1a", "3b", "5c", "7", "9d"]);
        assert_eq!(all("a\n\nb\n\nc\n\nd\n\n"), ["1a", "3b", "5c", "7d"]);
        assert_eq!(
            all("a\n\nb\n\nc\n\nd\n\ne\n\nf\n\n\n\ng\nh\n"),
            ["1a", "3b", "5c", "7d", "9e", "11f", "13", "15g", "16h"]
        );
        assert_eq!(all("a\n\nb\n"), ["1a", "2", "3b"], "too few");
    }

    #[test]
    fn what_is_no_text_is_refused_with_what_it_is() {
        let refused = |bytes: &[u8]| {
            let mut source = match LineSource::new(bytes) {
                Err(error) => return error.to_string(),
                Ok(source) => source,
            };
            loop {
                match source.next_line() {
                    Ok(Some(_)) => {}
                    Ok(None) => return String::new(),
                    Err(error) => return error.to_string(),
                }
            }
        };
        assert_eq!(refused(b"\x1f\x8b\x08\x00"), "it is no text, but compressed by gzip");
        assert_eq!(refused(b"a\nb\0c"), "it is no text, but binary data (line 2)");
        assert_eq!(refused(b"a\nb"), "");
    }

    #[test]
    fn what_powershell_writes_is_read() {
        let bytes: Vec<u8> = "\u{feff}a µ\r\nb\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(lines(&bytes), ["a µ", "b"]);
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let endless = std::io::repeat(b'x').take(LINE_BYTES_MAX as u64 + (1 << 20));
        let mut source = LineSource::new(endless).unwrap();
        assert_eq!(source.next_line().unwrap().unwrap().text.len(), LINE_BYTES_MAX);
        assert_eq!(source.next_line().unwrap(), None);
    }
}
