//! Text of commands as shells read it, of what pages and other systems made of it.

/// With the quotes, dashes and spaces that a keyboard has: editors of pages and mails, and input methods, make others
/// of them.
pub(super) fn with_plain_quotes(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_whitespace() && !letter.is_ascii(), " ");
    let quotes = text.replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'");
    quotes.replace(" \u{2013}", " --").replace(" \u{2014}", " --")
}

/// With drives of Windows, `diskspd #1`, which no shell there takes for comments.
pub(super) fn with_drives(text: String) -> String {
    let is_drive = |word: &str| word.strip_prefix('#').is_some_and(|number| number.parse::<u32>().is_ok());
    if !text.contains(" #") || !text.to_ascii_lowercase().contains("diskspd") {
        return text;
    }
    let words =
        text.split(' ').map(|word| if is_drive(word) { format!("\\{word}") } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

/// A command behind the prompt on this line with its backslashes: shells of Windows take them for no escapes.
pub(super) fn with_backslashes(line: &str, command: &str) -> String {
    let prompt = line.trim_start();
    let prompt = prompt.strip_prefix("PS ").unwrap_or(prompt);
    let is_of_windows =
        prompt.starts_with(|c: char| c.is_ascii_alphabetic()) && prompt.get(1..3) == Some(":\\");
    if is_of_windows { command.replace('\\', "\\\\") } else { command.to_owned() }
}

/// Whether a text tells a rate and gives no option: `dd with cache off: 600 MB/s` is a heading, and runs nothing.
pub(super) fn tells_rate(text: &str) -> bool {
    const RATES: &[&str] = &["B/s", "b/s", "bit/s", "s/s", "B/sec", "s/sec", "bps", "IOPS", "TPS", "QPS"];
    let is_option = |word: &str| word.len() > 1 && word.starts_with('-') || word.contains('=');
    let is_rate = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        RATES.iter().any(|end| word.ends_with(*end))
    };
    let has_number = text.contains(|c: char| c.is_ascii_digit());
    has_number && !text.split_whitespace().any(is_option) && text.split_whitespace().any(is_rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_without_an_option_is_told_by_people() {
        for text in [
            "dd with cache off: 600 MB/s",
            "- fio: 120k IOPS, 4k",
            "wrk 20,000 requests/s",
            "iperf 9.41 Gb/s.",
        ] {
            assert!(tells_rate(text), "{text}");
        }
        for text in
            ["dd if=/a/b of=/c", "pv -L 10MB/s x", "sysbench cpu run", "hdparm /dev/sda1", "pgbench bench2"]
        {
            assert!(!tells_rate(text), "{text}");
        }
    }

    #[test]
    fn backslashes_of_windows_stay() {
        let of = |line: &str| with_backslashes(line, "fio --filename=D\\:\\x");
        assert_eq!(of("PS C:\\Users\\me> fio --filename=D\\:\\x"), "fio --filename=D\\\\:\\\\x");
        assert_eq!(of("C:\\bench>fio --filename=D\\:\\x"), "fio --filename=D\\\\:\\\\x");
        assert_eq!(of("me@host:~$ fio --filename=D\\:\\x"), "fio --filename=D\\:\\x");
    }
}
