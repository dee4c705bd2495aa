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
    "token=",
    "secret=",
    "api_key=",
    "apikey=",
    "api-key=",
    "access_key=",
    "signature=",
    "web-auth=",
    "--authenticate=",
    // Of JSON that is sent.
    "password\":",
    "passwd\":",
    "token\":",
    "secret\":",
    "api_key\":",
    "apikey\":",
];

/// Headers of HTTP whose value is one, in small letters.
const HEADERS: &[&str] = &[
    "authorization:",
    "cookie:",
    "api-key:",
    "x-auth-token:",
    "private-token:",
    "x-vault-token:",
    "x-amz-security-token:",
];

/// Options behind which one stands as a word of its own.
const BEFORE_SECRETS: &[&str] = &[
    "--password",
    "--http-password",
    "--ftp-password",
    "--proxy-password",
    "--oauth2-bearer",
    "--http-passwd",
    "--ftp-passwd",
    "--proxy-passwd",
    "--rpc-secret",
    "--s3secret",
    "--s3sessiontoken",
    "--web-auth",
    "--pass",
    "--proxy-pass",
    "--tlspassword",
    "--proxy-tlspassword",
    "--token",
    "--cookie",
    "--cert",
    "--authenticate",
];

/// Options of curl behind which a user stands with the password.
const USERS: &[&str] = &["--user", "--proxy-user"];

/// Options of one letter of a program.
struct Letters {
    programs: &'static [&'static str],
    /// Those that have a value, as its manual lists them: in front of them others may stand in one word. None
    /// where a word is one option.
    valued: &'static str,
    /// Those whose value is one.
    secret: &'static [(char, Secret)],
    /// Whether the value stands in the same word, or there is none.
    is_joined: bool,
}

/// Of each program that has such. Other letters of others are none: `iperf -u`.
const LETTERS: &[Letters] = &[
    Letters {
        programs: &["curl"],
        valued: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
        secret: &[
            ('u', Secret::BehindUser),
            ('U', Secret::BehindUser),
            ('b', Secret::Whole),
            ('E', Secret::Whole),
        ],
        is_joined: false,
    },
    Letters {
        programs: &["ab"],
        valued: "AbBcCeEfgHmnpPstTuvxXyzZ",
        secret: &[('A', Secret::BehindUser), ('P', Secret::BehindUser), ('C', Secret::Whole)],
        is_joined: false,
    },
    Letters {
        programs: &["hey", "boom", "oha", "http", "https"],
        valued: "",
        secret: &[('a', Secret::BehindUser)],
        is_joined: false,
    },
    Letters {
        programs: &["redis-benchmark", "redis-cli", "memtier_benchmark"],
        valued: "",
        secret: &[('a', Secret::Whole)],
        is_joined: false,
    },
    Letters { programs: &["sshpass"], valued: "p", secret: &[('p', Secret::Whole)], is_joined: false },
    // `-p` alone asks for it.
    Letters {
        programs: &[
            "mysqlslap",
            "mariadb-slap",
            "mysql",
            "mariadb",
            "mysqladmin",
            "mariadb-admin",
            "mysqldump",
            "mariadb-dump",
            "7z",
            "7za",
            "7zr",
            "7zz",
        ],
        valued: "p",
        secret: &[('p', Secret::Whole)],
        is_joined: true,
    },
];

