//! `headroom watch --at TIME`: what was kept of then.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use ::machine::sampler::Scope;
use ::watch::document::{WatchedTime, document};
use ::watch::keeper::{KeptTime, read_at};
use ::watch::limit_book::LimitBook;
use ::watch::readings::BufferReadings;
use ::watch::recording::machine_trial;
use ::watch::situation::{Situation, SituationInput};
use ::watch::verdict::verdicts;
use jiff::Timestamp;
use model::Run;
use store::SqliteStore;

use super::super::run::identity;
use super::arguments::WatchArguments;
use super::{failure, lines};
use crate::exit::Failure;
use crate::output::{self, Pending};

/// What is told of a moment.
const USUAL: Duration = Duration::from_secs(60);

pub(super) fn show(at: u64, arguments: &WatchArguments, typed: &[String]) -> Result<ExitCode, Failure> {
    let pending = arguments.record.as_deref().map(Pending::at).transpose()?;
    let length = arguments.window.unwrap_or(USUAL);
    let kept = read_at(arguments.folder()?, at, length).map_err(|error| failure(&error))?;
    let book = known_limits(&kept, arguments.store.as_deref());
    let buffers: Vec<_> = kept.buffers.iter().collect();
    let readings = BufferReadings { buffers: buffers.clone(), window: kept.window };
    let host = ::machine::Host::parse("");
    let situation = Situation::of(&SituationInput {
        readings: &readings,
        inventory: &kept.machine.inventory,
        book: &book,
        scope: &Scope::of(&kept.machine.inventory, &host),
        groups: &kept.groups,
        processes: kept.processes.clone(),
        now: Timestamp::now(),
    });
    let span = (time(kept.unix_ns.0), time(kept.unix_ns.1));
    let mut trial = machine_trial(&buffers, kept.window);
    trial.processes.clone_from(&kept.processes);
    let run = document(
        WatchedTime {
            machine: &kept.machine,
            trial,
            situation: &situation,
            window: kept.window,
            span: span.clone(),
            name: "watch".to_owned(),
        },
        &identity(typed),
    );
    let said: Vec<String> = verdicts(&run).iter().map(|finding| arguments.words.finding(finding)).collect();
    let text = lines::whole(arguments.words, &situation, &said);
    output::print(format!("{} - {}\n{text}", span.0, span.1).as_bytes())?;
    if let Some(pending) = pending {
        pending.finish(&as_json(&run))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A run document.
pub(super) fn as_json(run: &Run) -> Vec<u8> {
    let mut json = serde_json::to_vec(run).unwrap_or_default();
    json.push(b'\n');
    json
}

/// The limits of the machine as it was, and what is known by now of what it can do.
fn known_limits(kept: &KeptTime, store: Option<&Path>) -> LimitBook {
    let mut book = LimitBook::of_machine(&kept.machine);
    // Without a store less is known.
    if let Some(store) = store.filter(|path| path.exists()).and_then(|path| SqliteStore::open(path).ok()) {
        let _ = book.add_runs(&store, &kept.machine);
    }
    book
}

fn time(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or_default();
    Timestamp::from_second(seconds).map(|time| time.to_string()).unwrap_or_default()
}
