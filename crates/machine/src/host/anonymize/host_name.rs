//! The name of a machine wherever it stands: Debian's installer names the
//! volume group after it, arrays carry it, so do mount points.

use crate::host::tree::Tree;

/// What stands for the name.
const HOST: &str = "host";
/// What stands for the domain.
const DOMAIN: &str = "domain";
/// Shorter names are in too many words.
const CHARS_MIN: usize = 3;
/// Names that distributions and images give; they identify nobody, and files
/// are full of these words.
const COMMON: &[&str] = &[
    "alarm",
    "alpine",
    "archlinux",
    "archiso",
    "buildroot",
    "centos",
    "debian",
    "fedora",
    "gentoo",
    "host",
    "kali",
    "linux",
    "localdomain",
    "localhost",
    "manjaro",
    "nixos",
    "none",
    "opensuse",
    "raspberrypi",
    "rocky",
    "ubuntu",
    "void",
];

/// The forms of a name with what stands for each, longest first.
#[derive(Clone, Debug, Default)]
pub(super) struct HostName {
    forms: Vec<(String, &'static str)>,
}

impl HostName {
    /// The name of the machine that `tree` was read of.
    pub(super) fn of(tree: &Tree) -> Self {
        let text = tree.read("/proc/sys/kernel/hostname").unwrap_or_default();
        let full = text.trim().trim_end_matches('.').to_ascii_lowercase();
        let (short, domain) = full.split_once('.').unwrap_or((&full, ""));
        let mut forms = Vec::new();
        // A host called `node0` cannot be told from the kernel's own, and tells
        // nobody anything.
        for (name, shown) in [(full.as_str(), HOST), (short, HOST), (domain, DOMAIN)] {
            if name.len() < CHARS_MIN || COMMON.contains(&name) || is_of_kernel(tree, name) {
                continue;
            }
            // The device mapper doubles dashes (lvm(8)); systemd escapes them
            // (systemd.unit(5)).
            let written = [name.to_owned(), name.replace('-', "--"), name.replace('-', "\\x2d")];
            forms.extend(written.map(|form| (form, shown)));
        }
        forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        Self { forms }
    }

    /// `text` without the name.
    pub(super) fn hidden(&self, text: &str) -> String {
        if self.forms.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut before: Option<char> = None;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let starts = !before.is_some_and(|c| c.is_ascii_alphanumeric());
            let found = self.forms.iter().filter(|_| starts).find(|(form, _)| is_at(form, rest));
            let (taken, shown) = match found {
                Some((form, shown)) => (form.len() + domain(&rest[form.len()..]), Some(*shown)),
                None => (first.len_utf8(), None),
            };
            match shown {
                Some(shown) => out.push_str(shown),
                None => out.push(first),
            }
            before = rest[..taken].chars().next_back();
            rest = &rest[taken..];
        }
        out
    }
}

/// Whether `form` is the first word of `text`.
fn is_at(form: &str, text: &str) -> bool {
    let same = text.get(..form.len()).is_some_and(|start| start.eq_ignore_ascii_case(form));
    same && !text[form.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// How long the domain after a short name is: two labels or more, the last of
/// letters. One label may be the end of a file's name.
fn domain(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let whole = &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())];
    let whole = whole.trim_end_matches('.');
    let mut labels = whole.split('.');
    let starts = labels.next() == Some("");
    let labels: Vec<&str> = labels.collect();
    let ends = labels.last().is_some_and(|l| l.len() >= 2 && l.bytes().all(|b| b.is_ascii_alphabetic()));
    if starts && ends && labels.len() >= 2 && labels.iter().all(|l| !l.is_empty()) { whole.len() } else { 0 }
}

/// Where the kernel itself names folders, as far as readers go there. People
/// name control groups, file systems and cards.
const OF_KERNEL: &[&str] =
    &["/proc/", "/sys/block/", "/sys/bus/", "/sys/class/", "/sys/devices/", "/sys/kernel/mm/"];
/// What is there and is named by people.
const OF_PEOPLE: &[&str] = &["/net/", "/proc/fs/", "/proc/spl/"];

fn is_of_kernel(tree: &Tree, name: &str) -> bool {
    let is_kernels = |path: &&str| {
        OF_KERNEL.iter().any(|start| path.starts_with(start))
            && !OF_PEOPLE.iter().any(|part| path.contains(part))
    };
    tree.paths().filter(is_kernels).any(|path| path.split('/').any(|part| part.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> HostName {
        let text = format!(
            "==> /proc/sys/kernel/hostname\n{name}\n==> /sys/devices/system/node/node0/cpulist\n0\n\
             ==> /proc/spl/kstat/zfs/{name}/io\n0\n==> /sys/class/net/{name}/mtu\n9000\n"
        );
        HostName::of(&Tree::parse(&text))
    }

    #[test]
    fn a_name_is_hidden_short_and_full_and_as_others_write_it() {
        let cases = [
            ("/mnt2/srv-accounting", "/mnt2/host"),
            ("/dev/mapper/srv--accounting--vg-root", "/dev/mapper/host--vg-root"),
            ("mnt-srv\\x2daccounting.mount", "mnt-host.mount"),
            ("SRV-ACCOUNTING:0", "host:0"),
            ("srv-accounting.example.com:/home", "host:/home"),
            ("srv-accounting.service", "host.service"),
            ("srv-accounting2 xsrv-accounting", "srv-accounting2 xsrv-accounting"),
        ];
        for (text, expected) in cases {
            assert_eq!(of("srv-accounting").hidden(text), expected);
        }
        let full = of("srv-accounting.example.com");
        assert_eq!(
            full.hidden("srv-accounting nas.example.com srv-accounting.example.com."),
            "host nas.domain host."
        );
    }

    #[test]
    fn names_that_tell_nothing_or_are_the_kernels_stay() {
        for name in ["debian", "node0", "a", ""] {
            let text = format!("{name} /sys/devices/system/node/node0 a debian");
            assert_eq!(of(name).hidden(&text), text);
        }
    }
}
