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
const HEADERS: &[&str] =
    &["authorization:", "cookie:", "api-key:", "x-auth-token:", "private-token:", "x-vault-token:"];

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
    for word in words {
        if let Some(secret) = behind.take()
            && !word.starts_with("--")
        {
            *word = secret.hidden(word);
            continue;
        }
        is_curl |= called(word) == "curl";
        letters.extend(Letters::of(word));
        behind = Secret::of_name(word, is_curl);
        let found = letters.iter().find_map(|letters| {
            let (secret, value) = letters.secret(word.as_str())?;
            Some((letters.is_joined, secret, value.len(), secret.hidden(value)))
        });
        match found {
            Some((_, _, length, hidden)) if length > 0 => {
                word.truncate(word.len() - length);
                word.push_str(&hidden);
                continue;
            }
            Some((false, secret, ..)) => behind = Some(secret),
            _ => {}
        }
        // Asked before: what is hidden of a header stands behind a space, too.
        let may_be_command = word.contains(char::is_whitespace);
        hide_in_word(word);
        if may_be_command {
            *word = hide_in_command(word);
        }
    }
}

/// The program that a word calls, which may be the first of a command in quotes.
fn called(word: &str) -> &str {
    program(word.trim_matches(['"', '\'', '`', '(', ')', '$']))
}

/// Takes them out of a word that may be a command: `sh -c "curl -u me:x https://host/"`. Those of its words
/// that have spaces have fewer quotes than it has, so this comes to an end.
fn hide_in_command(word: &str) -> String {
    let own = shlex::split(word).unwrap_or_default();
    let mut words = own.clone();
    hide_secrets(&mut words);
    if words == own {
        return hide_in_line(word);
    }
    let mut text = words.join(" ");
    cut(&mut text);
    text
}

/// Takes them out of a URL, a setting or a header.
fn hide_in_word(word: &mut String) {
    if let Some(hidden) = without_password(word) {
        *word = hidden;
    }
    cut(word);
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
    use crate::tool::has_secret;

    /// Bug: where the shell puts something in anywhere, a password was not looked for.
    #[test]
    fn what_the_shell_puts_in_is_no_secret_and_what_stands_beside_it_is() {
        for (command, has) in [
            ("curl -u me:$(cat /etc/x) https://h/", false),
            ("curl -H \"Authorization: Bearer $TOKEN\" https://h/", false),
            ("mail -s worse root", false),
            ("curl -u me:geheim -H \"X: $HOST\" https://h/", true),
            ("sh -c 'curl -u me:geheim https://h/$1'", true),
            ("sh -c 'curl -u me:geheim https://h/'", true),
        ] {
            assert_eq!(has_secret(command), has, "{command}");
        }
    }

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
            (
                "elbencho --s3secret x --s3sessiontoken=x -w b",
                "elbencho --s3secret *** --s3sessiontoken=*** -w b",
            ),
            ("locust --web-auth me:x -u 4", "locust --web-auth *** -u 4"),
            ("locust --web-auth=me:x -u 4", "locust --web-auth=*** -u 4"),
            ("PGPASSWORD=x pgbench", "PGPASSWORD=*** pgbench"),
            ("ab -A me:x -k -P a:b http://h/", "ab -A me:*** -k -P a:*** http://h/"),
            ("ab -kC sid=x http://h/", "ab -kC *** http://h/"),
            ("ab -c 5 -T a/b http://h/", "ab -c 5 -T a/b http://h/"),
            ("hey -a me:x -disable-keepalive http://h/", "hey -a me:*** -disable-keepalive http://h/"),
            ("oha -a me:x --no-tui http://h/", "oha -a me:*** --no-tui http://h/"),
            ("redis-benchmark -a x -n 5", "redis-benchmark -a *** -n 5"),
            ("memtier_benchmark --authenticate=me:x -t 4", "memtier_benchmark --authenticate=*** -t 4"),
            ("memtier_benchmark --authenticate x -t 4", "memtier_benchmark --authenticate *** -t 4"),
            ("mysqlslap -uroot -px", "mysqlslap -uroot -p***"),
            ("mysqlslap -p -uroot", "mysqlslap -p -uroot"),
            ("time 7z a -px a.7z b", "time 7z a -p*** a.7z b"),
            ("aria2c --rpc-secret=x --http-passwd x a", "aria2c --rpc-secret=*** --http-passwd *** a"),
            ("curl https://h/a?token=x&b=c", "curl https://h/a?token=***"),
            ("oha -d {\"a\":1,\"password\":\"x\"} http://h/", "oha -d {\"a\":1,\"password\":*** http://h/"),
            ("iperf3 -p 5201 -A 2 -C bbr", "iperf3 -p 5201 -A 2 -C bbr"),
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
    fn a_command_in_quotes_has_none_either() {
        for (word, expected) in [
            ("curl -u me:x https://h/", "curl -u me:*** https://h/"),
            ("mysql -px", "mysql -p***"),
            ("curl -u 'me:x y' https://h/", "curl -u me:*** https://h/"),
            ("ssh h 'mysql -px -e a'", "ssh h mysql -p*** -e a"),
            ("echo 'two  words'", "echo 'two  words'"),
        ] {
            let mut words = ["perf", "stat", "sh", "-c", word].map(str::to_owned);
            hide_secrets(&mut words);
            assert_eq!(words[4], expected);
        }
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
            ("time sh -c \"curl -u me:x https://h/\"", "time sh -c \"curl -u me:*** https://h/\""),
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
        let mut result = ToolResult::default();
        result.options.insert("url".to_owned(), "http://me:x@h/".to_owned());
        hide_options(&mut result);
        assert_eq!(result.options["url"], "http://me:***@h/", "wrk prints it as it was given");
    }
}
