//! Job files of fio: what they do here is what fio does, what differs is said,
//! and what is the user's stays whole.

use std::process::Command;

use serde_json::Value;

use crate::common::{StoryFolder, stderr, stdout, trials};

fn write(place: &StoryFolder, name: &str, text: &str) {
    std::fs::write(place.path().join(name), text).unwrap();
}

/// Whether fio is here; where it is not, that is said, and in CI it is wrong.
fn has_fio() -> bool {
    let found = Command::new("fio").arg("--version").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "CI has no fio");
    if !found {
        println!("skipped: there is no fio to compare with");
    }
    found
}

/// Operations and bytes of a trial that a count ended.
fn moved(trial: &Value) -> (u64, u64) {
    assert_eq!(trial["status"], "ok", "{trial}");
    let metric = |name: &str| {
        trial["loads"][0]["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name}: {trial}"))
    };
    let whole = |rate: f64| (rate * metric("elapsed")).round() as u64;
    (whole(metric("iops")), whole(metric("throughput")))
}

/// Options of a job that no time ends, beside `size=16m`.
const COUNTED: &[&str] = &[
    "rw=read\nbs=64k",
    "rw=write\nbs=64k\nend_fsync=1",
    "rw=randread",
    "rw=randwrite\nnumjobs=2",
    "rw=randread\nnorandommap",
    "rw=randrw\nrwmixread=70\nbs=8k",
    "rw=rw\nbs=16k\nioengine=libaio\niodepth=8",
    "rw=read\nbs=4k\nio_size=1m",
    "rw=read\nbs=4k\noffset=4m\nsize=8m",
    "rw=randread\nbs=4k\nloops=2",
    "rw=write\nnrfiles=4\nbs=32k",
    "rw=read\nbs=128k\nnumber_ios=50",
    "rw=read\nfilename=one:two\nbs=64k",
    "rw=read\nbs=3k",
    "rw=read\nbs=4k\noffset=6k\nsize=8m",
    "rw=read\nsize=50%\nfilesize=8m",
    "rw=randread\nsize=50%\nfilesize=8m\nnrfiles=2",
    "rw=read\nsize=4m\nfilesize=8m",
    "rw=read\nsize=8m\nfilesize=1m-4m\nnrfiles=4",
    "rw=read\nsize=8m\nbs=48k\nnrfiles=3\nloops=2",
    "rw=read\nsize=8m\nbs=48k\nloops=2",
];

