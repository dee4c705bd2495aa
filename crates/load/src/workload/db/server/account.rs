//! As whom a server of ours runs: never as root, because a load's statements would do what they do as root.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use model::plan::Problem;

/// Who may run it where nobody of the package is there.
const NOBODY: &str = "nobody";

/// The user of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerAccount {
    pub(super) name: String,
    /// The numbers of the user and the group, where that is not who asks.
    pub(super) ids: Option<(u32, u32)>,
}

impl ServerAccount {
    /// Who asks; for root one of `names`, or nobody.
    ///
    /// # Errors
    /// If there is none of these.
    pub(super) fn find(names: &[&str]) -> Result<Self, Problem> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self { name: "this user".to_owned(), ids: None });
        }
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        Self::of(&users, names).ok_or_else(|| {
            Problem::refused(
                format!(
                    "a server is not run as root, and there is no user {} and no {NOBODY}",
                    names.join(", ")
                ),
                "run this as another user",
            )
        })
    }

    /// The first of `names`, or nobody, among `users` (passwd(5)).
    fn of(users: &str, names: &[&str]) -> Option<Self> {
        let called = |name: &str| {
            let mut lines = users.lines().map(|line| line.split(':'));
            let mut fields = lines.find(|fields| fields.clone().next() == Some(name))?.skip(2);
            let (user, group) = (fields.next()?.parse::<u32>().ok()?, fields.next()?.parse::<u32>().ok()?);
            (user != 0).then(|| Self { name: name.to_owned(), ids: Some((user, group)) })
        };
        names.iter().copied().chain([NOBODY]).find_map(called)
    }

    /// Whether it may go through all folders down to `folder`; otherwise the first that it may not enter. What lists of
    /// access allow beside the mode is not looked at.
    pub(super) fn first_closed(&self, folder: &Path) -> Option<PathBuf> {
        let (user, group) = self.ids?;
        let mut above: Vec<&Path> = folder.ancestors().collect();
        above.reverse();
        let is_closed = |path: &&Path| {
            let Ok(about) = path.metadata() else { return true };
            let needed = match () {
                () if about.uid() == user => 0o100,
                () if about.gid() == group => 0o010,
                () => 0o001,
            };
            about.mode() & needed == 0
        };
        above.into_iter().find(is_closed).map(Path::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_package_has_a_user_or_nobody_runs_it() {
        let users =
            "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\nmysql:x:106:110::/:/bin/false\n";
        let mysql = ServerAccount::of(users, &["mysql"]).unwrap();
        assert_eq!((mysql.name.as_str(), mysql.ids), ("mysql", Some((106, 110))));
        assert_eq!(ServerAccount::of(users, &["postgres"]).unwrap().ids, Some((65534, 65533)));
        assert_eq!(ServerAccount::of("root:x:0:0::/:\nmysql:x:0:0::/:\n", &["root", "mysql"]), None);
    }

    #[test]
    fn a_folder_that_the_user_may_not_enter_is_found() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let inner = place.join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let permit = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        permit(&place, 0o755);
        permit(&place.join("a"), 0o711);
        permit(&inner, 0o755);
        // Nobody has these numbers.
        let other = ServerAccount { name: "x".to_owned(), ids: Some((4_000_001, 4_000_001)) };
        assert_eq!(other.first_closed(&inner), None);
        permit(&place.join("a"), 0o710);
        assert_eq!(other.first_closed(&inner), Some(place.join("a")));
        let own = ServerAccount { name: "x".to_owned(), ids: None };
        assert_eq!(own.first_closed(&inner), None);
    }
}
