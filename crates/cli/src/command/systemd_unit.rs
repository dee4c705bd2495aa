//! Texts in units of systemd: what a user named becomes part of one line, whatever letters it has (systemd.syntax(7)).

use std::path::Path;

use report::text::printable;

use crate::exit::Failure;

/// The words of a command as `ExecStart` has them.
///
/// # Errors
/// If one has a line break or another control character in it: what is behind it would be a setting of the unit.
pub(super) fn exec_start(words: &[&str]) -> Result<String, Failure> {
    if let Some(word) = words.iter().find(|word| word.contains(char::is_control)) {
        return Err(Failure::arguments(
            format!("a unit has no place for line breaks: {}", printable(word)),
            "give a path or a name without them, or write a script and name that",
        ));
    }
    Ok(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// A path as `WorkingDirectory` has it: to the end of the line, without quotes (systemd.exec(5)).
///
/// # Errors
/// If it has a control character in it, ends with what a line does not keep, or is no UTF-8.
pub(super) fn whole_line(path: &Path) -> Result<String, Failure> {
    let is_kept = |text: &&str| {
        // A line that ends with `\` goes on with the next one.
        !text.contains(char::is_control) && !text.ends_with(|c: char| c == '\\' || c.is_whitespace())
    };
    match path.to_str().filter(is_kept) {
        Some(text) => Ok(text.replace('%', "%%")),
        None => Err(Failure::arguments(
            format!("a unit has no place for a folder of this name: {}", printable(&path.to_string_lossy())),
            "do it in a folder with another name",
        )),
    }
}

/// A word of `ExecStart` (systemd.service(5)): `%` begins a specifier, `$` a variable, and what is empty is no word
/// without quotes.
fn quoted(word: &str) -> String {
    let doubled = word.replace('\\', "\\\\").replace('%', "%%").replace('$', "$$");
    let is_bare = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | ';');
    match !doubled.is_empty() && doubled.chars().all(is_bare) {
        true => doubled,
        false => format!("\"{}\"", doubled.replace('"', "\\\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_for_who_reads_the_unit() {
        for (word, written) in [
            ("--user", "--user"),
            ("/a b", "\"/a b\""),
            ("50%", "50%%"),
            ("$HOME", "$$HOME"),
            ("a\"b'c;d", "\"a\\\"b'c;d\""),
            ("\\n", "\\\\n"),
            // Bug: a word that was empty was none, and the next one took its place.
            ("", "\"\""),
        ] {
            assert_eq!(exec_start(&["x", word]).unwrap(), format!("x {written}"));
        }
    }

    #[test]
    fn regression_a_line_break_in_a_name_was_a_line_of_the_unit() {
        for name in ["/srv/a\nExecStartPre=/bin/b", "/srv/a\rb", "/srv/a\u{7f}"] {
            assert_eq!(exec_start(&["/bin/headroom", name]).unwrap_err().code(), 2, "{name:?}");
            assert_eq!(whole_line(Path::new(name)).unwrap_err().code(), 2, "{name:?}");
        }
    }

    #[test]
    fn a_folder_stands_to_the_end_of_its_line() {
        assert_eq!(whole_line(Path::new("/srv/a b 50%")).unwrap(), "/srv/a b 50%%");
        for name in ["/srv/a\\", "/srv/a "] {
            assert_eq!(whole_line(Path::new(name)).unwrap_err().code(), 2, "{name:?}");
        }
    }
}
