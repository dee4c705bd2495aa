//! fio's iologs. `PSYNC` was written by fio 3.33.

use proptest::prelude::*;
use trace::format::iolog::{IologReader, IologVersion, IologWriter, WaitRule};
use trace::format::{FormatError, LineProblem};
use trace::replay::{Step, StepAction};

const PSYNC: &str = "fio version 3 iolog
32 /tmp/f add
274 /tmp/f open
281 /tmp/f read 0 4096
63568 /tmp/f write 28672 4096
186013 /tmp/f sync 28672 0
346817 /tmp/f close
";

fn read(text: &str, waits: WaitRule) -> Result<Vec<Step>, FormatError> {
    IologReader::new(text.as_bytes(), waits)?.collect()
}

fn brief(steps: &[Step]) -> Vec<(u64, StepAction, u64, u64)> {
    steps.iter().map(|step| (step.at_ns, step.action, step.offset, step.length)).collect()
}

#[test]
fn what_fio_wrote_is_read_with_times_in_microseconds() {
    let mut reader = IologReader::new(PSYNC.as_bytes(), WaitRule::default()).unwrap();
    let steps: Vec<Step> = reader.by_ref().map(Result::unwrap).collect();
    let expected = [
        (32_000, StepAction::Add, 0, 0),
        (274_000, StepAction::Open, 0, 0),
        (281_000, StepAction::Read, 0, 4096),
        (63_568_000, StepAction::Write, 28672, 4096),
        (186_013_000, StepAction::Sync, 0, 0),
        (346_817_000, StepAction::Close, 0, 0),
    ];
    assert_eq!(brief(&steps), expected);
    assert_eq!((reader.version(), reader.file(0), reader.file(1)), (IologVersion::V3, Some("/tmp/f"), None));
}

#[test]
fn a_wait_is_read_by_either_rule() {
    let text = "fio version 2 iolog\nf add\nf open\nf wait 99 0\nf wait 500 0\nf read 0 512\n\
                f wait 700 0\nf trim 512 512\n";
    let steps = read(text, WaitRule::Documented).unwrap();
    let expected = [
        (0, StepAction::Add, 0, 0),
        (0, StepAction::Open, 0, 0),
        (500_000, StepAction::Wait, 0, 500_000),
        (500_000, StepAction::Read, 0, 512),
        (1_200_000, StepAction::Wait, 0, 700_000),
        (1_200_000, StepAction::Trim, 512, 512),
    ];
    assert_eq!(brief(&steps), expected);
    let steps = read(text, WaitRule::AsFioDoes).unwrap();
    let times: Vec<u64> = steps[2..].iter().map(|step| step.at_ns / 1_000_000).collect();
    assert_eq!(times, [99, 500, 500, 700, 700]);
}

#[test]
fn each_wrong_line_is_named() {
    let long = format!("0 f read {} 1", "0".repeat(4096));
    let long_name = format!("0 {} add", "n".repeat(256));
    let name = |name: &str| name.to_owned();
    let expected = "TIME FILE ACTION [OFFSET LENGTH]";
    let cases = [
        ("0 g read 0 1", LineProblem::NotAdded(name("g"))),
        ("0 g open", LineProblem::NotAdded(name("g"))),
        ("0 h read 0 1", LineProblem::NotOpen(name("h"))),
        ("0 h close", LineProblem::NotOpen(name("h"))),
        ("0 f erase 0 1", LineProblem::Action(name("erase"))),
        ("0 f wait 1 0", LineProblem::Action(name("wait"))),
        ("0 f read 0", LineProblem::Words { words: 4, expected }),
        ("0 f read", LineProblem::Words { words: 3, expected }),
        ("0 f close 0 0", LineProblem::Words { words: 5, expected }),
        ("0", LineProblem::Words { words: 1, expected }),
        ("x f read 0 1", LineProblem::Number(name("x"))),
        ("0 f read -1 1", LineProblem::Number(name("-1"))),
        ("0 f read 0 +1", LineProblem::Number(name("+1"))),
        ("18446744073709551615 f read 0 1", LineProblem::Number(name("18446744073709551615"))),
        (long.as_str(), LineProblem::TooLong { max: 4096 }),
        (long_name.as_str(), LineProblem::NameTooLong { max: 255 }),
    ];
    for (line, problem) in cases {
        let text = format!("fio version 3 iolog\n0 f add\n0 f open\n\n0 h add\n{line}\n0 f read 0 1\n");
        let mut reader = IologReader::new(text.as_bytes(), WaitRule::default()).unwrap();
        let steps: Vec<_> = reader.by_ref().collect();
        let Some(Err(FormatError::Line { line: 6, problem: found })) = steps.last() else {
            panic!("{line}: {steps:?}");
        };
        assert_eq!((found, steps.len()), (&problem, 4), "{line}");
    }
    let bytes = b"fio version 3 iolog\n0 \xff add\n";
    let steps: Vec<_> = IologReader::new(&bytes[..], WaitRule::default()).unwrap().collect();
    assert!(matches!(steps[..], [Err(FormatError::Line { line: 2, problem: LineProblem::NotText })]));
}

