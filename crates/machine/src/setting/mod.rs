//! Settings: states of a machine's resources that a study changes, reads back,
//! and puts back. A setting is one file and one line in [`TABLE`].
//!
//! Before anything is changed it stands in a [`journal`], so that whatever
//! happens to this process, `headroom restore` knows what was before. A
//! [`SettingGuard`] is what changes and puts back; [`restore`] is what cleans up after
//! a process that could not.

mod attribute;
mod binding;
mod block;
mod c_states;
mod cgroup_cpu;
mod cgroup_io;
mod cgroup_memory;
mod coalescing;
mod congestion_control;
mod cpu_list_file;
mod device_power;
mod device_write_cache;
mod dirty_bytes;
mod discipline;
mod drop_caches;
mod frequency_max;
mod governor;
mod guard;
mod interface;
mod interface_rate;
mod ipv6;
mod irq_affinity;
mod journal;
mod kernel_file;
mod kernel_flush;
mod link;
mod mount_options;
mod mount_state;
mod mtu;
mod named_parts;
mod namespace;
mod numa_balancing;
mod nvme_power_states;
mod offered;
mod offloads;
mod order;
mod own_group;
mod parts;
mod policies;
mod present;
mod process;
mod put_back;
mod queue_requests;
mod queueing_discipline;
mod read_ahead;
mod restore;
mod rings;
mod run_connection;
mod scheduler;
mod smt;
mod smt_state;
mod socket_buffer_max;
mod swap;
mod swap_area;
mod swap_file;
mod sysctl;
mod task_delay_accounting;
mod transparent_huge_pages;
mod turbo;
mod tx_queue_length;
mod wbt;

#[cfg(test)]
mod tests;

use model::profile::LoadProfile;
use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Resource, ResourceKind, Unit, Value};

use crate::Host;

pub use binding::{check, resources};
pub use guard::{CurrentState, SettingGuard, Wanted};
pub use journal::{Journal, JournalEntry, JournalError, SideEffect, state_folder};
pub use present::{PresentState, look, present};
pub use process::Process;
pub use restore::{EntryOutcome, Restored, Unrestorable, refusal, restore};
pub use run_connection::{RunConnection, spare};

/// Every setting, in documentation order.
pub const TABLE: &[&dyn Setting] = &[
    &mtu::Mtu,
    &tx_queue_length::TxQueueLength,
    &interface_rate::InterfaceRate,
    &queueing_discipline::QueueingDiscipline,
    &offloads::ALL,
    &offloads::TSO,
    &offloads::GSO,
    &offloads::GRO,
    &offloads::LRO,
    &offloads::TX_CHECKSUM,
    &offloads::RX_CHECKSUM,
    &offloads::SCATTER_GATHER,
    &coalescing::Coalescing,
    &rings::BOTH,
    &rings::RECEIVE,
    &rings::TRANSMIT,
    &socket_buffer_max::SocketBufferMax,
    &cgroup_cpu::CgroupCpu,
    &cgroup_memory::CgroupMemory,
    &cgroup_io::READ_BYTES,
    &cgroup_io::WRITE_BYTES,
    &cgroup_io::READ_OPERATIONS,
    &cgroup_io::WRITE_OPERATIONS,
    &governor::Governor,
    &turbo::Turbo,
    &frequency_max::FrequencyMax,
    &c_states::CStates,
    &smt::Smt,
    &device_power::SETTING,
    &nvme_power_states::NvmePowerStates,
    &irq_affinity::IrqAffinity,
    &task_delay_accounting::TaskDelayAccounting,
    &device_write_cache::DeviceWriteCache,
    &kernel_flush::SETTING,
    &scheduler::SETTING,
    &queue_requests::SETTING,
    &read_ahead::SETTING,
    &wbt::SETTING,
    &mount_options::MountOptions,
    &dirty_bytes::DirtyBytes,
    &drop_caches::DropCaches,
    &swap::Swap,
    &transparent_huge_pages::SETTING,
    &numa_balancing::SETTING,
    &congestion_control::SETTING,
    &sysctl::ANY,
];

/// States that are only put back, with the settings that they change with.
const WITH_OTHERS: &[&dyn Setting] = &[&ipv6::Ipv6Mtu, &swap_file::SwapFile, &cpu_list_file::CpuListFile];

/// A state of a resource that can be changed and put back.
pub trait Setting: Sync {
    /// What it is, as data.
    fn spec(&self) -> &'static SettingSpec;

