//! Passwords and keys in command lines: no document has any.

use super::command_line::program;

/// What stands for one.
const HIDDEN: &str = "***";

/// Options and settings whose value is one; other words may stand before them.
const SETTINGS: &[&str] = &["password=", "passwd=", "http_pass=", "http_s3_key="];

/// Headers of HTTP whose value is one, in small letters.
const HEADERS: &[&str] = &["authorization:", "cookie:", "x-api-key:", "x-auth-token:"];

/// Options of curl behind which a user stands with the password.
const USERS: &[&str] = &["-u", "--user", "-U", "--proxy-user"];

/// Takes them out of the words of a command.
pub(super) fn hide_secrets(words: &mut [String]) {
    let (mut is_curl, mut is_user) = (false, false);
    for word in words {
        if std::mem::take(&mut is_user) {
            let user = word.split(':').next().unwrap_or_default();
            *word = format!("{user}:{HIDDEN}");
            continue;
        }
        is_curl |= program(word) == "curl";
        is_user = is_curl && USERS.contains(&word.as_str());
        if let Some(end) = end_of(word, SETTINGS) {
            word.truncate(end);
            word.push_str(HIDDEN);
        } else if let Some(end) = end_of(&word.to_ascii_lowercase(), HEADERS) {
            word.truncate(end);
            word.push(' ');
            word.push_str(HIDDEN);
        } else if let Some((scheme, rest)) = word.split_once("://")
            && let Some((account, place)) = rest.split_once('@')
            && let Some((user, _)) = account.split_once(':')
        {
            *word = format!("{scheme}://{user}:{HIDDEN}@{place}");
        }
    }
}

/// Where the first of these names that stands in a word ends.
fn end_of(word: &str, names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| word.find(name).map(|at| at + name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_taken_out_of_commands() {
        for (command, expected) in [
            ("--mysql-password=x", "--mysql-password=***"),
            ("--password=geheim --password=*** -T", "--password=*** --password=*** -T"),
            ("pgbench postgres://me:x@host/db", "pgbench postgres://me:***@host/db"),
            ("pgbench postgres://host/db", "pgbench postgres://host/db"),
            ("fio --http_s3_key=x", "fio --http_s3_key=***"),
            ("curl -u me:x https://host/", "curl -u me:*** https://host/"),
            ("/usr/bin/curl --user me https://host/", "/usr/bin/curl --user me:*** https://host/"),
            ("iperf -u ::1", "iperf -u ::1"),
        ] {
            let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            hide_secrets(&mut words);
            assert_eq!(words.join(" "), expected);
        }
    }

    #[test]
    fn the_value_of_a_header_may_have_spaces() {
        let mut words = ["wrk", "-H", "Authorization: Bearer abc", "-H", "Accept: */*"].map(str::to_owned);
        hide_secrets(&mut words);
        assert_eq!(words, ["wrk", "-H", "Authorization: ***", "-H", "Accept: */*"]);
        let mut words = ["postgres", "host=a password=x y"].map(str::to_owned);
        hide_secrets(&mut words);
        assert_eq!(words[1], "host=a password=***");
    }
}
