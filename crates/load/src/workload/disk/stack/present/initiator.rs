//! open-iscsi as the other end of a target: iscsiadm(8), and iscsid(8) for as long as one of them needs it. Both see
//! folders of our own in the place of /etc/iscsi, /var/lib/iscsi and /run, so that nothing is written to the user's, and the
//! secret is in no list of processes. One iscsid answers for a network namespace: where one runs already it is asked.

use std::fs::{self, File, OpenOptions, read_to_string};
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use engine::fault::Fault;

use crate::workload::disk::stack::command::{BackgroundProgram, Commands, Program};
use crate::workload::disk::stack::present::namespace::{apart, cover, own_mounts};

pub(super) const ISCSIADM: Program =
    Program { name: "iscsiadm", package: "open-iscsi", version: &["--version"] };
pub(super) const ISCSID: Program = Program { name: "iscsid", package: "open-iscsi", version: &["--version"] };

/// Where iscsid listens to iscsiadm, in the abstract names of unix(7) (`usr/mgmt_ipc.h` of open-iscsi).
const ASKED_AT: &str = "@ISCSIADM_ABSTRACT_NAMESPACE";
const STARTS_WITHIN: Duration = Duration::from_secs(30);
/// Sessions of this machine (`Documentation/ABI/testing/sysfs-class-iscsi_session`).
pub(super) const SESSIONS: &str = "/sys/class/iscsi_session";
/// Why no iscsid is started.
const OTHERS: &str = "other iSCSI sessions are there and no iscsid answers";

/// Where open-iscsi has its settings, and the folders that are covered where they are there.
const SETTINGS: &str = "/etc/iscsi";
const COVERED: [&str; 3] = [SETTINGS, "/var/lib/iscsi", "/run"];
/// Where iscsiadm has its lock (`LOCK_DIR` of open-iscsi).
const LOCKS: &str = "/run/lock/iscsi";

/// The name and the secret with which a target is asked (CHAP of RFC 7143).
pub(super) struct Login<'a> {
    pub(super) user: &'a str,
    pub(super) secret: &'a str,
}

/// iscsiadm, and whom it asks.
#[derive(Debug)]
pub(super) struct Initiator {
    mounts: OwnedFd,
    /// None where somebody's runs.
    daemon: Option<BackgroundProgram>,
}

impl Initiator {
    /// Starts what is needed for an initiator of this name, which has a session with this target and no other. An iscsid
    /// that starts takes over all sessions that it finds, so that none is started beside those of others.
    ///
    /// # Errors
    /// If open-iscsi is not there, iscsid does not answer, or others have sessions and no iscsid.
    pub(super) fn start(
        name: &str,
        target: &str,
        login: Option<&Login<'_>>,
        commands: &mut Commands<'_>,
    ) -> Result<Self, Fault> {
        let settings = settings(login);
        let mounts = apart(|| covered(name, &settings))?;
        let mut daemon = None;
        if !is_answered() {
            if has_others(Path::new(SESSIONS), |name| name == target) {
                return Err(Fault::Other(format!("{OTHERS}: start iscsid first")));
            }
            let started = BackgroundProgram::start_in(mounts.as_fd(), &ISCSID, &["-f"])?;
            if !commands.wait_until(STARTS_WITHIN, is_answered)? {
                let said = started.reason().map(|line| format!(": {line}")).unwrap_or_default();
                return Err(Fault::Other(format!("iscsid does not answer{said}")));
            }
            daemon = Some(started);
        }
        Ok(Self { mounts, daemon })
    }

    /// Whether somebody's iscsid is asked, which has another name of its own.
    pub(super) fn is_of_others(&self) -> bool {
        self.daemon.is_none()
    }

    /// Runs iscsiadm.
    ///
    /// # Errors
    /// What it said.
    pub(super) fn run(&self, words: &[&str], commands: &mut Commands<'_>) -> Result<(), Fault> {
        commands.run_in(self.mounts.as_fd(), &ISCSIADM, words).map(drop)
    }
}

/// Whether an iscsid listens in our network namespace.
fn is_answered() -> bool {
    read_to_string("/proc/self/net/unix").is_ok_and(|all| all.lines().any(|line| line.ends_with(ASKED_AT)))
}

/// What is in the way of an initiator whose targets have names that begin so, and what helps.
pub(super) fn obstacle(names: &str) -> Option<(String, String)> {
    if !Path::new(SETTINGS).is_dir() {
        let why = format!("there is no folder {SETTINGS}: open-iscsi is not installed as a whole");
        return Some((why, "install it".to_owned()));
    }
    let is_blocked = !is_answered() && has_others(Path::new(SESSIONS), |name| name.starts_with(names));
    is_blocked.then(|| (OTHERS.to_owned(), "start iscsid first".to_owned()))
}

/// Whether there is a session with a target that is not one's own.
fn has_others(sessions: &Path, is_own: impl Fn(&str) -> bool) -> bool {
    let entries = fs::read_dir(sessions).into_iter().flatten().flatten();
    let mut names = entries.filter_map(|entry| read_to_string(entry.path().join("targetname")).ok());
    names.any(|name| !is_own(name.trim()))
}

/// What open-iscsi is to do for each target (`iscsid.conf`); the rest is as it is by default.
fn settings(login: Option<&Login<'_>>) -> String {
    let auth = login.map(|Login { user, secret }| {
        format!(
            "node.session.auth.authmethod = CHAP\nnode.session.auth.username = {user}\n\
             node.session.auth.password = {secret}\n"
        )
    });
    format!("node.startup = manual\nnode.session.scan = auto\n{}", auth.unwrap_or_default())
}

/// A mount namespace in which the folders of open-iscsi have these settings and nothing else.
fn covered(name: &str, settings: &str) -> Result<OwnedFd, Fault> {
    if !Path::new(SETTINGS).is_dir() {
        return Err(Fault::Other(format!(
            "there is no folder {SETTINGS}: open-iscsi is not installed as a whole"
        )));
    }
    own_mounts()?;
    COVERED.into_iter().filter(|folder| Path::new(folder).is_dir()).try_for_each(cover)?;
    fs::create_dir_all(LOCKS).map_err(|e| Fault::system(format!("making {LOCKS}"), e))?;
    for (file, text) in
        [("initiatorname.iscsi", format!("InitiatorName={name}\n")), ("iscsid.conf", settings.to_owned())]
    {
        let path = Path::new(SETTINGS).join(file);
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        opened
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|e| Fault::system(format!("writing {}", path.display()), e))?;
    }
    let path = "/proc/thread-self/ns/mnt";
    File::open(path).map(OwnedFd::from).map_err(|e| Fault::system(format!("opening {path}"), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_with_other_targets_are_those_of_others() {
        let all = tempfile::tempdir().unwrap();
        assert!(!has_others(&all.path().join("none"), |_| false));
        for (session, name, found) in
            [("session1", "iqn.ours.1\n", false), ("session2", "iqn.ours.15\n", true)]
        {
            let folder = all.path().join(session);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("targetname"), name).unwrap();
            assert_eq!(has_others(all.path(), |name| name == "iqn.ours.1"), found, "{session}");
        }
    }

    #[test]
    fn a_secret_is_in_the_settings_of_who_logs_in() {
        let login = Login { user: "headroom", secret: "0123" };
        assert!(settings(Some(&login)).contains("node.session.auth.password = 0123\n"));
        assert!(!settings(None).contains("auth"));
    }
}
