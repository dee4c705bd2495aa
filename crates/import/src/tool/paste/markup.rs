//! A line without the marks of the page or the forum that it was copied from: tags and characters of HTML,
//! `[code]` of forums, `{code}` of Jira, backticks and asterisks of Markdown around all of it, or the second backtick of a
//! pair that encloses several lines.

use std::borrow::Cow;

use crate::tool::prompt::is_bare_prompt;

/// Tags of HTML that stand around texts of terminals. Others may be words of a tool, as `<LOOPBACK>` is.
const TAGS: &[&str] = &["pre", "code", "br", "div", "span", "samp", "tt", "p", "blockquote", "font", "kbd"];

/// The most bytes of a tag.
const TAG_MAX: usize = 200;

/// The longest name of a language behind a fence, in bytes.
const FENCE_NAME_MAX: usize = 20;

/// What forums and Jira write around a text.
const FORUM: &[&str] =
    &["[code", "[/code", "[quote", "[/quote", "[pre", "[/pre", "{code", "{noformat", "{quote"];

/// Characters of HTML with what they stand for.
const CHARACTERS: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&nbsp;", " "),
    ("&#160;", " "),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&#34;", "\""),
    ("&quot;", "\""),
    ("&amp;", "&"),
];

/// What Markdown has around bold letters.
const BOLD: &str = "**";

/// The line without them.
pub(super) fn without(text: String) -> String {
    let text = if text.contains('<') { without_tags(&text).into_owned() } else { text };
    let text = if text.contains('&') { with_characters(text) } else { text };
    let text = if text.contains(BOLD) { without_bold(&text).into_owned() } else { text };
    let inner = without_forum(&text);
    if inner.len() == text.len() { text } else { inner.trim_end().to_owned() }
}

fn without_tags(text: &str) -> Cow<'_, str> {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        left.push_str(before);
        // A tag is short; to look further for its end would take a time that grows with the square.
        let end = tag.bytes().take(TAG_MAX).position(|byte| byte == b'>');
        match end.filter(|end| tag.get(..*end).is_some_and(is_tag)) {
            Some(end) => rest = tag.get(end + 1..).unwrap_or_default(),
            None => {
                left.push('<');
                rest = tag;
            }
        }
    }
    if left.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    left.push_str(rest);
    left.truncate(left.trim_end().len());
    Cow::Owned(left)
}

/// `pre`, `/code`, `br /`, `span class="x"`.
fn is_tag(inside: &str) -> bool {
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let name = name.split([' ', '/']).next().unwrap_or_default();
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

/// With what characters of HTML stand for. Where a quote stands as it is, none was replaced: it is JSON
/// that has such a character in a string.
fn with_characters(text: String) -> String {
    if text.contains('"') {
        return text;
    }
    CHARACTERS.iter().fold(text, |text, (name, character)| text.replace(name, character))
}

/// Without the asterisks around parts of a line in bold letters: `read: **IOPS=24k**, BW=95MiB/s`. A power such as
/// `1024**2` has none, nor has a path: letters stand inside of them, and none outside.
fn without_bold(text: &str) -> Cow<'_, str> {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, inside, behind)) = bold(rest) {
        left.push_str(before);
        left.push_str(inside);
        rest = behind;
    }
    if left.is_empty() {
        return Cow::Borrowed(text);
    }
    left.push_str(rest);
    Cow::Owned(left)
}

/// What stands before the first part in bold letters, that part, and what stands behind it.
fn bold(text: &str) -> Option<(&str, &str, &str)> {
    let (before, from) = text.split_once(BOLD)?;
    let (inside, behind) = from.split_once(BOLD)?;
    let is_outside = !before.ends_with(char::is_alphanumeric)
        && !behind.starts_with(|c: char| c.is_alphanumeric() || c == '*');
    let is_inside = inside.starts_with(char::is_alphanumeric)
        && inside.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '%' | ')' | ':' | ','));
    (is_outside && is_inside).then_some((before, inside, behind))
}

/// Whether a line stands between outputs and says nothing: a prompt behind which nothing was typed, a fence of Markdown.
pub(super) fn is_between(text: &str) -> bool {
    is_bare_prompt(text) || is_fence(text)
}

