//! The step `guest`: the stories of `crates/cli/tests/guest`, run in the guest,
//! with the program that the step `build` made. One boot runs them all; the short
//! test leaves out those that take more than 10 s there.
//!
//! They look at what the program does, never at how fast, and the emulator is busy with
//! about one CPU. So the short test begins them beside the tests that wait for programs,
//! which leave that much, and ends them before any that measure.

use std::fs;
use std::num::NonZero;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Bench;
use super::harness::Counts;
use crate::cargo::{self, Built};
use crate::error::Error;
use crate::guest::{self, Ended, Guest, Printed};
use crate::outcome::Outcome;
use crate::tools;

/// Enough for all stories on a busy machine; they take a small part of it.
const TIMEOUT: Duration = Duration::from_secs(900);
const TIMEOUT_LONG: Duration = Duration::from_secs(7200);

/// The stories that take longer than 10 s in the guest, by a part of their names.
const LONG: &[&str] = &[
    "a_device_that_fails_midway_fails_its_trials_and_others_go_on",
    "a_device_that_fails_below_a_stack_fails_its_trials_and_the_next_stack_is_made",
    "a_disk_that_is_pulled_out_fails_its_trials_and_others_go_on",
    "a_disk_that_is_pulled_out_fails_the_downloads_to_it",
    "a_medium_error_is_called_one",
    "a_quota_fails_the_case_that_exceeds_it",
    "writing_until_a_device_is_full_writes_all_of_it",
    "writing_until_a_file_system_is_full_ends_well_and_gives_the_space_back",
    "a_bond_carries_what_its_members_do_and_outlives_one",
    "a_path_that_loses_delays_and_reorders_is_told_by_each",
    "a_disk_that_was_put_in_again_is_not_overwritten",
    "the_study_of_one_disk_has_both_factors_on_a_scsi_disk_and_puts_them_back",
    "an_mtu_is_put_back_with_those_of_vlans_and_bonds",
    "rings_interrupts_and_offloads_of_an_adapter_are_put_back",
    "what_a_bond_switches_off_in_its_members_is_put_back",
    "memory_of_another_node_is_where_it_was_asked_for_and_is_named",
    "completions_are_polled_for_where_the_device_can",
    "an_array_that_is_stopped_is_given_up_by_its_type",
    "a_bad_block_is_named_by_its_place_and_other_targets_go_on",
    "a_block_of_which_half_arrived_is_found_as_torn",
    "a_byte_that_was_changed_is_found_as_corrupted",
    "a_disk_that_gives_requests_back_is_said_to_take_no_more",
    "a_disk_of_which_the_kernel_passes_on_four_requests_is_waited_for_in_the_host",
    "a_disk_that_has_all_that_it_takes_at_once_is_full",
    "what_a_mapping_holds_up_is_no_time_of_the_disk_below",
    "what_a_throttle_holds_up_is_above_the_block_layer",
    "a_power_cut_takes_from_mariadb_what_it_did_not_flush_and_nothing_else",
    "a_power_cut_takes_from_mariadb_what_its_binary_log_did_not_flush",
    "a_power_cut_takes_from_postgres_what_it_did_not_flush_and_nothing_else",
    "a_power_cut_takes_from_sqlite_what_it_did_not_flush_and_nothing_else",
    "each_layer_of_raid_luks_lvm_and_xfs_is_measured_and_taken_down",
    "restore_takes_down_arrays_and_mappings_of_a_killed_run",
    "settings_of_arrays_and_mappings_of_a_killed_run_are_put_back",
    "encryption_that_fills_the_cpus_is_named_at_its_layer",
    "events_of_the_kernels_queues_tell_how_long_encryption_ran",
    "the_thread_of_an_array_is_told_with_how_much_it_computes",
    "parity_that_small_writes_read_first_is_named_with_how_much",
    "a_member_that_all_others_wait_for_is_named",
    "a_journal_that_is_flushed_most_of_the_time_is_named",
    "a_trial_waits_until_an_array_is_done_with_itself",
    "a_member_that_fails_under_load_is_rebuilt_and_each_phase_is_told",
    "a_spare_takes_the_place_of_a_member_that_fails_and_the_next_trial_has_one_again",
    "an_array_grows_under_load_and_so_does_the_file_system_on_it",
    "a_scrub_under_load_finds_copies_that_agree",
    "restore_takes_down_an_array_that_lacks_a_member",
    "each_kind_of_volume_of_lvm_is_made_and_taken_down",
    "what_keeps_tags_is_made_and_taken_down",
    "a_journal_of_an_array_and_devices_of_memory_are_made_and_taken_down",
    "what_an_array_keeps_against_the_write_hole_is_made_and_taken_down",
    "restore_takes_down_each_kind_of_mapping_of_a_killed_run",
    "kills_at_any_moment_leave_nothing_of_a_stack_and_touch_nothing_beside_it",
    "the_study_of_a_backup_target_is_whole",
    "a_device_is_presented_by_iscsi_and_has_its_path_across_both_ends",
    "a_stack_is_presented_by_nvme_over_tcp_below_a_file_system_and_targets_of_others_stay",
    "a_file_system_is_presented_by_nfs_and_driven_through_its_mount",
    "several_stacks_of_a_node_are_presented_in_turn",
    "a_node_presents_a_disk_that_its_controller_drives_and_nothing_is_left_at_either_end",
    "a_node_takes_down_what_it_presents_when_its_controller_is_killed",
    "restore_takes_down_what_a_killed_node_presented",
    "the_cpus_that_take_interrupts_of_an_adapter_are_put_back",
    "an_iscsid_that_runs_and_its_session_are_left_alone",
    "a_network_that_is_held_to_less_than_the_disk_gives_is_named_as_the_link",
    "restore_takes_down_targets_sessions_and_shares_of_a_killed_run",
    "a_trace_of_a_download_agrees_with_blktraces",
    "a_trace_of_commits_of_sqlite_agrees_with_blktraces",
    "a_trace_of_fio_agrees_with_blktraces",
    "a_trace_of_stacked_devices_agrees_with_blktraces_and_with_their_table",
];

