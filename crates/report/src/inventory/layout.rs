//! How the parts of a machine are listed: names with values, many names in short.

use crate::document::{Block, Text};

/// So many numbers at one distance are written out.
const STRIDE_MIN: usize = 4;

/// Names with what belongs to them.
#[derive(Default)]
pub(crate) struct Pairs(Vec<(String, Text)>);

impl Pairs {
    /// A name with its texts, if it has any.
    pub(super) fn add(
        &mut self,
        name: impl Into<String>,
        texts: impl IntoIterator<Item = String>,
    ) -> &mut Self {
        let name = name.into();
        let there = texts.into_iter().filter(|t| !t.trim().is_empty());
        self.0.extend(there.map(|text| (name.clone(), Text::from(text))));
        self
    }

    /// All of them; nothing where there is none.
    pub(crate) fn blocks(self) -> Option<Block> {
        (!self.0.is_empty()).then_some(Block::Pairs(self.0))
    }
}

/// Names of one kind in short: `sda, sdb`, or `sda ... sdl (12)` for many.
pub(crate) fn names(all: &[&str]) -> String {
    const SHOWN_MAX: usize = 4;
    match all {
        [first, .., last] if all.len() > SHOWN_MAX => format!("{first} ... {last} ({})", all.len()),
        _ => all.join(", "),
    }
}

/// Numbers in the kernel's list format: `0-3,8`; many at one distance, as the
/// CPUs of a node may be, are `0,2 ... 62`.
pub(crate) fn number_list(numbers: &[u32]) -> String {
    let steps = numbers.windows(2).map(|w| w[1].checked_sub(w[0]));
    if let [first, second, .., last] = numbers
        && numbers.len() > STRIDE_MIN
        && second.checked_sub(*first).is_some_and(|step| step > 1 && steps.clone().all(|s| s == Some(step)))
    {
        return format!("{first},{second} ... {last}");
    }
    let parts: Vec<String> = numbers
        .chunk_by(|a, b| a.checked_add(1) == Some(*b))
        .filter_map(|run| match run {
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first}-{last}")),
            [] => None,
        })
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_a_span_and_numbers_a_list() {
        assert_eq!(names(&["sda", "sdb"]), "sda, sdb");
        assert_eq!(names(&["a", "b", "c", "d", "e"]), "a ... e (5)");
        assert_eq!(number_list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(number_list(&[u32::MAX]), "4294967295");
        assert_eq!(number_list(&[]), "");
        assert_eq!(number_list(&[0, 2, 4, 6]), "0,2,4,6");
        assert_eq!(number_list(&[1, 3, 5, 7, 9]), "1,3 ... 9");
        assert_eq!(number_list(&[0, 2, 4, 6, 9]), "0,2,4,6,9");
        assert_eq!(number_list(&[9, 7, 5, 3, 1]), "9,7,5,3,1");
    }
}
