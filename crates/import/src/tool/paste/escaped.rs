//! Outputs that stand in a string of JSON, with `\n` between their lines: answers of interfaces and logs of CI have
//! them so. A string is taken apart only where an output begins in it, and never one of a JSON text that is known.

use super::decoration::Sureness;
use super::json::JsonExtent;
use super::{OpenBlock, OpenKind, Paste, ToolBlock, ToolLine, terminal};

/// So many lines of a string are looked at for the beginning of an output.
const LOOKED_AT: usize = 200;

/// By so many bytes at its beginning a JSON text is known, if it is.
const KNOWN_BY: usize = 65536;

/// What the log of a container begins with on each line.
const CONTAINER_LOG: &str = "{\"log\":\"";

impl Paste<'_> {
    /// The lines that stand in strings of this one; `None` where it is a line as any other. A JSON text around them
    /// ends.
    pub(super) fn unescaped(&mut self, line: &ToolLine) -> Option<Vec<ToolLine>> {
        let own = |text: String| ToolLine { number: line.number, text };
        if let Some(text) = logged(&line.text) {
            return Some(vec![own(text)]);
        }
        let may_be = line.text.contains("\\n") || line.text.contains("{\\\"");
        // Commands have formats with such ends of lines.
        let is_command = || self.readers.command(line).is_some();
        if !may_be || is_command() {
            return None;
        }
        let mut all = Vec::new();
        for string in strings(&line.text).iter().filter(|string| self.has_output(string)) {
            all.extend(lines(string).map(own));
        }
        // Asked last: it takes the longest.
        if all.is_empty() || self.is_of_known_json(line) {
            return None;
        }
        if self.open.as_ref().is_some_and(|open| matches!(open.kind, OpenKind::Json(_))) {
            self.close();
        }
        Some(all)
    }

    /// Whether a line is part of a JSON text that a tool printed.
    fn is_of_known_json(&self, line: &ToolLine) -> bool {
        let is_known = |text: &str| self.readers.all().any(|reader| reader.knows_json(text));
        match &self.open {
            Some(OpenBlock { kind: OpenKind::Json(_), lines, .. }) => {
                let mut bytes = 0usize;
                let is_of_head = |line: &&ToolLine| {
                    bytes = bytes.saturating_add(line.text.len());
                    bytes <= KNOWN_BY
                };
                let head = lines.iter().take_while(is_of_head).count();
                is_known(&ToolBlock { lines: &lines[..head], command: None }.text())
            }
            _ => JsonExtent::begins(&line.text) && is_known(&line.text),
        }
    }

    /// Whether an output stands in a string, and not only commands.
    fn has_output(&self, text: &str) -> bool {
        if JsonExtent::begins(text) && self.readers.all().any(|reader| reader.knows_json(text)) {
            return true;
        }
        let begins = |text: String| {
            let line = ToolLine { number: 0, text };
            self.readers.command(&line).is_none() && self.sureness(&line) == Sureness::Certain
        };
        // One line alone is decorated: the others stand in strings of their own.
        text.trim_end().contains('\n') && lines(text).take(LOOKED_AT).any(begins)
    }
}

/// What a container wrote, of a line of its log: `{"log":"text\n","stream":"stdout","time":"..."}`.
fn logged(text: &str) -> Option<String> {
    let text = text.trim_start();
    if !text.starts_with(CONTAINER_LOG) {
        return None;
    }
    let line: serde_json::Value = serde_json::from_str(text).ok()?;
    line.get("stream")?;
    let log = line.get("log")?.as_str()?;
    Some(lines(log).next().unwrap_or_default())
}

/// The strings on a line that may have several lines, without their escapes.
fn strings(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('"') {
        let (inside, further) = behind.split_at(end_of_string(behind));
        rest = further.strip_prefix('"').unwrap_or_default();
        if inside.contains('\\') {
            all.push(without_escapes(inside));
        }
    }
    all
}

