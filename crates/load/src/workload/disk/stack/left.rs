//! Stacks that runs left which were killed: they are taken down by what was written down of them, from the top, and
//! only what bears the names and UUIDs that were made for them.

use std::fmt;
use std::path::Path;

use crate::workload::disk::stack::builder::take_down_layer;
use crate::workload::disk::stack::command::Commands;
use crate::workload::disk::stack::record::{self, StackRecord};

/// A stack that a run which was killed left, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftStack {
    /// Its name.
    pub name: String,
    /// The kinds of the layers that were there, the topmost first.
    pub taken_down: Vec<String>,
    /// Why the rest stays; none where nothing does.
    pub stays: Option<String>,
}

impl LeftStack {
    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.stays.is_none()
    }
}

impl fmt::Display for LeftStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: a run that was killed left this storage stack; ", self.name)?;
        let all = self.taken_down.join(", ");
        match (&self.stays, self.taken_down.is_empty()) {
            (None, _) => write!(f, "it is taken down ({all})"),
            (Some(why), true) => write!(f, "nothing of it could be taken down: {why}"),
            (Some(why), false) => write!(f, "{all} of it could be taken down, the rest not: {why}"),
        }
    }
}

/// Takes down the stacks in the list in the folder `state` whose makers are dead. Those of which nothing is there
/// are not told.
#[must_use]
pub fn remove_left(state: &Path) -> Vec<LeftStack> {
    record::left(state).into_iter().filter_map(one).collect()
}

fn one(record: StackRecord) -> Option<LeftStack> {
    let mut left = LeftStack { name: record.name(), taken_down: Vec::new(), stays: None };
    let layers = match record.layers() {
        Ok(layers) => layers,
        Err(error) => {
            left.stays = Some(format!("what was written down of it cannot be read: {error}"));
            return Some(left);
        }
    };
    let mut always = || true;
    let mut commands = Commands::new(&mut always);
    for layer in layers.iter().rev() {
        match take_down_layer(layer, &mut commands) {
            Ok(was_there) => left.taken_down.extend(was_there.then(|| layer.kind.clone())),
            Err(fault) => {
                left.stays = Some(fault.to_string());
                return Some(left);
            }
        }
    }
    record.remove();
    (!left.taken_down.is_empty()).then_some(left)
}
