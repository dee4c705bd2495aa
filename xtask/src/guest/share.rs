//! The folder that both sides see. In it lie the command, as a script, and the
//! second program of the guest; back come what it printed and its exit status.
//! Beside it lies what only this side needs. All of it goes at the end.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::kernel::Kernel;
use super::{Ended, Guest};
use crate::error::Error;

/// Variables of this process that the command gets, too, beside `HEADROOM_*`.
const KEPT: &[&str] = &["PATH", "HOME", "LANG", "RUST_BACKTRACE", "NO_COLOR"];

/// How much longer the guest itself waits before it powers off: it shall not be
/// first, but must end if nobody is left to end it.
const GRACE_S: u64 = 30;

/// The folder.
#[derive(Debug)]
pub(super) struct Share {
    folder: TempDir,
}

impl Share {
    /// Makes it for this guest.
    pub(super) fn new(base: &Path, guest: &Guest, kernel: &Kernel) -> Result<Self, Error> {
        let share = Self { folder: scratch(base)? };
        let inside = share.inside();
        fs::create_dir(&inside).map_err(Error::file("make", &inside))?;
        let current = env::current_dir().map_err(Error::file("find", Path::new(".")))?;
        let environment = environment(env::vars_os().collect(), &guest.environment);
        let modules = [kernel.modules().as_os_str().as_bytes(), b"\n"].concat();
        let timeout = format!("{}\n", guest.timeout.as_secs() + GRACE_S);
        for (name, content) in [
            ("start", include_str!("start.sh").as_bytes()),
            ("command", script(&current, &environment, &guest.command).as_bytes()),
            ("modules", &modules),
            ("timeout", timeout.as_bytes()),
            ("stdout", b""),
            ("stderr", b""),
        ] {
            let path = inside.join(name);
            fs::write(&path, content).map_err(Error::file("write", &path))?;
        }
        Ok(share)
    }

    /// What the guest sees.
    pub(super) fn inside(&self) -> PathBuf {
        self.folder.path().join("share")
    }

    /// What it does not see.
    pub(super) fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Whether the command runs, or ran.
    pub(super) fn is_up(&self) -> bool {
        self.inside().join("up").exists()
    }

    /// Whether the command has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.inside().join("status").exists()
    }

    /// How the command ended.
    pub(super) fn ended(&self) -> Result<Ended, Error> {
        let read = |name| {
            let path = self.inside().join(name);
            fs::read(&path).map_err(Error::file("read", &path))
        };
        let text = read("status")?;
        let text = String::from_utf8_lossy(&text);
        let status = text
            .trim()
            .parse()
            .map_err(|_| Error::Guest(format!("the guest told no exit status, but `{}`", text.trim())))?;
        Ok(Ended { status, stdout: String::from_utf8_lossy(&read("stdout")?).into_owned() })
    }
}

/// A folder that goes when it is dropped. Its name has our process id, so that
/// those which a kill has left can be known, and are removed here.
pub(super) fn scratch(base: &Path) -> Result<TempDir, Error> {
    for entry in fs::read_dir(base).map_err(Error::file("read", base))?.flatten() {
        let owner = owner(&entry.file_name());
        if owner.is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists()) {
            fs::remove_dir_all(entry.path()).map_err(Error::file("remove", &entry.path()))?;
        }
    }
    let prefix = format!("run-{}-", std::process::id());
    tempfile::Builder::new().prefix(&prefix).tempdir_in(base).map_err(Error::file("make a folder in", base))
}

/// The process id in the name of a scratch folder.
fn owner(name: &OsStr) -> Option<u32> {
    name.to_str()?.strip_prefix("run-")?.split('-').next()?.parse().ok()
}

/// The variables of the command: those that are kept of ours, then the guest's.
fn environment(own: Vec<(OsString, OsString)>, more: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let is_kept = |name: &OsStr| {
        KEPT.iter().any(|kept| name == *kept)
            || name.to_str().is_some_and(|name| {
                let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                name.starts_with("HEADROOM_") && is_word
            })
    };
    own.into_iter().filter(|(name, _)| is_kept(name)).chain(more.iter().cloned()).collect()
}

