//! `headroom node --join`: this machine lets nobody in, so it dials the run that
//! is to measure with it.

use std::io::{Error, ErrorKind, Read};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ::node::{DialError, JoinString, ReverseConnect, ReverseConnectEvent, SCHEME, ServeOptions};
use machine::file::{self, Bounds};

use crate::exit::Failure;
use crate::mask_keys;
use crate::output;

/// Longer than any join string.
const LONGEST: u64 = 4096;

/// What is read of a file that holds one; a pipe may come from a password manager.
const BOUNDS: Bounds = Bounds { bytes: LONGEST, pipe: Some(file::PATIENCE) };

/// Where a join string is.
pub(super) enum Source {
    /// It was typed.
    Typed(JoinString),
    /// It comes over standard input.
    Input,
    /// It is kept in a file.
    File(PathBuf),
}

impl Source {
    /// What `--join` was given. Fails if it looks like a join string and is none.
    pub(super) fn of(text: &str) -> Result<Self, Failure> {
        match text {
            "-" => Ok(Source::Input),
            // What looks in any other way names a file.
            _ if text.contains("://") || !mask_keys::secrets(text.as_bytes()).is_empty() => {
                parse(text).map(Source::Typed)
            }
            _ => Ok(Source::File(PathBuf::from(text))),
        }
    }

    /// The join string. Fails if it cannot be read, others may read it, or it is none.
    pub(super) fn read(self) -> Result<JoinString, Failure> {
        let mut text = String::new();
        let failed = |path: PathBuf| move |source| Failure::File { what: "reading", path, source };
        match self {
            Source::Typed(join) => return Ok(join),
            Source::Input => {
                let path = PathBuf::from("standard input");
                std::io::stdin().take(LONGEST).read_to_string(&mut text).map_err(failed(path))?;
            }
            Source::File(path) => {
                let unread = |source: Error| unread(&path, source);
                let file = file::open(&path, BOUNDS).map_err(unread)?;
                let metadata = file.metadata().map_err(unread)?;
                if metadata.is_file() && metadata.mode() & 0o077 != 0 {
                    return Err(Failure::refused(
                        format!("others may read {}, so the key in it is no secret", path.display()),
                        format!("`chmod 600 {}`, if nobody has read it", path.display()),
                    ));
                }
                let bytes = file::contents(&file, BOUNDS).map_err(unread)?;
                text = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        parse(&text)
    }
}

fn unread(path: &Path, source: Error) -> Failure {
    match source.kind() {
        ErrorKind::NotFound => no_file(path),
        ErrorKind::InvalidInput | ErrorKind::FileTooLarge | ErrorKind::TimedOut => Failure::arguments(
            format!("there is no join string in {}: {source}", path.display()),
            "give a file that holds what the run printed, and nothing else",
        ),
        _ => Failure::File { what: "reading", path: path.to_owned(), source },
    }
}

fn no_file(path: &Path) -> Failure {
    Failure::arguments(
        format!("there is no file {}", path.display()),
        format!(
            "give the join string that the run prints, which begins with {SCHEME}, or a file that holds it"
        ),
    )
}

fn parse(text: &str) -> Result<JoinString, Failure> {
    let help = "copy it whole, as `headroom run --peer listen://:7117 ...` prints it, in quotes";
    JoinString::parse(text).map_err(|error| Failure::arguments(error.to_string(), help))
}

/// Dials until `stop` can be read from, or after one session. Fails if it would dial in vain.
/// `sent` is what else is said of it.
pub(super) fn carry_out(
    join: JoinString,
    options: ServeOptions,
    sent: &str,
    stop: BorrowedFd<'_>,
) -> Result<(), Failure> {
    let ServeOptions { once, limits, agent, .. } = options;
    let place = join.place();
    let ends = if once { "One session" } else { "Ctrl-C" };
    let who = format!(
        "Dials {place}: the run that waits there may measure with this machine. {ends} ends it.{sent}"
    );
    output::note(&format!("{}\n", report::terminal::fill(&who).trim_end()));
    let node = ReverseConnect { join, once, limits, agent };
    node.serve(stop, &|event| tell(&place, event)).map_err(failure)
}

/// Says what happens, a line each.
fn tell(place: &str, event: ReverseConnectEvent) {
    let line = match event {
        ReverseConnectEvent::Waits { why, every } => {
            format!("{why}; tries again every {} s", every.as_secs())
        }
        ReverseConnectEvent::Joined => format!("{place} let this machine in"),
        ReverseConnectEvent::Went { why } => format!("{place} is gone: {why}"),
    };
    output::note(&format!("{}\n", report::text::printable(&line)));
}

fn failure(error: DialError) -> Failure {
    let help = match &error {
        DialError::Alike { .. } => "`headroom run --peer listen://:7117 ...` prints the string to give here",
        DialError::Version { .. } => "`headroom --version` says which one a machine has",
        _ => "the run prints its join string when it begins to wait",
    };
    Failure::refused(error.at_node(), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_typed_or_kept_and_no_message_has_its_key() {
        let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.ICEiIyQlJicoKSorLC0uLw";
        assert!(matches!(Source::of(&format!("headroom://a:1#{secret}")), Ok(Source::Typed(_))));
        assert!(matches!(Source::of("-"), Ok(Source::Input)));
        assert!(matches!(Source::of("/etc/a#b"), Ok(Source::File(_))));
        for wrong in
            ["http://a#S", "headroom://a:1#Sx", "10.0.0.2:7117#S", "S"].map(|w| w.replace('S', secret))
        {
            let Err(failure) = Source::of(&wrong) else { panic!("{wrong}") };
            assert!(!failure.message().contains("ICEi"), "{}", failure.message());
        }
        for other in ["/dev/zero", "/proc"] {
            let failure = Source::File(other.into()).read().unwrap_err();
            assert!(failure.message().contains("there is no join string in"), "{}", failure.message());
        }
        let missing = Source::File("/no/such/file".into()).read().unwrap_err();
        assert!(missing.help().unwrap().contains("headroom://"));
    }
}
