//! The kernel was built or started to find its own faults.

use model::{Resource, Severity};

use super::{Check, CheckContext, clip, condition, few, seen};
use crate::Host;

const CODE: &str = "debug-kernel";
/// Options of the build that slow down everything, by `Documentation/dev-tools`
/// and `lib/Kconfig.debug`: memory checkers, race checkers, lock checkers,
/// coverage. Distributions leave them off.
const OPTIONS: &[&str] = &[
    "CONFIG_KASAN_GENERIC",
    "CONFIG_KASAN_SW_TAGS",
    "CONFIG_KMSAN",
    "CONFIG_KCSAN",
    "CONFIG_PROVE_LOCKING",
    "CONFIG_DEBUG_LOCK_ALLOC",
    "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT",
    "CONFIG_SLUB_DEBUG_ON",
    "CONFIG_DEBUG_KMEMLEAK",
    "CONFIG_KCOV",
    "CONFIG_GCOV_PROFILE_ALL",
];
/// Words of the command line that turn such on
/// (`Documentation/admin-guide/kernel-parameters.txt`).
const WORDS: &[&str] = &["slub_debug", "slab_debug", "debug_pagealloc=on", "page_owner=on", "kmemleak=on"];
/// Words that turn off what an option of the build has turned on.
const OFF: &[(&str, &str)] = &[
    ("slub_debug=-", "CONFIG_SLUB_DEBUG_ON"),
    ("slab_debug=-", "CONFIG_SLUB_DEBUG_ON"),
    ("kmemleak=off", "CONFIG_DEBUG_KMEMLEAK"),
    ("debug_pagealloc=off", "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT"),
];
/// Files that only such kernels have. That of kmemleak is there as well where it
/// was built in, but waits for the command line to turn it on.
const FILES: &[(&str, &str)] = &[("/proc/lockdep", "lockdep"), ("/sys/kernel/debug/kcov", "kcov")];

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "the kernel checks itself (KASAN, lockdep and the like), which slows all down",
    english: r#"
condition-debug-kernel = the kernel checks itself, which slows everything down: { $signs }{ few-more }
    .advice = start a kernel without these, as distributions ship it

evidence-kernel-option = { $option }
"#,
    look: |context| {
        let all = signs(context);
        if all.is_empty() {
            return Vec::new();
        }
        let shown = few(&all);
        let mut finding = condition(CODE, Severity::Warning)
            .on(Resource::SYSTEM)
            .arg("signs", shown.names.as_str())
            .arg("more", shown.more);
        for sign in all.iter().take(8) {
            finding = finding.because(seen("kernel-option").arg("option", clip(sign)));
        }
        vec![finding]
    },
};

fn signs(context: &CheckContext<'_>) -> Vec<String> {
    let line = context.inventory.system.command_line.as_deref().unwrap_or_default();
    let is_word = |word: &str, known: &str| {
        word.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let all_words = || line.split_whitespace();
    let off: Vec<&(&str, &str)> = OFF.iter().filter(|(word, _)| all_words().any(|w| w == *word)).collect();
    let is_on = |word: &&str| !off.iter().any(|(known, _)| known == word);
    let words = all_words().filter(is_on).filter(|word| WORDS.iter().any(|known| is_word(word, known)));
    let mut all: Vec<String> = words.map(str::to_owned).collect();
    // One answer, not the files themselves, which are large and which a
    // recording has no use for.
    let release = &context.inventory.kernel;
    let built = context.host.probe("kernel-debug", || Ok(built_with(&Host::this(), release)));
    let built = built.unwrap_or_else(|_| built_with(context.host, release));
    let is_on = |sign: &String| !off.iter().any(|(_, option)| sign.strip_suffix("=y") == Some(option));
    all.extend(built.into_iter().filter(is_on));
    all
}

/// What gives the kernel away: files, and options where its configuration is
/// installed beside it.
fn built_with(host: &Host, release: &str) -> Vec<String> {
    let files = FILES.iter().filter(|(path, _)| host.exists(path)).map(|(_, what)| (*what).to_owned());
    let places = [format!("/boot/config-{release}"), format!("/lib/modules/{release}/config")];
    let config = places.iter().find_map(|p| host.text(p)).unwrap_or_default();
    let waits = config.lines().any(|line| line == "CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF=y");
    let is_on = |line: &&str| {
        let option = line.strip_suffix("=y").filter(|option| OPTIONS.contains(option));
        option.is_some_and(|option| !(waits && option == "CONFIG_DEBUG_KMEMLEAK"))
    };
    files.chain(config.lines().filter(is_on).map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose, diagnose_inventory, diagnose_with};
    use model::machine::{Inventory, System};

    #[test]
    fn files_options_and_words_give_a_debug_kernel_away() {
        diagnose(&CHECK, "==> /proc/lockdep\nall lock classes:\n").one(Severity::Warning, "down: lockdep");
        let built = "==> /probe/kernel-debug\n[\"CONFIG_KASAN_GENERIC=y\"]\n";
        diagnose(&CHECK, built).one(Severity::Warning, "CONFIG_KASAN_GENERIC=y");
        let line = Some("root=/dev/sda1 slub_debug=FZP quiet".to_owned());
        let system = System { command_line: line, ..System::default() };
        diagnose_inventory(&CHECK, Inventory { system, ..Inventory::default() })
            .one(Severity::Warning, "slub_debug=FZP");
        diagnose(&CHECK, "==> /probe/kernel-debug\n[\"a\", \"b\", \"c\", \"d\"]\n")
            .one(Severity::Warning, "a, b, c and 1 more");
    }

    #[test]
    fn a_kernel_as_distributions_ship_it_is_nothing() {
        let config =
            "==> /boot/config-6.1\nCONFIG_KASAN=y\n# CONFIG_KCSAN is not set\nCONFIG_HAVE_DEBUG_KMEMLEAK=y\n";
        assert_eq!(built_with(&Host::parse(config), "6.1"), Vec::<String>::new());
        let config = format!("{config}CONFIG_PROVE_LOCKING=y\n");
        assert_eq!(built_with(&Host::parse(&config), "6.1"), ["CONFIG_PROVE_LOCKING=y"]);
        assert_eq!(diagnose(&CHECK, "==> /proc/version\nLinux version 6.1\n"), CheckResult::nothing());
    }

    #[test]
    fn what_is_switched_off_is_no_sign() {
        let look = |line: &str| {
            let built =
                "==> /probe/kernel-debug\n[\"CONFIG_SLUB_DEBUG_ON=y\", \"CONFIG_DEBUG_KMEMLEAK=y\"]\n";
            let system = System { command_line: Some(line.to_owned()), ..System::default() };
            diagnose_with(&CHECK, built, Inventory { system, ..Inventory::default() })
        };
        assert_eq!(look("quiet slub_debug=- kmemleak=off"), CheckResult::nothing());
        look("quiet kmemleak=off").one(Severity::Warning, "down: CONFIG_SLUB_DEBUG_ON=y");
        let waits = "==> /sys/kernel/debug/kmemleak\n\n==> /boot/config-6.1\n\
                     CONFIG_DEBUG_KMEMLEAK=y\nCONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF=y\n";
        assert_eq!(built_with(&Host::parse(waits), "6.1"), Vec::<String>::new());
        let on = waits.replace("CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF=y", "");
        assert_eq!(built_with(&Host::parse(&on), "6.1"), ["CONFIG_DEBUG_KMEMLEAK=y"]);
    }
}
