//! Replays of what is no plain read or write, of a part of a disk, and of one recording at several places.

use model::fact;
use trace::format::saved::SavedPartition;

use super::*;

/// One bio of a saved trace: what it does, how, its first sector and its bytes.
type Bio = (IoDirection, Flags, u64, u64);

const FUA: Flags =
    Flags { preflush: false, fua: true, ahead: false, sync: false, meta: false, atomic: false };

const DISK: Device = Device { major: 8, minor: 0 };

/// A trace of these, a millisecond apart, each completed at once.
fn traced(path: &Path, devices: Vec<SavedDevice>, bios: &[Bio]) {
    let header = SavedHeader { devices, ..SavedHeader::default() };
    let mut writer = SavedWriter::new(std::fs::File::create(path).unwrap(), &header).unwrap();
    for (n, (direction, flags, sector, bytes)) in (0u64..).zip(bios) {
        for (after_ns, action) in [(0, Action::Queue), (1000, Action::Complete)] {
            let event = BlockEvent {
                time_ns: n * 1_000_000 + after_ns,
                cpu: 0,
                action,
                device: Some(DISK),
                sector: *sector,
                bytes: *bytes,
                operation: BlockOperation { direction: *direction, flags: *flags },
                thread: 1,
                task: TaskName::default(),
                error: 0,
            };
            writer.record(&TraceRecord::Block(event)).unwrap();
        }
    }
    writer.finish().unwrap();
}

fn disk() -> SavedDevice {
    SavedDevice { device: DISK, name: "sda".to_owned(), ..SavedDevice::default() }
}

#[test]
fn forced_writes_and_writes_of_zeros_are_done_as_such() {
    let place = Place::new();
    let plain = Flags::default();
    let bios = [
        (IoDirection::Write, FUA, 0, 4096),
        (IoDirection::Write, plain, 8, 4096),
        (IoDirection::WriteZeroes, plain, 128, 131_072),
        (IoDirection::Write, Flags { preflush: true, ..FUA }, 16, 4096),
        (IoDirection::Read, plain, 8, 4096),
    ];
    traced(&place.path("log"), vec![disk()], &bios);
    let destroy = [place.text("target")];
    for engine in ["sync", "io_uring", "aio", "mmap"] {
        // What one engine wrote must not pass for another's.
        std::fs::write(place.path("target"), vec![7u8; 1 << 20]).unwrap();
        let changes = [("engine", engine), ("speed", "max")];
        // A machine may forbid some of them.
        if engine != "sync" && engine != "mmap" && place.survey(&changes, &host(&destroy)).is_err() {
            println!("skipped: {engine} cannot be had here");
            continue;
        }
        let played = place.play(&changes, &destroy);
        for (fact, count) in [
            ("recorded_writes", 3),
            ("recorded_forced_writes", 2),
            ("recorded_zeroes", 1),
            ("played_reads", 1),
            ("played_writes", 3),
            ("played_zeroes", 1),
            ("played_forced_writes", if engine == "mmap" { 0 } else { 2 }),
            ("played_bytes_written", 3 * 4096),
        ] {
            assert_eq!(played.count(fact), count, "{engine}: {fact}");
        }
        let as_something_else = match engine {
            "mmap" => "FUA writes as ordinary writes: 2; writes with a flush before without it: 1",
            _ => "writes with a flush before without it: 1",
        };
        assert_eq!(played.told("replaced"), Some(as_something_else), "{engine}");
        // Zeros move no data, whatever length they have.
        assert_eq!(played.outcome.loads[0].bytes.round(), f64::from(4 * 4096), "{engine}");
        let found = std::fs::read(place.path("target")).unwrap();
        assert!(found[65_536..196_608].iter().all(|byte| *byte == 0), "{engine}: no zeros");
        assert!(found[12_288..65_536].iter().all(|byte| *byte == 7), "{engine}: too much was written");
        assert!(found[196_608..].iter().all(|byte| *byte == 7), "{engine}: too many zeros");
        assert!(found[..12_288].iter().any(|byte| *byte != 7), "{engine}: nothing was written");
    }
}

