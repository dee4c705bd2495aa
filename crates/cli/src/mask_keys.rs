//! Keys out of all that is shown or kept. A join string holds the key of a node,
//! and people mistype it, or put it where it does not belong; the message about
//! that shows what they typed, on a screen and in a log that others read. So
//! everything that shows words of a person goes through here.
//!
//! A key is recognised by where it stands, behind a `#`, or by how it looks: a long
//! word of base64url in which the letters change between small and large all
//! the time. A name that looks so is hidden too, which costs little.

use std::ops::Range;

use ::node::SCHEME;

use crate::database_passwords;

/// The fewest characters behind a `#` that are taken for a key.
const BEHIND_LEAST: usize = 12;

/// How many characters follow the `#` of a join string: a fingerprint, a full stop
/// and a key.
const WHOLE: usize = 43 + 1 + 22;
/// The fewest characters of a piece that was torn off a join string.
const TORN_LEAST: usize = 4;
/// How far from the rest it may lie: a line that was broken, a quote too many.
const TORN_APART: usize = 8;

/// Which bytes of `text` are part of a key or of a database's password, in order and apart
/// from each other.
pub(crate) fn secrets(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = join_strings(text);
    found.extend(words(text));
    // What was torn off is looked for behind whole ones, not behind halves.
    let whole = merged(found);
    let torn = whole.iter().flat_map(|secret| torn(text, secret)).collect::<Vec<_>>();
    let passwords = database_passwords::places(text).into_iter().chain(url_passwords(text));
    merged(whole.into_iter().chain(torn).chain(passwords).collect())
}

/// What stands between a user and a host in URLs of any kind: `https://user:password@host/`. Where a password of a
/// database ends [`database_passwords`] knows better.
fn url_passwords(text: &[u8]) -> Vec<Range<usize>> {
    const MARK: &[u8] = b"://";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].windows(MARK.len()).position(|window| window == MARK) {
        let begin = from + at + MARK.len();
        let length = text[begin..].iter().position(ends_authority).unwrap_or(text.len() - begin);
        let authority = &text[begin..begin + length];
        let colon = authority.iter().position(|byte| *byte == b':');
        let sign = authority.iter().rposition(|byte| *byte == b'@');
        if let Some((colon, sign)) = colon.zip(sign).filter(|(colon, sign)| colon + 1 < *sign) {
            found.push(begin + colon + 1..begin + sign);
        }
        from = begin;
    }
    found
}

/// What ends the user, the host and the port of a URL, or the URL.
fn ends_authority(byte: &u8) -> bool {
    *byte <= b' ' || matches!(byte, b'/' | b'?' | b'#' | b'\'' | b'"' | b'`' | 0x7f)
}

/// The same places in order and apart from each other.
fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for range in found {
        match apart.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => apart.push(range),
        }
    }
    apart
}

/// What follows the `#` of join strings, whatever it looks like.
fn join_strings(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) =
        text[from..].windows(SCHEME.len()).position(|w| w.eq_ignore_ascii_case(SCHEME.as_bytes()))
    {
        let begin = from + at + SCHEME.len();
        let end = text[begin..].iter().position(is_end).map_or(text.len(), |length| begin + length);
        if let Some(mark) = text[begin..end].iter().position(|byte| *byte == b'#') {
            found.push(begin + mark + 1..end);
        }
        from = end;
    }
    found.retain(|range| !range.is_empty());
    found
}

/// What was torn off a secret that is not whole: copied from a terminal that broke
/// the line, or with a quote in the middle of it.
fn torn(text: &[u8], secret: &Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // A `#` too many in the address is no part of the key.
    let mark = text[secret.clone()].iter().rposition(|byte| *byte == b'#').map_or(0, |at| at + 1);
    let (mut length, mut at) = (secret.len() - mark, secret.end);
    while length < WHOLE {
        let rest = &text[at..];
        let Some(apart) = rest.iter().take(TORN_APART).position(is_of_key) else { break };
        let own = rest[apart..].iter().position(|byte| !is_of_key(byte)).unwrap_or(rest.len() - apart);
        let piece = at + apart..at + apart + own;
        if piece.len() < TORN_LEAST {
            // Too short to be recognised; what follows may be longer.
            (length, at) = (length + piece.len(), piece.end);
            continue;
        }
        if !is_irregular(&text[piece.clone()]) || length + piece.len() > WHOLE + TORN_APART {
            break;
        }
        (length, at) = (length + piece.len(), piece.end);
        found.push(piece);
    }
    found
}

