//! What happens to the array of a stack while a load drives it: a member fails and another takes its place, it gets one
//! more member, its copies are compared. mdadm(8) and sysfs do it; before each step it is looked whether the array is
//! still the one that was made.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use model::plan::Problem;
use model::stack::LayerStack;

use crate::workload::disk::stack::command::Commands;
use crate::workload::disk::stack::fixture::BuiltStack;
use crate::workload::disk::stack::md::{MdFolder, SyncProgress};
use crate::workload::disk::stack::raid::{self, MDADM};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{LAYERS, find, write_hole};

/// How long requests to a member that failed may take until it can be taken out.
const TAKEN_OUT_WITHIN: Duration = Duration::from_secs(60);
/// How long the kernel may take to look at a new spare.
const LOOKED_AT_WITHIN: Duration = Duration::from_secs(5);

/// What happens to an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload::disk) enum ArrayEvent {
    /// A member fails, and a spare or the same device, emptied, takes its place.
    Fail,
    /// It gets a spare as one more member.
    Grow,
    /// Its copies or its parity are read and compared.
    Scrub,
}

/// The array of a stack that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload::disk) struct ArrayRequest {
    /// Whether one of its devices is a spare.
    pub(in crate::workload::disk) has_spare: bool,
}

impl ArrayRequest {
    /// Whether it leaves another array than was made: one that has grown, or one whose journal is no cache any more,
    /// which it is for good once a member failed (`r5c_update_on_rdev_error` in `drivers/md/raid5-cache.c`).
    pub(in crate::workload::disk) fn uses_up(stack: &str, event: ArrayEvent) -> bool {
        let array = LayerStack::parse(stack, LAYERS).ok().and_then(|stack| stack.layers.into_iter().next());
        let is_cache = array.is_some_and(|array| write_hole::is_write_back(&array));
        event == ArrayEvent::Grow || event == ArrayEvent::Fail && is_cache
    }

    /// What `stack` has for `event`.
    ///
    /// # Errors
    /// If the stack has no array to which it can happen.
    pub(in crate::workload::disk) fn of(stack: &str, event: ArrayEvent) -> Result<Self, Problem> {
        let stack = LayerStack::parse(stack, LAYERS).map_err(|e| Problem::invalid(e.message, e.help))?;
        let redundant = stack.layers.first().filter(|layer| raid::is_redundant(layer.spec.name));
        let Some(array) = redundant else {
            return Err(Problem::invalid(
                format!("the stack {stack} has no array at its bottom that keeps data when a member fails"),
                "begin it with raid1, raid10, raid5 or raid6, as \"raid5(a+b+c) > ext4\"",
            ));
        };
        let has_spare = raid::spares(array) > 0;
        if event == ArrayEvent::Grow {
            let name = array.spec.name;
            let has_log = array.beside.is_some() || write_hole::has_parity_log(array);
            if !raid::grows(name) || !has_spare || has_log {
                return Err(Problem::invalid(
                    format!(
                        "{name} of the stack {stack} does not grow: that takes raid5 or raid6 without a journal and without ppl, and a spare"
                    ),
                    "as \"raid5(a+b+c+d; spares=1) > ext4\"",
                ));
            }
            let above = stack.layers.get(1..).unwrap_or_default();
            let can_grow = |name: &str| find(name).is_some_and(|kind| kind.can_grow());
            if let Some(layer) = above.iter().find(|layer| !can_grow(layer.spec.name)) {
                return Err(Problem::invalid(
                    format!("`{}` is not made larger when the array below it has grown", layer.spec.name),
                    "let a file system stand on the array, or nothing",
                ));
            }
        }
        Ok(Self { has_spare })
    }
}

/// The array of a stack that is there.
#[derive(Debug)]
pub(in crate::workload::disk) struct StackArray {
    device: PathBuf,
    md: MdFolder,
    record: LayerRecord,
    /// What stands on it, the lowest first.
    above: Vec<LayerRecord>,
}

