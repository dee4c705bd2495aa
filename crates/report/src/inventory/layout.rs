//! How the parts of a machine's text look: titles, keys with values, trees.

use crate::terminal::paragraph;

/// The width of keys with the spaces around them.
const KEY_WIDTH: usize = 17;
/// A tree is indented up to so many levels; deeper ones stand below the last.
const LEVELS_MAX: usize = 8;

/// So many numbers at one distance are written out.
const STRIDE_MIN: usize = 4;

/// A section: its title, then `body`; nothing where there is no body.
pub(super) fn section(title: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("{title}\n{body}\n") }
}

/// Keys with values, aligned; a key without value is left out.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    out: String,
}

impl Pairs {
    /// One key with its value, if it has one.
    pub(super) fn add(&mut self, key: &str, value: impl Into<Option<String>>) -> &mut Self {
        self.list(key, value.into())
    }

    /// One key with a value on each line.
    pub(super) fn list(&mut self, key: &str, values: impl IntoIterator<Item = String>) -> &mut Self {
        let rest = " ".repeat(KEY_WIDTH);
        let mut first = format!("  {key:<width$}", width = KEY_WIDTH - 2);
        for value in values.into_iter().filter(|v| !v.trim().is_empty()) {
            self.out.push_str(&paragraph(&first, &format!("{rest}  "), &value));
            first.clone_from(&rest);
        }
        self
    }

    /// All of them.
    pub(super) fn text(&mut self) -> String {
        std::mem::take(&mut self.out)
    }
}

/// One entry of a tree: its name in a line, then what is to be said of it.
pub(super) fn entry(level: usize, head: &str, lines: impl IntoIterator<Item = String>) -> String {
    let indent = "  ".repeat(level.min(LEVELS_MAX) + 1);
    let below = format!("{indent}    ");
    let mut out = paragraph(&indent, &below, head);
    for line in lines.into_iter().filter(|l| !l.trim().is_empty()) {
        out.push_str(&paragraph(&below, &format!("{below}  "), &line));
    }
    out
}

/// That some were left out, where some were.
pub(super) fn hidden(count: usize, noun: &str) -> String {
    match count {
        0 => String::new(),
        1 => paragraph("  ", "  ", &format!("1 more {noun}: --all shows it")),
        _ => paragraph("  ", "  ", &format!("{count} more {noun}s: --all shows them")),
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
    fn keys_are_aligned_and_long_values_hang() {
        let mut pairs = Pairs::default();
        pairs.add("model", Some("X".to_owned())).add("absent", None).add("long", Some("word ".repeat(30)));
        let text = pairs.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  model          X");
        assert!(
            lines[1].starts_with("  long           word word")
                && lines[2].starts_with("                   word")
        );
        assert!(!text.contains("absent") && lines.iter().all(|l| l.len() <= 80));
    }

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

    #[test]
    fn a_deep_tree_stays_on_the_page() {
        let text = entry(1000, &"name ".repeat(40), ["more ".repeat(40)]);
        assert!(text.lines().all(|l| l.len() <= 80), "{text}");
    }
}
