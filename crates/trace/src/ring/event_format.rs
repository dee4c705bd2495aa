//! The `format` file of one event (`Documentation/trace/events.rst`, "Event formats").

/// Why a description of the kernel's cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Something that must be there is not.
    #[error("the format of {event} has no {what}")]
    Missing {
        /// The event, or `header_page`.
        event: String,
        /// What is missing.
        what: String,
    },
    /// A line cannot be read.
    #[error("the format of {event} has a line that cannot be read: `{line}`")]
    Garbled {
        /// The event, or `header_page`.
        event: String,
        /// The line.
        line: String,
    },
    /// A field that all events have in common is elsewhere in this one.
    #[error("the format of {event} has {field} in another place than other events have it")]
    Differs {
        /// The event.
        event: String,
        /// The field.
        field: String,
    },
}

/// Where a field is in an event or in the head of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatField {
    /// Its first byte.
    pub offset: usize,
    /// How many bytes it has.
    pub size: usize,
    /// Whether it is a number with a sign.
    pub is_signed: bool,
}

impl FormatField {
    /// Its bytes; none where `data` is too short.
    #[must_use]
    pub fn bytes<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        data.get(self.offset..self.offset.checked_add(self.size)?)
    }

    /// Its value as a number of 64 bits, with the sign extended where it has one; none where
    /// `data` is too short or the field is no number.
    #[must_use]
    pub fn number(&self, data: &[u8]) -> Option<i64> {
        let bytes = self.bytes(data)?;
        let value = match self.size {
            1 => i64::from(*bytes.first()?),
            2 => i64::from(u16::from_ne_bytes(bytes.try_into().ok()?)),
            4 => i64::from(u32::from_ne_bytes(bytes.try_into().ok()?)),
            8 => return Some(i64::from_ne_bytes(bytes.try_into().ok()?)),
            _ => return None,
        };
        let unused_bits = 64 - 8 * self.size;
        Some(if self.is_signed { value << unused_bits >> unused_bits } else { value })
    }

    /// The same, without a sign.
    #[must_use]
    pub fn unsigned(&self, data: &[u8]) -> Option<u64> {
        self.number(data).map(i64::cast_unsigned)
    }
}

/// The description of one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventFormat {
    /// The event.
    pub name: String,
    /// Its number: every event begins with it.
    pub id: u16,
    /// Its fields in order, by name.
    pub fields: Vec<(String, FormatField)>,
}

impl EventFormat {
    /// Reads the text of a `format` file.
    ///
    /// # Errors
    /// If it has no name, no number, or a line of a field that cannot be read.
    pub fn parse(text: &str) -> Result<Self, LayoutError> {
        let value = |key: &str| text.lines().find_map(|line| line.trim().strip_prefix(key)).map(str::trim);
        let name = value("name:").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| missing("an event", "name"))?;
        let id = value("ID:").and_then(|id| id.parse().ok()).ok_or_else(|| missing(name, "ID"))?;
        Ok(Self { name: name.to_owned(), id, fields: fields(name, text)? })
    }

    /// The field `name`.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<FormatField> {
        self.fields.iter().find(|(own, _)| own == name).map(|(_, field)| *field)
    }

    /// The field `name`, which must be there.
    ///
    /// # Errors
    /// If it is not.
    pub fn required(&self, name: &str) -> Result<FormatField, LayoutError> {
        self.field(name).ok_or_else(|| missing(&self.name, name))
    }
}

/// That `event` lacks `what`.
pub(super) fn missing(event: &str, what: &str) -> LayoutError {
    LayoutError::Missing { event: event.to_owned(), what: what.to_owned() }
}

/// The fields that `text` describes: `field:char rwbs[8]; offset:32; size:8; signed:1;`, with tabs between.
pub(super) fn fields(event: &str, text: &str) -> Result<Vec<(String, FormatField)>, LayoutError> {
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("field:"));
    let read = |line: &str| {
        field(line).ok_or_else(|| LayoutError::Garbled {
            event: event.to_owned(),
            line: line.chars().take(120).collect(),
        })
    };
    lines.map(read).collect()
}

fn field(line: &str) -> Option<(String, FormatField)> {
    /// No event is larger than a page, and no page than this.
    const BYTES_MAX: usize = 1 << 20;
    let mut parts = line.split(';').map(str::trim);
    let declared = parts.next()?.strip_prefix("field:")?;
    let (mut offset, mut size, mut is_signed) = (None, None, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", number)) => offset = number.trim().parse().ok(),
            Some(("size", number)) => size = number.trim().parse().ok(),
            Some(("signed", number)) => is_signed = number.trim() == "1",
            _ => {}
        }
    }
    let (offset, size): (usize, usize) = (offset?, size?);
    if offset > BYTES_MAX || size > BYTES_MAX {
        return None;
    }
    // `char comm[16]`, `__data_loc char[] cmd`, `struct page * page`.
    let name = declared.split_whitespace().next_back()?;
    let name = name.split('[').next().unwrap_or(name).trim_start_matches('*');
    (!name.is_empty()).then(|| (name.to_owned(), FormatField { offset, size, is_signed }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name: block_unplug\nID: 2093\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:int nr_rq;\toffset:8;\tsize:4;\tsigned:1;\n\
        \tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n\
        \tfield:__data_loc char[] cmd;\toffset:28;\tsize:4;\tsigned:1;\n\n\
        print fmt: \"[%s] %d\", REC->comm, REC->nr_rq\n";

    #[test]
    fn fields_are_found_by_name() {
        let format = EventFormat::parse(TEXT).unwrap();
        assert_eq!((format.name.as_str(), format.id, format.fields.len()), ("block_unplug", 2093, 4));
        assert_eq!(format.field("comm"), Some(FormatField { offset: 12, size: 16, is_signed: false }));
        assert_eq!(format.field("cmd").map(|field| field.offset), Some(28));
        let error = format.required("sector").unwrap_err();
        assert_eq!(error.to_string(), "the format of block_unplug has no sector");
    }

    #[test]
    fn what_is_garbled_is_refused() {
        let garbled = EventFormat::parse(&TEXT.replace("offset:12", "offset:x")).unwrap_err();
        assert!(matches!(garbled, LayoutError::Garbled { .. }), "{garbled}");
        assert!(
            EventFormat::parse("ID: 1\n").is_err() && EventFormat::parse("name: a\nID: 99999\n").is_err()
        );
        assert!(EventFormat::parse("").is_err());
        let huge = TEXT.replace("offset:12", "offset:18446744073709551615");
        assert!(EventFormat::parse(&huge).is_err());
    }

    #[test]
    fn numbers_are_read_with_their_sign() {
        let field = |size, is_signed| FormatField { offset: 1, size, is_signed };
        let data = [[0xff; 4].as_slice(), &[0xff; 8]].concat();
        for size in [1, 2, 4] {
            assert_eq!(field(size, true).number(&data), Some(-1), "{size}");
            assert_eq!(field(size, false).number(&data), Some((1 << (8 * size)) - 1), "{size}");
        }
        assert_eq!(field(8, false).unsigned(&data), Some(u64::MAX));
        assert_eq!((field(3, false).number(&data), field(8, true).number(&data[..8])), (None, None));
        let edge = FormatField { offset: usize::MAX, size: 4, is_signed: false };
        assert_eq!(edge.bytes(&data), None);
    }
}
