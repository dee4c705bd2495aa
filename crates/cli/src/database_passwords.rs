//! Passwords of databases out of all that is typed, shown and kept. A URL may have one
//! (`mysql://user:password@host/database`). It is taken out of the arguments before
//! anything reads them, and given to the agent of this machine by a variable of the
//! environment that exists in that process alone, and there for a moment: the agent
//! covers and removes it when it starts. A node's agent is given none.

use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::exit::Failure;
use crate::redact_args;

/// The variable with what an agent is given: a line for each URL, as `load` reads them.
/// It is there for every agent of `headroom run`, even if it is empty.
pub(crate) const VARIABLE: &str = "HEADROOM_DB_PASSWORDS";

const SCHEMES: &[&[u8]] = &[b"mysql://", b"mariadb://", b"postgres://", b"postgresql://"];

/// A URL of a database among other text, with a password.
#[derive(Debug, PartialEq, Eq)]
struct FoundUrl {
    /// Where its scheme begins.
    start: usize,
    /// The password, without the colon before it and the at sign behind it.
    password: Range<usize>,
    /// Where its host and port end.
    end: usize,
    /// Whether it can be told where the password ends: a slash or a question mark in it
    /// would end what belongs to it.
    is_clear: bool,
}

/// Where the passwords in `text` are, in order.
pub(crate) fn places(text: &[u8]) -> Vec<Range<usize>> {
    let own = found(text).into_iter().map(|url| url.password);
    let options = urls(text).into_iter().flat_map(|(_, url)| of_options(text, url));
    let mut all: Vec<_> = own.chain(options).filter(|place| !place.is_empty()).collect();
    all.sort_by_key(|place| place.start);
    all
}

/// Every URL of a database: where its scheme begins, and all behind the scheme up to a
/// space or the next URL.
fn urls(text: &[u8]) -> Vec<(usize, Range<usize>)> {
    let scheme_at = |at: usize| {
        SCHEMES.iter().find(|scheme| {
            text.get(at..at + scheme.len()).is_some_and(|here| here.eq_ignore_ascii_case(scheme))
        })
    };
    let starts: Vec<(usize, usize)> =
        (0..text.len()).filter_map(|at| Some((at, at + scheme_at(at)?.len()))).collect();
    let url = |(place, (start, behind)): (usize, &(usize, usize))| {
        let next = starts.get(place + 1).map_or(text.len(), |(next, _)| *next);
        let space = text[*behind..next].iter().position(|byte| *byte <= b' ' || *byte == 0x7f);
        (*start, *behind..space.map_or(next, |length| behind + length))
    };
    starts.iter().enumerate().map(url).collect()
}

/// Those that have a password before the host.
fn found(text: &[u8]) -> Vec<FoundUrl> {
    urls(text).into_iter().filter_map(|(start, url)| with_password(text, start, &url)).collect()
}

fn with_password(text: &[u8], start: usize, url: &Range<usize>) -> Option<FoundUrl> {
    let first = |range: Range<usize>, is: fn(&u8) -> bool| {
        Some(range.start + text[range.clone()].iter().position(is)?)
    };
    let end = first(url.clone(), |byte| matches!(byte, b'/' | b'?')).unwrap_or(url.end);
    let last_at =
        |range: Range<usize>| Some(range.start + text[range.clone()].iter().rposition(|byte| *byte == b'@')?);
    let (at, is_clear) = match last_at(url.start..end) {
        Some(at) => (at, true),
        None => (last_at(url.clone())?, false),
    };
    let colon = first(url.start..end.min(at), |byte| *byte == b':')?;
    let is_behind_host = |byte: &u8| matches!(byte, b',' | b'+' | b'"' | b'\'' | b'`');
    let end = if is_clear { first(at..end, is_behind_host).unwrap_or(end) } else { url.end };
    Some(FoundUrl { start, password: colon + 1..at, end, is_clear })
}

/// The values of options that are called so; such a URL is refused later on.
fn of_options(text: &[u8], url: Range<usize>) -> Vec<Range<usize>> {
    let Some(mark) = text[url.clone()].iter().position(|byte| *byte == b'?') else { return Vec::new() };
    let mut at = url.start + mark + 1;
    let mut all = Vec::new();
    for option in text[at..url.end].split(|byte| *byte == b'&') {
        let name = option.split(|byte| *byte == b'=').next().unwrap_or_default();
        if name.to_ascii_lowercase().windows(8).any(|part| part == b"password") {
            all.push((at + name.len() + 1).min(at + option.len())..at + option.len());
        }
        at += option.len() + 1;
    }
    all
}

/// How many of the words that were typed are for this program. Behind the `--` of a trace stands a command of the user's,
/// which is given its words as they are.
pub(crate) fn own_words(arguments: &[OsString]) -> usize {
    let is_trace = arguments.get(1).is_some_and(|word| word == "trace");
    let mark = arguments.iter().position(|word| word == "--").filter(|_| is_trace);
    mark.unwrap_or(arguments.len())
}