/// When the stories are run.
#[derive(Debug)]
pub(super) enum Stories {
    /// In the step of their own.
    Alone,
    /// Beside tests that wait, where the machine has room.
    Wanted,
    /// They were begun.
    Begun { lane: JoinHandle<Result<Ended, Error>>, printed: Printed },
}

/// Begins the stories, if that is wanted, beside what is run from now on.
pub(super) fn begin(bench: &mut Bench) {
    if !matches!(bench.guest, Stories::Wanted) {
        return;
    }
    bench.guest = Stories::Alone;
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    if !has_room(cpus, &memory) || tools::require(guest::NEEDS).is_err() {
        return;
    }
    let printed = Printed::default();
    // What is wrong is told by the step, which tries it again.
    let Ok(stories) = guest_of(bench, Some(printed.clone())) else { return };
    let root = bench.root.clone();
    let lane = thread::spawn(move || {
        let ended = stories.run(&root);
        if matches!(ended, Err(Error::Interrupted)) {
            // The signal was for all of this process, which only waited until the guest is gone.
            let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
        }
        ended
    });
    println!("guest: begun beside these tests; what it prints follows in its step");
    bench.guest = Stories::Begun { lane, printed };
}

/// Waits until the stories have ended, if they were begun.
pub(super) fn wait(bench: &Bench) {
    if let Stories::Begun { lane, .. } = &bench.guest {
        while !lane.is_finished() {
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Whether a guest may be run beside tests: they keep a CPU, and twice its memory is available.
fn has_room(cpus: usize, meminfo: &str) -> bool {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib: Option<u64> = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    cpus > 1 && kib.is_some_and(|kib| kib / 1024 >= 2 * u64::from(guest::MEMORY_MIB))
}

/// Runs the stories, or waits for their end and shows what they printed.
pub(super) fn run(bench: &mut Bench) -> Outcome {
    let ended = match std::mem::replace(&mut bench.guest, Stories::Alone) {
        Stories::Begun { lane, printed } => {
            let ended = lane.join();
            println!("{}", printed.text());
            ended.unwrap_or_else(|_| Err(Error::Guest("who waited for the guest panicked".to_owned())))
        }
        Stories::Alone | Stories::Wanted => {
            if let Err(why) = tools::require(guest::NEEDS) {
                return Outcome::Skipped(why);
            }
            guest_of(bench, None).and_then(|stories| stories.run(&bench.root))
        }
    };
    match ended {
        Ok(ended) => {
            let counts = Counts::read(&ended.stdout).unwrap_or_default();
            // Those left out in the guest are filtered, not ignored.
            let left_out = if bench.is_long { 0 } else { u32::try_from(LONG.len()).unwrap_or(u32::MAX) };
            bench.counts.add(Counts { ignored: left_out, ..counts });
            judge(&ended)
        }
        Err(e) => Outcome::Failed(e.to_string()),
    }
}

/// The guest that runs the stories.
fn guest_of(bench: &mut Bench, beside: Option<Printed>) -> Result<Guest, Error> {
    let is_long = bench.is_long;
    let built = bench.built()?;
    let program = cargo::headroom(built)?;
    let is_stories = |built: &&Built| built.package == "cli" && built.target == "guest" && built.is_test;
    let stories = built
        .iter()
        .find(is_stories)
        .ok_or_else(|| Error::Guest("cargo named no program of the stories".to_owned()))?;
    // Some stories are attacks.
    let is_torture =
        |built: &&Built| built.package == "torture" && built.target == "torture" && !built.is_test;
    let torture = built
        .iter()
        .find(is_torture)
        .ok_or_else(|| Error::Guest("cargo named no program of the attacks".to_owned()))?;
    let mut command = vec![stories.executable.clone().into(), "--ignored".into(), "--test-threads=1".into()];
    if !is_long {
        LONG.iter().for_each(|name| command.extend(["--skip".into(), (*name).into()]));
    }
    Ok(Guest {
        memory_mib: guest::MEMORY_MIB,
        timeout: if is_long { TIMEOUT_LONG } else { TIMEOUT },
        kernel: None,
        environment: vec![
            ("HEADROOM_PROGRAM".into(), program.into()),
            ("HEADROOM_TORTURE".into(), torture.executable.clone().into()),
        ],
        beside,
        command,
    })
}

/// A story that failed, or none at all, is a failure.
fn judge(ended: &Ended) -> Outcome {
    match (ended.status, Counts::read(&ended.stdout).map(|counts| counts.passed)) {
        (0, Some(1..)) => Outcome::Passed,
        (0, _) => Outcome::Failed("no story was run in the guest".to_owned()),
        (status, _) => Outcome::Failed(format!("the stories in the guest ended with status {status}")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn ended(status: u8, stdout: &str) -> Ended {
        Ended { status, stdout: stdout.to_owned() }
    }

    /// All files in a folder and those below it, one after the other.
    fn text_of(folder: &Path) -> String {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let text = |path: PathBuf| {
            if path.is_dir() { text_of(&path) } else { std::fs::read_to_string(path).unwrap() }
        };
        paths.map(text).collect()
    }

    #[test]
    fn every_long_story_is_there() {
        let all = text_of(&crate::root().join("crates/cli/tests/guest"));
        for name in LONG {
            assert_eq!(all.matches(&format!("fn {name}()")).count(), 1, "{name}");
        }
    }

    #[test]
    fn a_guest_beside_tests_leaves_them_a_cpu_and_memory() {
        let enough = "MemTotal:       24000000 kB\nMemAvailable:    4194304 kB\nBuffers: 1 kB\n";
        assert!(has_room(2, enough));
        assert!(!has_room(1, enough));
        assert!(!has_room(2, "MemTotal: 24000000 kB\nMemAvailable:    4194303 kB\n"));
        assert!(!has_room(2, ""));
    }

    #[test]
    fn stories_that_were_run_beside_others_are_judged_in_their_step() {
        let begun = |ended: Result<Ended, Error>| {
            let lane = thread::spawn(move || ended);
            let mut bench = Bench::new(".".into(), false);
            bench.guest = Stories::Begun { lane, printed: Printed::default() };
            wait(&bench);
            (run(&mut bench), bench.counts.passed)
        };
        let ran = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";
        assert_eq!(begun(Ok(ended(0, ran))), (Outcome::Passed, 2));
        assert!(matches!(begun(Ok(ended(101, ""))), (Outcome::Failed(_), 0)));
        let late = begun(Err(Error::Guest("late".to_owned())));
        assert_eq!(late, (Outcome::Failed("late".to_owned()), 0));
    }

    #[test]
    fn only_stories_that_ran_and_passed_pass() {
        let ran = "running 2 tests\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";
        assert_eq!(judge(&ended(0, ran)), Outcome::Passed);
        for none in [
            "test result: ok. 0 passed; 0 failed; 3 ignored;\n",
            "",
            "test result: ok. x passed; 0 failed; 0 ignored;",
        ] {
            assert!(matches!(judge(&ended(0, none)), Outcome::Failed(_)), "{none}");
        }
        let failed = judge(&ended(101, "test result: FAILED. 1 passed; 1 failed;\n"));
        assert_eq!(failed, Outcome::Failed("the stories in the guest ended with status 101".to_owned()));
    }
}