#[test]
fn a_job_without_a_time_does_as_many_operations_as_fio_and_moves_as_many_bytes() {
    if !has_fio() {
        return;
    }
    let place = StoryFolder::new();
    // One after the other, in one file: each run of ours makes itself ready anew.
    let section = |(at, options): (usize, &&str)| format!("[job{at}]\nstonewall\nsize=16m\n{options}\n");
    write(&place, "job.fio", &COUNTED.iter().enumerate().map(section).collect::<String>());
    let fio = Command::new("fio")
        .args(["--output-format=json", "job.fio"])
        .current_dir(place.path())
        .output()
        .unwrap();
    let fio: Value = serde_json::from_slice(&fio.stdout).unwrap();
    // Its files would be in the way of ours.
    for name in place.names() {
        if name != "job.fio" {
            std::fs::remove_file(place.path().join(name)).unwrap();
        }
    }
    let (code, run) = place.document(&["run", "job.fio", "--trials", "1"]);
    assert_eq!(code, 0);
    let all = trials(&run);
    assert_eq!(all.len(), COUNTED.len());
    for ((at, options), trial) in COUNTED.iter().enumerate().zip(all) {
        let name = format!("job{at}");
        let sum = |what: &str| -> u64 {
            let jobs = fio["jobs"].as_array().unwrap().iter().filter(|j| j["jobname"] == name.as_str());
            jobs.flat_map(|j| [&j["read"][what], &j["write"][what]]).map(|n| n.as_u64().unwrap()).sum()
        };
        assert_eq!(moved(trial), (sum("total_ios"), sum("io_bytes")), "{options}");
    }
    assert_eq!(place.names(), ["job.fio"], "something stayed behind");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_differs_is_said_before_the_run_and_kept_with_it() {
    let place = StoryFolder::new();
    let job =
        "[global]\nsize=16m\nruntime=1\ntime_based\n[a]\nrw=read\nthinktime=50\nexec_prerun=touch made\n";
    write(&place, "job.fio", &format!("{job}[b]\nstonewall\nrw=randread\n"));
    let dry = place.run(&["run", "job.fio", "--dry-run"]);
    assert!(stderr(&dry).contains("note: [a] `thinktime=50`: fio would pause"), "{}", stderr(&dry));
    assert!(stdout(&dry).contains("pattern=randread"), "{}", stdout(&dry));
    let output = place.run(&["run", "job.fio", "--trials", "1", "--duration", "100ms"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("`thinktime=50`"), "{}", stderr(&output));
    assert!(stdout(&output).contains("- [a] `thinktime=50`"), "{}", stdout(&output));
    assert_eq!(place.names(), ["job.fio"], "a command of the job file was run");
    let run = place.stored();
    let notes: Vec<&str> =
        run["study"]["notes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    assert!(notes[1].contains("no command of a job file is run here"), "{notes:?}");
    let window = &trials(&run)[0]["window"];
    let seconds = (window["end_ns"].as_f64().unwrap() - window["start_ns"].as_f64().unwrap()) / 1e9;
    assert!(seconds < 0.9, "--duration was not heard: {seconds} s");
    let page = place.run(&["report", "last", "-o", "page.md"]);
    assert!(page.status.success(), "{}", stderr(&page));
    let page = std::fs::read_to_string(place.path().join("page.md")).unwrap();
    assert!(page.contains("What the study was written for") && page.contains("thinktime=50"), "{page}");
}

/// fio's `rate_iops` is one of reads and writes, whatever is synced between.
#[test]
fn a_rate_of_a_job_that_syncs_is_one_of_writes() {
    let place = StoryFolder::new();
    let rated = "rw=randwrite\nsize=16m\nrate_iops=200\nfsync=1\nruntime=500ms\ntime_based\n";
    write(&place, "job.fio", &format!("[job]\n{rated}"));
    let (code, run) = place.document(&["run", "job.fio", "--trials", "1"]);
    assert_eq!(code, 0);
    let metric = |name: &str| trials(&run)[0]["loads"][0]["metrics"][name]["value"].as_f64().unwrap();
    // 100 are due, 50 if syncs took places of theirs; a busy machine may leave
    // some unfinished, and do in the window what was due before it.
    let due = metric("iops") * 0.5 + metric("unfinished");
    assert!(due > 75.0, "{due} of 100");
}

#[test]
fn blocks_of_several_sizes_are_noted() {
    let place = StoryFolder::new();
    write(&place, "job.fio", "[job]\nrw=randread\nsize=16m\nbsrange=4k-64k\n");
    let dry = place.run(&["run", "job.fio", "--dry-run"]);
    let said = stderr(&dry).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("as many operations as move so many on average; of random blocks"), "{said}");
}

#[test]
fn one_job_of_a_file_can_be_run() {
    let place = StoryFolder::new();
    write(&place, "job.fio", "[global]\nsize=16m\n[a]\nrw=read\n[b]\nstonewall\nrw=randread\n");
    let (_, run) =
        place.document(&["run", "job.fio", "--section", "b", "--trials", "1", "--requests", "100"]);
    let cases = run["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 1);
    assert_eq!(cases[0]["loads"][0]["parameters"]["pattern"], "randread");
    assert_eq!(moved(trials(&run)[0]).0, 100);
    let wrong = place.run(&["run", "job.fio", "--section", "c"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("there is no job `c`"), "{}", stderr(&wrong));
}

#[test]
fn a_file_that_is_there_is_written_only_when_it_was_given_up() {
    let place = StoryFolder::new();
    let precious = vec![7u8; 1 << 20];
    std::fs::write(place.path().join("mine"), &precious).unwrap();
    write(
        &place,
        "job.fio",
        "[a]\nrw=randwrite\nfilename=mine\nsize=1m\noverwrite=1\nallow_mounted_write=1\n",
    );
    let refused = place.run(&["run", "job.fio", "--trials", "1"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--destroy"), "{}", stderr(&refused));
    assert_eq!(std::fs::read(place.path().join("mine")).unwrap(), precious);
    let allowed = place.run(&["run", "job.fio", "--trials", "1", "--destroy", "mine"]);
    assert!(allowed.status.success(), "{}", stderr(&allowed));
    let written = std::fs::read(place.path().join("mine")).unwrap();
    assert!(written.len() == precious.len() && written != precious);
}
