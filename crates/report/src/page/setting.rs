//! The settings that a run changed: each resource once, with what was before and what was read back.

use model::setting::SettingState;
use model::{Resource, Run};

/// A setting of one resource over a whole run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedSetting {
    pub(super) name: String,
    /// The machine, where it is not the one that drives.
    pub(super) machine: Option<String>,
    /// The resource; absent where the change never came so far.
    pub(super) resource: Option<Resource>,
    pub(super) before: Option<String>,
    /// What was asked for and read back, in the order of the cases.
    pub(super) set: Vec<String>,
    /// What was asked for and refused.
    pub(super) refused: Vec<String>,
}

/// Every setting that the cases of a run asked for.
pub(super) fn of(run: &Run) -> Vec<ChangedSetting> {
    let mut all: Vec<ChangedSetting> = Vec::new();
    for (key, state) in
        run.cases.iter().flat_map(|c| &c.settings).flat_map(|(k, all)| all.iter().map(move |s| (k, s)))
    {
        let name = key.split('@').next().unwrap_or(key);
        add(&mut all, name, state);
    }
    all
}

fn add(all: &mut Vec<ChangedSetting>, name: &str, state: &SettingState) {
    let machine = Some(state.machine.clone()).filter(|m| m != "local");
    let is_set = state.read_back.is_some();
    // What was refused has no resource: it belongs to whatever took another value.
    let same = |c: &ChangedSetting| {
        let is_its = !is_set || c.resource.is_none() || c.resource == state.resource;
        c.name == name && c.machine == machine && is_its
    };
    let at = all.iter().position(same).unwrap_or_else(|| {
        all.push(ChangedSetting {
            name: name.to_owned(),
            machine: machine.clone(),
            ..ChangedSetting::default()
        });
        all.len() - 1
    });
    let entry = &mut all[at];
    entry.resource = entry.resource.take().or_else(|| state.resource.clone());
    entry.before = entry.before.take().or_else(|| state.before.as_ref().map(|v| state.show(v)));
    let (list, value) = match &state.read_back {
        Some(value) => (&mut entry.set, value),
        None => (&mut entry.refused, &state.asked),
    };
    let shown = state.show(value);
    if !list.contains(&shown) {
        list.push(shown);
    }
}

#[cfg(test)]
mod tests {
    use model::{Unit, Value};

    use super::*;

    fn state(machine: &str, resource: Option<&str>, asked: u64, is_set: bool) -> SettingState {
        let value = |v: u64| Some(Value::from(v)).filter(|_| is_set);
        SettingState {
            machine: machine.to_owned(),
            resource: resource.map(Resource::from),
            asked: Value::from(asked),
            before: value(1500),
            read_back: value(asked),
            unit: Unit::Bytes,
        }
    }

    #[test]
    fn each_resource_stands_once_with_all_its_levels() {
        let mut run = crate::tests::run();
        assert_eq!(of(&run), []);
        let mut second = run.cases[0].clone();
        let both = |level| {
            vec![state("local", Some("nic:va"), level, true), state("b", Some("nic:vb"), level, true)]
        };
        run.cases[0].settings.insert("mtu".to_owned(), both(1400));
        second.settings.insert("mtu".to_owned(), both(9000));
        let mut third = run.cases[0].clone();
        third.settings.insert("mtu".to_owned(), vec![state("local", None, 100_000, false)]);
        run.cases.extend([second, third]);
        let changed = of(&run);
        let told = |c: &ChangedSetting| (c.resource.clone().unwrap(), c.set.join(", "), c.refused.join(", "));
        let text = |a: &str, b: &str, c: &str| (Resource::from(a), b.to_owned(), c.to_owned());
        assert_eq!(told(&changed[0]), text("nic:va", "1400, 9000", "100000"));
        assert_eq!(told(&changed[1]), text("nic:vb", "1400, 9000", ""));
        assert_eq!((changed.len(), changed[1].machine.as_deref()), (2, Some("b")));
    }
}
