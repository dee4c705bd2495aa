//! What watches a trial because a study asks for it: a table, and each in a file of its own.

mod block_trace;
mod window_times;
mod work_queues;

use std::sync::Arc;

use engine::Fault;
use load::workload::Load;
use machine::Host;
use model::ObserverKind;
use model::machine::Inventory;
use model::message::ObservedCase;
use model::trial::MachineTrial;

pub(crate) use window_times::WindowTimes;

use crate::survey;

/// One that watches. Dropped, it ends and leaves nothing.
trait TrialWatch {
    /// Ends it, and adds what it saw while the window was open.
    fn finish(self: Box<Self>, machine: &mut MachineTrial) -> Result<(), Fault>;
}

/// Where one begins to watch the devices of these names.
type Begin = fn(&[String], &Arc<WindowTimes>) -> Result<Box<dyn TrialWatch>, Fault>;

/// One that may watch, as this agent has it.
struct ObserverEntry {
    kind: ObserverKind,
    /// Says why it cannot watch block devices of these names, where it cannot: by a look, or by a try.
    look: fn(&[String], bool) -> Result<(), String>,
    begin: Begin,
}

/// All of them.
const TABLE: &[ObserverEntry] = &[
    ObserverEntry { kind: ObserverKind::BlockTrace, look: block_trace::look, begin: block_trace::begin },
    ObserverEntry { kind: ObserverKind::WorkQueues, look: work_queues::look, begin: work_queues::begin },
];

fn entry(kind: ObserverKind) -> Result<&'static ObserverEntry, String> {
    let known = TABLE.iter().find(|entry| entry.kind == kind);
    known.ok_or_else(|| format!("this agent has no observer {}", kind.name()))
}

/// What is looked at: by what, whether it is tried, and which devices.
type Look = (ObserverKind, bool, Vec<String>);

/// Why each case cannot be observed here, where it cannot.
pub(crate) fn missing(cases: &[ObservedCase], inventory: &Inventory) -> Vec<Option<String>> {
    let host = Host::this();
    // Each look takes its time, and most cases have the same devices.
    let mut known: Vec<(Look, Option<String>)> = Vec::new();
    let mut look = |kind: ObserverKind, is_tried: bool, devices: &[String]| {
        let key = (kind, is_tried, devices.to_vec());
        if let Some((_, lack)) = known.iter().find(|(of, _)| *of == key) {
            return lack.clone();
        }
        let lack = entry(kind).and_then(|entry| (entry.look)(devices, is_tried)).err();
        known.push((key, lack.clone()));
        lack
    };
    let mut of_case = |case: &ObservedCase| {
        let Some(main) = case.loads.first() else { return Some("there is no load to observe".to_owned()) };
        let load = Load::named(main.workload, main.parameters.clone(), inventory.cpu.allowed.len().max(1));
        match load {
            Ok(load) => {
                let devices = survey::blocks(&load, inventory, &host);
                case.observe.iter().find_map(|kind| look(*kind, case.is_tried, &devices))
            }
            Err(problem) => Some(problem.message),
        }
    };
    cases.iter().map(&mut of_case).collect()
}

/// All that watch one trial.
pub(crate) struct Observers {
    watches: Vec<Box<dyn TrialWatch>>,
    /// The window, once it is known.
    pub(crate) times: Arc<WindowTimes>,
}

impl Observers {
    /// Begins to watch the block devices of these names.
    pub(crate) fn begin(kinds: &[ObserverKind], devices: &[String]) -> Result<Self, Fault> {
        let times = Arc::new(WindowTimes::default());
        let begin = |kind: &ObserverKind| {
            let entry = entry(*kind).map_err(Fault::Other)?;
            (entry.begin)(devices, &times)
        };
        let watches = kinds.iter().map(begin).collect::<Result<_, Fault>>()?;
        Ok(Self { watches, times })
    }

    /// Ends all of them, and adds what they saw.
    pub(crate) fn finish(self, machine: &mut MachineTrial) -> Result<(), Fault> {
        self.watches.into_iter().try_for_each(|watch| watch.finish(machine))
    }
}

#[cfg(test)]
mod tests {
    use model::observer::OBSERVERS;
    use model::plan::LoadSpec;
    use model::{ParameterName, Parameters, WorkloadName};

    use super::*;

    #[test]
    fn there_is_one_for_each_that_a_study_may_ask_for() {
        let kinds: Vec<ObserverKind> = TABLE.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, OBSERVERS.iter().map(|spec| spec.kind).collect::<Vec<_>>());
        assert!(entry(ObserverKind::Unknown).err().unwrap().contains("no observer unknown"));
    }

    #[test]
    fn a_load_without_a_block_device_is_not_traced() {
        let mut parameters = Parameters::default();
        parameters.set(ParameterName::new("target"), "/proc");
        let loads = vec![LoadSpec::new(WorkloadName::new("disk"), parameters)];
        let case = ObservedCase { loads, observe: vec![ObserverKind::BlockTrace], is_tried: true };
        let nothing = ObservedCase { observe: Vec::new(), ..case.clone() };
        let found = missing(&[case, nothing], &Inventory::default());
        assert!(found[0].as_ref().unwrap().contains("no block device"), "{found:?}");
        assert_eq!(found[1], None);
    }
}