impl StackArray {
    /// That of a stack.
    ///
    /// # Errors
    /// If it has none, or that is gone.
    pub(in crate::workload::disk) fn of(built: &BuiltStack) -> Result<Self, Fault> {
        let layers = built.layers();
        let place = layers.iter().position(|layer| raid::is_redundant(&layer.kind));
        let place = place.ok_or_else(|| Fault::Other("the stack has no array with copies".to_owned()))?;
        let record = layers[place].clone();
        let mut always = || true;
        let device = raid::find(&record.uuid, &mut Commands::new(&mut always));
        let device = device.ok_or_else(|| gone(&record))?;
        let md = MdFolder::of(&device);
        Ok(Self { device, md, record, above: layers[place + 1..].to_vec() })
    }

    /// Whether all members are there and nothing is synchronised.
    pub(in crate::workload::disk) fn is_whole(&self) -> bool {
        self.md.is_whole()
    }

    /// Keeps in `since` from when on a member has been missing while nothing was rebuilt.
    ///
    /// # Errors
    /// If that has been so for 30 s.
    pub(in crate::workload::disk) fn check_members(&self, since: &mut Option<Instant>) -> Result<(), Fault> {
        self.md.check_members(since)
    }

    /// Whether it is as it was made: whole, and with a spare or without one. After mdadm gave it a new spare the kernel takes
    /// a moment to look at that.
    pub(in crate::workload::disk) fn is_as_made(&self, has_spare: bool) -> bool {
        let spare = || self.record.below.iter().any(|member| self.md.member_is(member, "spare"));
        let is_so = || self.is_whole() && spare() == has_spare;
        let mut always = || true;
        Commands::new(&mut always).wait_until(LOOKED_AT_WITHIN, is_so).unwrap_or(false)
    }

    /// How far what it is at is.
    pub(in crate::workload::disk) fn progress(&self) -> Option<SyncProgress> {
        self.md.progress()
    }

    /// Sectors that differed when copies were compared last.
    pub(in crate::workload::disk) fn mismatches(&self) -> Option<u64> {
        self.md.mismatches()
    }

