//! Rows whose values are asked for: those of questions, and the first one of a statement whose answer is kept.

use crate::workload::db::mysql::packet::PacketReader;
use crate::workload::db::wire::TextRow;

/// Types of columns whose values have a fixed size in binary form (dev.mysql.com, `enum_field_types`).
const TINY: u8 = 1;
const SHORT: u8 = 2;
const LONG: u8 = 3;
const FLOAT: u8 = 4;
const DOUBLE: u8 = 5;
const LONGLONG: u8 = 8;
const INT24: u8 = 9;
const YEAR: u8 = 13;
/// Those whose values are texts in binary form too; decimal numbers are.
const TEXTS: [u8; 12] = [0, 15, 16, 245, 246, 247, 248, 249, 250, 251, 252, 253];
const STRING: u8 = 254;

/// What says that numbers have no sign.
const UNSIGNED: u64 = 1 << 5;

/// How a column is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColumnForm {
    of: u8,
    is_unsigned: bool,
}

impl ColumnForm {
    /// What the content of a packet says (dev.mysql.com, `Protocol::ColumnDefinition41`).
    pub(super) fn of(content: &[u8]) -> Option<Self> {
        let mut reader = PacketReader(content);
        for _ in 0..6 {
            reader.text()?;
        }
        // How long the rest is, the character set, and the greatest length.
        reader.take(1 + 2 + 4)?;
        let of = u8::try_from(reader.number(1)?).ok()?;
        Some(Self { of, is_unsigned: reader.number(2)? & UNSIGNED != 0 })
    }

    /// A value of it in binary form; none too where values of its type are not read: dates and times.
    fn value(self, reader: &mut PacketReader<'_>) -> Option<String> {
        let whole = |reader: &mut PacketReader<'_>, bytes: u32| {
            let number = reader.number(usize::try_from(bytes).ok()?)?;
            let unused = 64 - 8 * bytes;
            let signed = (number << unused).cast_signed() >> unused;
            Some(if self.is_unsigned { number.to_string() } else { signed.to_string() })
        };
        match self.of {
            TINY => whole(reader, 1),
            SHORT | YEAR => whole(reader, 2),
            LONG | INT24 => whole(reader, 4),
            LONGLONG => whole(reader, 8),
            FLOAT => Some(f32::from_le_bytes(reader.take(4)?.try_into().ok()?).to_string()),
            DOUBLE => Some(f64::from_le_bytes(reader.take(8)?.try_into().ok()?).to_string()),
            STRING => reader.text().map(lossy),
            of if TEXTS.contains(&of) => reader.text().map(lossy),
            _ => None,
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first values of a row of text (dev.mysql.com, "Text Resultset Row").
pub(super) fn text_row(content: &[u8], columns: u64) -> Option<TextRow> {
    const NULL: u8 = 0xfb;
    let mut reader = PacketReader(content);
    let mut row = TextRow::new();
    for _ in 0..columns {
        if reader.0.first() == Some(&NULL) {
            reader.take(1)?;
            row.push(None);
        } else {
            row.push(Some(lossy(reader.text()?)));
        }
    }
    Some(row)
}

/// The values of the first of a row's columns in binary form (dev.mysql.com, "Binary Protocol Resultset Row"). All
/// columns are `forms`.
pub(super) fn binary_row(content: &[u8], forms: &[ColumnForm], columns: usize) -> Option<TextRow> {
    /// Bits before that of the first column.
    const UNUSED_BITS: usize = 2;
    let mut reader = PacketReader(content);
    reader.take(1)?;
    let nulls = reader.take((forms.len() + UNUSED_BITS).div_ceil(8))?;
    let mut row = TextRow::new();
    for (place, form) in forms.iter().enumerate().take(columns) {
        let bit = place + UNUSED_BITS;
        let is_null = nulls[bit / 8] >> (bit % 8) & 1 == 1;
        row.push(if is_null { None } else { Some(form.value(&mut reader)?) });
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(of: u8, is_unsigned: bool) -> ColumnForm {
        ColumnForm { of, is_unsigned }
    }

    fn texts<const N: usize>(texts: [&str; N]) -> TextRow {
        texts.map(|text| Some(text.to_owned())).into()
    }

    #[test]
    fn rows_of_text_have_their_values() {
        let row = text_row(b"\x02ab\xfb\x00", 3);
        assert_eq!(row, Some(vec![Some("ab".to_owned()), None, Some(String::new())]));
        assert_eq!(text_row(b"\x02ab\x01c", 1), Some(texts(["ab"])));
        assert_eq!((text_row(b"\x02a", 1), text_row(b"\x01a", 2)), (None, None));
    }

    #[test]
    fn columns_are_described() {
        let content = b"\x03def\x01x\x01t\x01t\x01c\x01c\x0c\x3f\x00\x0b\x00\x00\x00\x03\x21\x50\x00\x00\x00";
        assert_eq!(ColumnForm::of(content), Some(form(LONG, true)));
        assert_eq!(ColumnForm::of(&content[..23]), None);
    }

    #[test]
    fn rows_in_binary_form_have_their_values() {
        let forms = [form(LONG, false), form(TINY, true), form(LONGLONG, false), form(253, false)];
        let row = b"\x00\x00\xfe\xff\xff\xff\xff\x03\0\0\0\0\0\0\0\x02ab";
        assert_eq!(binary_row(row, &forms, 9), Some(texts(["-2", "255", "3", "ab"])));
        assert_eq!(binary_row(row, &forms, 1), Some(texts(["-2"])));
        // The second one is NULL.
        let row = b"\x00\x08\xfe\xff\xff\xff\x03\0\0\0\0\0\0\0\x02ab";
        let values = binary_row(row, &forms, 3).unwrap();
        assert_eq!(values, [Some("-2".to_owned()), None, Some("3".to_owned())]);
        assert_eq!(binary_row(&row[..9], &forms, 3), None);
        let row = [&b"\x00\x00"[..], &1.5_f64.to_le_bytes(), &(-2_i16).to_le_bytes()].concat();
        assert_eq!(
            binary_row(&row, &[form(DOUBLE, false), form(SHORT, false)], 2),
            Some(texts(["1.5", "-2"]))
        );
        assert_eq!(binary_row(b"\x00\x00\x00", &[form(12, false)], 1), None, "a date");
    }
}