/// The command as a shell's script.
fn script(folder: &Path, environment: &[(OsString, OsString)], command: &[OsString]) -> OsString {
    let mut text = b"cd ".to_vec();
    quote(&mut text, folder.as_os_str());
    text.extend_from_slice(b" || exit 126\n");
    for (name, value) in environment {
        text.extend_from_slice(&[b"export ", name.as_bytes(), b"="].concat());
        quote(&mut text, value);
        text.push(b'\n');
    }
    text.extend_from_slice(b"exec");
    for word in command {
        text.push(b' ');
        quote(&mut text, word);
    }
    text.push(b'\n');
    OsString::from_vec(text)
}

/// Appends a word so that a shell takes every byte as it is (POSIX, 2.2.2).
fn quote(text: &mut Vec<u8>, word: &OsStr) {
    text.push(b'\'');
    for byte in word.as_bytes() {
        match byte {
            b'\'' => text.extend_from_slice(br"'\''"),
            other => text.push(*other),
        }
    }
    text.push(b'\'');
}

#[cfg(test)]
mod tests {
    use std::process::Command as Process;

    use super::*;

    fn os(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn a_shell_hands_on_every_word_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().join("it's here");
        fs::create_dir(&here).unwrap();
        let environment = vec![("HEADROOM_X".into(), "a 'b' $c\nd".into())];
        let print = r#"pwd; printf '<%s>' "$HEADROOM_X" "$@""#;
        let command = os(&["sh", "-c", print, "sh", "", "it's", "$HOME", "a\\b", "*"]);
        let text = script(&here, &environment, &command);
        let done = Process::new("sh").arg("-c").arg(text).output().unwrap();
        let expected = format!("{}\n<a 'b' $c\nd><><it's><$HOME><a\\b><*>", here.display());
        assert_eq!(String::from_utf8_lossy(&done.stdout), expected);
    }

    #[test]
    fn a_folder_that_is_gone_is_no_place_to_run() {
        let text = script(Path::new("/no/such/folder"), &[], &os(&["true"]));
        let done = Process::new("sh").arg("-c").arg(text).output().unwrap();
        assert_eq!(done.status.code(), Some(126));
    }

    #[test]
    fn the_command_gets_what_concerns_it() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let own = vec![
            pair("PATH", "/bin"),
            pair("CI", "true"),
            pair("HEADROOM_A", "1"),
            pair("HEADROOM_$(reboot)", "2"),
        ];
        let kept = environment(own, &[pair("B", "3")]);
        assert_eq!(kept, [pair("PATH", "/bin"), pair("HEADROOM_A", "1"), pair("B", "3")]);
    }

    #[test]
    fn what_a_kill_left_is_removed() {
        let base = tempfile::tempdir().unwrap();
        // Process ids end at 2^22 (linux/threads.h, PID_MAX_LIMIT).
        let [left, ours, kernel] =
            ["run-99999999-x", &format!("run-{}-x", std::process::id()), "linux-image-6.1_6.1-2"]
                .map(|name| base.path().join(name));
        for path in [&left, &ours, &kernel] {
            fs::create_dir(path).unwrap();
        }
        let scratch = scratch(base.path()).unwrap();
        assert!(!left.exists() && ours.exists() && kernel.exists());
        let path = scratch.path().to_owned();
        assert!(path.exists());
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn a_status_is_a_number() {
        let share = Share { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(share.inside()).unwrap();
        assert!(!share.has_ended());
        share.ended().unwrap_err();
        fs::write(share.inside().join("stdout"), "said").unwrap();
        fs::write(share.inside().join("status"), "3\n").unwrap();
        assert!(share.has_ended());
        assert_eq!(share.ended().unwrap(), Ended { status: 3, stdout: "said".to_owned() });
        fs::write(share.inside().join("status"), "").unwrap();
        assert!(share.ended().unwrap_err().to_string().contains("no exit status"));
    }
}