/// Where the string ends that begins here; of one that was cut the end of the text.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// A string without its escapes (RFC 8259, section 7).
fn without_escapes(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        let escaped = if letter == '\\' { letters.next() } else { None };
        match escaped {
            None if letter == '\\' => {}
            None => text.push(letter),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let code: String = letters.by_ref().take(4).collect();
                text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            Some(other) => text.push(other),
        }
    }
    text
}

/// The lines of a text as a terminal would have shown them.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let last_shown = |line: &str| {
        let last = line.rsplit('\r').find(|part| !part.trim().is_empty());
        last.map_or_else(String::new, terminal::shown)
    };
    text.lines().map(last_shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DD: &str =
        "64+0 records in\\n64+0 records out\\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\\n";

    fn read(text: &str) -> (Vec<(String, u64)>, usize) {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let results = output.results.iter().map(|result| (result.tool.clone(), result.lines.first));
        (results.collect(), output.unread.len())
    }

    #[test]
    fn outputs_in_strings_are_read() {
        let dd = |line: u64| ("dd".to_owned(), line);
        assert_eq!(read(&format!("{{\"rc\": 0, \"stderr\": \"{DD}\"}}\n")), (vec![dd(1)], 0));
        let (found, _) = read(&format!("{{\n  \"rc\": 0,\n  \"stderr\": \"{DD}\",\n  \"end\": 1\n}}\n"));
        assert_eq!(found, [dd(3)], "in several lines");
        let (found, _) = read(&format!("  \"stderr\": \"$ dd if=a of=b\\n{DD}"));
        assert_eq!(found, [dd(1)], "the string was cut");
    }

    #[test]
    fn json_in_a_string_is_read() {
        let inner = "{\\\"fio version\\\" : \\\"fio-3.33\\\", \\\"jobs\\\" : [{\\\"jobname\\\" : \\\"a\\\", \\\"read\\\" : \
                     {\\\"io_bytes\\\" : 4096000, \\\"bw_bytes\\\" : 4096000, \\\"iops\\\" : 1000.0, \\\"runtime\\\" : 1000, \
                     \\\"total_ios\\\" : 1000}}]}";
        let output = crate::tool::read("", format!("{{\"stdout\": \"{inner}\"}}\n").as_bytes()).unwrap();
        let tools: Vec<&str> = output.results.iter().map(|result| result.tool.as_str()).collect();
        assert_eq!(tools, ["fio"]);
    }

    #[test]
    fn lines_of_a_container_log_are_read() {
        let log: String = DD
            .split_terminator("\\n")
            .map(|line| {
                format!("{{\"log\":\"{line}\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-28T09:00:00Z\"}}\n")
            })
            .collect();
        assert_eq!(read(&log), (vec![("dd".to_owned(), 1)], 0));
    }

    #[test]
    fn json_in_a_container_log_is_read() {
        let json = "{\n  \\\"fio version\\\" : \\\"fio-3.33\\\",\n  \\\"jobs\\\" : [{\\\"jobname\\\" : \\\"a\\\", \\\"read\\\" : \
                    {\\\"io_bytes\\\" : 4096000, \\\"bw_bytes\\\" : 4096000, \\\"iops\\\" : 1000.0, \\\"runtime\\\" : 1000}}]\n}";
        let log = |line: &str| format!("{{\"log\":\"{line}\\n\",\"stream\":\"stdout\",\"time\":\"x\"}}\n");
        let (found, unread) = read(&json.lines().map(log).collect::<String>());
        assert_eq!((found, unread), (vec![("fio".to_owned(), 1)], 0));
    }

    #[test]
    fn commands_in_strings_are_no_outputs() {
        let (found, unread) = read("{\"script\": \"dd if=a of=b\\ndd if=b of=c\\nsync\\n\"}\n");
        assert_eq!((found.len(), unread), (0, 1));
    }

    #[test]
    fn escapes_are_those_of_json() {
        assert_eq!(strings("a \"b\\n\\\"c\\\" \\u00b5s\\\\\" d \"e\""), ["b\n\"c\" \u{b5}s\\"]);
        assert_eq!(strings("\"cut\\nshort\\"), ["cut\nshort"]);
        assert_eq!(lines("10%\r100%\r\nend").collect::<Vec<_>>(), ["100%", "end"]);
    }
}
