//! What made-up studies come to.

use model::study::StudyVerdictKind;
use model::{MetricName, Quantity, Unit};

use super::*;
use crate::validity::{cache_absorbed, fixture};

const STREAM: WorkloadName = WorkloadName::new("net.stream");
const DISK: WorkloadName = WorkloadName::new("disk");
const DOWNLOAD: WorkloadName = WorkloadName::new("http.download");

/// A case with one trial for each value.
fn with(mut case: CaseResult, name: MetricName, values: &[f64]) -> CaseResult {
    case.trials.truncate(values.len());
    for (trial, value) in case.trials.iter_mut().zip(values) {
        let quantity = Quantity { value: *value, unit: Unit::BytesPerSecond };
        trial.result.main_mut().metrics.insert(name, quantity);
    }
    case
}

fn stream(values: &[f64]) -> CaseResult {
    let mut case = fixture::case(3);
    fixture::workload(&mut case, STREAM.as_str());
    fixture::set(&mut case, "direction", "receive");
    with(case, metric::THROUGHPUT, values)
}

/// What the disk takes around the page cache, or through it.
fn disk(rate: f64, is_direct: bool) -> CaseResult {
    let mut case = fixture::disk_case("write", rate, rate);
    fixture::set(&mut case, "direct", is_direct);
    case
}

/// A download of which memory took the first 2.7 GB at `head`; then it was `rest`.
fn slowed(head: f64, rest: f64) -> CaseResult {
    let mut case = cache_absorbed::tests::case(head, rest, 13e6);
    case.loads.main.workload = DOWNLOAD;
    case
}

/// One that ended before the writer was slowed down: what came in a second, and until it was on the device.
fn short(rate: f64, durable: f64) -> CaseResult {
    let mut case = with(disk(rate, false), metric::THROUGHPUT_DURABLE, &[durable; 3]);
    case.loads.main.workload = DOWNLOAD;
    case
}

fn found(cases: Vec<CaseResult>) -> Option<Finding> {
    between([STREAM, DISK, DOWNLOAD], cases)
}

/// The answer where these are the source, the sink and what does both.
fn between([source, sink, joint]: [WorkloadName; 3], cases: Vec<CaseResult>) -> Option<Finding> {
    let mut run = crate::comparison::tests::run("r", &[], cases);
    let kind = StudyVerdictKind::Absorbs;
    run.study.verdict = Some(StudyVerdict { kind, source, sink, joint, rate: None, count: None });
    let found = crate::answer::check(&run)?;
    crate::said::written(vec![found]).pop()
}

/// The answer and its sentence.
fn said(cases: Vec<CaseResult>) -> (String, String) {
    let found = found(cases).unwrap();
    (found.args["answer"].to_string(), found.text)
}

const FAST: [f64; 3] = [1100e6; 3];

#[test]
fn a_disk_that_takes_the_first_bytes_into_memory_takes_them_only() {
    let (answer, text) = said(vec![stream(&FAST), disk(530e6, true), slowed(900e6, 440e6)]);
    assert_eq!(answer, "head");
    for part in ["can arrive; the first 2.7 GB are taken at 900 MB/s", "what lasts is 440 MB/s"] {
        assert!(text.contains(part), "{text}");
    }
    // As fast at the beginning as at the end.
    let (answer, text) = said(vec![stream(&FAST), disk(530e6, true), slowed(450e6, 440e6)]);
    assert_eq!(answer, "no", "{text}");
    // Nobody asked what the disk does alone.
    assert_eq!(said(vec![stream(&FAST), slowed(900e6, 440e6)]).0, "head");
}

#[test]
fn the_best_of_the_settings_answers_and_all_of_them_are_shown() {
    let cases = vec![stream(&[420e6; 3]), disk(530e6, true), slowed(900e6, 200e6), slowed(900e6, 440e6)];
    let found = found(cases).unwrap();
    assert_eq!(found.args["answer"], "yes".into());
    assert!(
        found.text.contains("440 MB/s") && found.text.contains("for as long as it comes"),
        "{}",
        found.text
    );
    let codes: Vec<&str> = found.evidence.iter().map(|e| e.code.as_str()).collect();
    assert_eq!(codes, ["absorbs-source", "absorbs-sink", "absorbs-joint", "absorbs-joint"]);
    let texts: Vec<&str> = found.evidence.iter().filter_map(|e| e.text.as_deref()).collect();
    assert!(
        texts[3].contains("200 MB/s") && texts[3].contains("after the first 2.7 GB at 900 MB/s"),
        "{texts:?}"
    );
    assert!(texts[0].contains("the source alone") && texts[1].contains("the sink alone"), "{texts:?}");
    // Three trials that are all the same have an interval without width.
    assert!(texts[0].contains("420 MB/s (420 MB/s to 420 MB/s)"), "{texts:?}");
}

