//! Ready studies, embedded in the program.

/// One ready study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The name to run it by.
    pub name: &'static str,
    /// Its TOML.
    pub text: &'static str,
}

/// Every ready study.
pub const READY: &[Ready] = &[
    Ready { name: OVERVIEW, text: include_str!("../../../studies/overview.toml") },
    Ready { name: "server-baseline", text: include_str!("../../../studies/server-baseline.toml") },
    Ready { name: "disk-quick", text: include_str!("../../../studies/disk-quick.toml") },
    Ready { name: "dd", text: include_str!("../../../studies/dd.toml") },
    Ready { name: "disk-datasheet", text: include_str!("../../../studies/disk-datasheet.toml") },
    Ready { name: "eight-disks", text: include_str!("../../../studies/eight-disks.toml") },
    Ready { name: "nvme", text: include_str!("../../../studies/nvme.toml") },
    Ready { name: "fileio", text: include_str!("../../../studies/fileio.toml") },
    Ready { name: "two-paths", text: include_str!("../../../studies/two-paths.toml") },
    Ready { name: "ten-gigabit", text: include_str!("../../../studies/ten-gigabit.toml") },
    Ready { name: "ssd-steady-state", text: include_str!("../../../studies/ssd-steady-state.toml") },
];

/// What `headroom run` does without a word.
pub const OVERVIEW: &str = "overview";

/// The ready study named `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Ready> {
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
    fn every_ready_study_has_words_in_every_language() {
        for words in LANGUAGES.iter().map(|l| l.words()).filter(|w| w.language() != Language::English) {
            for name in READY.iter().map(|ready| ready.name) {
                for key in [format!("study-{name}-title"), format!("study-{name}-question")] {
                    assert!(words.has(&key), "{:?} lacks {key}", words.language());
                }
            }
        }
    }
}
