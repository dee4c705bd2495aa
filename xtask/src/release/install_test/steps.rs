//! What is done on a fresh root, in order. Each step is a script for the barest shell, or the words of one command where
//! there is no shell, run in the root without a network. It is told `$DEB` and `$ARCHIVE`, the files of the release for this processor, and fails by its status.

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    Root,
    /// Who owns nothing and may do little.
    Nobody,
}

impl User {
    /// As chroot(1) takes it: the numbers are the same on all distributions.
    pub(super) fn ids(self) -> &'static str {
        match self {
            Self::Root => "0:0",
            Self::Nobody => "65534:65534",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Nobody => "nobody",
        }
    }

    /// A home that the root need not have yet.
    pub(super) fn home(self) -> &'static str {
        match self {
            Self::Root => "/root",
            Self::Nobody => "/tmp/nobody",
        }
    }
}

/// One step.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) user: User,
    pub(super) script: &'static str,
    /// Whether a newcomer has an answer after it: the time until then is told.
    pub(super) is_answer: bool,
}

const fn step(name: &'static str, user: User, script: &'static str) -> Step {
    Step { name, user, script, is_answer: false }
}

const fn answer(name: &'static str, user: User, script: &'static str) -> Step {
    Step { is_answer: true, ..step(name, user, script) }
}

const MACHINE: &str = "headroom machine >/dev/null";
/// A warning of the doctor is no failure.
const DOCTOR: &str = "headroom doctor >/dev/null || test $? -eq 1";
const RUN: &str = r#"
mkdir -p "$HOME"
headroom run cpu.primes --duration 1s --trials 1 --store "$HOME/runs.db" >/dev/null
headroom list --store "$HOME/runs.db" | grep -q cpu.primes
"#;
/// Nothing of ours may be left but what users keep in their homes.
const NOTHING_LEFT: &str = r#"
left=$(find / -xdev \( -path /proc -o -path /sys -o -path /dist -o -path /tmp -o -path /root \) -prune -o -name '*headroom*' -print)
if [ -n "$left" ]; then echo "left: $left"; exit 1; fi
"#;

/// On Debian, by the package and then by the script.
pub(super) const DEBIAN: &[Step] = &[
    // The same package, said to be older, so that there is something to upgrade.
    step(
        "install an older one",
        User::Root,
        r#"
dpkg-deb --raw-extract "$DEB" /tmp/older
sed -i 's/^Version: .*/Version: 0~older-1/' /tmp/older/DEBIAN/control
dpkg-deb -Znone --build /tmp/older /tmp/older.deb
dpkg --install /tmp/older.deb
rm -r /tmp/older /tmp/older.deb
"#,
    ),
    step(
        "upgrade",
        User::Root,
        r#"
dpkg --install "$DEB"
dpkg-query --show --showformat '${Version}' headroom | grep -v older
headroom --version --verbose | grep static
test -s /usr/share/man/man1/headroom.1.gz
test ! -e /etc/systemd/system/multi-user.target.wants/headroom-node.service
dpkg --verify headroom
"#,
    ),
    step("machine", User::Root, MACHINE),
    step("doctor", User::Root, DOCTOR),
    answer("run cpu.primes", User::Root, RUN),
    step("machine", User::Nobody, MACHINE),
    step("doctor", User::Nobody, DOCTOR),
    step("run cpu.primes", User::Nobody, RUN),
    step("remove", User::Root, "dpkg --remove headroom\ntest ! -e /usr/bin/headroom"),
    step("purge", User::Root, "dpkg --purge headroom"),
    step("nothing is left", User::Root, NOTHING_LEFT),
    step("install.sh --system", User::Root, "sh /dist/install.sh --system"),
    step("run cpu.primes", User::Root, RUN),
    step("install.sh --uninstall", User::Root, "sh /dist/install.sh --system --uninstall"),
    step("nothing is left", User::Root, NOTHING_LEFT),
    step(
        "install.sh --user",
        User::Nobody,
        r#"
mkdir -p "$HOME"
sh /dist/install.sh --user
"$HOME/.local/bin/headroom" --version
sh /dist/install.sh --user --uninstall
test ! -e "$HOME/.local/bin/headroom"
"#,
    ),
];

/// Where there is nothing but a shell and the plainest tools.
pub(super) const BARE: &[Step] = &[
    step(
        "unpack the archive",
        User::Root,
        r#"
tar -C /tmp -xzf "$ARCHIVE"
cp /tmp/headroom-*/headroom /usr/bin/headroom
headroom --version --verbose | grep static
"#,
    ),
    step("machine", User::Root, MACHINE),
    step("doctor", User::Root, DOCTOR),
    answer("run cpu.primes", User::Root, RUN),
    step("machine", User::Nobody, MACHINE),
    step("run cpu.primes", User::Nobody, RUN),
    step("remove", User::Root, "rm -r /usr/bin/headroom /tmp/headroom-*"),
    step("install.sh --system", User::Root, "sh /dist/install.sh --system"),
    step("run cpu.primes", User::Root, RUN),
    step("install.sh --uninstall", User::Root, "sh /dist/install.sh --system --uninstall"),
    step("nothing is left", User::Root, NOTHING_LEFT),
];

/// In the image for containers, where there is nothing but the program.
pub(super) const IMAGE: &[Step] = &[
    step("version", User::Root, "headroom --version --verbose"),
    step("machine", User::Root, "headroom machine"),
    answer(
        "run cpu.primes",
        User::Root,
        "headroom run cpu.primes --duration 1s --trials 1 --store /root/runs.db",
    ),
    step("list", User::Root, "headroom list --store /root/runs.db"),
    step(
        "run cpu.primes",
        User::Nobody,
        "headroom run cpu.primes --duration 1s --trials 1 --store /tmp/runs.db",
    ),
];

#[cfg(test)]
mod tests {
    use std::process::Command as Process;

    use super::*;
    use crate::release::command::run;

    #[test]
    fn the_shell_understands_every_script_and_each_root_gives_one_answer() {
        for steps in [DEBIAN, BARE, IMAGE] {
            assert_eq!(steps.iter().filter(|step| step.is_answer).count(), 1);
            for step in steps {
                run(Process::new("sh").args(["-n", "-c", step.script])).unwrap();
            }
        }
    }

    #[test]
    fn what_is_left_is_told() {
        // The same words for a folder in place of the whole machine.
        let folder = tempfile::tempdir().unwrap();
        let script = NOTHING_LEFT.replacen("find /", &format!("find {}", folder.path().display()), 1);
        let look = || run(Process::new("sh").args(["-euc", &script]));
        assert!(look().is_ok());
        std::fs::create_dir_all(folder.path().join("var/lib/headroom")).unwrap();
        assert!(look().is_err());
    }
}
