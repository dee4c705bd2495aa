//! What holds this process: by the signs that systemd looks for
//! (`src/basic/virt.c`, detect_container), without reading other processes'
//! environments.

use super::file;
use crate::Host;

/// Files that a manager leaves, and what is then there.
const FILES: &[(&str, &str)] = &[("/run/.containerenv", "podman"), ("/.dockerenv", "docker")];
/// Parts of a group's path.
const GROUPS: &[(&str, &str)] = &[
    ("/kubepods", "kubernetes"),
    ("/docker/", "docker"),
    ("/docker-", "docker"),
    ("/libpod", "podman"),
    ("/lxc/", "lxc"),
    ("/lxc.payload", "lxc"),
    ("/cri-containerd", "containerd"),
];

/// What holds this process; absent outside, as far as can be seen.
pub(super) fn of(host: &Host) -> Option<String> {
    let release = file(host, "/proc/sys/kernel/osrelease").unwrap_or_default();
    // WSL 1 has no kernel of its own; WSL 2 is a virtual machine and says so.
    if release.ends_with("-Microsoft") {
        return Some("wsl".to_owned());
    }
    // Inside OpenVZ there is no accounting of others.
    if host.exists("/proc/vz") && !host.exists("/proc/bc") {
        return Some("openvz".to_owned());
    }
    let named = ["/run/host/container-manager", "/run/systemd/container"];
    let told = named.iter().find_map(|path| file(host, path)).filter(|name| is_name(name));
    told.or_else(|| find(FILES, |path| host.exists(path))).or_else(|| {
        let groups = host.text("/proc/self/cgroup")?;
        find(GROUPS, |part| groups.contains(part))
    })
}

/// A manager's name, as the interface has it: a short word.
fn is_name(text: &str) -> bool {
    text.len() <= 32 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn find(table: &[(&str, &str)], holds: impl Fn(&str) -> bool) -> Option<String> {
    table.iter().find(|(sign, _)| holds(sign)).map(|(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sign_names_its_manager_and_none_names_none() {
        let cases: &[(&str, Option<&str>)] = &[
            ("==> /run/systemd/container\nlxc\n==> /.dockerenv\n", Some("lxc")),
            ("==> /run/systemd/container\nnot a name!\n==> /.dockerenv\n", Some("docker")),
            ("==> /run/.containerenv\n", Some("podman")),
            ("==> /proc/self/cgroup\n0::/kubepods.slice/kubepods-pod1.slice\n", Some("kubernetes")),
            ("==> /proc/self/cgroup\n4:cpu:/docker/0123\n0::/\n", Some("docker")),
            ("==> /proc/self/cgroup\n0::/user.slice/docker.slice\n", None),
            ("==> /proc/vz/\n", Some("openvz")),
            ("==> /proc/vz/\n==> /proc/bc/\n", None),
            ("==> /proc/sys/kernel/osrelease\n4.4.0-19041-Microsoft\n", Some("wsl")),
            ("==> /proc/sys/kernel/osrelease\n5.15.90.1-microsoft-standard-WSL2\n", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(&Host::parse(text)).as_deref(), *expected, "{text}");
        }
    }
}
