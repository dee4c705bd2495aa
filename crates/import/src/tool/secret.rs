//! Passwords and keys in command lines: no document has any.

use model::tool_result::ToolResult;

use super::command_line::program;

/// What stands for one.
const HIDDEN: &str = "***";

/// Options and settings whose value is one, in small letters; other words may stand before them.
const SETTINGS: &[&str] = &[
    "password=",
    "passwd=",
    "mysql_pwd=",
    "http_pass=",
    "http_s3_key=",
    "http_s3_security_token=",
    "http_s3_sse_customer_key=",
    "http_swift_auth_token=",
];

/// Headers of HTTP whose value is one, in small letters.
const HEADERS: &[&str] =
    &["authorization:", "cookie:", "api-key:", "x-auth-token:", "private-token:", "x-vault-token:"];

/// Options behind which one stands as a word of its own.
const BEFORE_SECRETS: &[&str] = &[
    "--password",
    "--http-password",
    "--ftp-password",
    "--proxy-password",
    "--oauth2-bearer",
    "--pass",
    "--cookie",
    "--cert",
];

/// Options of curl behind which a user stands with the password.
const USERS: &[&str] = &["--user", "--proxy-user"];

/// Options of one letter of curl that have a value, as its manual lists them.
const CURL_LETTERS: &str = "AbcCdDeEFHKmoPQrtTuUwxXyYz";

/// Words in the names of options whose value is one, whatever the tool.
const NAMES: &[&str] = &["passw", "http_pass", "secret", "token", "s3_key", "customer_key"];

/// What a value has of a secret.
#[derive(Clone, Copy)]
enum Secret {
    /// All behind the name of the user.
    BehindUser,
    /// All of it.
    Whole,
}

impl Secret {
    /// Of an option of curl with one letter.
    fn of_letter(letter: char) -> Option<Self> {
        match letter {
            'u' | 'U' => Some(Self::BehindUser),
            'b' | 'E' => Some(Self::Whole),
            _ => None,
        }
    }

    /// Of an option with a long name.
    fn of_name(word: &str, is_curl: bool) -> Option<Self> {
        if is_curl && USERS.contains(&word) {
            return Some(Self::BehindUser);
        }
        BEFORE_SECRETS.contains(&word).then_some(Self::Whole)
    }

    /// The value without it.
    fn hidden(self, value: &str) -> String {
        match self {
            Self::BehindUser => format!("{}:{HIDDEN}", value.split(':').next().unwrap_or_default()),
            Self::Whole => HIDDEN.to_owned(),
        }
    }
}

/// Takes them out of the words of a command.
pub(super) fn hide_secrets(words: &mut [String]) {
    let (mut is_curl, mut behind) = (false, None::<Secret>);
    for word in words {
        if let Some(secret) = behind.take()
            && !word.starts_with("--")
        {
            *word = secret.hidden(word);
            continue;
        }
        is_curl |= program(word) == "curl";
        behind = Secret::of_name(word, is_curl);
        if is_curl && let Some((letter, value)) = letter_and_value(word) {
            let secret = Secret::of_letter(letter);
            match secret {
                Some(secret) if !value.is_empty() => {
                    let before = word.len() - value.len();
                    let hidden = secret.hidden(value);
                    word.truncate(before);
                    word.push_str(&hidden);
                    continue;
                }
                Some(_) => behind = secret,
                None => {}
            }
        }
        if let Some(hidden) = without_password(word) {
            *word = hidden;
        }
        cut(word);
    }
}

/// Takes them out of a line that may be a command.
pub(super) fn hide_in_line(line: &str) -> String {
    let own: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let mut words = own.clone();
    hide_secrets(&mut words);
    let mut text = if words == own { line.to_owned() } else { words.join(" ") };
    cut(&mut text);
    text
}

/// Takes them out of the options of a result.
pub(super) fn hide_options(result: &mut ToolResult) {
    for (name, value) in &mut result.options {
        let name = name.to_ascii_lowercase().replace('-', "_");
        // A stressor of stress-ng is called so.
        if name != "secretmem" && NAMES.iter().any(|part| name.contains(part)) {
            HIDDEN.clone_into(value);
        } else {
            // It may be a command that the tool ran.
            *value = hide_in_line(value);
        }
    }
}

