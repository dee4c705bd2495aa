//! Built-in studies, embedded in the program.

/// One built-in study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInStudy {
    /// The name to run it by.
    pub name: &'static str,
    /// Its TOML.
    pub text: &'static str,
}

/// Every built-in study.
pub const READY: &[BuiltInStudy] = &[
    BuiltInStudy { name: OVERVIEW, text: include_str!("../../../studies/overview.toml") },
    BuiltInStudy { name: "server-baseline", text: include_str!("../../../studies/server-baseline.toml") },
    BuiltInStudy { name: "disk-quick", text: include_str!("../../../studies/disk-quick.toml") },
    BuiltInStudy { name: "dd", text: include_str!("../../../studies/dd.toml") },
    BuiltInStudy { name: "disk-datasheet", text: include_str!("../../../studies/disk-datasheet.toml") },
    BuiltInStudy { name: "eight-disks", text: include_str!("../../../studies/eight-disks.toml") },
    BuiltInStudy { name: "nvme", text: include_str!("../../../studies/nvme.toml") },
    BuiltInStudy { name: "nvme-database", text: include_str!("../../../studies/nvme-database.toml") },
    BuiltInStudy {
        name: "raid6-backup-target",
        text: include_str!("../../../studies/raid6-backup-target.toml"),
    },
    BuiltInStudy { name: "storage-layers", text: include_str!("../../../studies/storage-layers.toml") },
    BuiltInStudy { name: "disk-places", text: include_str!("../../../studies/disk-places.toml") },
    BuiltInStudy { name: "fileio", text: include_str!("../../../studies/fileio.toml") },
    BuiltInStudy { name: "two-paths", text: include_str!("../../../studies/two-paths.toml") },
    BuiltInStudy { name: "ten-gigabit", text: include_str!("../../../studies/ten-gigabit.toml") },
    BuiltInStudy { name: "ssd-behind-10gbe", text: include_str!("../../../studies/ssd-behind-10gbe.toml") },
    BuiltInStudy { name: "fit-etcd", text: include_str!("../../../studies/fit-etcd.toml") },
    BuiltInStudy { name: "fit-postgres", text: include_str!("../../../studies/fit-postgres.toml") },
    BuiltInStudy { name: "fit-mysql", text: include_str!("../../../studies/fit-mysql.toml") },
    BuiltInStudy { name: "fit-backup-target", text: include_str!("../../../studies/fit-backup-target.toml") },
    BuiltInStudy {
        name: "fit-video-recorder",
        text: include_str!("../../../studies/fit-video-recorder.toml"),
    },
    BuiltInStudy { name: "burn-in", text: include_str!("../../../studies/burn-in.toml") },
    BuiltInStudy { name: "ssd-steady-state", text: include_str!("../../../studies/ssd-steady-state.toml") },
];

/// What the names of studies begin with that say whether a machine is fit for a use.
pub const FIT: &str = "fit-";

/// Inputs of built-in studies that are options beside the parameters of workloads, in alphabetical order. An input that is
/// called as a parameter has that one's option.
pub const INPUT_OPTIONS: &[&str] = &[
    "backend-size",
    "commit-limit",
    "commits",
    "data-size",
    "fsync-limit",
    "log-rate",
    "read-rate",
    "wal-size",
    "write-limit",
];

/// What `headroom run` does without a word.
pub const OVERVIEW: &str = "overview";

/// The built-in study named `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static BuiltInStudy> {
    READY.iter().find(|r| r.name == name)
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};

    use super::*;

    #[test]
    fn every_ready_study_is_right() {
        for ready in READY {
            let study = crate::read::from_toml(&agent::catalogue(), ready.name, ready.name, ready.text);
            assert!(study.is_ok(), "{}: {study:?}", ready.name);
        }
    }

    #[test]
    fn every_input_has_an_option() {
        let catalogue = agent::catalogue();
        let is_parameter =
            |name: &str| catalogue.workloads.iter().any(|spec| catalogue.parameter(spec, name).is_some());
        let mut others = Vec::new();
        for ready in READY {
            let inputs = crate::read::inputs::declared(ready.name, ready.text).unwrap();
            others.extend(inputs.into_iter().map(|input| input.name).filter(|name| !is_parameter(name)));
        }
        others.sort();
        others.dedup();
        assert_eq!(others, INPUT_OPTIONS);
    }

    #[test]
    fn every_study_of_fitness_ends_in_a_verdict_and_names_its_sources() {
        for ready in READY.iter().filter(|ready| ready.name.starts_with(FIT)) {
            let study =
                crate::read::from_toml(&agent::catalogue(), ready.name, ready.name, ready.text).unwrap();
            assert!(study.verdict.is_some() && !study.goals.is_empty(), "{}", ready.name);
            assert!(!study.references.is_empty() && !study.inputs.is_empty(), "{}", ready.name);
        }
    }

    #[test]
    fn every_ready_study_has_words_in_every_language() {
        for words in LANGUAGES.iter().map(|l| l.words()).filter(|w| w.language() != Language::English) {
            for BuiltInStudy { name, text } in READY {
                let study = crate::read::from_toml(&agent::catalogue(), name, name, text).unwrap();
                let purpose = study.purpose.map(|_| "purpose");
                for part in ["title", "question"].into_iter().chain(purpose) {
                    let key = format!("study-{name}-{part}");
                    assert!(words.has(&key), "{:?} lacks {key}", words.language());
                }
            }
        }
    }
}