#[test]
fn a_disk_that_could_is_not_blamed() {
    assert_eq!(said(vec![stream(&FAST), disk(1200e6, true), slowed(900e6, 440e6)]).0, "elsewhere");
}

#[test]
fn what_ended_in_memory_is_decided_by_the_disk_alone() {
    let (answer, text) = said(vec![stream(&FAST), disk(530e6, true), short(1000e6, 300e6)]);
    assert_eq!(answer, "head");
    assert!(text.contains("at least the first 1 GB are taken at 1 GB/s"), "{text}");
    assert!(text.contains("what lasts is 530 MB/s"), "{text}");
    let (answer, text) = said(vec![stream(&FAST), disk(1200e6, true), short(1000e6, 300e6)]);
    assert!(answer == "unknown" && text.contains("too little to see what lasts"), "{text}");
    // What it took until all was written is all that comes.
    assert_eq!(said(vec![stream(&[300e6; 3]), disk(530e6, true), short(1000e6, 300e6)]).0, "yes");
    // Without a figure around the page cache, that until all was on the device counts.
    let through = with(disk(900e6, false), metric::THROUGHPUT_DURABLE, &[500e6; 3]);
    let (_, text) = said(vec![stream(&FAST), through, short(1000e6, 300e6)]);
    assert!(text.contains("what lasts is 500 MB/s"), "{text}");
}

#[test]
fn regression_downloads_for_a_duration_were_said_not_to_be_measured() {
    let timed = |rate: f64| {
        let mut case = disk(rate, false);
        case.loads.main.workload = DOWNLOAD;
        case
    };
    // As much as comes, but into memory.
    let (answer, text) = said(vec![stream(&[300e6; 3]), disk(530e6, true), timed(1000e6)]);
    assert!(answer == "unknown" && text.contains("too little to see what lasts"), "{text}");
    // What the disk takes alone is less than what comes.
    assert_eq!(said(vec![stream(&FAST), disk(530e6, true), timed(1000e6)]).0, "no");
}

/// A stream with this MTU, where it was found to be 1500.
fn over(mtu: u64, rate: f64) -> CaseResult {
    let mut case = stream(&[rate; 3]);
    let state = SettingState {
        machine: model::trial::LOCAL.to_owned(),
        resource: Some(model::Resource::from("nic:eth0")),
        asked: mtu.into(),
        before: Some(1500_u64.into()),
        read_back: Some(mtu.into()),
        unit: Unit::Bytes,
    };
    case.settings.insert("mtu".to_owned(), vec![state]);
    case
}

/// What larger packets bring is nothing to a download without them: 9.41 of 9.90 Gbit/s is less than 95 %.
#[test]
fn what_comes_is_of_the_state_in_which_it_is_taken() {
    let source = |joint: CaseResult| {
        let cases = vec![over(1500, 1176e6), over(9000, 1240e6), disk(3000e6, true), joint];
        let found = found(cases).unwrap();
        (found.args["answer"].to_string(), found.args["source"].number().unwrap())
    };
    let plain = slowed(1500e6, 1170e6);
    assert_eq!(source(plain.clone()), ("yes".to_owned(), 1176e6));
    let mut large = plain.clone();
    large.settings = over(9000, 1.0).settings;
    assert_eq!(source(large), ("elsewhere".to_owned(), 1240e6));
    // There is only another state.
    let mut other = plain;
    other.settings = over(4000, 1.0).settings;
    assert_eq!(source(other).1, 1240e6);
}

#[test]
fn what_leaves_this_machine_does_not_come() {
    let mut out = stream(&[1200e6; 3]);
    fixture::set(&mut out, "direction", "send");
    let found = found(vec![out, stream(&[430e6; 3]), disk(530e6, true), slowed(900e6, 440e6)]).unwrap();
    assert_eq!(found.args["answer"], "yes".into());
    assert_eq!(found.args["source"].number(), Some(430e6));
}

