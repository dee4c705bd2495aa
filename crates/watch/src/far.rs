//! Another machine under watch: what its agent tells, held against what is known of that machine.

use jiff::Timestamp;
use machine::inventory::cgroup::LimitedGroup;
use machine::sampler::Scope;
use model::machine_use::{MachineUse, ReadingOfUse};
use model::trial::Window;
use model::{Machine, Resource};

use crate::limit_book::LimitBook;
use crate::situation::{Readings, Situation, SituationInput};

/// What an agent told as readings.
struct ToldReadings<'a>(&'a MachineUse);

impl ToldReadings<'_> {
    fn find(all: &[ReadingOfUse], resource: &Resource, name: &str) -> Option<f64> {
        all.iter().find(|one| one.resource == *resource && one.name == name).map(|one| one.value)
    }
}

impl Readings for ToldReadings<'_> {
    fn rate(&self, resource: &Resource, name: &str) -> Option<f64> {
        Self::find(&self.0.rates, resource, name)
    }

    fn gauge(&self, resource: &Resource, name: &str) -> Option<f64> {
        Self::find(&self.0.gauges, resource, name)
    }

    fn window(&self) -> Window {
        Window { start_ns: 0, end_ns: (self.0.window_s * 1e9) as u64 }
    }
}

/// How much of everything is used at another machine, by what its agent told; each row is marked with `name`.
#[must_use]
pub fn far_situation(name: &str, machine: &Machine, told: &MachineUse, book: &LimitBook) -> Situation {
    let of = |group: &model::machine_use::HeldGroup| {
        LimitedGroup::kept(group.path.clone(), group.cpu_quota, group.memory_bytes, group.io.clone())
    };
    let groups: Vec<LimitedGroup> = told.groups.iter().map(of).collect();
    let scope = Scope { block: told.block.clone(), network: told.network.clone(), ..Scope::default() };
    let mut situation = Situation::of(&SituationInput {
        readings: &ToldReadings(told),
        inventory: &machine.inventory,
        book,
        scope: &scope,
        groups: &groups,
        processes: told.processes.clone(),
        now: Timestamp::now(),
    });
    for row in &mut situation.rows {
        row.machine = Some(name.to_owned());
    }
    for process in &mut situation.processes {
        process.name = format!("{} ({name})", process.name);
    }
    situation
}

impl Situation {
    /// With what others do: their rows follow, and their processes stand among ours by what they use.
    pub fn add_far(&mut self, far: &Situation) {
        // One look tells nothing.
        if far.window_s > 0.0 {
            self.rows.extend(far.rows.iter().cloned());
            self.processes.extend(far.processes.iter().cloned());
            let share = |one: &model::trial::ProcessUse| one.cpu_s / one.watched_s.max(1e-9);
            self.processes.sort_by(|a, b| share(b).total_cmp(&share(a)));
        }
    }
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::machine::NetworkInterface;

    use super::*;
    use crate::situation::tests::{Fake, inventory, situation};
    use crate::text::{first_line, rows};

    fn told(busy: f64) -> MachineUse {
        let reading = |resource: &str, name: &str, value: f64| ReadingOfUse {
            resource: resource.into(),
            name: name.to_owned(),
            value,
        };
        let process = model::trial::ProcessUse {
            pid: 8,
            name: "mariadbd".to_owned(),
            own: false,
            kernel: false,
            cpu_s: busy,
            watched_s: 1.0,
        };
        MachineUse {
            window_s: 10.0,
            rates: vec![reading("cpu", "user", busy), reading("cpu:0", "user", busy / 2.0)],
            gauges: vec![reading("memory", "MemAvailable", 6e9)],
            processes: vec![process],
            ..MachineUse::default()
        }
    }

    fn both(busy: f64) -> Situation {
        let mut here = situation(&Fake::default().cpu(0.8), &LimitBook::default(), &[]);
        let mut there = Machine { inventory: inventory(), ..Machine::default() };
        there.inventory.network = vec![NetworkInterface::default()];
        here.add_far(&far_situation("db2", &there, &told(busy), &LimitBook::default()));
        here
    }

    #[test]
    fn the_first_line_names_what_is_nearest_at_either_end() {
        let words = Language::English.words();
        let near = first_line(words, &both(0.2));
        assert_eq!(near, "all CPUs: 40 % of all 2; about 2.5 times this load until it is full");
        let far = first_line(words, &both(2.0));
        assert_eq!(far, "db2: all CPUs: full, with 100 % of all 2");
    }

    #[test]
    fn rows_of_another_machine_are_marked_and_its_processes_stand_among_ours() {
        let found = both(1.0);
        let names: Vec<String> =
            rows(Language::English.words(), &found).into_iter().map(|row| row.name).collect();
        assert!(
            names.contains(&"all CPUs".to_owned()) && names.contains(&"db2: all CPUs".to_owned()),
            "{names:?}"
        );
        assert_eq!(found.processes[0].name, "mariadbd (db2)");
    }

    #[test]
    fn a_machine_that_was_looked_at_once_tells_no_rates_yet() {
        let mut here = situation(&Fake::default().cpu(0.8), &LimitBook::default(), &[]);
        let rows = here.rows.len();
        let there = Machine { inventory: inventory(), ..Machine::default() };
        let told = MachineUse { window_s: 0.0, ..told(1.0) };
        here.add_far(&far_situation("db2", &there, &told, &LimitBook::default()));
        assert_eq!(here.rows.len(), rows);
    }
}
