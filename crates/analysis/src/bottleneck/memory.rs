//! Memory bandwidth that is full.

use language::format::{percent, setting};
use model::Severity;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;

use super::{Candidate, FULL, Verdict, finding, shown};
use crate::{Context, measure};

/// The candidate.
pub(super) struct Bandwidth;

impl Candidate for Bandwidth {
    fn examine(&self, case: &CaseResult, context: &Context<'_>) -> Verdict {
        let used = case
            .utilization
            .iter()
            .find(|u| u.resource == "memory" && matches!(u.kind, LimitKind::Measured | LimitKind::Link));
        let Some(used) = used else { return Verdict::Elsewhere };
        let place = Place::Limit { resource: "memory".to_owned(), quantity: "throughput".to_owned() };
        let (bound, of) = match used.kind {
            LimitKind::Link => ("modules", "that the modules can carry"),
            _ => ("copy", "that copying got before the run"),
        };
        let says = format!("{} of the memory bandwidth {of}", percent(used.fraction));
        let evidence = Evidence::at("memory", place, says).arg("fraction", used.fraction).arg("bound", bound);
        // A core that waits for memory looks busy; when all of them do nothing
        // but move what no cache holds, this is what memory gives.
        let threads = measure::profile(case).concurrency.workers;
        let cores = context.machine.map_or(u64::MAX, |m| {
            let cpus = m.inventory.cpu.allowed.len();
            // One thread a core is how memory is usually measured.
            match m.inventory.cpu.cores() {
                0 => cpus as u64,
                cores => cores.min(cpus) as u64,
            }
        });
        let all = measure::is_of_memory(case)
            && threads >= cores
            && super::cores::each(case, context).is_some_and(|(_, each)| each >= FULL);
        if used.fraction < FULL && !all {
            return Verdict::Free(evidence);
        }
        let limit = setting(used.limit, used.unit);
        let share = format!("{} of the {limit} {of}", percent(used.fraction));
        let text = if all {
            format!("memory bandwidth is full: all {cores} cores draw what no cache holds, {share}")
        } else {
            format!("memory bandwidth is full: {share}")
        };
        Verdict::Full(Box::new(
            finding("memory-bandwidth-full", Severity::Note, text)
                .on("memory")
                .arg("fraction", used.fraction)
                .arg("limit", used.limit)
                .arg("unit", used.unit.symbol())
                .arg("bound", bound)
                .arg("all", all)
                .arg("cores", cores)
                .because(evidence)
                .because(shown(
                    "bus-estimate",
                    "throughput_bus_estimate",
                    "what passes on the bus, estimated",
                )),
        ))
    }
}
