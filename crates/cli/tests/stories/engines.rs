//! Engines of disk loads that a machine forbids, or that take their process
//! with them.

use std::os::unix::process::CommandExt;
use std::process::Output;

use crate::common::{StoryFolder, agent_of, copy_of_program, eventually, stderr, stdout, trials};

/// Runs it under a seccomp filter that answers these system calls with `error`,
/// as container runtimes do.
fn forbidding(place: &StoryFolder, calls: &'static [i64], error: i32, arguments: &[&str]) -> Output {
    let mut command = place.command(arguments);
    // SAFETY: between fork and exec the closure makes system calls and touches
    // nothing but its own stack.
    unsafe { command.pre_exec(move || forbid(calls, error)) };
    command.output().unwrap()
}

/// A filter of `linux/filter.h` and `linux/seccomp.h`: loads the number of the
/// call (offset 0 of `struct seccomp_data`), compares it with each of `calls`.
fn forbid(calls: &[i64], error: i32) -> std::io::Result<()> {
    let statement = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    let answer = |k: u32| statement(libc::BPF_RET | libc::BPF_K, 0, 0, k);
    let mut filter = [answer(libc::SECCOMP_RET_ALLOW); 24];
    filter[0] = statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    for (index, call) in calls.iter().enumerate() {
        let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        filter[1 + 2 * index] = statement(equal, 0, 1, *call as u32);
        filter[2 + 2 * index] = answer(libc::SECCOMP_RET_ERRNO | error as u32);
    }
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let check = |result: i32| if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) };
    // SAFETY: plain numbers.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
    // SAFETY: the program and its filter live through the call.
    check(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) })
}

/// What was said, in one line: a terminal breaks it anywhere.
fn flat(text: &str) -> String {
    text.split_whitespace().filter(|word| !["|", "│"].contains(word)).collect::<Vec<_>>().join(" ")
}

const DISK: &[&str] = &["run", "disk", "--size", "16MiB", "--duration", "100ms", "--trials", "1"];