    /// Whether each network namespace has its own: then one that was changed in another
    /// namespace is another's, and is put back there. Otherwise it is the machine's,
    /// whoever changed it from wherever. Every setting answers this.
    fn is_of_namespace(&self) -> bool;

    /// Whether a change of it may take the link of its interface down for a moment, or drop packets there: then it
    /// is not made where that interface carries the run itself ([`spare`]).
    fn may_drop(&self) -> bool {
        false
    }

    /// Settings of the same resource that the kernel sets anew each time this one is changed, there and back.
    /// They are changed after it, and are among its side effects.
    fn resets(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether this one of `resource` is changed before `setting` of `other`, where both are asked for: the
    /// kernel sets that anew with it, or lets it have less or more.
    fn precedes(&self, resource: &Resource, setting: &str, other: &Resource) -> bool {
        resource == other && self.resets().contains(&setting)
    }

    /// Settings that cannot be changed on a resource together with this one.
    fn not_beside(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether this one of `resource` cannot be changed together with `setting` of `other`: with those of
    /// [`Setting::not_beside`] there, and one of the whole machine with those of any resource.
    fn is_apart(&self, resource: &Resource, setting: &str, other: &Resource) -> bool {
        let is_there = resource == other || *resource == Resource::MACHINE;
        is_there && self.not_beside().contains(&setting)
    }

    /// What else than [`SettingSpec::binds`] says may be named after `@`; [`Setting::place`] tells them apart.
    fn also_binds(&self) -> Option<Symbol> {
        None
    }

    /// The resource that is changed for one that a change is bound to: that one, but of
    /// a setting of this process's own control group that group, and of one of a
    /// controller the controller.
    ///
    /// # Errors
    /// If there is none, and cannot be.
    fn place(&self, _host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        Ok(bound)
    }

    /// Why a value cannot be had here, whatever else is changed.
    fn lacks(&self, _resource: &Resource, _value: &Value) -> Option<String> {
        None
    }

    /// Why it would not hold a load of this profile, so that a trial would tell nothing of it; none where it does.
    fn misses(&self, _host: &Host, _profile: &LoadProfile) -> Option<String> {
        None
    }

    /// What it is now.
    ///
    /// # Errors
    /// If the resource is not there or cannot be read.
    fn read(&self, resource: &Resource) -> Result<Value, SettingError>;

    /// What it is now in the words of `asked`: of a setting of which a value says only a part, that
    /// part.
    ///
    /// # Errors
    /// As [`Setting::read`].
    fn read_as(&self, resource: &Resource, _asked: &Value) -> Result<Value, SettingError> {
        self.read(resource)
    }

    /// What is written down of it before it is changed, and what puts it back when it is
    /// written: what it is now, but of a setting of several parts that of each by its
    /// name, also where all have the same.
    ///
    /// # Errors
    /// As [`Setting::read`].
    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        self.read(resource)
    }

    /// Whether it is again what was written down `before`, if it is `now` what
    /// [`Setting::read_each`] says.
    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        now == before
    }

    /// Whether it may still be as it was made after the machine was started anew.
    fn outlives_boot(&self) -> bool {
        false
    }

    /// Makes it `value`. Whether it did become that is for the caller to read.
    ///
    /// # Errors
    /// If the kernel or a device refuses, with what they would take where they
    /// say so.
    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError>;

    /// Before a trial for which it is `value` already: does anew what a trial uses up.
    ///
    /// # Errors
    /// As [`Setting::write`].
    fn renew(&self, _resource: &Resource, _value: &Value) -> Result<(), SettingError> {
        Ok(())
    }

    /// What else the kernel changes when the resource is made `value`, as it is
    /// now, in the order in which it is put back after the setting itself. Every
    /// setting answers this, with the reason where it is nothing.
    ///
    /// # Errors
    /// If something would be lost that cannot be put back: then nothing is
    /// changed.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError>;

    /// Whether the resource can be used now: that its link is up. After a change
    /// it may take some seconds until it can be again.
    fn is_ready(&self, _resource: &Resource) -> bool {
        true
    }
}

/// The setting named `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Setting> {
    find_in(TABLE, name)
}

fn find_in(table: &'static [&'static dyn Setting], name: &str) -> Option<&'static dyn Setting> {
    // The one of all sysctls is there for lists, and each of them by its own name.
    let is_it = |s: &&'static dyn Setting| s.spec().name() == name && name != sysctl::ANY_NAME;
    table.iter().copied().find(is_it).or_else(|| sysctl::find(name))
}

