//! The attacks. One is a file and a line of [`ATTACKS`].

mod beside;
mod flood;
mod full_disk;
mod kill;
mod kill_database;
mod kill_load;
mod kill_node;
mod kill_settings;
mod kill_stack;
mod kill_states;
mod machine_state;
mod met;
mod mistakes;
mod queues;
mod swap_device;
mod swap_file;
mod two_runs;
mod typed;

pub(crate) use kill::UNDER_SETTINGS;
pub(crate) use kill_stack::OF_A_STACK;
pub(crate) use met::kinds;

use crate::round::{Round, Trouble};

/// Something that users, strangers or the machine may do.
pub(crate) struct Attack {
    /// What is typed.
    pub(crate) name: &'static str,
    /// What is done, and what must hold.
    pub(crate) about: &'static str,
    /// Does it once.
    pub(crate) round: fn(&mut Round) -> Result<(), Trouble>,
}

impl Attack {
    /// The kills that it counts, of which `--kills` says how many there shall be.
    pub(crate) fn counted_kills(&self) -> Option<&'static str> {
        match self.name {
            name if name == kill_stack::ATTACK.name => Some(OF_A_STACK),
            name if [kill_settings::ATTACK.name, kill_states::ATTACK.name].contains(&name) => {
                Some(UNDER_SETTINGS)
            }
            _ => None,
        }
    }
}

/// Every attack, in the order in which they are carried out.
pub(crate) const ATTACKS: &[&Attack] = &[
    &kill_settings::ATTACK,
    &kill_states::ATTACK,
    &two_runs::ATTACK,
    &kill_load::ATTACK,
    &kill_database::ATTACK,
    &kill_stack::ATTACK,
    &kill_node::ATTACK,
    &flood::ATTACK,
    &full_disk::ATTACK,
    &swap_device::ATTACK,
    &swap_file::ATTACK,
    &mistakes::ATTACK,
    &typed::ATTACK,
];
