//! Names, ends and numbers of processes, on trees that are made.

use super::*;

fn stat(pid: u32, name: &str, ticks: u64, started: u64) -> String {
    format!("{pid} ({name}) S 1 1 1 0 -1 4194560 1 2 3 4 {ticks} 0 5 6 20 0 1 0 {started} 100 5\n")
}

fn watched(tree: &std::path::Path) -> Processes {
    Processes::open(&Host::recorded(tree)).unwrap()
}

fn write(tree: &std::path::Path, text: &str) {
    let pid = text.split(' ').next().unwrap();
    std::fs::create_dir_all(tree.join("proc").join(pid)).unwrap();
    std::fs::write(tree.join("proc").join(pid).join("stat"), text).unwrap();
}

/// The window between two looks.
fn window(processes: &Processes, first: usize, last: usize) -> Window {
    Window { start_ns: processes.seen.looks[first], end_ns: processes.seen.looks[last] }
}

fn told(processes: &Processes, first: usize, last: usize) -> Vec<(u32, String, f64)> {
    let top = processes.top(window(processes, first, last));
    top.into_iter().map(|p| (p.pid, p.name, p.cpu_s)).collect()
}

#[test]
fn names_with_blanks_and_parentheses_are_read() {
    for name in ["a b", ") R 1 2", "((x", "tmux: server", "", "a\nb", "kworker/u256:12-events_unbound"] {
        let found = parse(stat(12, name, 7, 99).as_bytes()).unwrap();
        assert_eq!((found.pid, found.ticks, found.started), (12, 7, 99), "{name}");
        assert_eq!(show(&found.name), name);
    }
}

#[test]
fn threads_of_the_kernel_are_told_from_programs() {
    let program = stat(12, "kworker", 7, 99);
    let thread = program.replace("4194560", "69238880");
    let is_kernel = |text: &str| parse(text.as_bytes()).unwrap().kernel;
    assert!(!is_kernel(&program) && is_kernel(&thread));
}

