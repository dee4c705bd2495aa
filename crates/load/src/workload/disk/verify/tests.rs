//! Tests of verification on real files that are doctored after they were
//! written: each way to be wrong is told by its name.

use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicBool;

use engine::drive::Heartbeat;
use engine::queue::Operation;
use engine::schedule::WorkerIndex;
use model::ParameterName;

use super::*;
use crate::workload::disk::access::Task;
use crate::workload::disk::content::{Content, Source};

/// A worker without an engine: what it writes is in the file at once.
struct Bench {
    access: Access,
    file: File,
    source: Source,
    verdict: Arc<Verdict>,
    verifier: Verifier,
    written: Vec<Task>,
}

impl Bench {
    fn new(pattern: &str, changes: &[(&str, Value)]) -> Self {
        let mut p = model::Parameters::default();
        for (name, value) in [
            ("pattern", pattern.into()),
            ("read-share", 0.5.into()),
            ("distribution", "uniform".into()),
            ("block-size", 4096u64.into()),
            ("offset", 0u64.into()),
            ("size", (1u64 << 20).into()),
            ("span", (1u64 << 20).into()),
            ("until", "time".into()),
            ("target", ".".into()),
            ("verify", "crc32c".into()),
        ] {
            let changed =
                changes.iter().find(|(changed, _)| *changed == name).map(|(_, value)| value.clone());
            p.set(ParameterName::intern(name).unwrap(), changed.unwrap_or(value));
        }
        let access = Access::of(&crate::workload::disk::plan_with(p).unwrap())
            .unwrap()
            .for_seat(WorkerIndex { index: 0, of: 1 }, 5);
        let verdict = Arc::new(Verdict::new());
        let verifier = Verifier::new(Arc::clone(&verdict), &access, 0, 1);
        let file = tempfile::tempfile_in(".").unwrap();
        file.set_len(1 << 20).unwrap();
        let source = Source::new(Content::Random, 5);
        Self { access, file, source, verdict, verifier, written: Vec::new() }
    }

    /// Writes so many blocks more; `arrives` says what of each is written.
    fn write(&mut self, count: u64, arrives: impl Fn(&Task, &mut Vec<u8>) -> bool) {
        for _ in 0..count {
            let index = self.written.len() as u64;
            let task = self.access.task(Operation { index, sequence: index });
            let mut block = vec![0; task.bytes as usize];
            self.source.fill(&mut block, index);
            self.verifier.begin(&task, &mut block);
            if arrives(&task, &mut block) {
                self.file.write_all_at(&block, task.offset).unwrap();
            }
            self.verifier.end(&task);
            self.written.push(task);
        }
    }

    fn read(&self, offset: u64, bytes: usize) -> Vec<u8> {
        let mut block = vec![0; bytes];
        self.file.read_exact_at(&mut block, offset).unwrap();
        block
    }

    fn verify(&self) -> Result<u64, String> {
        self.file.sync_all().unwrap();
        let files = [self.file.try_clone().unwrap()];
        let (pulse, off) = (Heartbeat::default(), AtomicBool::new(false));
        self.verifier.verify(&files, "/data", &WorkerContext { pulse: &pulse, off: &off }).unwrap();
        let checked = self.verdict.found().unwrap().tally.checked;
        assert!(checked == 0 || pulse.0.into_inner() > 0, "no sign of life");
        self.verdict.tell(&["/data"]).map(|()| checked).map_err(|fault| fault.to_string())
    }
}

#[test]
fn what_arrived_is_right_whatever_was_written_over_it() {
    let mix = Value::List(vec!["4KiB:70%".into(), "64KiB:30%".into()]);
    for pattern in ["write", "randwrite"] {
        for sizes in [4096u64.into(), 512u64.into(), 65536u64.into(), mix.clone()] {
            for offset in [0u64, 512] {
                let changes = [
                    ("block-size", sizes.clone()),
                    ("offset", offset.into()),
                    ("span", ((1 << 20) - offset).into()),
                ];
                let mut bench = Bench::new(pattern, &changes);
                bench.write(700, |_, _| true);
                let checked = bench.verify().unwrap();
                assert!(checked >= 15, "{pattern} {sizes:?}: {checked} blocks");
            }
        }
    }
}