impl Letters {
    /// Those of the program that a word calls.
    fn of(word: &str) -> Option<&'static Self> {
        let name = called(word);
        LETTERS.iter().find(|letters| letters.programs.contains(&name))
    }

    /// The first option with a value in a word such as `-sku` or `-uNAME`, if the value is one, and what of it
    /// stands in the same word.
    fn secret<'a>(&self, word: &'a str) -> Option<(Secret, &'a str)> {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let start = match (self.valued.is_empty(), self.is_joined) {
            // One option a word: further letters are of its long name.
            (true, _) if letters.chars().count() == 1 => 0,
            (true, _) => return None,
            // A word such as `-uroot` has a name in which there may be any letter.
            (false, true) => 0,
            (false, false) => letters.find(|letter: char| self.valued.contains(letter))?,
        };
        let mut from = letters.get(start..)?.chars();
        let letter = from.next()?;
        let (_, secret) = self.secret.iter().find(|(own, _)| *own == letter)?;
        Some((*secret, from.as_str()))
    }
}

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
    let mut letters: Vec<&Letters> = Vec::new();
    let mut words = words.iter_mut();
    while let Some(word) = words.next() {
        let goes_on;
        if let Some(secret) = behind.take()
            && !word.starts_with("--")
        {
            goes_on = is_unclosed(word);
            *word = secret.hidden(word);
        } else {
            is_curl |= called(word) == "curl";
            if let Some(own) = Letters::of(word)
                && !letters.iter().any(|known| std::ptr::eq(*known, own))
            {
                letters.push(own);
            }
            behind = Secret::of_name(word, is_curl);
            let found = letters.iter().find_map(|letters| {
                let (secret, value) = letters.secret(word.as_str())?;
                Some((letters.is_joined, secret, word.len() - value.len()))
            });
            match found {
                Some((_, secret, start)) if start < word.len() => {
                    let value = word.split_off(start);
                    goes_on = is_unclosed(&value);
                    word.push_str(&secret.hidden(&value));
                }
                found => {
                    behind =
                        found.filter(|(is_joined, ..)| !is_joined).map(|(_, secret, _)| secret).or(behind);
                    goes_on = hide_in_any(word);
                }
            }
        }
        if goes_on {
            words.by_ref().for_each(|word| HIDDEN.clone_into(word));
        }
    }
}

/// The program that a word calls, which may be the first of a command in quotes, or of one that stands within the
/// word: `--name=$(curl`.
fn called(word: &str) -> &str {
    let word = word.trim_end_matches(['"', '\'', '`', ')', ';']);
    program(word.rsplit(['"', '\'', '`', '(', '{', ';', '|', '&']).next().unwrap_or(word))
}

/// Whether a value begins with a quote that does not end in it: where quotes do not close, a command is parted at
/// its spaces, and the next words are of the value, too.
fn is_unclosed(value: &str) -> bool {
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    quote.is_some_and(|quote| value.matches(quote).count() == 1)
}

/// Takes them out of a word that is no option with one. Whether the next words are of its value, too.
fn hide_in_any(word: &mut String) -> bool {
    // Asked before: what is hidden of a header stands behind a space, too.
    let may_be_command = word.contains(char::is_whitespace);
    if let Some(hidden) = without_passwords(word) {
        *word = hidden;
    }
    let goes_on = cut(word);
    if may_be_command {
        *word = hide_in_command(word);
    }
    goes_on
}

/// Takes them out of a word that may be a command: `sh -c "curl -u me:x https://host/"`. Those of its words
/// that have spaces are shorter than it is, for they have fewer quotes, so this comes to an end.
fn hide_in_command(word: &str) -> String {
    hidden_by_quotes(word, |own| own.to_owned()).unwrap_or_else(|| hidden_by_spaces(word))
}

/// Takes them out of a line that may be a command.
pub(super) fn hide_in_line(line: &str) -> String {
    if !may_have(line) {
        return line.to_owned();
    }
    hidden_in_line(line)
}

/// Whether a line has what stands before each of them: an option, a name, or a user in an address. Most lines have none of
/// these, and to take a line apart as a shell does takes long.
fn may_have(line: &str) -> bool {
    let bytes = line.as_bytes();
    // A word does not begin behind a letter or a digit.
    let is_option = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
            && (next.is_ascii_alphabetic() || next == b'-' || is_taken_by_shell(next))
    };
    let mut has_colon = false;
    let is_option_or_user = bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'-' => is_option(at),
        b':' => {
            has_colon = true;
            false
        }
        b'@' => has_colon,
        _ => false,
    });
    is_option_or_user || has_name(line)
}

/// Whether a text has the name of a setting or of a header whose value is one, wherever it has what a shell takes away.
fn has_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_named = |at: usize| {
        let up_to = bytes.get(..=at).unwrap_or_default();
        SETTINGS.iter().chain(HEADERS).any(|name| ends_with_name(up_to, name))
    };
    bytes.iter().enumerate().any(|(at, byte)| matches!(byte, b'=' | b':') && is_named(at))
}