/// As [`find_in`], with the states that are only put back.
fn find_to_put_back(
    table: &'static [&'static dyn Setting],
    name: &str,
) -> Result<&'static dyn Setting, SettingError> {
    let found = find_in(table, name).or_else(|| find_in(WITH_OTHERS, name));
    found.ok_or_else(|| SettingError::Unknown(name.to_owned()))
}

/// Why a setting was not changed, or not put back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// This version has no such setting.
    #[error("there is no setting `{0}` in this version of Headroom")]
    Unknown(String),
    /// The resource does not exist.
    #[error("`{setting}` belongs to {resource}, which this machine does not have")]
    Gone {
        /// The setting.
        setting: String,
        /// The resource.
        resource: Resource,
    },
    /// Nobody said which resource is meant.
    #[error(
        "this load has no {parameter}, so it is not known where `{setting}` belongs; name a place, as in {setting}@{example}"
    )]
    Unbound {
        /// The setting.
        setting: String,
        /// The parameter that would say it.
        parameter: &'static str,
        /// A name, for example.
        example: &'static str,
    },
    /// There is no such resource.
    #[error("`{setting}` belongs to the {place}, and there is none: {reason}")]
    NotThere {
        /// The setting.
        setting: String,
        /// Which resource.
        place: String,
        /// Why.
        reason: String,
    },
    /// The kernel or the device refused.
    #[error("{setting}={asked} was refused for {resource}: {reason}")]
    Refused {
        /// The setting.
        setting: String,
        /// The resource.
        resource: Resource,
        /// What was asked for.
        asked: String,
        /// Why, and what would be taken.
        reason: String,
    },
    /// Something else came of it.
    #[error(
        "{setting}={asked} was requested for {resource}, which took {took} instead; a result with that label would be wrong"
    )]
    Clamped {
        /// The setting.
        setting: String,
        /// The resource.
        resource: Resource,
        /// What was asked for.
        asked: String,
        /// What it took.
        took: String,
    },
    /// It is not any more what it was made.
    #[error(
        "somebody changed {setting} of {resource} from {asked} to {found} while the trial was under way, so that its \
         figures are of neither: find out who (another program, a network manager) and measure again"
    )]
    Changed {
        /// The setting.
        setting: String,
        /// The resource.
        resource: Resource,
        /// What it was made.
        asked: String,
        /// What it was found to be.
        found: String,
    },
    /// It cannot be read.
    #[error("{setting} of {resource} cannot be read: {reason}")]
    Unreadable {
        /// The setting.
        setting: String,
        /// The resource.
        resource: Resource,
        /// Why.
        reason: String,
    },
    /// Somebody else is at it, or was and left.
    #[error("{0}")]
    Occupied(String),
    /// The journal cannot be used: without it nothing is changed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A change failed, and what was changed before it could not be put back.
    #[error("{error}; and what had been changed could not be put back: {left}; try `headroom restore`")]
    NotPutBack {
        /// Why the change failed.
        error: Box<SettingError>,
        /// Why the rest was not put back.
        left: Box<SettingError>,
    },
}

impl SettingError {
    fn gone(spec: &SettingSpec, resource: &Resource) -> Self {
        Self::Gone { setting: spec.name().to_owned(), resource: resource.clone() }
    }

    fn unreadable(spec: &SettingSpec, resource: &Resource, reason: String) -> Self {
        Self::Unreadable { setting: spec.name().to_owned(), resource: resource.clone(), reason }
    }

    fn refused(spec: &SettingSpec, resource: &Resource, asked: &Value, reason: String) -> Self {
        let (setting, asked) = (spec.name().to_owned(), spec.show(asked));
        Self::Refused { setting, resource: resource.clone(), asked, reason }
    }

    fn clamped(spec: &SettingSpec, resource: &Resource, asked: &Value, took: &Value) -> Self {
        let (setting, asked, took) = (spec.name().to_owned(), spec.show(asked), spec.show(took));
        Self::Clamped { setting, resource: resource.clone(), asked, took }
    }
}

/// Whether this process has the right that changing these settings takes
/// (`CAP_NET_ADMIN`, capabilities(7)).
#[must_use]
pub fn may_change() -> bool {
    use rustix::thread::{CapabilitySet, capabilities};
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::NET_ADMIN))
}

/// The unit of a setting's values.
#[must_use]
pub fn unit(name: &str) -> Unit {
    find(name).map_or(Unit::One, |s| s.spec().unit)
}

/// The kind of resource of which a setting lets a load have no more than its value.
#[must_use]
pub fn holds(name: &str) -> Option<ResourceKind> {
    find(name)?.spec().holds
}