/// What a secret is written with.
fn is_of_key(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// What ends a join string among other words.
fn is_end(byte: &u8) -> bool {
    *byte <= b' ' || matches!(byte, b',' | b'+' | b'\'' | b'"' | b'`' | 0x7f)
}

/// Words that look like keys.
fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let pieces = text.chunk_by(move |a, b| is_of_key(a) == is_of_key(b)).filter_map(move |piece| {
        let range = at..at + piece.len();
        at = range.end;
        is_of_key(&piece[0]).then_some(range)
    });
    pieces.flat_map(|range| {
        let is_behind = range.start > 0 && text[range.start - 1] == b'#';
        let piece = &text[range.clone()];
        if is_behind && is_cut_key(piece) {
            return vec![range];
        }
        // A fingerprint, a full stop and a key.
        let mut at = range.start;
        let mut found: Vec<Range<usize>> = Vec::new();
        for part in piece.split(|byte| *byte == b'.') {
            let own = at..at + part.len();
            at = own.end + 1;
            match found.last_mut().filter(|last| last.end + 1 == own.start) {
                Some(last) if !part.is_empty() => last.end = own.end,
                _ if is_key(part) => found.push(own),
                _ => {}
            }
        }
        found
    })
}

/// Whether a word that stands behind a `#` is long and irregular.
fn is_cut_key(word: &[u8]) -> bool {
    word.len() >= BEHIND_LEAST && is_irregular(word)
}

/// Whether a word that stands anywhere looks like one of the two halves of a
/// secret, 22 and 43 characters, or like both that ran together, give or take some
/// characters that were lost or added.
///
/// Of random base64 about 97 % look so. Names made of words have large letters
/// one at a time, and names of disks (`ata-Samsung_SSD_870_EVO_1TB_S5Y2NJ0R123456`)
/// many separators or hardly a small letter.
fn is_key(word: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| word.iter().filter(|byte| is(byte)).count();
    let large = |byte: u8| byte.is_ascii_uppercase();
    let odd = |pair: &&[u8]| {
        (large(pair[0]) && (large(pair[1]) || pair[1].is_ascii_digit()))
            || (pair[0].is_ascii_digit() && large(pair[1]))
    };
    matches!(word.len(), 20..=24 | 41..=45 | 60..=72)
        && count(u8::is_ascii_lowercase) * 6 >= word.len()
        && count(u8::is_ascii_uppercase) * 6 >= word.len()
        && count(|byte| matches!(byte, b'-' | b'_')) <= (word.len() / 10).max(3)
        && word.windows(2).filter(odd).count() >= 2
        && is_irregular(word)
}

/// Whether both small and large letters are there, and 40 % of the steps from one
/// character to the next go to another kind; in random base64 65 % do.
fn is_irregular(word: &[u8]) -> bool {
    let class = |byte: &u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase(), byte.is_ascii_digit());
    let changes = word.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    word.iter().any(u8::is_ascii_lowercase)
        && word.iter().any(u8::is_ascii_uppercase)
        && changes * 5 >= (word.len() - 1) * 2
}

/// `text` with `...` in place of keys: for messages, and for what is kept.
pub(crate) fn shortened(text: &str) -> String {
    replaced(text, |_| "...".to_owned())
}

/// `text` with a star for each byte of a key, so that every other byte stays
/// where it was and can be pointed at.
pub(crate) fn starred(text: &str) -> String {
    replaced(text, |secret| "*".repeat(secret.len()))
}