#[test]
fn zeros_are_written_only_where_writes_may_be() {
    let place = Place::new();
    let plain = Flags::default();
    let bios = [(IoDirection::WriteZeroes, plain, 0, 1 << 19), (IoDirection::Read, plain, 8, 4096)];
    traced(&place.path("log"), vec![disk()], &bios);
    let problem = place.refused(&[]);
    assert_eq!(problem.kind, ProblemKind::Refused);
    assert!(problem.message.contains("the recording's 1 writes of zeros"), "{problem:?}");
    assert!(problem.message.contains("writes=skip or writes=read"), "{problem:?}");
    for writes in ["skip", "read"] {
        let played = place.play(&[("writes", writes)], &[]);
        assert_eq!((played.count("played_zeroes"), played.count("played_reads")), (0, 1), "{writes}");
        assert_eq!(played.told("left_out"), Some("writes of zeros: 1"), "{writes}");
    }
    assert_eq!(std::fs::read(place.path("target")).unwrap(), vec![7u8; 1 << 20]);
    let needs = place.survey(&[], &host(&[place.text("target")])).unwrap().1;
    assert_eq!(needs.effect, Effect::Dirty);
    assert!(needs.fixtures[0].about.contains("0 writes, 1 write of zeros, 0 syncs"), "{needs:?}");
}

#[test]
fn a_partition_that_was_traced_is_played_from_its_beginning() {
    let place = Place::new();
    // It lies far behind the end of the target.
    let first_sector = 1 << 20;
    let bio = |sector| (IoDirection::Read, Flags::default(), first_sector + sector, 4096);
    let with = |is_asked| {
        let partition = Some(SavedPartition { of: DISK, first_sector, is_asked });
        let device = Device { major: 8, minor: 1 };
        let part = SavedDevice { device, name: "sda1".to_owned(), partition, ..SavedDevice::default() };
        traced(&place.path("log"), vec![disk(), part], &[bio(0), bio(8), bio(80)]);
    };
    with(true);
    let target = format!("sda1={}", place.text("target"));
    let played = place.play(&[("target", target.as_str())], &[]);
    assert_eq!((played.count("played_reads"), played.count("moved_places")), (3, 0));
    assert_eq!(played.told("places"), Some("as recorded"));
    // Of a whole disk places count from its own beginning.
    with(false);
    assert!(place.refused(&[]).message.contains("reaches to 512"), "{:?}", place.refused(&[]));
}

#[test]
fn a_recording_is_the_same_work_wherever_it_lies() {
    let place = Place::new();
    place.iolog(&["a"], SIX);
    std::fs::copy(place.path("log"), place.path("copy")).unwrap();
    let copy = place.text("copy");
    let content = |changes: &[(&str, &str)]| {
        let (load, _) = place.survey(changes, &host(&[place.text("target")])).unwrap();
        load.parameters.text(named("recording")).unwrap().to_owned()
    };
    let own = content(&[]);
    assert!(own.starts_with("sha256:") && own.len() == 7 + 64, "{own}");
    assert_eq!(content(&[("replay", copy.as_str())]), own);
    assert_eq!(content(&[("recording", own.as_str())]), own);
    let spec = |name: &str| spec::SPEC.parameters.iter().find(|own| own.name.as_str() == name).unwrap();
    assert!(!spec("replay").work && spec("recording").work);
    // Another content is another work, and refused where this one was meant.
    place.iolog(&["a"], "0 a read 0 4096\n");
    assert_ne!(content(&[]), own);
    let problem = place.refused(&[("recording", own.as_str())]);
    assert!(problem.message.contains("is another recording than was asked for"), "{problem:?}");
    // It was looked at, and then it changed.
    let (load, needs) = place.survey(&[], &host(&[])).unwrap();
    place.iolog(&["a"], "0 a read 0 4096\n1 a read 0 512\n");
    let mut fixtures = FixtureStore::new(FIXTURES);
    let made = fixtures.make(&needs.fixtures[0], &host(&[]), &mut |_| true);
    assert!(made.unwrap_err().to_string().contains("was changed"), "{:?}", load.parameters);
}

#[test]
fn where_nobody_knows_how_long_operations_took_that_is_a_fact() {
    let place = Place::new();
    let told = |played: &Played| match played.facts.get(&fact::RECORDED_TIMES_UNKNOWN) {
        Some(Value::Text(why)) => Some(why.clone()),
        _ => None,
    };
    place.iolog(&["a"], "0 a read 0 4096\n");
    assert_eq!(told(&place.play(&[], &[])).as_deref(), Some(fact::NOT_IN_FORMAT));
    saved(&place.path("log"), &[1000]);
    assert_eq!(told(&place.play(&[], &[])), None);
}
