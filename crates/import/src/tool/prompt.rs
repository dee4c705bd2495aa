//! Prompts of shells: what stands before a command, or alone at the end of a paste of a terminal.

/// Characters that a prompt ends with, before a space.
const MARKS: &[char] = &['$', '#', '%', '>', '\u{276f}', '\u{27a4}', ARROW, '\u{3bb}', '+'];

/// Those of them that a line may end with.
const BARE_MARKS: &[char] = &['$', '#', '%', '>', '\u{276f}'];

/// The mark of prompts that have the folder and the branch behind it.
pub(super) const ARROW: char = '\u{279c}';

/// Fewer words than so many are behind the first of a prompt.
const PROMPT_WORDS_MAX: usize = 4;

/// The longest prompt, in characters.
const PROMPT_MAX: usize = 120;

/// A line parted into its prompt and what follows.
pub(super) fn behind_prompt(line: &str) -> Option<(&str, &str)> {
    // Of Windows there is no space behind the mark.
    if let Some((folder, command)) = line.split_once('>')
        && is_windows_folder(folder)
    {
        return Some((folder, command.trim_start()));
    }
    let is_mark = |at: usize, c: char| {
        MARKS.contains(&c) && line.get(at + c.len_utf8()..).is_some_and(|rest| rest.starts_with(' '))
    };
    // Letters and digits are none, and every line of any text is asked.
    let may_be_mark = |c: char| !(c.is_ascii_alphanumeric() || c == ' ');
    let mut letters = line.char_indices().take(PROMPT_MAX);
    let (at, mark) = letters.find(|(at, c)| may_be_mark(*c) && is_mark(*at, *c))?;
    let end = at + mark.len_utf8();
    let (prompt, command) = (line.get(..end)?, line.get(end..)?.trim_start());
    is_prompt(line.get(..at)?.trim_end()).then_some((prompt, command))
}

/// Whether a line is a prompt behind which nothing was typed: pastes of a terminal end with one.
pub(super) fn is_bare_prompt(text: &str) -> bool {
    let text = text.trim();
    if text.strip_suffix('>').is_some_and(is_windows_folder) {
        return true;
    }
    let mut rest = text.chars();
    let is_marked = rest.next_back().is_some_and(|mark| BARE_MARKS.contains(&mark));
    let before = rest.as_str().trim_end();
    // `~ 50 %` is a share, `Me <me@host>` and `http://host/#` are addresses.
    let is_of_terminal = before.contains(['@', ':']) || before.ends_with(|c: char| c.is_ascii_digit());
    let is_address = before.contains('<') || before.contains("://");
    is_marked && is_of_terminal && !is_address && text.len() <= PROMPT_MAX && is_prompt(before)
}

/// `C:\Users\me`, with PowerShell's `PS ` before it or without.
fn is_windows_folder(text: &str) -> bool {
    let folder = text.strip_prefix("PS ").unwrap_or(text);
    let mut letters = folder.chars();
    let drive = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    drive && letters.next() == Some(':') && letters.next() == Some('\\')
}

/// What shells write before the mark: nothing, `user@host:~/x`, `[user@host x]`, `(env) user@host`,
/// `bash-5.2`, `~`.
fn is_prompt(text: &str) -> bool {
    let text = match (text.strip_prefix('('), text.find(')')) {
        (Some(_), Some(end)) => text.get(end + 1..).unwrap_or_default().trim_start(),
        _ => text,
    };
    if let Some(inside) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_host = inside.starts_with(|c: char| c.is_ascii_alphabetic()) && inside.chars().all(is_name);
        return inside.contains('@') || is_host;
    }
    let is_one_word = !text.contains(char::is_whitespace);
    let is_user = text.contains('@') && is_one_word;
    // As zsh and fish write it: the folder in a word of its own.
    let is_user_and_folder = text.split_whitespace().count() == 2 && text.contains('@');
    let is_shell = is_one_word && ["sh-", "bash-", "ash-"].iter().any(|shell| text.starts_with(shell));
    let is_folder = is_one_word && (text.starts_with('~') || text.starts_with('/'));
    // With the branch, or as macOS and SUSE write it.
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_user_and_more = first.contains('@') && words.clone().count() < PROMPT_WORDS_MAX;
    let is_host_and_folder = (first.contains(":~") || first.contains(":/")) && words.count() < 2;
    // `set -x`.
    let is_trace = text.chars().all(|c| c == '+');
    // PowerShell 7 on Linux has a folder behind it, too.
    let is_power_shell = text == "PS" || text.starts_with("PS /");
    (is_user || is_user_and_folder || is_shell || is_folder)
        || (is_user_and_more || is_host_and_folder || is_trace || is_power_shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_without_a_command_is_known() {
        for text in [
            "user@host:~$",
            "user@host:~/a$ ",
            "[root@host ~]#",
            "me@mac ~ %",
            "bash-5.2$",
            "host:~ #",
            "(env) me@host:~$",
            "C:\\bench>",
            "PS C:\\Users\\me> ",
        ] {
            assert!(is_bare_prompt(text), "{text}");
        }
        for text in [
            "",
            "$",
            "#",
            "50%",
            "~ 50 %",
            "<me@host>",
            "</td>",
            "a <me@host>",
            "http://host/#",
            "#####",
            "100 #",
            "user@host:~$ ls",
        ] {
            assert!(!is_bare_prompt(text), "{text}");
        }
    }
}