#[test]
#[ignore = "long: cargo xtask test --long"]
fn where_io_uring_is_forbidden_auto_takes_aio_and_says_why() {
    let place = StoryFolder::new();
    for error in [libc::EPERM, libc::ENOSYS] {
        let arguments = [DISK, &["--queue-depth", "4", "-v"]].concat();
        let output = forbidding(&place, &[libc::SYS_io_uring_setup], error, &arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        let why =
            if error == libc::EPERM { "io_uring is forbidden here" } else { "this kernel has no io_uring" };
        let said = flat(&stdout(&output));
        assert!(said.contains("engine aio") && said.contains(why), "{said}");
        let document = place.stored();
        assert_eq!(document["cases"][0]["loads"][0]["parameters"]["engine"], "aio");
        assert!(document["cases"][0]["findings"].to_string().contains("engine-forbidden"), "{document}");
        assert!(document["cases"][0]["loads"][0]["estimates"]["iops"]["median"].as_f64() > Some(0.0));
    }
}

#[test]
fn where_io_uring_is_forbidden_asking_for_it_is_refused_with_what_to_use() {
    let place = StoryFolder::new();
    let arguments = [DISK, &["--engine", "io_uring"]].concat();
    let output = forbidding(&place, &[libc::SYS_io_uring_setup], libc::EPERM, &arguments);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let said = flat(&stderr(&output));
    assert!(said.contains("io_uring is forbidden here, by a seccomp filter"), "{said}");
    assert!(said.contains("use engine=aio"), "{said}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn where_nothing_asynchronous_is_allowed_auto_takes_sync_or_says_why_it_cannot() {
    let place = StoryFolder::new();
    let calls = &[libc::SYS_io_uring_setup, libc::SYS_io_setup];
    let output = forbidding(&place, calls, libc::EPERM, DISK);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(place.stored()["cases"][0]["loads"][0]["parameters"]["engine"], "sync");
    let output = forbidding(&place, calls, libc::EPERM, &[DISK, &["--queue-depth", "4"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let said = flat(&stderr(&output));
    for part in
        ["io_uring is forbidden here", "aio is forbidden here", "engine=sync does one operation", "threads"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// What came after Linux 4.18, of all that we or our libraries call.
const NEWER_CALLS: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_pidfd_open,
    libc::SYS_clone3,
    libc::SYS_close_range,
    libc::SYS_openat2,
    libc::SYS_faccessat2,
    libc::SYS_epoll_pwait2,
    // cachestat, in `scripts/syscall.tbl`.
    451,
];

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_kernel_without_newer_system_calls_is_measured_with_those_it_has() {
    let place = StoryFolder::new();
    let old = |arguments: &[&str]| forbidding(&place, NEWER_CALLS, libc::ENOSYS, arguments);
    let through_the_cache = [DISK, &["--queue-depth", "4", "--direct", "no", "-v"]].concat();
    let output = old(&through_the_cache);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = flat(&stdout(&output));
    assert!(said.contains("engine aio") && said.contains("this kernel has no io_uring"), "{said}");
    let document = place.stored();
    assert_eq!(document["cases"][0]["loads"][0]["parameters"]["engine"], "aio");
    // Without cachestat it is counted by mincore.
    let facts = &trials(&document)[0]["loads"][0]["facts"];
    assert!(facts["cached_share_after"].is_number(), "{facts}");
    let output = old(&["run", "cpu.primes", "--max-prime", "1000", "--duration", "100ms", "--trials", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        place.stored()["cases"][0]["loads"][0]["estimates"]["events_per_second"]["median"].as_f64()
            > Some(0.0)
    );
    // A warning of something else is no failure.
    let output = old(&["doctor"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    assert!(!output.stdout.is_empty());
}

#[test]
fn memory_that_may_not_be_locked_leaves_buffers_unregistered_and_that_is_kept() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "CI must run this as root");
        println!("skipped: becoming another user needs root");
        return;
    }
    // Where nobody may go: the folders above the build belong to root.
    let place = StoryFolder::new();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::chown(folder.path(), Some(65534), Some(65534)).unwrap();
    let program = folder.path().join("headroom");
    copy_of_program(&program);
    let mut command = std::process::Command::new(program);
    command.args(
        [DISK, &["--engine", "io_uring", "--queue-depth", "64", "--json=full", "--store", "x.db"]].concat(),
    );
    command.current_dir(folder.path()).uid(65534).gid(65534);
    // SAFETY: as above.
    unsafe {
        command.pre_exec(|| {
            let limit = libc::rlimit { rlim_cur: 65536, rlim_max: 65536 };
            // SAFETY: the limit lives through the call.
            match libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let facts = &trials(&document)[0]["loads"][0]["facts"];
    assert_eq!(facts["registered_buffers"], false, "{facts}");
    assert_eq!(facts["registered_file"], true, "{facts}");
    drop(place);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_mapped_file_that_is_cut_short_fails_its_case_and_the_other_goes_on() {
    let place = StoryFolder::new();
    for name in ["cut", "whole"] {
        std::fs::write(place.path().join(name), vec![5u8; 8 << 20]).unwrap();
    }
    let run = place.start(&[
        "run",
        "disk",
        "--engine",
        "mmap",
        "--target",
        "cut,whole",
        "--duration",
        "400ms",
        "--warm-up",
        "50ms",
        "--trials",
        "2",
    ]);
    let cut = place.path().join("cut");
    eventually("the file is mapped", || {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", agent_of(run.id()))).unwrap_or_default();
        maps.contains("/cut")
    });
    std::fs::OpenOptions::new().write(true).open(&cut).unwrap().set_len(4096).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "complete");
    for case in document["cases"].as_array().unwrap() {
        let is_cut = case["loads"][0]["parameters"]["target"].as_str().unwrap().ends_with("/cut");
        let reasons: Vec<_> =
            case["trials"].as_array().unwrap().iter().filter_map(|t| t["reason"].as_str()).collect();
        if is_cut {
            assert!(
                reasons.iter().any(|r| r.contains("SIGBUS") && r.contains("mapped file shrinks")),
                "{reasons:?}"
            );
        } else {
            assert!(reasons.is_empty(), "{reasons:?}");
            assert_eq!(case["loads"][0]["estimates"]["iops"]["n"], 2);
        }
    }
}
