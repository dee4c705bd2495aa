//! A word behind `headroom run` that is the name of nothing: what was most likely meant, and what to type
//! then. All names there are would fill a screen, so they are not listed.

use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use import::diagnostic::nearest;
use import::habits;
use model::workload::Catalogue;
use study::built_in::READY;

use crate::exit::Failure;
use crate::output::joined;

/// What is said of files, which are told by their endings.
const FILES: &str = "a study file ends in .toml, a job file of fio in .fio";

/// The question of `headroom trace`, as a study would be called that asked it. A study holds no command.
const ABOUT_A_COMMAND: &str = "what-does-it-do-to-my-disk";

/// That nothing is called `name`.
pub(crate) fn failure(name: &str, catalogue: &Catalogue) -> Failure {
    Failure::arguments(format!("there is no workload and no built-in study `{name}`"), help(name, catalogue))
}

/// How a folder or a block device is measured, where `path` is one.
pub(crate) fn help_of_place(path: &Path) -> Option<String> {
    let kind = path.metadata().ok()?.file_type();
    let what = match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_block_device() => "a block device",
        () => return None,
    };
    let path = path.display().to_string();
    Some(format!("that is {what}: `headroom run disk --target {}` measures it", joined([path.as_str()])))
}

/// What is measured with a tool of this name, or where a thing of this name is to be measured.
pub(crate) fn like(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let measures =
        habits::workload(&lower).map(|workload| format!("`headroom run {workload}` measures the like"));
    let is_read = import::tool::readers().any(|reader| reader.name() == lower);
    let reads = is_read.then(|| {
        format!(
            "`headroom check FILE` reads what {lower} printed, and `headroom verify-tool {lower}` runs it beside the same \
             load of Headroom, if it knows it"
        )
    });
    let all: Vec<String> = measures.into_iter().chain(reads).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn help(name: &str, catalogue: &Catalogue) -> String {
    let workloads = || catalogue.workloads.iter().map(|spec| spec.name.as_str());
    let is_of_area = |full: &&str| full.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let area: Vec<&str> = workloads().filter(is_of_area).collect();
    if !area.is_empty() {
        return format!("`{name}` has several workloads: {}", area.join(", "));
    }
    if let Some(help) = like(name) {
        return help;
    }
    if name == ABOUT_A_COMMAND {
        return "`headroom trace DEVICE -- COMMAND` says so; a study holds no command".to_owned();
    }
    if let Some(help) = help_of_place(Path::new(name)) {
        return help;
    }
    match nearest(name, workloads().chain(READY.iter().map(|ready| ready.name))) {
        Some(near) => format!("did you mean `{near}`? Of files, {FILES}"),
        None => format!(
            "`headroom workloads` lists the workloads, and `headroom studies` the built-in studies; {FILES}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_said_in_few_words() {
        let help = |name: &str| help(name, &::agent::catalogue());
        assert!(help("dsik").starts_with("did you mean `disk`? "), "{}", help("dsik"));
        assert!(help("overveiw").starts_with("did you mean `overview`? "));
        let area = help("cpu");
        assert!(area.contains("cpu.primes, ") && !area.contains("memory."), "{area}");
        assert_eq!(help("."), "that is a folder: `headroom run disk --target .` measures it");
        assert!(help("sysbench").contains("`headroom verify-tool sysbench`"));
        assert!(help("what-does-it-do-to-my-disk").starts_with("`headroom trace DEVICE -- COMMAND` "));
        assert_eq!(help("ssd"), "`headroom run disk` measures the like");
        assert!(
            help("iperf3").starts_with("`headroom run net.stream` measures the like; `headroom check FILE`")
        );
        for (theirs, ours) in habits::WORKLOADS {
            assert!(::agent::catalogue().called(ours).is_some(), "{theirs}: {ours}");
        }
        let none = help("benchmark-everything");
        assert!(none.contains("`headroom workloads`") && none.contains("`headroom studies`"), "{none}");
        assert!(none.len() < 200, "{none}");
    }
}