fn replaced(text: &str, with: impl Fn(&str) -> String) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    // What ends a secret is ASCII, so that no character is cut.
    for secret in secrets(text.as_bytes()) {
        shown.push_str(text.get(from..secret.start).unwrap_or_default());
        shown.push_str(&with(text.get(secret.clone()).unwrap_or_default()));
        from = secret.end;
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINT: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    const KEY: &str = "ICEiIyQlJicoKSorLC0uLw";

    #[test]
    fn a_command_is_kept_without_keys() {
        let kept = |word: &str| shortened(word);
        assert_eq!(kept("--peer=headroom://a:1#k.l"), "--peer=headroom://a:1#...");
        assert_eq!(kept("headroom://a:1#k.l,headroom://b:2#m"), "headroom://a:1#...,headroom://b:2#...");
        assert_eq!(
            kept("net.stream --peer 'headroom://a:1#k' --streams 2"),
            "net.stream --peer 'headroom://a:1#...' --streams 2"
        );
        assert_eq!(kept("--target=/data#1"), "--target=/data#1");
    }

    #[test]
    fn a_key_is_known_wherever_it_stands() {
        let key = |text: &str| {
            let whole =
                text.replace("P.K", &format!("{PRINT}.{KEY}")).replace("P0K", &format!("{PRINT}0{KEY}"));
            whole.replace("K!", KEY)
        };
        for text in [
            "HEADROOM://a:1#P.K",
            "10.0.0.2:7117#P.K",
            "hedroom:/a:1#P.Kx",
            "peer = P.K",
            "far = K!",
            "a:1 #P.",
            "a:1#P.K/trial",
            "headroom://a:1P0K",
            "\u{e9}headroom://\u{e9}#\u{e9}P.K\u{e9} \u{e9}",
        ] {
            let text = key(text);
            for shown in [shortened(&text), starred(&text)] {
                let leaks = |piece: &[u8]| shown.contains(std::str::from_utf8(piece).unwrap());
                assert!(!KEY.as_bytes().windows(5).any(leaks), "{text}: {shown}");
                assert!(!PRINT.as_bytes().windows(12).any(leaks), "{text}: {shown}");
            }
            assert_eq!(starred(&text).len(), text.len());
        }
        assert_eq!(shortened(&format!("a:1#{PRINT}.{KEY}, b")), "a:1#..., b");
    }

    /// Bug: with a quote too many in a key, the message showed what stood behind it.
    #[test]
    fn regression_what_was_torn_off_a_key_was_shown() {
        for apart in ["\"", "\n", "\n  ", "' \n", ",", "'-."] {
            for at in 0..KEY.len() - TORN_LEAST {
                let (one, other) = KEY.split_at(at);
                let text =
                    format!("peer = headroom://a:1#{PRINT}.{one}{apart}{other}\"\ntitle = \"A Title\"");
                let shown = shortened(&text);
                let leaks = |piece: &[u8]| shown.contains(std::str::from_utf8(piece).unwrap());
                assert!(!KEY.as_bytes().windows(6).any(leaks), "{text}: {shown}");
                assert!(shown.ends_with("title = \"A Title\""), "{shown}");
            }
        }
        // A `#` too many before it.
        let address = shortened(&format!("headroom://12#.0.0.1:1#{PRINT}.ICEiI yQlJicoKSorLC0uLw"));
        assert!(!address.contains("yQlJi"), "{address}");
        // Two quotes too many, with hardly anything between them.
        let twice = shortened(&format!("headroom://a:1#{PRINT}.ICEi\"IyQ\"lJicoKSorLC0uLw"));
        assert!(!twice.contains("lJico"), "{twice}");
        let whole = format!("far = {PRINT}.{KEY} --RunName");
        assert_eq!(shortened(&whole), "far = ... --RunName");
        let after = "headroom://a:1#k.l --with 'disk --rate 10k/s' --peer x";
        assert_eq!(shortened(after), after.replace("k.l", "..."));
    }

    #[test]
    fn passwords_of_databases_are_hidden_too() {
        let typed = "run db.oltp --url mysql://me:hunter2@here/x,postgres://me@there --clients 1";
        assert_eq!(shortened(typed), typed.replace("hunter2", "..."));
        assert_eq!(starred(typed), typed.replace("hunter2", "*******"));
    }

    #[test]
    fn regression_a_password_in_the_url_of_a_server_was_shown() {
        for url in [
            "http://me:hunter2@here:80/x",
            "HTTPS://me:hunter2@[::1]",
            "ftp://:hunter2@here",
            "x://m:hunter2@",
        ] {
            let typed = format!("run http.download --url {url} and \"{url}\", 'http://here:8080/a@b'");
            assert_eq!(shortened(&typed), typed.replace("hunter2", "..."));
            assert_eq!(starred(&typed), typed.replace("hunter2", "*******"));
        }
        for without in
            ["http://me@here/", "http://me:@here/", "http://here:80/?a=b:c@d", "://", "http://a:1,http://b@c"]
        {
            assert_eq!(shortened(without), without);
        }
    }

    #[test]
    fn other_words_stay_as_they_are() {
        for text in [
            "--target=/data#1",
            "# RandomReadsOfManySizes at depth",
            "/home/Me/MyResultsOfTheLastWeek.toml",
            "20261121-194131-dpy7",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "RandomReadsOfManySizes",
            "ata-Samsung_SSD_870_EVO_1TB_S5Y2NJ0R123456",
            "nvme-SAMSUNG_MZVL21T0HCLR-00BL7_S64PNX0T123456",
            "RUST_BACKTRACE=1 target/x86_64-unknown-linux-gnu/release/headroom",
            "there is no workload `net.strem`",
            "headroom://10.0.0.2:7117",
            "",
        ] {
            assert_eq!(shortened(text), text);
        }
    }

    #[test]
    fn keys_are_found_wherever_they_stand_in_a_word() {
        let words = b"run\0--peer\0headroom://a:1#k.l,headroom://b\0--with=x --peer 'headroom://c#m' y#z\0";
        let shown: Vec<&[u8]> = secrets(words).into_iter().map(|range| &words[range]).collect();
        assert_eq!(shown, [&b"k.l"[..], b"m"]);
        assert!(secrets(b"headroom://").is_empty() && secrets(b"").is_empty());
    }
}