/// A disk that is read and a network that takes it: what is sent from a file.
#[test]
fn a_network_is_a_sink_as_a_disk_is_a_source() {
    const UPLOAD: WorkloadName = WorkloadName::new("http.upload");
    let read = |rate: f64, is_direct: bool| {
        let mut case = fixture::disk_case("read", rate, rate);
        fixture::set(&mut case, "direct", is_direct);
        case
    };
    let sent = |workload: WorkloadName, rate: f64| {
        let mut case = stream(&[rate; 3]);
        fixture::set(&mut case, "direction", "send");
        case.loads.main.workload = workload;
        case
    };
    let answer = |cases: &[CaseResult]| {
        let found = between([DISK, STREAM, UPLOAD], cases.to_vec()).unwrap();
        (found.args["answer"].to_string(), found.args["source"].number().unwrap())
    };
    let (disk_read, network) = (read(430e6, true), sent(STREAM, 1100e6));
    let all = |rate: f64| answer(&[disk_read.clone(), network.clone(), sent(UPLOAD, rate)]);
    assert_eq!(all(428e6), ("yes".to_owned(), 430e6));
    assert_eq!(all(300e6).0, "elsewhere");
    let slow = [disk_read.clone(), sent(STREAM, 100e6), sent(UPLOAD, 98e6)];
    assert_eq!(answer(&slow).0, "no");
    // What the page cache answers is not what the disk brings.
    let cached = [read(5000e6, false), disk_read.clone(), network.clone(), sent(UPLOAD, 428e6)];
    assert_eq!(answer(&cached), ("yes".to_owned(), 430e6));
    // What is written does not come, and what is received is not taken.
    let turned = [disk(530e6, true), stream(&FAST), sent(UPLOAD, 428e6)];
    let found = between([DISK, STREAM, UPLOAD], turned.to_vec()).unwrap();
    assert_eq!((&found.args["why"], found.args["sink"].number()), (&"source".into(), Some(0.0)));
}

#[test]
fn trials_that_failed_or_took_nothing_are_no_reason_for_a_wrong_answer() {
    // The fastest case has only one trial left: the others answer.
    let (answer, text) =
        said(vec![stream(&[1200e6]), stream(&FAST), disk(530e6, true), slowed(900e6, 440e6)]);
    assert!(answer == "head" && text.contains("1.1 GB/s"), "{text}");
    let mut one = slowed(900e6, 1090e6);
    one.trials.truncate(1);
    assert_eq!(said(vec![stream(&FAST), disk(530e6, true), one, slowed(900e6, 440e6)]).0, "head");
    // Once nothing came through for the rest of the window.
    let mut stuck = slowed(1500e6, 1100e6);
    stuck.trials[0] = slowed(1500e6, 0.0).trials.remove(0);
    let (answer, text) = said(vec![stream(&FAST), disk(530e6, true), stuck]);
    assert!(answer == "unknown" && text.contains("the trials differ too much"), "{text}");
}

#[test]
fn what_cannot_be_told_says_what_is_missing() {
    let one = said(vec![stream(&FAST[..1]), disk(530e6, true), slowed(900e6, 440e6)]);
    assert!(one.0 == "unknown" && one.1.contains("two trials"), "{one:?}");
    let wide = said(vec![stream(&[380e6, 460e6, 550e6]), disk(530e6, true), slowed(900e6, 440e6)]);
    assert!(wide.0 == "unknown" && wide.1.contains("the trials differ too much"), "{wide:?}");
    let none = said(vec![stream(&FAST), disk(530e6, true)]);
    assert!(none.0 == "unknown" && none.1.contains("nothing was measured that takes"), "{none:?}");
    let none = said(vec![disk(530e6, true), slowed(900e6, 440e6)]);
    assert!(none.0 == "unknown" && none.1.contains("what can arrive was not measured"), "{none:?}");
    assert!(found(Vec::new()).is_none());
    let mut run = crate::comparison::tests::run("r", &[], vec![stream(&FAST)]);
    assert!(crate::answer::check(&run).is_none(), "the study asks nothing");
    let kind = StudyVerdictKind::Other;
    run.study.verdict =
        Some(StudyVerdict { kind, source: STREAM, sink: DISK, joint: DOWNLOAD, rate: None, count: None });
    assert!(crate::answer::check(&run).is_none(), "a later version asks it");
}