#[test]
fn garbled_and_truncated_lines_are_no_processes() {
    let whole = stat(12, "x", 7, 99);
    let end = whole.find(" 100 5").unwrap();
    for length in 0..end - 2 {
        assert_eq!(parse(&whole.as_bytes()[..length]), None, "{}", &whole[..length]);
    }
    let number = u64::MAX.to_string();
    for text in [
        "",
        "()",
        ") (",
        "x (y) S 1",
        &whole.replace("12 (", "99999999999 ("),
        &whole.replace(" 7 ", &number),
    ] {
        assert_eq!(parse(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn who_used_most_stands_first_and_who_came_or_went_counts() {
    let tree = tempfile::tempdir().unwrap();
    let tree = tree.path();
    std::fs::create_dir_all(tree.join("proc/self")).unwrap();
    let mut processes = watched(tree);
    for (pid, ticks) in [(1, 500), (2, 100), (3, 0), (4, 50)] {
        write(tree, &stat(pid, "p", ticks, 10));
    }
    processes.look();
    write(tree, &stat(2, "p", 130, 10));
    write(tree, &stat(4, "p", 60, 10));
    write(tree, &stat(5, "new", 25, 900));
    processes.look();
    // 4 ended; the number of 2 was given to another; 3 stayed idle.
    std::fs::remove_dir_all(tree.join("proc/4")).unwrap();
    write(tree, &stat(2, "q", 3, 950));
    write(tree, &stat(5, "new name", 45, 900));
    processes.look();
    let s = |name: &str| name.to_owned();
    let all = [(5, s("new name"), 0.45), (2, s("p"), 0.3), (4, s("p"), 0.1), (2, s("q"), 0.03)];
    assert_eq!(told(&processes, 0, 2), all);
    assert_eq!(told(&processes, 1, 2), [(5, s("new name"), 0.2), (2, s("q"), 0.03)]);
    let ended = &processes.top(window(&processes, 0, 2))[2];
    let looks = &processes.seen.looks;
    assert_eq!(ended.watched_s, (looks[1] - looks[0]) as f64 / 1e9, "it was not seen after that");
    processes.forget();
    assert!(processes.top(Window { start_ns: 0, end_ns: 1 }).is_empty());
}

#[test]
fn only_the_top_is_told() {
    let tree = tempfile::tempdir().unwrap();
    let mut processes = watched(tree.path());
    for factor in [0, 1] {
        for pid in 1..=50 {
            write(tree.path(), &stat(pid, "p", u64::from(pid) * factor, 1));
        }
        processes.look();
    }
    let pids: Vec<u32> = told(&processes, 0, 1).into_iter().map(|(pid, ..)| pid).collect();
    assert_eq!(pids, (31..=50).rev().collect::<Vec<_>>());
}

/// Bug: threads of the kernel that each used little were none in the balance of the CPUs.
#[test]
fn threads_of_the_kernel_that_are_not_told_are_told_together() {
    let tree = tempfile::tempdir().unwrap();
    let mut processes = watched(tree.path());
    for ticks in [0, 5] {
        for pid in 1..=30 {
            write(tree.path(), &stat(pid, "kworker", ticks, 1).replace("4194560", "69238880"));
        }
        write(tree.path(), &stat(31, "ksoftirqd/0", ticks / 2, 1).replace("4194560", "69238880"));
        write(tree.path(), &stat(32, "program", ticks / 2, 1));
        processes.look();
    }
    let top = processes.top(window(&processes, 0, 1));
    let rest = top.last().unwrap();
    assert_eq!((top.len(), rest.name.as_str(), rest.kernel), (TOP + 1, OTHER_THREADS, true));
    assert!((rest.cpu_s - 0.5).abs() < 1e-9, "{rest:?}");
    // Where none is to be seen, nothing is known of them.
    assert!(processes.top(window(&processes, 0, 0)).last().unwrap().kernel, "though none computed");
    let tree = tempfile::tempdir().unwrap();
    let mut processes = watched(tree.path());
    for ticks in [0, 5] {
        write(tree.path(), &stat(7, "program", ticks, 1));
        processes.look();
    }
    assert!(processes.top(window(&processes, 0, 1)).iter().all(|process| !process.kernel));
}

#[test]
fn what_threads_of_the_kernel_used_is_of_the_queue_in_their_names_at_each_look() {
    let tree = tempfile::tempdir().unwrap();
    let mut processes = watched(tree.path());
    let worker = |pid: u32, name: &str, ticks: u64| {
        write(tree.path(), &stat(pid, name, ticks, 1).replace("4194560", "69238880"));
    };
    for (first, second) in [(100, 10), (130, 14), (150, 34)] {
        let turn = if first == 130 { "kworker/u8:3+kcryptd/253:0" } else { "kworker/u8:3-loop0" };
        worker(1, turn, first);
        worker(2, "kworker/7:0", second);
        worker(3, "md127_raid6", first);
        write(tree.path(), &stat(4, "kworker/9:1-loop0", first, 1));
        processes.look();
    }
    worker(5, "kworker/u8:9-loop0", 3);
    processes.look();
    let queues = |processes: &Processes, first, last| -> Vec<(String, f64)> {
        let all = processes.work_queues(window(processes, first, last));
        assert!(all.iter().all(|queue| queue.by == WorkQueueSource::Names && queue.watched_s >= 0.0));
        all.into_iter().map(|queue| (queue.queue, (queue.cpu_s * 100.0).round())).collect()
    };
    let named = |all: &[(&str, f64)]| -> Vec<(String, f64)> {
        all.iter().map(|(name, ticks)| ((*name).to_owned(), *ticks)).collect()
    };
    assert_eq!(queues(&processes, 0, 3), named(&[("kcryptd/253:0", 30.0), ("loop0", 23.0)]));
    assert_eq!(queues(&processes, 1, 2), named(&[("loop0", 20.0)]));
    assert!(queues(&processes, 2, 2).is_empty());
    processes.seen.thin();
    assert_eq!(queues(&processes, 0, 1), named(&[("kcryptd/253:0", 30.0), ("loop0", 20.0)]));
}

#[test]
fn steps_of_a_queue_are_one_where_looks_are_dropped() {
    let mut seen = ProcessHistory::default();
    seen.queues.push([b'q'; 32]);
    for look in 0..5 {
        seen.looks.push(u64::from(look) * 100);
        seen.queue_steps.push(QueueStep { look, queue: 0, ticks: 1 });
    }
    seen.thin();
    assert_eq!((seen.looks.len(), seen.queue_steps.len()), (3, 3));
    let queues = seen.work_queues(Window { start_ns: 0, end_ns: 400 });
    assert!((queues[0].cpu_s - 4.0 * TICK_S).abs() < 1e-9, "{queues:?}");
}

#[test]
fn a_long_watch_is_thinned_and_keeps_its_edges() {
    let mut seen = ProcessHistory::default();
    let mut look = |at: u64, ticks: &[u64]| {
        seen.looks.push(at);
        for (pid, ticks) in (1..).zip(ticks) {
            seen.take(Stat { pid, name: [0; 32], kernel: false, ticks: *ticks, started: 1 });
        }
    };
    look(100, &[5, 1]);
    look(200, &[6, 1]);
    look(300, &[8, 1]);
    look(400, &[11, 1, 4]);
    seen.thin();
    assert_eq!(seen.looks, [100, 300]);
    seen.looks.push(500);
    for (pid, ticks) in [(1, 20), (2, 1), (3, 9)] {
        seen.take(Stat { pid, name: [0; 32], kernel: false, ticks, started: 1 });
    }
    let used = |start_ns, end_ns| -> Vec<(u32, u64)> {
        let used = seen.used(Window { start_ns, end_ns });
        used.into_iter().map(|(process, ticks, _)| (process.pid, ticks)).collect()
    };
    assert_eq!(used(100, 500), [(1, 15), (3, 9)]);
    assert_eq!(used(300, 500), [(1, 12), (3, 9)]);
}

#[test]
fn a_recording_in_one_file_is_read_as_well() {
    let text = format!("==> /proc/7/stat\n{}==> /proc/stat\ncpu 1\n", stat(7, "x y", 3, 1));
    let mut processes = Processes::open(&Host::parse(&text)).unwrap();
    processes.look();
    assert_eq!(processes.seen.processes[0].ticks, 3);
    assert_eq!(processes.seen.processes.len(), 1);
}

/// A thread of ours and a child each keep a CPU busy.
#[test]
fn our_own_time_is_told_apart_from_a_child_s() {
    let mut child =
        std::process::Command::new("sh").args(["-c", "ulimit -t 30; while :; do :; done"]).spawn().unwrap();
    let mut processes = Processes::open(&Host::this()).unwrap();
    processes.look();
    let begin = std::time::Instant::now();
    let own_s = || ns(ClockId::ProcessCPUTime) as f64 / 1e9;
    let begin_s = own_s();
    // Until both have used enough to be told from nothing, however busy the machine is.
    let found = loop {
        while begin.elapsed() < Duration::from_millis(300) {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_millis(50));
        processes.look();
        let top = processes.top(Window { start_ns: 0, end_ns: u64::MAX });
        let of = |pid: u32| top.iter().find(|p| p.pid == pid).cloned();
        let found = (of(std::process::id()), of(child.id()));
        if matches!(&found, (Some(a), Some(b)) if a.cpu_s > 0.05 && b.cpu_s > 0.05)
            || begin.elapsed() > Duration::from_secs(20)
        {
            break found;
        }
    };
    let used_s = own_s() - begin_s;
    child.kill().unwrap();
    child.wait().unwrap();
    let (Some(ours), Some(theirs)) = found else { panic!("{found:?}") };
    assert!(ours.own && !theirs.own, "{ours:?} {theirs:?}");
    assert_eq!(theirs.name, "sh");
    assert!((ours.cpu_s - used_s).abs() < 0.05 + 0.2 * used_s, "{ours:?}: {used_s}");
    assert!(theirs.cpu_s > 0.0 && theirs.cpu_s <= theirs.watched_s + 0.05, "{theirs:?}");
}
