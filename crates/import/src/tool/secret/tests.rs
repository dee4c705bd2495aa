//! Passwords and keys that stand in commands and lines of all kinds.

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
        ("wrk -H 'Authorization: Bearer x' a", "wrk -H 'Authorization: ***' a"),
        ("it's wrk -H Authorization: Bearer x", "it's wrk -H Authorization: ***"),
        ("curl  -u me:x  https://host/", "curl -u me:*** https://host/"),
        ("two  spaces stay", "two  spaces stay"),
        ("time sh -c \"curl -u me:x https://h/\"", "time sh -c 'curl -u me:*** https://h/'"),
        ("curl -u 'me:x y' https://h/", "curl -u me:*** https://h/"),
        ("it's curl -u 'me:x y", "it's curl -u 'me:*** ***"),
        ("sh -c \"curl -u 'me:x y' https://h/\"", "sh -c 'curl -u me:*** https://h/'"),
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

/// Bug: a password within `$(...)` or backquotes was kept.
#[test]
fn a_command_within_a_word_has_none_either() {
    for (command, expected) in [
        ("fio --name=$(curl -u me:x https://h/)", "fio --name=$(curl -u me:*** https://h/)"),
        ("fio --name=`curl -sume:x https://h/`", "fio --name=`curl -sume:*** https://h/`"),
        ("wrk \"$(curl -u \"me:x\" 'https://h/')\"", "wrk '$(curl -u me:*** https://h/)'"),
        ("a=b;(/usr/bin/curl -u me:x https://h/)", "a=b;(/usr/bin/curl -u me:*** https://h/)"),
        ("ssh h \"sh -c 'curl -u \\\"me:x y\\\" https://h/'\"", "ssh h 'sh -c curl -u me:*** https://h/'"),
    ] {
        assert_eq!(hide_in_line(command), expected);
    }
}

/// Bug: the stack overflowed, for to a shell an ideographic space is none.
#[test]
fn spaces_that_no_shell_knows_part_words_too() {
    for space in ['\u{3000}', '\u{a0}', '\u{2003}', '\r', '\u{b}'] {
        let mut words = [format!("curl{space}-u{space}me:x{space}https://h/"), format!("a{space}b")];
        hide_secrets(&mut words);
        assert_eq!(words, ["curl -u me:*** https://h/".to_owned(), format!("a{space}b")]);
    }
}

/// Bug: of two settings the one that is asked for first was hidden, and not the one that stands first.
#[test]
fn each_of_several_secrets_is_hidden() {
    for (word, expected) in [
        ("http://h/?token=x&password=y", "http://h/?token=***"),
        ("authorization:x;token=y", "authorization: ***"),
        ("http://h/,http://me:x@h/,https://me:y@h/", "http://h/,http://me:***@h/,https://me:***@h/"),
    ] {
        let mut words = [word.to_owned()];
        hide_secrets(&mut words);
        assert_eq!(words, [expected]);
    }
}

/// Bug: where quotes do not close, what followed the first space of a value was kept.
#[test]
fn a_value_whose_quotes_do_not_close_ends_nowhere() {
    for (command, expected) in [
        ("curl -u 'me:x y https://h/", "curl -u 'me:*** *** ***"),
        ("curl -u'me:x y https://h/", "curl -u'me:*** *** ***"),
        ("mysql --password='x y -e a", "mysql --password=*** *** *** ***"),
        ("wrk -H \"Authorization: Bearer x", "wrk -H \"Authorization: *** ***"),
    ] {
        let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        hide_secrets(&mut words);
        assert_eq!(words.join(" "), expected);
    }
}

/// Bug: each call of a program was looked at with each word behind it, which took minutes.
#[test]
fn a_long_line_of_calls_takes_no_longer_than_another() {
    let line = "curl ".repeat(100_000);
    assert_eq!(hide_in_line(&line), line);
}

/// Bug: each line that nobody understood was taken apart as a shell does, whatever stood in it. What has none is known
/// without that, and never what has one.
#[test]
fn a_line_without_one_is_known_by_what_stands_before_each() {
    for line in [
        "-p x",
        "mysql -px",
        "a '-p' x",
        "a \\-p x",
        "a ''-p x",
        "'TOKEN'=x",
        "pass'word'=x",
        "{\"a\": 1, \"password\": \"x\"}",
        "Cookie: x",
        "see postgres://me:x@h/",
        "--user me:x",
    ] {
        assert!(may_have(line), "{line}");
    }
    for line in [
        "",
        "64+0 records in",
        "2026-11-29 19:00:01 - disk: 134 MB/s = 1.0 Gb/s",
        "me@host",
        "sda-1: x-y",
        "Total: 5, mean=3",
    ] {
        assert!(!may_have(line), "{line}");
        assert_eq!(hidden_in_line(line), line);
    }
    for line in crate::tool::captures::lines() {
        // In some of them with marks that a shell knows.
        for line in [line.replace(' ', " '"), line.replace('e', "\\e"), line] {
            assert!(may_have(&line) || hidden_in_line(&line) == line, "{line}");
        }
    }
}
