//! Titles in Markdown and in comments, which look as what is typed behind the prompt of root: `# fio benchmark results`.

/// Words of titles that no program takes alone.
const WORDS: &[&str] = &[
    "and",
    "benchmark",
    "benchmarking",
    "benchmarks",
    "command",
    "commands",
    "comparison",
    "for",
    "from",
    "of",
    "on",
    "output",
    "outputs",
    "performance",
    "result",
    "results",
    "test",
    "testing",
    "tests",
    "the",
    "using",
    "vs",
    "with",
];

/// Whether it is a title, and no command, that stands behind this prompt, which is none or `#`.
pub(super) fn is_title(prompt: &str, command: &str) -> bool {
    let is_option = |word: &str| {
        let is_dash = word.starts_with(['-', '\u{2013}', '\u{2014}']);
        is_dash && word.chars().nth(1).is_some() || word.contains('=')
    };
    let is_of_title = |word: &str| {
        let bare = word.trim_matches(|c: char| c.is_ascii_punctuation()).to_ascii_lowercase();
        !word.is_ascii() || word.starts_with('(') || WORDS.contains(&bare.as_str())
    };
    let mut words = command.split_whitespace().skip(1);
    prompt.chars().all(|c| c == '#') && !words.clone().any(is_option) && words.any(is_of_title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_told_from_what_root_types() {
        for text in [
            "fio benchmark results",
            "sysbench 工具",
            "dd test on the SSD",
            "fio (4 KiB, 70/30)",
            "pgbench Results:",
        ] {
            assert!(is_title("#", text) && is_title("", text), "{text}");
            assert!(!is_title("$", text), "{text}");
        }
        for text in [
            "iostat",
            "iostat 1 10",
            "sysbench cpu run",
            "fio jobs.fio",
            "dd if=a of=test",
            "fio --name test",
            "7z b",
        ] {
            assert!(!is_title("#", text), "{text}");
        }
    }

    #[test]
    fn regression_a_title_was_taken_for_the_command_of_what_stands_below() {
        let figures = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 4.8 s, 224 MB/s\n";
        for title in ["# dd results", "## dd test", "dd tests read/write"] {
            let output = crate::tool::read("", format!("{title}\n\n{figures}").as_bytes()).unwrap();
            assert_eq!(output.results[0].command, Vec::<String>::new(), "{title}");
        }
        let output = crate::tool::read("", format!("# dd if=a of=b\n{figures}").as_bytes()).unwrap();
        assert_eq!(output.results[0].command.len(), 3);
    }
}
