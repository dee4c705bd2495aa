//! Texts in Markdown: what they hold is shown and never obeyed.

use crate::text::clean;

/// `text` as a paragraph, heading or cell may hold it, on one line. GitHub makes
/// links of bare addresses, of names behind an at sign and of numbers behind a
/// hash, even of escaped ones; an empty comment is what parts them.
pub(super) fn plain(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for (index, c) in text.char_indices() {
        match c {
            '@' => out.push_str("@<!-- -->"),
            '#' => out.push_str("\\#<!-- -->"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | '!' => {
                out.push('\\');
                out.push(c);
            }
            ':' if text[index..].starts_with("://") => out.push_str("\\:"),
            '.' if before.eq_ignore_ascii_case(&'w') => out.push_str("\\."),
            // A list, a rule or a quotation begins with these.
            '-' | '+' | '=' if index == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if index > 0 && is_item(&text[..index], &text[index + 1..]) => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        before = c;
    }
    // Four spaces at the start would make it code; one parts it from the piece
    // before.
    let space = if text.starts_with(' ') { " " } else { "" };
    format!("{space}{}", out.trim_start())
}

/// Whether a point behind `before` would number a list.
fn is_item(before: &str, after: &str) -> bool {
    before.chars().all(|c| c.is_ascii_digit()) && (after.is_empty() || after.starts_with(' '))
}

/// `text` as code within a line.
pub(super) fn code(text: &str) -> String {
    let text = clean(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// `text` as a block of code.
pub(super) fn fenced(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(clean).collect();
    let fence = "`".repeat(lines.iter().map(|l| longest_run(l)).max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}", lines.join("\n"))
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// `text` within an element of HTML, with what would be a mark of Markdown as
/// its number: not every reader keeps the two apart.
pub(super) fn html(text: &str) -> String {
    let mut out = String::new();
    for c in clean(text).chars() {
        match c {
            '@' => out.push_str("@<!-- -->"),
            '&' => out.push_str("&amp;"),
            '<' | '>' | '"' | '`' | '[' | ']' | '*' | '_' | '|' | '~' | '#' | '\\' => {
                out.push_str(&format!("&#{};", c as u32));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_letters() {
        assert_eq!(plain("a|b `c` <i> *d* [e](f)"), "a\\|b \\`c\\` \\<i\\> \\*d\\* \\[e\\](f)");
        assert_eq!(plain("# 1"), "\\#<!-- --> 1");
        assert_eq!(plain("@someone fixes #12"), "@<!-- -->someone fixes \\#<!-- -->12");
        assert_eq!(
            plain("see https://x.example and www.x.example"),
            "see https\\://x.example and www\\.x.example"
        );
        assert_eq!(plain("- no list"), "\\- no list");
        assert_eq!(plain("1. no list"), "1\\. no list");
        assert_eq!(plain("1.5 GB"), "1.5 GB");
        assert_eq!(plain(" and more"), " and more");
        assert_eq!(plain("two\nlines"), "two lines");
    }

    #[test]
    fn code_is_fenced_by_more_than_it_holds() {
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(fenced("x\n```\ny"), "````\nx\n```\ny\n````");
    }

    #[test]
    fn within_html_nothing_is_markup() {
        assert_eq!(html("</a>\"@x [y]"), "&#60;/a&#62;&#34;@<!-- -->x &#91;y&#93;");
    }
}