#[test]
fn each_way_to_lie_is_told_by_its_name() {
    let mut bench = Bench::new("write", &[]);
    bench.write(256, |_, _| true);
    assert_eq!(bench.verify(), Ok(256));
    bench.verdict.tally.lock().unwrap().take();
    let places: Vec<u64> = bench.written.iter().map(|task| task.offset).collect();
    let [zeroed, others, torn, half, neighbour, stale, flipped] =
        [3, 4, 10, 15, 20, 30, 40].map(|number: usize| places[number]);

    // Over the second pass the device lies.
    bench.write(256, |task, block| {
        if task.offset == half {
            block.truncate(2048);
        }
        task.offset != stale
    });
    let mut earlier = Bench::new("write", &[]);
    earlier.write(256, |_, _| true);
    let put = |bytes: &[u8], at: u64| bench.file.write_all_at(bytes, at).unwrap();
    put(&[0; 4096], zeroed);
    put(&earlier.read(others, 4096), others);
    put(&[7; 1536], torn + 2560);
    put(&bench.read(places[200], 4096), neighbour);
    let byte = bench.read(flipped + 1000, 1)[0];
    put(&[byte ^ 4], flipped + 1000);

    let mut expected = [
        (zeroed, "lost"),
        (others, "lost"),
        (torn, "torn"),
        (half, "torn"),
        (neighbour, "misplaced"),
        (stale, "stale"),
        (flipped, "corrupted"),
    ];
    expected.sort_unstable();
    let expected: Vec<String> = expected.iter().map(|(offset, kind)| format!("{kind} at {offset}")).collect();
    assert_eq!(
        bench.verify().unwrap_err(),
        format!(
            "verification failed: 7 of 256 blocks of /data are wrong (2 lost, 1 stale, 2 torn, 1 misplaced, 1 \
             corrupted): {}",
            expected.join(", ")
        )
    );
}

#[test]
fn a_file_that_was_cut_off_has_lost_its_end_and_many_faults_are_counted() {
    let mut bench = Bench::new("write", &[]);
    bench.write(256, |_, _| true);
    bench.file.set_len((1 << 20) - 20 * 4096).unwrap();
    let text = bench.verify().unwrap_err();
    assert!(text.contains("20 of 256 blocks of /data are wrong (20 lost): lost at 966656, "), "{text}");
    assert!(text.ends_with(", ..."), "{text}");
    assert_eq!(text.matches(" at ").count(), 8, "{text}");
}

#[test]
fn what_nobody_knows_is_not_judged() {
    let mut bench = Bench::new("write", &[]);
    bench.write(10, |_, _| false);
    let tasks = bench.written.clone();
    tasks.iter().for_each(|task| bench.verifier.forget(task));
    assert_eq!(bench.verify(), Ok(0));
}

#[test]
fn several_targets_and_files_are_named() {
    let verdict = Verdict::new();
    let fault = |target, file, offset| sector_checker::Fault {
        target,
        file,
        offset,
        wrong: sector_checker::BlockError::Lost,
    };
    let tally = |first: Vec<sector_checker::Fault>| VerifyCounts {
        checked: 2000,
        wrong: [(sector_checker::BlockError::Lost, first.len() as u64)].into(),
        first,
    };
    verdict.add(tally(vec![fault(1, 0, 0)]), false);
    verdict.add(tally(vec![fault(0, 2, 8192), fault(0, 3, 0)]), true);
    assert_eq!(
        verdict.tell(&["/a", "/b"]).unwrap_err().to_string(),
        "verification failed: 3 of 4,000 blocks are wrong (3 lost): lost at 8192 of file 2 of /a, lost at 0 of file 3 \
         of /a, lost at 0 of file 0 of /b"
    );
    assert!(verdict.dropped_cache());
    assert_eq!(verdict.facts()[0], (fact::VERIFIED_BLOCKS, Value::Integer(4000)));
}