/// Takes the passwords out of `arguments`. Returns a line for each: the URL without it, a
/// tabulator, and the password as it stood there.
///
/// # Errors
/// If it cannot be told where one ends.
pub(crate) fn take(arguments: &mut [OsString]) -> Result<String, Failure> {
    let mut lines = Vec::new();
    for argument in arguments {
        let text = argument.as_bytes();
        let all = found(text);
        if all.is_empty() {
            continue;
        }
        let mut kept = Vec::with_capacity(text.len());
        let mut from = 0;
        for FoundUrl { start, password, end, is_clear } in all {
            if !is_clear {
                return Err(Failure::arguments(
                    "it cannot be told where the password in the url of a database ends",
                    "in a password, write / as %2F and ? as %3F; elsewhere in a url, write @ as %40",
                ));
            }
            // Without the colon.
            kept.extend_from_slice(&text[from..password.start - 1]);
            lines.extend_from_slice(&text[start..password.start - 1]);
            lines.extend_from_slice(&text[password.end..end]);
            lines.push(b'\t');
            lines.extend_from_slice(&text[password.clone()]);
            lines.push(b'\n');
            from = password.end;
        }
        kept.extend_from_slice(&text[from..]);
        *argument = OsString::from_vec(kept);
    }
    Ok(String::from_utf8_lossy(&lines).into_owned())
}

/// Gives `lines` to the agents that this process starts.
///
/// # Safety
/// No other thread of this process must be there yet.
pub(crate) unsafe fn hand_over(lines: &str) {
    // SAFETY: nobody else reads or writes the environment, as the caller says.
    unsafe { std::env::set_var(VARIABLE, lines) }
}

/// What this process was given, if anything: afterwards it is not in the environment any
/// more, neither for us and our children, nor for those who may read it in /proc.
///
/// # Safety
/// No other thread of this process must be there yet.
pub(crate) unsafe fn receive() -> Option<String> {
    let lines = std::env::var(VARIABLE).ok()?;
    let _ = redact_args::cover_variable(VARIABLE);
    // SAFETY: nobody else reads or writes the environment, as the caller says.
    unsafe { std::env::remove_var(VARIABLE) };
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(words: &[&str]) -> (Vec<String>, String) {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        let lines = take(&mut arguments).unwrap();
        (arguments.into_iter().map(|word| word.into_string().unwrap()).collect(), lines)
    }

    #[test]
    fn passwords_are_taken_out_of_urls_wherever_they_stand() {
        let (kept, lines) = taken(&[
            "headroom",
            "--url=mysql://me:hun@ter:2@db.example:3307/sb?tls=verify,postgresql://p:q'+,r@[::1]",
            "--with",
            "db.oltp --url MySQL://a:%2Fb@c --rate 10/s",
            "postgres://me@here/x",
            "http://a:b@c",
        ]);
        assert_eq!(
            kept,
            [
                "headroom",
                "--url=mysql://me@db.example:3307/sb?tls=verify,postgresql://p@[::1]",
                "--with",
                "db.oltp --url MySQL://a@c --rate 10/s",
                "postgres://me@here/x",
                "http://a:b@c",
            ]
        );
        assert_eq!(
            lines,
            "mysql://me@db.example:3307\thun@ter:2\npostgresql://p@[::1]\tq'+,r\nMySQL://a@c\t%2Fb\n"
        );
        let (kept, lines) = taken(&["mysql://a:b@c,sqlite:", "mysql://d:@e"]);
        assert_eq!((kept[0].as_str(), kept[1].as_str()), ("mysql://a@c,sqlite:", "mysql://d@e"));
        assert_eq!(lines, "mysql://a@c\tb\nmysql://d@e\t\n");
    }

    #[test]
    fn regression_a_traced_command_got_its_url_without_the_password() {
        let own = |line: &str| own_words(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(own("headroom trace sda -- psql postgresql://me:hunter2@here/x"), 3);
        assert_eq!(own("headroom trace sda --duration 1s"), 5);
        assert_eq!(own("headroom schedule db.oltp -- --url mysql://me:hunter2@here/x"), 6);
    }

    #[test]
    fn a_password_whose_end_cannot_be_told_is_refused_and_hidden() {
        for text in ["mysql://me:hun/ter2@here/x", "mysql://me:1?ter2@here", "mysql://me:12/ter2@here/x"] {
            assert!(take(&mut [OsString::from(text)]).is_err(), "{text}");
            let hidden: Vec<_> = places(text.as_bytes()).into_iter().map(|place| &text[place]).collect();
            assert_eq!(hidden.len(), 1, "{text}");
            assert!(hidden[0].ends_with("ter2"), "{text}");
        }
    }

    #[test]
    fn passwords_are_found_in_other_text() {
        let text = "url = \"mysql://me:one@here/x\"\nb='postgres://here/x?Password=two&a=b' mysql://here:1/a";
        let hidden: Vec<_> = places(text.as_bytes()).into_iter().map(|place| &text[place]).collect();
        assert_eq!(hidden, ["one", "two"]);
        assert!(places(b"mysql://").is_empty() && places(b"").is_empty());
    }
}
