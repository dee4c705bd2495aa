//! Rows of `openssl speed` on keys: of each operation its seconds, and how many of them there are in a second.

use crate::tool::number::leading;

/// `                  sign    verify    sign/s verify/s`, of key agreement `op      op/s`.
pub(super) fn heading(text: &str) -> bool {
    // Every line of any text is asked: it ends with the first other word.
    let is_known = |word: &&str| KEY_OPERATIONS.contains(&word.trim_end_matches("/s"));
    let words: Vec<&str> = text.split_whitespace().take_while(is_known).collect();
    let is_each = |word: &&&str| word.ends_with("/s");
    !words.is_empty()
        && words.len().is_multiple_of(2)
        && words.iter().filter(is_each).count() * 2 == words.len()
        && words.len() == text.split_whitespace().count()
}

/// What is done with keys.
const KEY_OPERATIONS: &[&str] = &[
    "sign", "signs", "verify", "op", "encrypt", "decrypt", "encr.", "decr.", "encap", "decap", "keygen",
    "keygens", "encaps", "decaps",
];

/// `rsa 2048 bits 0.000688s 0.000021s   1453.8  46575.3`.
pub(super) struct KeyRow<'a> {
    pub(super) name: String,
    /// Seconds of one operation each, then how many a second.
    pub(super) times: Vec<&'a str>,
    pub(super) rates: Vec<&'a str>,
}

impl<'a> KeyRow<'a> {
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_time = |word: &str| word.strip_suffix('s').is_some_and(is_number);
        let first = words.iter().position(|word| is_time(word))?;
        let (name, values) = words.split_at(first);
        let times: Vec<&str> = values.iter().copied().take_while(|word| is_time(word)).collect();
        let rates: Vec<&str> = values.iter().copied().skip(times.len()).collect();
        let is_row =
            !name.is_empty() && rates.len() == times.len() && rates.iter().all(|word| is_number(word));
        is_row.then(|| Self { name: name.join(" "), times, rates })
    }
}

/// Whether a word is a number without anything behind it.
pub(super) fn is_number(word: &str) -> bool {
    leading(word, false).is_some_and(|number| number.rest.is_empty())
}
