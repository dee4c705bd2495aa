//! Where a JSON text ends that begins on a line.

/// Follows the braces of a JSON text. Whether it is valid, its reader finds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonExtent {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
}

impl JsonExtent {
    /// Whether a JSON object, or a list of objects, may begin with this line. Other texts begin
    /// with a bracket, too.
    pub(super) fn begins(line: &str) -> bool {
        let line = line.trim_start();
        match line.strip_prefix('[') {
            Some(list) => list.is_empty() || list.trim_start().starts_with('{'),
            None => {
                let inside = line.strip_prefix('{').map(str::trim_start);
                inside.is_some_and(|inside| inside.is_empty() || inside.starts_with(['"', '}']))
            }
        }
    }

    /// Takes a further line; true where the text ends on it.
    pub(super) fn take(&mut self, line: &str) -> bool {
        for letter in line.chars() {
            if self.is_in_string {
                match letter {
                    _ if self.is_escaped => self.is_escaped = false,
                    '\\' => self.is_escaped = true,
                    '"' => self.is_in_string = false,
                    _ => {}
                }
                continue;
            }
            match letter {
                '"' => self.is_in_string = true,
                '{' | '[' => self.depth += 1,
                '}' | ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_text_ends_with_its_last_brace() {
        let ends = |lines: &[&str]| {
            let mut extent = JsonExtent::default();
            lines.iter().position(|line| extent.take(line))
        };
        assert_eq!(ends(&["{", "\"a\": \"}\\\"}\",", "\"b\": [1, {}]", "}", "x"]), Some(3));
        assert_eq!(ends(&["{\"a\": 1}"]), Some(0));
        assert_eq!(ends(&["[", "{"]), None);
    }

    #[test]
    fn brackets_alone_begin_no_json() {
        for (line, begins) in [
            ("{", true),
            ("  {\"a\": 1", true),
            ("[", true),
            ("[{", true),
            ("[  5] local 10.0.0.1 port 5201", false),
            ("{ echo a; }", false),
            ("text {", false),
        ] {
            assert_eq!(JsonExtent::begins(line), begins, "{line}");
        }
    }
}
