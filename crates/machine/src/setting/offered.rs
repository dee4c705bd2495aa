//! Which words the kernel takes for a setting: those that it lists, and those that a module would bring, which it loads when
//! one is asked for (`__request_module` in `kernel/module/kmod.c`).

use std::fs;
use std::path::Path;

/// Modules that the kernel could load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loadable {
    Yes,
    No,
    /// Its modules cannot be seen from here, as in a container.
    Unknown,
}

/// Where words are told that a kernel had once, and what took their place.
pub(super) type Successors = &'static [(&'static str, &'static str)];

/// Why `word` cannot be had where `listed` are; `module` is what the module that would bring it is called, or has for an alias.
pub(super) fn lacks(
    word: &str,
    listed: &[&str],
    module: Option<&str>,
    successors: Successors,
) -> Option<String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let folder = Path::new("/lib/modules").join(release.trim());
    // What has no modules has no such file either.
    let loads = Path::new("/proc/modules").exists();
    why(word, listed, module.filter(|_| loads).map(|module| loadable(&folder, module)), successors)
}

fn why(word: &str, listed: &[&str], module: Option<Loadable>, successors: Successors) -> Option<String> {
    if listed.is_empty() || listed.contains(&word) {
        return None;
    }
    let successor = successors.iter().find(|(old, new)| *old == word && listed.contains(new));
    match module {
        Some(Loadable::Yes) => return None,
        Some(Loadable::Unknown) if successor.is_none() => return None,
        _ => {}
    }
    let now = successor.map(|(old, new)| format!("; what was `{old}` is `{new}` now")).unwrap_or_default();
    Some(format!("there are {}{now}", listed.join(", ")))
}

/// Whether a module of this name or alias is in the folder of the kernel's modules.
fn loadable(folder: &Path, module: &str) -> Loadable {
    let same = |name: &str| name.replace('-', "_") == module.replace('-', "_");
    let (Ok(names), Ok(aliases)) =
        (fs::read_to_string(folder.join("modules.dep")), fs::read_to_string(folder.join("modules.alias")))
    else {
        return Loadable::Unknown;
    };
    let file = |line: &str| {
        let path = line.split(':').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        same(name.split(".ko").next().unwrap_or_default())
    };
    let alias = |line: &str| line.split_whitespace().nth(1).is_some_and(same);
    if names.lines().any(file) || aliases.lines().any(alias) { Loadable::Yes } else { Loadable::No }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULERS: [&str; 3] = ["none", "mq-deadline", "kyber"];
    const OLD: Successors = &[("noop", "none"), ("cfq", "bfq")];

    #[test]
    fn what_is_not_listed_is_there_only_if_a_module_brings_it() {
        for (word, module, lacks) in [
            ("kyber", None, None),
            ("bfq", Some(Loadable::Yes), None),
            ("bfq", Some(Loadable::Unknown), None),
            ("bfq", Some(Loadable::No), Some("there are none, mq-deadline, kyber")),
            ("bfq", None, Some("there are none, mq-deadline, kyber")),
            ("noop", None, Some("there are none, mq-deadline, kyber; what was `noop` is `none` now")),
            (
                "noop",
                Some(Loadable::Unknown),
                Some("there are none, mq-deadline, kyber; what was `noop` is `none` now"),
            ),
            ("cfq", Some(Loadable::No), Some("there are none, mq-deadline, kyber")),
        ] {
            assert_eq!(why(word, &SCHEDULERS, module, OLD).as_deref(), lacks, "{word} {module:?}");
        }
        // Who lists nothing says nothing.
        assert_eq!(why("noop", &[], None, OLD), None);
    }

    #[test]
    fn a_module_is_found_by_its_file_and_by_its_alias() {
        let folder = tempfile::tempdir().unwrap();
        let of = |module: &str| loadable(folder.path(), module);
        assert_eq!(of("bfq-iosched"), Loadable::Unknown);
        fs::write(
            folder.path().join("modules.dep"),
            "kernel/block/kyber-iosched.ko.xz:\nkernel/block/bfq.ko: a\n",
        )
        .unwrap();
        fs::write(folder.path().join("modules.alias"), "# Aliases\nalias bfq-iosched bfq\n").unwrap();
        assert_eq!(of("bfq-iosched"), Loadable::Yes);
        assert_eq!(of("kyber-iosched"), Loadable::Yes);
        assert_eq!(of("noop-iosched"), Loadable::No);
    }
}