/// Whether a text ends with a name in small letters, whatever its own are, and wherever it has what a shell takes away.
fn ends_with_name(text: &[u8], name: &str) -> bool {
    let mut rest = text;
    name.bytes().rev().all(|expected| {
        while let Some((last, before)) = rest.split_last() {
            rest = before;
            if last.eq_ignore_ascii_case(&expected) {
                return true;
            }
            if !is_taken_by_shell(*last) {
                return false;
            }
        }
        false
    })
}

fn is_taken_by_shell(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'\\')
}

fn hidden_in_line(line: &str) -> String {
    // In prose an apostrophe is no quote: `it's curl -u 'me:x y'`.
    let letters: Vec<char> = line.chars().collect();
    let is_prose =
        letters.windows(3).any(|part| matches!(part, [a, '\'', b] if a.is_alphabetic() && b.is_alphabetic()));
    let by_quotes = if is_prose { None } else { hidden_by_quotes(line, in_quotes) };
    by_quotes.unwrap_or_else(|| hidden_by_spaces(line))
}

/// A text without them, if its words by the rules of a shell have some.
fn hidden_by_quotes(text: &str, shown: fn(&str) -> String) -> Option<String> {
    // Shells know no other spaces, people do: an ideographic one, one that does not break.
    let plain = text.replace(|letter: char| letter.is_whitespace() && letter != '\n', " ");
    let own = shlex::split(&plain).filter(|own| own.len() > 1)?;
    let mut words = own.clone();
    hide_secrets(&mut words);
    (words != own).then(|| words.iter().map(|word| shown(word)).collect::<Vec<_>>().join(" "))
}

/// A text without them, its words being what spaces part.
fn hidden_by_spaces(text: &str) -> String {
    let own: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let mut words = own.clone();
    hide_secrets(&mut words);
    let mut hidden = if words == own { text.to_owned() } else { words.join(" ") };
    cut(&mut hidden);
    hidden
}

/// A word of a command as it may be typed, as far as a reader needs it.
fn in_quotes(word: &str) -> String {
    match word.contains(' ') {
        false => word.to_owned(),
        true if word.contains('\'') => format!("\"{word}\""),
        true => format!("'{word}'"),
    }
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

/// Cuts a word behind the first setting or header whose value is one. Whether the next words are of it, too.
fn cut(word: &mut String) -> bool {
    if !has_name(word) {
        return false;
    }
    let small = word.to_ascii_lowercase();
    let (setting, header) = (end_of(&small, SETTINGS), end_of(&small, HEADERS));
    let is_header = match (setting, header) {
        (None, None) => return false,
        (Some((setting, _)), Some((header, _))) => header < setting,
        (setting, _) => setting.is_none(),
    };
    let Some((_, end)) = (if is_header { header } else { setting }) else { return false };
    let value = word.split_off(end);
    if is_header && value.is_empty() {
        // It stands behind a space.
        return true;
    }
    if is_header {
        word.push(' ');
    }
    word.push_str(HIDDEN);
    is_unclosed(&value)
}

/// A text without the passwords of the URLs in it, if they have any.
fn without_passwords(word: &str) -> Option<String> {
    const MARK: &str = "://";
    let mut parts = word.split(MARK);
    let mut hidden = parts.next()?.to_owned();
    for rest in parts {
        hidden.push_str(MARK);
        hidden.push_str(without_password(rest).as_deref().unwrap_or(rest));
    }
    (hidden != word).then_some(hidden)
}

/// What stands behind the scheme of a URL with a password, without it.
fn without_password(rest: &str) -> Option<String> {
    let before = rest.split('/').next().unwrap_or(rest);
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // Some write a slash of the password as it is.
    let is_whole = before.contains('@') || before.rsplit_once(':').is_none_or(|(_, port)| is_port(port));
    let (account, _) = if is_whole { before } else { rest }.rsplit_once('@')?;
    let (user, _) = account.split_once(':')?;
    let place = rest.get(account.len()..)?;
    Some(format!("{user}:{HIDDEN}{place}"))
}

/// Where the first of these names in a word begins and ends.
fn end_of(word: &str, names: &[&str]) -> Option<(usize, usize)> {
    let found = names.iter().filter_map(|name| word.find(name).map(|at| (at, at + name.len())));
    // Of two at one place the longer one.
    found.min_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)))
}

#[cfg(test)]
mod tests;