    /// Lets its last member fail; which one that was. A spare takes its place at once.
    ///
    /// # Errors
    /// If the array is another one, or has no member to spare; and what mdadm said.
    pub(in crate::workload::disk) fn fail(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<PathBuf, Fault> {
        let mut commands = Commands::new(goes_on);
        let array = self.checked(&mut commands)?;
        let is_member = |member: &&PathBuf| self.md.member_is(member, "in_sync");
        let member = self.record.below.iter().rfind(is_member);
        let member = member.ok_or_else(|| Fault::Other(format!("{array} has no member that works")))?;
        commands.run(&MDADM, &["--quiet", "--manage", array, "--fail", text(member)?])?;
        Ok(member.clone())
    }

    /// Takes a member out that failed.
    ///
    /// # Errors
    /// If the array is another one; and what mdadm said.
    pub(in crate::workload::disk) fn take_out(
        &self,
        member: &Path,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        let mut commands = Commands::new(goes_on);
        let array = self.checked(&mut commands)?;
        let device = text(member)?;
        // Requests to it may be under way yet.
        let words = ["--quiet", "--manage", array, "--remove", device];
        commands.run_until_done(TAKEN_OUT_WITHIN, &MDADM, &words)
    }

    /// Empties a member that was taken out, and gives it to the array as a new one.
    ///
    /// # Errors
    /// If either is another one; and what mdadm said.
    pub(in crate::workload::disk) fn replace(
        &self,
        member: &Path,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        let mut commands = Commands::new(goes_on);
        let array = self.checked(&mut commands)?;
        let device = text(member)?;
        let said = commands.ask(&MDADM, &["--examine", "--export", device]);
        if !said.is_some_and(|said| raid::has_uuid(&said, &self.record.uuid)) {
            return Err(Fault::Other(format!("{device} is no member of {array} any more: it is left alone")));
        }
        // Or the bitmap and the count of events would make it the old one again, of which little is rebuilt.
        commands.run(&MDADM, &["--quiet", "--zero-superblock", device])?;
        commands.run(&MDADM, &["--quiet", "--manage", array, "--add", device]).map(drop)
    }

    /// Makes a spare one more member.
    ///
    /// # Errors
    /// If the array is another one; and what mdadm said.
    pub(in crate::workload::disk) fn add_member(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        let mut commands = Commands::new(goes_on);
        let array = self.checked(&mut commands)?;
        let members = self.md.members();
        let members = members
            .ok_or_else(|| Fault::Other(format!("the kernel does not say how many members {array} has")))?;
        let more = format!("--raid-devices={}", members.saturating_add(1));
        commands.run(&MDADM, &["--quiet", "--grow", array, &more]).map(drop)
    }

    /// Makes what stands on it as large as it has become.
    ///
    /// # Errors
    /// What the program said.
    pub(in crate::workload::disk) fn grow_above(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        let mut commands = Commands::new(goes_on);
        let unknown = |record: &LayerRecord| Fault::Other(format!("this agent makes no `{}`", record.kind));
        self.above.iter().try_for_each(|record| {
            find(&record.kind).ok_or_else(|| unknown(record))?.grow(record, &mut commands)
        })
    }

    /// Whether something stands on it.
    pub(in crate::workload::disk) fn carries(&self) -> bool {
        !self.above.is_empty()
    }

    /// Has its copies compared.
    ///
    /// # Errors
    /// If the array is another one, or the kernel refuses.
    pub(in crate::workload::disk) fn compare_copies(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        let array = self.checked(&mut Commands::new(goes_on))?;
        self.md
            .write("sync_action", "check")
            .map_err(|e| Fault::system(format!("having the copies of {array} compared"), e))
    }

    /// The array as programs are told, if it still is the one that was made.
    fn checked(&self, commands: &mut Commands<'_>) -> Result<&str, Fault> {
        let array = text(&self.device)?;
        let said = commands.ask(&MDADM, &["--detail", "--export", array]);
        match said.is_some_and(|said| raid::has_uuid(&said, &self.record.uuid)) {
            true => Ok(array),
            false => Err(gone(&self.record)),
        }
    }
}

fn gone(record: &LayerRecord) -> Fault {
    Fault::Other(format!("the array {} of the stack is gone: somebody took it down", record.name))
}

fn text(path: &Path) -> Result<&str, Fault> {
    let wrong = || Fault::Other(format!("{} is no name that programs can be given", path.display()));
    path.to_str().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arrays_with_copies_fail_and_only_those_with_a_spare_grow() {
        use ArrayEvent::{Fail, Grow, Scrub};
        let of = |stack: &str, event| ArrayRequest::of(stack, event).map_err(|problem| problem.message);
        assert_eq!(of("raid5(a+b+c) > luks > ext4", Fail), Ok(ArrayRequest { has_spare: false }));
        assert_eq!(of("loop(a+b+c) > raid1(spares=1)", Fail), Ok(ArrayRequest { has_spare: true }));
        assert_eq!(of("raid10(a+b) > lvm > xfs", Scrub), Ok(ArrayRequest { has_spare: false }));
        assert_eq!(of("raid6(a+b+c+d+e; spares=1) > xfs", Grow), Ok(ArrayRequest { has_spare: true }));
        for (stack, event, message) in [
            ("raid0(a+b) > ext4", Fail, "keeps data"),
            ("loop > ext4", Scrub, "keeps data"),
            ("raid5(a+b+c) > ext4", Grow, "and a spare"),
            ("raid1(a+b+c; spares=1) > ext4", Grow, "raid5 or raid6"),
            ("raid5(a+b+c+d; spares=1; ppl=yes) > ext4", Grow, "without ppl"),
            ("raid5(a+b+c+d; spares=1) > luks > ext4", Grow, "`luks` is not made larger"),
        ] {
            let refused = of(stack, event).unwrap_err();
            assert!(refused.contains(message), "{stack}: {refused}");
        }
    }
}