#[test]
fn other_files_are_refused() {
    for text in ["", "0, 0, 4096\n", "fio version 1 iolog\n", "fio version 22 iolog\n", "\u{1}\n"] {
        let refused = IologReader::new(text.as_bytes(), WaitRule::default());
        assert!(matches!(refused, Err(FormatError::NotThis { .. })), "{text}");
    }
}

fn written(version: IologVersion, waits: WaitRule, steps: &[Step]) -> String {
    let files = ["/dev/a".to_owned(), "/dev/b".to_owned()];
    let mut writer = IologWriter::new(Vec::new(), version, waits, &files).unwrap();
    for step in steps {
        writer.step(step).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

#[test]
fn steps_are_written_as_fio_reads_them() {
    let at = |at_ns, file, action, offset, length| Step { offset, length, ..Step::new(at_ns, file, action) };
    let steps = [
        at(1_500_000, 0, StepAction::Write, 4096, 512),
        at(1_500_900, 0, StepAction::Sync, 0, 0),
        at(9_000_000, 1, StepAction::WriteZeroes, 0, (1 << 31) + 512),
    ];
    let v3 = "fio version 3 iolog\n1500 /dev/a add\n1500 /dev/a open\n1500 /dev/a write 4096 512\n\
              1500 /dev/a sync 0 0\n9000 /dev/b add\n9000 /dev/b open\n9000 /dev/b write 0 2147483648\n\
              9000 /dev/b write 2147483648 512\n9000 /dev/a close\n9000 /dev/b close\n";
    assert_eq!(written(IologVersion::V3, WaitRule::Documented, &steps), v3);
    let v2 = "fio version 2 iolog\n/dev/a add\n/dev/a wait 1 0\n/dev/a open\n/dev/a write 4096 512\n\
              /dev/a sync 0 0\n/dev/b add\n/dev/b wait 9 0\n/dev/b open\n/dev/b write 0 2147483648\n\
              /dev/b write 2147483648 512\n/dev/a close\n/dev/b close\n";
    assert_eq!(written(IologVersion::V2, WaitRule::AsFioDoes, &steps), v2);
    let documented = written(IologVersion::V2, WaitRule::Documented, &steps);
    assert!(documented.contains("/dev/a wait 1500 0\n"), "{documented}");
    assert!(documented.contains("/dev/b wait 7500 0\n"), "{documented}");
}

#[test]
fn names_that_fio_cannot_read_are_refused() {
    for name in ["", "a b", "a\nb", "x".repeat(256).as_str()] {
        let made = IologWriter::new(Vec::new(), IologVersion::V3, WaitRule::Documented, &[name.to_owned()]);
        assert!(matches!(made, Err(FormatError::FileName(_))), "{name}");
    }
    let files = ["a".to_owned()];
    let mut writer = IologWriter::new(Vec::new(), IologVersion::V3, WaitRule::Documented, &files).unwrap();
    assert!(matches!(writer.step(&Step::new(0, 1, StepAction::Sync)), Err(FormatError::NoFile(1))));
}

proptest! {
    #[test]
    fn steps_come_back(
        made in proptest::collection::vec(
            (0_u64..1 << 20, 0_u32..2, 0_usize..5, 0_u64..1 << 40, 1_u64..1 << 31),
            0..50,
        ),
        rule in prop::sample::select(vec![WaitRule::Documented, WaitRule::AsFioDoes]),
    ) {
        let actions =
            [StepAction::Read, StepAction::Write, StepAction::Trim, StepAction::Sync, StepAction::DataSync];
        let mut at_ns = 0;
        let steps: Vec<Step> = made.into_iter().map(|(pause, file, action, offset, length)| {
            // Whole milliseconds, which each version and rule can say.
            at_ns += pause / 1000 * 1_000_000;
            let has_place = action < 3;
            let (offset, length) = if has_place { (offset, length) } else { (0, 0) };
            Step { offset, length, ..Step::new(at_ns, file, actions[action]) }
        }).collect();
        for version in [IologVersion::V2, IologVersion::V3] {
            let text = written(version, rule, &steps);
            let mut reader = IologReader::new(text.as_bytes(), rule).unwrap();
            let back: Vec<Step> = reader.by_ref().map(Result::unwrap).collect();
            let is_work = |step: &&Step| actions.contains(&step.action);
            let mut numbers = Vec::new();
            for step in back.iter().filter(is_work) {
                let name = reader.file(step.file).unwrap();
                numbers.push(Step { file: u32::from(name == "/dev/b"), ..*step });
            }
            prop_assert_eq!(&numbers, &steps, "{:?}", version);
        }
    }
}
