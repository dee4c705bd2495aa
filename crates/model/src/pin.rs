//! Where workers run.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::resource::cpu_list;

/// Where workers run, relative to the resource that their load drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pin {
    /// `local` where the resource has interrupts, otherwise `spread`.
    Auto,
    /// On the CPUs that take the resource's interrupts, then the others.
    Local,
    /// Away from the CPUs that take the resource's interrupts.
    Remote,
    /// One worker on each CPU, in order.
    Spread,
    /// Wherever the kernel puts them.
    None,
    /// On these CPUs in turn: `cpus:2-5,8`.
    #[serde(untagged)]
    Cpus(#[schemars(with = "String")] PinnedCpus),
}

impl Pin {
    /// Every policy that is one word, with its name and meaning, in documentation order.
    pub const ALL: &'static [(&'static str, Pin, &'static str)] = &[
        ("auto", Pin::Auto, "local where the resource has interrupts, otherwise spread"),
        ("local", Pin::Local, "on the CPUs that take the resource's interrupts, then the others"),
        ("remote", Pin::Remote, "away from the CPUs that take the resource's interrupts"),
        ("spread", Pin::Spread, "one worker on each CPU, in order"),
        ("none", Pin::None, "wherever the kernel puts them"),
    ];

    /// The policy's name, without its CPUs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let unnamed = if matches!(self, Pin::Cpus(_)) { "cpus" } else { "none" };
        Self::ALL.iter().find(|(_, pin, _)| pin == self).map_or(unnamed, |(name, ..)| name)
    }

    /// What holds at the other end of a load: CPUs that are named are those of the end that drives.
    #[must_use]
    pub fn of_other_end(&self) -> Self {
        match self {
            Pin::Cpus(_) => Pin::Auto,
            other => other.clone(),
        }
    }
}

/// As a person writes it: `auto`, `cpus:2-5`.
impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pin::Cpus(cpus) => fmt::Display::fmt(cpus, f),
            word => f.pad(word.name()),
        }
    }
}

/// CPUs that a person names for workers, in the order in which they are taken; each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PinnedCpus(Vec<u32>);

/// Why a text names no CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PinnedCpusError(String);

impl PinnedCpus {
    /// What stands before the list.
    pub const PREFIX: &'static str = "cpus:";
    /// More than any machine has (`parse_cpu_list` of the machine).
    const NUMBER_MAX: u32 = (1 << 16) - 1;

    /// The CPUs, at least one.
    #[must_use]
    pub fn cpus(&self) -> &[u32] {
        &self.0
    }

    /// The bare list, `2-5,8`.
    #[must_use]
    pub fn list(&self) -> String {
        cpu_list(&self.0)
    }

    /// Those that are not among `allowed`.
    #[must_use]
    pub fn outside(&self, allowed: &[u32]) -> Vec<u32> {
        self.0.iter().copied().filter(|cpu| !allowed.contains(cpu)).collect()
    }
}

impl fmt::Display for PinnedCpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", Self::PREFIX, self.list()))
    }
}

impl FromStr for PinnedCpus {
    type Err = PinnedCpusError;

    fn from_str(text: &str) -> Result<Self, PinnedCpusError> {
        let odd = || PinnedCpusError(format!("`{text}` is no list of CPUs such as {}2-5,8", Self::PREFIX));
        let mut cpus: Vec<u32> = Vec::new();
        for run in text.strip_prefix(Self::PREFIX).ok_or_else(odd)?.split(',') {
            let (first, last) = run.split_once('-').unwrap_or((run, run));
            let number = |text: &str| text.trim().parse::<u32>().map_err(|_| odd());
            let (first, last) = (number(first)?, number(last)?);
            if first > last || last > Self::NUMBER_MAX {
                return Err(odd());
            }
            for cpu in first..=last {
                if cpus.contains(&cpu) {
                    return Err(PinnedCpusError(format!("CPU {cpu} stands there twice")));
                }
                cpus.push(cpu);
            }
        }
        Ok(Self(cpus))
    }
}

impl TryFrom<String> for PinnedCpus {
    type Error = PinnedCpusError;

    fn try_from(text: String) -> Result<Self, PinnedCpusError> {
        text.parse()
    }
}

impl From<PinnedCpus> for String {
    fn from(cpus: PinnedCpus) -> Self {
        cpus.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_read_and_written_in_the_order_in_which_they_are_taken() {
        for text in ["cpus:2-5,8", "cpus:4,2-3", "cpus:0"] {
            let cpus: PinnedCpus = text.parse().unwrap();
            assert_eq!(cpus.to_string(), text);
            let json = serde_json::to_string(&Pin::Cpus(cpus.clone())).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Pin>(&json).unwrap(), Pin::Cpus(cpus));
        }
        let cpus: PinnedCpus = "cpus:4,2-3".parse().unwrap();
        assert_eq!((cpus.cpus(), cpus.outside(&[2, 4, 9])), (&[4, 2, 3][..], vec![3]));
        for (text, says) in [
            ("cpus:", "no list"),
            ("2-3", "no list"),
            ("cpus:3-2", "no list"),
            ("cpus:1,,2", "no list"),
            ("cpus:0-99999", "no list"),
            ("cpus:1-3,2", "CPU 2 stands there twice"),
        ] {
            let error = text.parse::<PinnedCpus>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
            assert!(serde_json::from_str::<Pin>(&format!("\"{text}\"")).is_err(), "{text}");
        }
    }

    #[test]
    fn words_are_as_they_were() {
        for (name, pin, _) in Pin::ALL {
            assert_eq!((pin.name(), pin.to_string().as_str()), (*name, *name));
            assert_eq!(serde_json::to_string(pin).unwrap(), format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<Pin>(&format!("\"{name}\"")).unwrap(), *pin);
            assert_eq!(pin.of_other_end(), *pin);
        }
        let cpus = Pin::Cpus("cpus:1".parse().unwrap());
        assert_eq!((cpus.name(), cpus.of_other_end()), ("cpus", Pin::Auto));
    }
}
