//! Text in the encodings that outputs are found in: UTF-8, UTF-16 (of PowerShell), and the older
//! ones of Korea, Japan and the West.

use std::borrow::Cow;
use std::io::{self, Read};

use encoding_rs::{EUC_JP, EUC_KR, Encoding, SHIFT_JIS, WINDOWS_1252};

/// Decodes lines. What one line showed holds for the lines after it.
#[derive(Debug, Default)]
pub(super) struct LineDecoder {
    known: Option<&'static Encoding>,
}

impl LineDecoder {
    /// The text of a line.
    pub(super) fn decode<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        let utf8_error = match std::str::from_utf8(bytes) {
            Ok(text) => return Cow::Borrowed(text),
            Err(error) => error,
        };
        // Cut in the middle of a character, or damaged in one place: more of it is right than wrong. Two bytes of another
        // encoding may happen to be a character.
        if self.known.is_none()
            && bytes.get(..utf8_error.valid_up_to()).is_some_and(|valid| !valid.is_ascii())
        {
            let text = String::from_utf8_lossy(bytes);
            let beyond = text.chars().filter(|c| !c.is_ascii()).count();
            let damaged = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
            if damaged * 2 <= beyond {
                return text;
            }
        }
        let encoding = *self.known.get_or_insert_with(|| guess(bytes));
        encoding.decode_without_bom_handling(bytes).0
    }

    /// The name of the encoding, where it is not UTF-8.
    pub(super) fn name(&self) -> Option<&'static str> {
        self.known.map(Encoding::name)
    }
}

/// How much less Japanese without kana counts: the bytes of Hangul pass for Chinese characters, too.
const WITHOUT_KANA: f64 = 0.9;

/// The encoding in which bytes that are no UTF-8 make most sense. What decodes without an error in
/// several is told by its letters: Korean is mostly Hangul; Japanese has kana, or Chinese characters apart from
/// Latin letters: `22時24分29秒`.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let korean = (EUC_KR, share(EUC_KR, bytes, is_hangul) * usual_share(bytes));
    let japanese = [EUC_JP, SHIFT_JIS].map(|encoding| {
        let has_kana = share(encoding, bytes, is_kana) > 0.0;
        let all = share(encoding, bytes, |c| is_kana(c) || is_chinese(c));
        let are_apart = || stand_apart(&encoding.decode_without_bom_handling(bytes).0);
        let weight = if has_kana { 1.0 } else { WITHOUT_KANA * f64::from(u8::from(are_apart())) };
        (encoding, all * weight)
    });
    let candidates = [korean].into_iter().chain(japanese);
    let best = candidates.max_by(|a, b| a.1.total_cmp(&b.1));
    best.filter(|(_, share)| *share >= 0.5).map_or(WINDOWS_1252, |(encoding, _)| encoding)
}

/// How many of the characters beyond ASCII are such letters, from 0 to 1; 0 where the bytes are not
/// of this encoding.
fn share(encoding: &'static Encoding, bytes: &[u8], is_letter: fn(char) -> bool) -> f64 {
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    let letters = text.chars().filter(|c| is_letter(*c)).count();
    if has_errors || others == 0 { 0.0 } else { letters as f64 / others as f64 }
}

/// How many of the characters beyond ASCII are usual ones of Korean (KS X 1001), both of whose bytes are beyond 0xa0, from 0
/// to 1. With the rare ones, which Windows added, nearly any Japanese of Shift_JIS passes for Hangul, and so does `°C` of the
/// West.
fn usual_share(bytes: &[u8]) -> f64 {
    let (mut all, mut usual) = (0_usize, 0_usize);
    let mut rest = bytes.iter();
    while let Some(first) = rest.find(|byte| !byte.is_ascii()) {
        all += 1;
        usual += usize::from(*first > 0xa0 && rest.next().is_some_and(|second| *second > 0xa0));
    }
    if all == 0 { 0.0 } else { usual as f64 / all as f64 }
}

/// Whether no letter of ASCII touches one beyond it. In the West one stands within a word: `don\u{2019}t`.
fn stand_apart(text: &str) -> bool {
    let touch = |(one, other): (char, char)| one.is_ascii_alphabetic() && !other.is_ascii();
    let pairs = || text.chars().zip(text.chars().skip(1));
    !pairs().any(|pair| touch(pair) || touch((pair.1, pair.0)))
}

