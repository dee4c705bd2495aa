//! `events/header_page`: where a page has its time, how much of it is in use, and its events.

use super::event_format::{FormatField, LayoutError, fields, missing};

/// What stands before the events of a page, and how large a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageHeader {
    /// The time of the page.
    pub timestamp: FormatField,
    /// How many bytes of events there are, and flags. As wide as the kernel's `long`.
    pub commit: FormatField,
    /// The events.
    pub data: FormatField,
}

impl PageHeader {
    /// Reads the text of `events/header_page`.
    ///
    /// # Errors
    /// If a field is missing or cannot be a part of a page.
    pub fn parse(text: &str) -> Result<Self, LayoutError> {
        const FILE: &str = "header_page";
        let fields = fields(FILE, text)?;
        let field = |name: &str, sizes: &[usize]| {
            let found = fields.iter().find(|(own, _)| own == name).map(|(_, field)| *field);
            found.filter(|f| sizes.is_empty() || sizes.contains(&f.size)).ok_or_else(|| missing(FILE, name))
        };
        Ok(Self {
            timestamp: field("timestamp", &[8])?,
            commit: field("commit", &[4, 8])?,
            data: field("data", &[])?,
        })
    }

    /// How many bytes a whole page has.
    #[must_use]
    pub const fn page_bytes(&self) -> usize {
        self.data.offset + self.data.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
        \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
        \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
        \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

    #[test]
    fn the_header_says_how_large_a_page_is() {
        let header = PageHeader::parse(TEXT).unwrap();
        assert_eq!((header.page_bytes(), header.commit.size, header.data.offset), (4096, 8, 16));
        let narrow = TEXT.replace("offset:8;\tsize:8", "offset:8;\tsize:4");
        assert_eq!(PageHeader::parse(&narrow).unwrap().commit.size, 4);
        for (what, other) in [("commit", "other"), ("size:8;\tsigned:1", "size:3;\tsigned:1"), ("data", "d")]
        {
            assert!(PageHeader::parse(&TEXT.replace(what, other)).is_err(), "{what}");
        }
    }
}
