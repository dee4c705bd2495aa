//! The first words, once TLS stands: who dials says what it is, its key and its
//! version; who listens, whether it may stay. These two frames keep their shape in
//! every version, or no version could tell another that they do not fit.

use agent::wire;
use serde::{Deserialize, Serialize};

use super::join::Key;

/// The version of what both ends say to each other: raised whenever an older end would misunderstand or refuse a newer one. A node refuses
/// names of workloads, parameters and metrics that it does not know, so a new one raises it.
pub const PROTOCOL: u32 = 9;

/// The longest first word: a stranger's costs no more.
pub(super) const HANDSHAKE_MAX: usize = 1024;

/// What the one is that dials; the other is the one that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialer {
    /// A run that goes to a node.
    Controller,
    /// A node that goes to a run, for nobody comes in where it is.
    Node,
}

/// What the one that dials says. No `Debug`: it holds the key.
#[derive(Serialize, Deserialize)]
pub(super) struct HandshakeRequest {
    /// Its [`PROTOCOL`].
    pub(super) headroom: u32,
    /// Its version, for messages.
    pub(super) program: String,
    /// The key of the join string.
    pub(super) key: String,
    /// Whether it is a [`Dialer::Node`].
    #[serde(default)]
    pub(super) joins: bool,
}

impl HandshakeRequest {
    /// Ours, as a frame.
    pub(super) fn frame(key: &Key, caller: Dialer) -> std::io::Result<Vec<u8>> {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let joins = caller == Dialer::Node;
        wire::frame(&HandshakeRequest { headroom: PROTOCOL, program, key: key.secret(), joins })
    }
}

/// What the one that listens answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HandshakeAnswer {
    /// Its [`PROTOCOL`].
    pub(super) headroom: u32,
    /// Its version; not told to strangers.
    #[serde(default)]
    pub(super) program: String,
    /// Why the other may not stay; absent if it may.
    #[serde(default)]
    pub(super) refused: Option<Refused>,
}

/// Why the one that dialled may not stay.
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
/// Both would listen to each other.
pub(super) const WRONG_CALLER: &str = "caller";

/// Why the one that dialled is turned away where `awaited` is, or its version if
/// it is not. The key is looked at before anything else.
pub(super) fn judge(hello: &HandshakeRequest, key: &Key, awaited: Dialer) -> Result<String, Refused> {
    let refused = |kind: &str, reason: String| Refused { kind: kind.to_owned(), reason };
    let (us, them) = match awaited {
        Dialer::Controller => ("node", "controller"),
        Dialer::Node => ("run", "node"),
    };
    if !key.is(&hello.key) {
        return Err(refused(WRONG_KEY, format!("the key is not this {us}'s")));
    }
    // Only now is what it says worth repeating.
    let theirs: String = hello.program.chars().filter(|c| c.is_ascii_graphic()).take(40).collect();
    if hello.headroom != PROTOCOL {
        let ours = env!("CARGO_PKG_VERSION");
        let reason = format!(
            "the versions do not fit: the {us} is headroom {ours} (protocol {PROTOCOL}), the {them} headroom {theirs} \
             (protocol {}); use the same version on both machines",
            hello.headroom
        );
        return Err(refused(WRONG_VERSION, reason));
    }
    match (awaited, hello.joins) {
        (Dialer::Controller, true) => Err(refused(
            WRONG_CALLER,
            "a node waits there itself: its join string is for `--peer` of a run".to_owned(),
        )),
        (Dialer::Node, false) => Err(refused(
            WRONG_CALLER,
            "a run waits there for its node: its join string is for `headroom node --join`".to_owned(),
        )),
        _ => Ok(theirs),
    }
}

impl HandshakeAnswer {
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
        let hello = |headroom, key: &str| HandshakeRequest {
            headroom,
            program: "9.9\u{1b}[2J".into(),
            key: key.into(),
            joins: false,
        };
        let judge = |hello: &HandshakeRequest| judge(hello, &key, Dialer::Controller);
        assert_eq!(judge(&hello(PROTOCOL, &key.secret())).unwrap(), "9.9[2J");
        // A stranger does not even learn that its version would not fit.
        let stranger = judge(&hello(77, "AAAA")).unwrap_err();
        assert_eq!(stranger.kind, WRONG_KEY);
        assert_eq!(HandshakeAnswer::refuse(stranger).program, "");
        let older = judge(&hello(77, &key.secret())).unwrap_err();
        assert_eq!(older.kind, WRONG_VERSION);
        let ours = format!("(protocol {PROTOCOL})");
        assert!(older.reason.contains("(protocol 77)") && older.reason.contains(&ours), "{older:?}");
    }

    #[test]
    fn two_that_both_wait_are_told_so_and_only_with_the_key() {
        let key = Key::random().unwrap();
        for awaited in [Dialer::Controller, Dialer::Node] {
            for joins in [false, true] {
                let with =
                    |key: String| HandshakeRequest { headroom: PROTOCOL, program: "1".into(), key, joins };
                let fits = joins == (awaited == Dialer::Node);
                let kind = judge(&with(key.secret()), &key, awaited).err().map(|r| r.kind);
                assert_eq!(kind.as_deref(), (!fits).then_some(WRONG_CALLER));
                let stranger = judge(&with("AAAA".into()), &key, awaited).unwrap_err();
                assert_eq!(stranger.kind, WRONG_KEY);
            }
        }
        // An older controller does not say what it is.
        let text = format!(r#"{{"headroom":{PROTOCOL},"program":"0","key":"{}"}}"#, key.secret());
        assert!(judge(&serde_json::from_str(&text).unwrap(), &key, Dialer::Controller).is_ok());
    }

    #[test]
    fn an_answer_of_another_version_can_be_read() {
        let newer =
            r#"{"headroom":2,"program":"3.0","refused":{"kind":"moon","reason":"r","since":1},"x":[]}"#;
        let answer: HandshakeAnswer = serde_json::from_str(newer).unwrap();
        assert_eq!((answer.headroom, answer.refused.unwrap().kind.as_str()), (2, "moon"));
        let least: HandshakeAnswer = serde_json::from_str(r#"{"headroom":1}"#).unwrap();
        assert_eq!(least.refused, None);
    }
}