/// Cuts a word behind a setting or a header whose value is one.
fn cut(word: &mut String) {
    let small = word.to_ascii_lowercase();
    if let Some(end) = end_of(&small, SETTINGS) {
        word.truncate(end);
        word.push_str(HIDDEN);
    } else if let Some(end) = end_of(&small, HEADERS) {
        word.truncate(end);
        word.push(' ');
        word.push_str(HIDDEN);
    }
}

/// The first of curl's options with a value in a word such as `-sku` or `-uNAME`, and what of the value
/// stands in the same word.
fn letter_and_value(word: &str) -> Option<(char, &str)> {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let mut from = letters.get(letters.find(|letter: char| CURL_LETTERS.contains(letter))?..)?.chars();
    let letter = from.next()?;
    Some((letter, from.as_str()))
}

/// A URL with a password, without it.
fn without_password(word: &str) -> Option<String> {
    let (scheme, rest) = word.split_once("://")?;
    let before = rest.split('/').next().unwrap_or(rest);
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // Some write a slash of the password as it is.
    let is_whole = before.contains('@') || before.rsplit_once(':').is_none_or(|(_, port)| is_port(port));
    let (account, _) = if is_whole { before } else { rest }.rsplit_once('@')?;
    let (user, _) = account.split_once(':')?;
    let place = rest.get(account.len()..)?;
    Some(format!("{scheme}://{user}:{HIDDEN}{place}"))
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
            ("curl -sku me:x https://host/", "curl -sku me:*** https://host/"),
            ("curl -ume:x https://host/", "curl -ume:*** https://host/"),
            ("curl -o u https://host/", "curl -o u https://host/"),
            ("curl --oauth2-bearer x https://host/", "curl --oauth2-bearer *** https://host/"),
            ("curl -b sid=x --pass x", "curl -b *** --pass ***"),
            ("curl -bsid=x --cert c.pem:x", "curl -b*** --cert ***"),
            ("wget --user me --password x", "wget --user me --password ***"),
            ("mysqlslap --password --host=a", "mysqlslap --password --host=a"),
            ("dd -b 5", "dd -b 5"),
            ("wget https://me:x@y@host/a@b", "wget https://me:***@host/a@b"),
            ("wget https://me:x/y@host/", "wget https://me:***@host/"),
            ("wget http://host:80/a@b", "wget http://host:80/a@b"),
            ("fio --http_s3_security_token=x", "fio --http_s3_security_token=***"),
            ("fio --http_s3_sse_customer_key=x", "fio --http_s3_sse_customer_key=***"),
            ("fio --http_swift_auth_token=x", "fio --http_swift_auth_token=***"),
            ("PGPASSWORD=x pgbench", "PGPASSWORD=*** pgbench"),
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
    #[test]
    fn headers_with_tokens_are_known() {
        for name in ["Private-Token:", "X-Vault-Token:", "X-API-Key:", "api-key:"] {
            let mut words = [format!("{name} abc")];
            hide_secrets(&mut words);
            assert_eq!(words, [format!("{name} ***")]);
        }
    }

    #[test]
    fn lines_and_options_have_none_either() {
        for (line, expected) in [
            ("wrk -H 'Authorization: Bearer x' a", "wrk -H 'Authorization: ***"),
            ("curl  -u me:x  https://host/", "curl -u me:*** https://host/"),
            ("two  spaces stay", "two  spaces stay"),
        ] {
            assert_eq!(hide_in_line(line), expected);
        }
        let mut result = ToolResult::default();
        for name in ["http_pass", "http_s3_key", "mysql-password", "passes"] {
            result.options.insert(name.to_owned(), "5".to_owned());
        }
        hide_options(&mut result);
        let values: Vec<&str> = result.options.values().map(String::as_str).collect();
        assert_eq!(values, ["***", "***", "***", "5"]);
        result.options.insert("command".to_owned(), "curl -u me:x https://host/".to_owned());
        hide_options(&mut result);
        assert_eq!(result.options["command"], "curl -u me:*** https://host/");
    }
}
