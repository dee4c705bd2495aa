//! Which of the kept runs a command is about: by study or workload, machine, tag, and when they began.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches};
use store::{Annotations, RunEntry, SqliteStore, Store, StoreError};

use super::baseline::date;
use super::option;

/// The arguments that choose runs.
pub(super) fn arguments() -> [Arg; 6] {
    [
        Arg::new("name").value_name("NAME").help("Only runs of this study, or with this workload"),
        option("machine", "HOSTNAME").help("Only runs of this machine"),
        option("tag", "NAME=VALUE").action(ArgAction::Append).help(
            "Only runs with this tag, or with a tag of this name where no value is given; several times for all of \
             several",
        ),
        option("search", "TEXT").help(
            "Only runs with this text in their note, tags, title, study or name; capitals and small letters are alike",
        ),
        option("since", "DATE").value_parser(day).help("Only runs that began on this day (UTC) or later: 2026-11-28"),
        option("until", "DATE").value_parser(day).help("Only runs that began on this day (UTC) or earlier"),
    ]
}

/// What runs are asked for.
pub(super) struct RunFilter<'a> {
    name: Option<&'a str>,
    machine: Option<&'a str>,
    tags: Vec<&'a str>,
    /// In small letters.
    search: Option<String>,
    since: Option<&'a str>,
    until: Option<&'a str>,
}

impl<'a> RunFilter<'a> {
    /// What was typed.
    pub(super) fn of(matches: &'a ArgMatches) -> Self {
        let text = |id: &str| matches.get_one::<String>(id).map(String::as_str);
        Self {
            name: text("name"),
            machine: text("machine"),
            tags: matches.get_many::<String>("tag").unwrap_or_default().map(String::as_str).collect(),
            search: text("search").map(str::to_lowercase),
            since: text("since"),
            until: text("until"),
        }
    }

    /// The runs that are asked for, newest first.
    pub(super) fn select(
        &self,
        store: &SqliteStore,
        said: &BTreeMap<String, Annotations>,
    ) -> Result<Vec<RunEntry>, StoreError> {
        let mut chosen = Vec::new();
        for entry in store.list()? {
            if self.takes(&entry, said.get(&entry.id)) && self.takes_work(&entry, store)? {
                chosen.push(entry);
            }
        }
        Ok(chosen)
    }

    /// Whether all but the name fits.
    fn takes(&self, entry: &RunEntry, said: Option<&Annotations>) -> bool {
        let began = date(&entry.started);
        let has_tag = |wanted: &&str| {
            let (name, value) = wanted.split_once('=').map_or((*wanted, None), |(n, v)| (n, Some(v)));
            let own = said.and_then(|said| said.tags.get(name));
            own.is_some_and(|own| value.is_none_or(|value| own == value))
        };
        self.machine.is_none_or(|machine| entry.hostname == machine)
            && self.since.is_none_or(|since| began >= since)
            && self.until.is_none_or(|until| began <= until)
            && self.tags.iter().all(has_tag)
            && self.search.as_ref().is_none_or(|wanted| has_text(entry, said, wanted))
    }

    /// Whether it is of the study that is asked for, or has the workload.
    fn takes_work(&self, entry: &RunEntry, store: &SqliteStore) -> Result<bool, StoreError> {
        let Some(name) = self.name else { return Ok(true) };
        if entry.study == name {
            return Ok(true);
        }
        match store.workloads(&entry.id) {
            Ok(all) => Ok(all.iter().any(|workload| workload.as_str() == name)),
            // It may be one of them: one damaged run must not hide the others, nor be hidden.
            Err(StoreError::Damaged { .. }) => Ok(true),
            Err(other) => Err(other),
        }
    }
}

/// Whether a text, in small letters, stands in what a run is called or what was said of it.
fn has_text(entry: &RunEntry, said: Option<&Annotations>, wanted: &str) -> bool {
    let own = [Some(&entry.id), Some(&entry.study), entry.title.as_ref()].into_iter().flatten();
    let note = said.and_then(|said| said.note.as_ref());
    let tags = said.into_iter().flat_map(|said| &said.tags).map(|(name, value)| format!("{name}={value}"));
    let mut all = own.chain(note).cloned().chain(tags);
    all.any(|text| text.to_lowercase().contains(wanted))
}

/// A day as it was typed.
fn day(text: &str) -> Result<String, &'static str> {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, digits: usize, most: u32| {
        let is_written = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        is_written && part.parse().is_ok_and(|value: u32| (1..=most).contains(&value))
    };
    match parts[..] {
        [year, month, day] if number(year, 4, 9999) && number(month, 2, 12) && number(day, 2, 31) => {
            Ok(text.to_owned())
        }
        _ => Err("a day is written 2026-11-28"),
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use store::State;

    use super::*;

    fn entry(hostname: &str, started: &str) -> RunEntry {
        RunEntry {
            id: "a1".to_owned(),
            started: started.to_owned(),
            finished: None,
            state: State::Complete,
            study: "disk".to_owned(),
            title: None,
            hostname: hostname.to_owned(),
            cases: 1,
            trials: 5,
        }
    }

    /// Whether these arguments take a run of `host-7` that began on 28 November 2026, tagged `rack=3`.
    fn takes(typed: &[&str]) -> bool {
        let words = std::iter::once("list").chain(typed.iter().copied());
        let matches = Command::new("list").args(arguments()).get_matches_from(words);
        let tags = [("rack".to_owned(), "3".to_owned())].into_iter().collect();
        let note = Some("After the new Controller".to_owned());
        let said = Annotations { tags, note, ..Annotations::default() };
        RunFilter::of(&matches).takes(&entry("host-7", "2026-11-28T23:59:59.5Z"), Some(&said))
    }

    #[test]
    fn runs_are_chosen_by_machine_tag_and_day() {
        let all: [&[&str]; 7] = [
            &[],
            &["--machine", "host-7"],
            &["--tag", "rack"],
            &["--search", "new controller"],
            &["--search", "RACK=3"],
            &["--search", "disk", "--machine", "host-7"],
            &["--tag", "rack=3", "--since", "2026-11-28", "--until", "2026-11-28"],
        ];
        for yes in all {
            assert!(takes(yes), "{yes:?}");
        }
        for no in [
            ["--machine", "host"],
            ["--tag", "rack=33"],
            ["--tag", "site"],
            ["--search", "firmware"],
            ["--since", "2026-11-29"],
            ["--until", "2026-11-27"],
        ] {
            assert!(!takes(&no), "{no:?}");
        }
    }

    #[test]
    fn a_day_is_written_in_one_way() {
        assert_eq!(day("2026-11-28").as_deref(), Ok("2026-11-28"));
        for wrong in
            ["2026", "28.11.2026", "2026-13-01", "2026-1-1", "2026-11-00", "yesterday", "2026-11-28T10"]
        {
            assert!(day(wrong).is_err(), "{wrong}");
        }
    }
}