fn is_hangul(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Without those of half width, for which nearly any bytes may be taken.
fn is_kana(c: char) -> bool {
    ('\u{3041}'..='\u{30ff}').contains(&c)
}

fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// UTF-16, with a mark of byte order before it, as UTF-8.
pub(super) struct Utf16Reader<R> {
    input: R,
    is_big_endian: bool,
    /// What was read and is not yet handed on.
    ready: Vec<u8>,
    handed: usize,
    /// A byte, or half of a character, that waits for the rest.
    odd: Option<u8>,
    surrogate: Option<u16>,
}

impl<R: Read> Utf16Reader<R> {
    /// What follows the mark.
    pub(super) fn new(input: R, is_big_endian: bool) -> Self {
        Self { input, is_big_endian, ready: Vec::new(), handed: 0, odd: None, surrogate: None }
    }

    fn take(&mut self, bytes: &[u8]) {
        let all: Vec<u8> = self.odd.take().into_iter().chain(bytes.iter().copied()).collect();
        let pairs = all.chunks_exact(2);
        self.odd = pairs.remainder().first().copied();
        let units = pairs.map(|pair| match (pair, self.is_big_endian) {
            (&[high, low], true) | (&[low, high], false) => u16::from_be_bytes([high, low]),
            _ => 0,
        });
        let mut units: Vec<u16> = self.surrogate.take().into_iter().chain(units).collect();
        self.surrogate = units.pop_if(|last| (0xd800..0xdc00).contains(last));
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.ready.extend_from_slice(text.as_bytes());
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut raw = [0; 8192];
        while self.handed == self.ready.len() {
            self.ready.clear();
            self.handed = 0;
            match self.input.read(&mut raw)? {
                0 => return Ok(0),
                count => self.take(raw.get(..count).unwrap_or_default()),
            }
        }
        let ready = self.ready.get(self.handed..).unwrap_or_default();
        let count = ready.len().min(buffer.len());
        let (Some(to), Some(from)) = (buffer.get_mut(..count), ready.get(..count)) else { return Ok(0) };
        to.copy_from_slice(from);
        self.handed += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> (String, Option<&'static str>) {
        let mut decoder = LineDecoder::default();
        (decoder.decode(bytes).into_owned(), decoder.name())
    }

    #[test]
    fn a_line_is_decoded_by_what_makes_sense() {
        for (text, encoding) in [
            ("104857600 바이트 복사함, 0.0038 s", EUC_KR),
            ("104857600 バイトコピーされました、0.0038 秒", SHIFT_JIS),
            ("104857600 バイトコピーされました、0.0038 秒", EUC_JP),
            ("新しいSSDの結果です。", SHIFT_JIS),
            ("디스크 똠방각하", EUC_KR),
            ("Datensätze ein", WINDOWS_1252),
            ("Core 0:  +45,0°C  (hoch = +80,0°C)", WINDOWS_1252),
            ("I don’t know", WINDOWS_1252),
            ("22時24分29秒     CPU    %usr   %nice", EUC_JP),
            ("22時24分29秒     CPU    %usr   %nice", SHIFT_JIS),
            ("平均値:     all      0.25", EUC_JP),
            ("평균:     all      0.25", EUC_KR),
        ] {
            let (bytes, _, has_errors) = encoding.encode(text);
            assert!(!has_errors);
            assert_eq!(decoded(&bytes), (text.to_owned(), Some(encoding.name())));
        }
        assert_eq!(decoded("바이트 ä".as_bytes()), ("바이트 ä".to_owned(), None));
        assert_eq!(decoded(b"100 \xea\xb0\x80 \xff").1, None, "damaged UTF-8 stays UTF-8");
    }

    #[test]
    fn utf_16_becomes_utf_8_whatever_parts_it_comes_in() {
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let (Some((first, rest)), Some(to)) = (self.0.split_first(), buffer.first_mut()) else {
                    return Ok(0);
                };
                (*to, self.0) = (*first, rest);
                Ok(1)
            }
        }
        let text = "READ: 1 µs 바 \u{1f600}\r\n";
        for is_big in [false, true] {
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|u| if is_big { u.to_be_bytes() } else { u.to_le_bytes() })
                .collect();
            let mut read = String::new();
            Utf16Reader::new(Slow(&bytes), is_big).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }
}