/// Whether a line only begins or ends code in Markdown: three backticks, or tildes, and maybe its language.
pub(super) fn is_fence(text: &str) -> bool {
    let text = text.trim();
    let inside = ["```", "~~~"].into_iter().find_map(|mark| text.strip_prefix(mark));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '`' | '~' | '-' | '_' | '+' | '.');
    inside.is_some_and(|name| name.len() <= FENCE_NAME_MAX && name.chars().all(is_name))
}

/// Without what stands at both ends.
fn without_forum(text: &str) -> &str {
    // Every line of any text is asked.
    if !text.contains(['[', '{', '`', '*']) {
        return text;
    }
    let mut inner = text;
    while let Some(rest) = FORUM.iter().find_map(|mark| behind_mark(inner, mark)) {
        inner = rest;
    }
    while let Some(before) = FORUM.iter().find_map(|mark| before_mark(inner, mark)) {
        inner = before;
    }
    // Of Markdown, for code and for bold letters.
    let trimmed = inner.trim();
    let between = ["`", BOLD].into_iter().find_map(|mark| {
        let between = trimmed.strip_prefix(mark)?.strip_suffix(mark)?;
        (!between.is_empty() && !between.contains(mark)).then_some(between)
    });
    let is_last = |before: &&str| !before.contains('`');
    between.or_else(|| inner.strip_suffix('`').filter(is_last)).unwrap_or(inner)
}

fn is_mark(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

/// What the bracket of a mark is closed by.
fn closing(mark: &str) -> char {
    if mark.starts_with('{') { '}' } else { ']' }
}

/// Whether what stands behind the name of a mark is its end or its options: `]`, `=bash]`, `:title=x}`.
fn ends_mark(rest: &str, mark: &str) -> bool {
    rest.starts_with([closing(mark), '=', ':', ' '])
}

fn behind_mark<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let rest = text.get(mark.len()..).filter(|rest| is_mark(text, mark) && ends_mark(rest, mark))?;
    Some(rest.split_once(closing(mark))?.1)
}

fn before_mark<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let inside = text.strip_suffix(closing(mark))?;
    let at = inside.rfind(if mark.starts_with('{') { '{' } else { '[' })?;
    let (before, last) = (text.get(..at)?, text.get(at..)?);
    let is_one = is_mark(last, mark)
        && last.get(mark.len()..).is_some_and(|rest| rest.is_empty() || ends_mark(rest, mark));
    is_one.then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_of_markdown_are_known() {
        for text in ["```", "```bash", "  ````", "~~~", "```shell-session"] {
            assert!(is_fence(text), "{text}");
        }
        for text in ["``", "```This is ApacheBench", "```fio --name=a", "~~", "a ```", ""] {
            assert!(!is_fence(text), "{text}");
        }
    }

    #[test]
    fn marks_of_pages_and_forums_are_gone() {
        for (text, left) in [
            ("<pre>a", "a"),
            ("<pre class=\"x\"><code>a &lt;b&gt;", "a <b>"),
            ("a</code></pre>", "a"),
            ("a &amp;&amp; b<br />", "a && b"),
            ("1: lo: <LOOPBACK,UP> mtu 65536", "1: lo: <LOOPBACK,UP> mtu 65536"),
            ("a < b > c", "a < b > c"),
            ("[code]$ fio", "$ fio"),
            ("[CODE=bash]$ fio[/CODE]", "$ fio"),
            ("{code:bash}$ fio", "$ fio"),
            ("x{noformat}", "x"),
            ("`fio --name=a`", "fio --name=a"),
            ("sys     0m24.786s`", "sys     0m24.786s"),
            ("`a` and `b`", "`a` and `b`"),
            (" `fio --name=a`", "fio --name=a"),
            ("    **$ dd if=a of=b bs=1**", "$ dd if=a of=b bs=1"),
            ("***", "***"),
            ("  read: **IOPS=24k**, **BW=95MiB/s** (99MB/s)", "  read: IOPS=24k, BW=95MiB/s (99MB/s)"),
            ("rate  1024**2  i/o 1000**2", "rate  1024**2  i/o 1000**2"),
            ("char **a, **b", "char **a, **b"),
            ("ls **/a/** -p*** x", "ls **/a/** -p*** x"),
            ("[  5] local", "[  5] local"),
            ("{\"a\": \"&lt;\"}", "{\"a\": \"&lt;\"}"),
            ("{&quot;a&quot;: 1}", "{\"a\": 1}"),
            ("[codec] x", "[codec] x"),
            ("", ""),
        ] {
            assert_eq!(without(text.to_owned()), left, "{text}");
        }
    }
}
