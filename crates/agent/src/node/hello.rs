//! The first words, once TLS stands: the controller says its key and version,
//! the node whether it may stay. These two frames keep their shape in every
//! version, or no version could tell another that they do not fit.

use serde::{Deserialize, Serialize};

use super::join::Key;
use crate::wire;

/// The version of what both ends say to each other: raised whenever an older
/// end would misunderstand a newer one.
pub const PROTOCOL: u32 = 1;

/// The longest first word: a stranger's costs no more.
pub(super) const HELLO_MAX: usize = 1024;

/// What the controller says. No `Debug`: it holds the key.
#[derive(Serialize, Deserialize)]
pub(super) struct Hello {
    /// Its [`PROTOCOL`].
    pub(super) headroom: u32,
    /// Its version, for messages.
    pub(super) program: String,
    /// The key of the join string.
    pub(super) key: String,
}

impl Hello {
    /// Ours, as a frame.
    pub(super) fn frame(key: &Key) -> std::io::Result<Vec<u8>> {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        wire::frame(&Hello { headroom: PROTOCOL, program, key: key.secret() })
    }
}

/// What the node answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    /// Its [`PROTOCOL`].
    pub(super) headroom: u32,
    /// Its version; not told to strangers.
    #[serde(default)]
    pub(super) program: String,
    /// Why the controller may not stay; absent if it may.
    #[serde(default)]
    pub(super) refused: Option<Refused>,
}

/// Why a controller may not stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Refused {
    /// One of the words below; another of a newer version.
    pub(super) kind: String,
    /// The same in a sentence.
    pub(super) reason: String,
}

/// The key is another.
pub(super) const WRONG_KEY: &str = "key";
/// The versions do not fit.
pub(super) const WRONG_VERSION: &str = "version";
/// There are as many sessions as there may be.
pub(super) const FULL: &str = "full";

/// Why a controller is turned away, or its version if it is not.
pub(super) fn judge(hello: &Hello, key: &Key) -> Result<String, Refused> {
    let refused = |kind: &str, reason: String| Refused { kind: kind.to_owned(), reason };
    if !key.is(&hello.key) {
        return Err(refused(WRONG_KEY, "the key is not this node's".to_owned()));
    }
    // Only now is what it says worth repeating.
    let theirs: String = hello.program.chars().filter(|c| c.is_ascii_graphic()).take(40).collect();
    if hello.headroom != PROTOCOL {
        return Err(refused(WRONG_VERSION, misfit(&theirs, hello.headroom)));
    }
    Ok(theirs)
}

/// That the versions do not fit, as the node says it.
fn misfit(theirs: &str, protocol: u32) -> String {
    format!(
        "the versions do not fit: the node is headroom {} (protocol {PROTOCOL}), the controller headroom {theirs} \
         (protocol {protocol}); use the same version on both machines",
        env!("CARGO_PKG_VERSION")
    )
}

impl Answer {
    /// That it may stay.
    pub(super) fn welcome() -> Self {
        Self { headroom: PROTOCOL, program: env!("CARGO_PKG_VERSION").to_owned(), refused: None }
    }

    /// That it may not.
    pub(super) fn refuse(refused: Refused) -> Self {
        let is_stranger = refused.kind == WRONG_KEY;
        let program = if is_stranger { String::new() } else { env!("CARGO_PKG_VERSION").to_owned() };
        Self { headroom: PROTOCOL, program, refused: Some(refused) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_comes_first_and_versions_are_named_at_both_ends() {
        let key = Key::random().unwrap();
        let hello = |headroom, key: &str| Hello { headroom, program: "9.9\u{1b}[2J".into(), key: key.into() };
        assert_eq!(judge(&hello(PROTOCOL, &key.secret()), &key).unwrap(), "9.9[2J");
        // A stranger does not even learn that its version would not fit.
        let stranger = judge(&hello(77, "AAAA"), &key).unwrap_err();
        assert_eq!(stranger.kind, WRONG_KEY);
        assert_eq!(Answer::refuse(stranger).program, "");
        let older = judge(&hello(77, &key.secret()), &key).unwrap_err();
        assert_eq!(older.kind, WRONG_VERSION);
        assert!(older.reason.contains("(protocol 77)") && older.reason.contains("(protocol 1)"), "{older:?}");
    }

    #[test]
    fn an_answer_of_another_version_can_be_read() {
        let newer =
            r#"{"headroom":2,"program":"3.0","refused":{"kind":"moon","reason":"r","since":1},"x":[]}"#;
        let answer: Answer = serde_json::from_str(newer).unwrap();
        assert_eq!((answer.headroom, answer.refused.unwrap().kind.as_str()), (2, "moon"));
        let least: Answer = serde_json::from_str(r#"{"headroom":1}"#).unwrap();
        assert_eq!(least.refused, None);
    }
}
