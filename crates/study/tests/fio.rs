//! Job files of fio, of many kinds, and what each becomes: the loads and what
//! is said of them. The files are in `tests/fio`; fio itself reads them too.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use import::fio::{JobFileAccess, from_fio};
use model::study::StudyWorkload;
use model::{ParameterName, Study};
use study::Diagnostic;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fio")
}

fn read(name: &str, text: &str, sections: &[String]) -> Result<Study, Diagnostic> {
    let outside = JobFileAccess {
        variable: &|name| match name {
            "FIO_FOLDER" => Some("/data".to_owned()),
            "FIO_NAME" => Some("mine".to_owned()),
            _ => None,
        },
        file: &|path| std::fs::read_to_string(folder().join(path)),
        words: vec![("$pagesize", 4096), ("$mb_memory", 8192), ("$ncpus", 2)],
        sections,
    };
    from_fio(&agent::catalogue(), "test", name, text, &outside)
}

fn load(workload: &StudyWorkload) -> String {
    let mut words = vec![workload.kind.to_string()];
    for (name, levels) in &workload.parameters {
        let level: Vec<String> = levels[0].iter().map(ToString::to_string).collect();
        assert_eq!(levels.len(), 1, "a job file has no factors");
        words.push(format!("{name}={}", level.join("+")));
    }
    words.join(" ")
}

#[test]
fn regression_a_long_global_section_multiplied_with_its_jobs() {
    let text =
        format!("[global]\nrw=read\nsize=1m\ndescription={}\n{}", "x".repeat(200_000), "[a]\n".repeat(900));
    let diagnostic = read("a.fio", &text, &[]).unwrap_err();
    assert!(diagnostic.message.contains("64 MiB"), "{diagnostic}");
}

/// What a study asks, a line each.
fn told(study: &Study) -> String {
    let mut lines = Vec::new();
    lines.extend(study.purpose.as_ref().map(|p| format!("purpose: {p}")));
    let usual = model::study::Controls::default();
    if study.controls.warm_up_s != usual.warm_up_s || study.controls.seed != usual.seed {
        lines.push(format!("warm-up={}s seed={}", study.controls.warm_up_s, study.controls.seed));
    }
    for workload in &study.workloads {
        lines.push(load(workload));
        lines.extend(workload.with.iter().map(|with| format!("  with {}", load(with))));
    }
    lines.extend(study.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

#[test]
fn every_job_file_becomes_what_is_on_record() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "fio"));
    files.sort();
    assert!(files.len() >= 20, "{files:?}");
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let study = read(name, &text, &[]).unwrap_or_else(|m| panic!("{name}: {m} {:?}", m.help));
        insta::assert_snapshot!(name, told(&study));
    }
}

#[test]
fn one_section_of_a_file_can_be_run() {
    let text = std::fs::read_to_string(folder().join("cluster.fio")).unwrap();
    let one = read("cluster.fio", &text, &["mixed".to_owned()]).unwrap();
    assert_eq!(one.workloads.len(), 1);
    assert_eq!(one.workloads[0].parameters[&ParameterName::new("pattern")][0][0].to_string(), "randrw");
    let wrong = read("cluster.fio", &text, &["mixd".to_owned()]).unwrap_err();
    assert_eq!(wrong.help.as_deref(), Some("did you mean `mixed`?"));
    assert_eq!(&wrong.source_text.text[wrong.span], "mixd");
}

/// The text, what is pointed at, what is said, what is advised.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("[a]\nbs=4k\niodepht=4\n", "iodepht", "no option `iodepht`", "did you mean `iodepth`?"),
    ("[a]\nbs=4q\n", "q", "`q` is not a unit", "k, m, g"),
    ("[a]\nbs=4k,9q\n", "q", "`q` is not a unit", ""),
    ("[a]\nsize=1.5g\n", "1.5g", "it would be 1", ""),
    ("[a]\nruntime=10min\n", "min", "microseconds", "ms, s, m, h or d"),
    ("[a]\nrw=randraed\n", "randraed", "not a choice", "did you mean `randread`?"),
    ("[a]\nrw=randtrimwrite\n", "randtrimwrite", "trim each block", "two jobs"),
    ("[a]\nioengine=libaoi\n", "libaoi", "no engine `libaoi`", "did you mean `libaio`?"),
    ("[a]\nioengine=cpuio\ncpuload=10\n", "cpuio", "loads processors", "run this job with fio"),
    ("[a]\nioengine=net\nhostname=x\n", "net", "loads a network", ""),
    ("[a]\nioengine=filecreate\n", "filecreate", "file.metadata", ""),
    ("[a]\nread_iolog=:\n", ":", "names no recording", "give its file"),
    ("[a]\nsize\n", "size", "`size` has no value", "after `=`"),
    ("[a]\nrwmixread=101\nrw=randrw\n", "101", "more than all", "0 to 100"),
    ("[a]\nbssplit=4k/60:8k/60\n", "4k/60:8k/60", "more than 100 percent", ""),
    ("[a]\nbsrange=4k\n", "4k", "is no range", "4k-16k"),
    ("[a]\nwait_for=b\n[b]\n", "b", "no job `b` before this one", "further up"),
    ("[a]\nfilename=${NOT_THERE}\n", "filename=${NOT_THERE}", "no variable `NOT_THERE`", "set it"),
    ("[a]\nsize=${FIO_NAME}\n", "size=${FIO_NAME}", "does not start with a number", ""),
    ("[a]\nsize=2k\n", "2k", "no room for a block of 4 KiB", ""),
    ("[a]\nsize=10k\nnrfiles=3\n", "10k", "no room for a block", "for each file"),
    ("[a]\ninclude nothing.inc\n", "include nothing.inc", "cannot be included", ""),
    ("bs=4k\n", "bs=4k", "in no section", "[global]"),
    ("[global]\nbs=4k\n", "", "no job", "[readers]"),
    ("", "", "no job", ""),
    ("[a\n", "[a", "no section", ""),
    ("[a]\nkb_base=1023\n", "1023", "neither 1024 nor 1000", ""),
];

#[test]
fn mistakes_are_pointed_at() {
    for (text, at, says, help) in MISTAKES {
        let diagnostic = read("a.fio", text, &[]).unwrap_err();
        assert_eq!(&diagnostic.source_text.text[diagnostic.span.clone()], *at, "{text}: {diagnostic}");
        assert!(diagnostic.message.contains(says), "{text}: {diagnostic}");
        assert!(diagnostic.help.clone().unwrap_or_default().contains(help), "{text}: {diagnostic:?}");
    }
}

#[test]
fn a_job_that_repeats_recorded_operations_is_a_replay() {
    let told = |text: &str| told(&read("a.fio", text, &[]).unwrap());
    assert_eq!(
        told(
            "[a]\nread_iolog=x.log\nreplay_redirect=/dev/sdb\nreplay_no_stall=1\nioengine=libaio\niodepth=8\ndirect=1\n\
             rw=randread\nbs=64k\n"
        ),
        "disk.replay direct=yes engine=aio queue-depth=8 replay=x.log speed=max submit-batch=1 target=/dev/sdb"
    );
    assert_eq!(
        told(
            "[a]\nread_iolog=x.log\nreplay_redirect=/data\nreplay_time_scale=200\nreplay_skip=write,sync,trim\nloops=3\n"
        ),
        "disk.replay direct=no engine=sync repeat=3 replay=x.log speed=2 target=/data writes=skip"
    );
    let timed = "[a]\nread_iolog=x.log\nreplay_redirect=/data\nruntime=30\ntime_based\n";
    assert_eq!(
        told(timed),
        "disk.replay direct=no duration=30 engine=sync replay=x.log target=/data until=time"
    );
    // A count ends it, and not the end of the recording.
    let counted = "[a]\nread_iolog=x.log\nreplay_redirect=/data\nnumber_ios=7\n";
    assert_eq!(
        told(counted),
        "disk.replay direct=no engine=sync replay=x.log requests=7 target=/data until=time"
    );
    let named = told("[a]\nread_iolog=x.log:y.log\nnumjobs=2\nreplay_scale=4\nruntime=30\n");
    for note in ["side by side", "the first is played", "played once", "played whole", "size of the target"] {
        assert!(named.contains(note), "{note}: {named}");
    }
}

#[test]
fn what_neutral_values_ask_for_is_not_missing() {
    let quiet = "[a]\nthinktime=0\ninvalidate=1\nzonemode=none\nmem=malloc\npercentage_random=100\noverwrite=1\nsize=1m";
    assert_eq!(read("a.fio", quiet, &[]).unwrap().notes, Vec::<String>::new());
    let loud = read("a.fio", &quiet.replace("thinktime=0", "thinktime=5ms"), &[]).unwrap().notes;
    assert_eq!(loud, ["`thinktime=5ms`: fio would pause between operations, so the rate here is higher"]);
}

/// What fio's own documentation comes with, on machines that have it.
#[test]
fn every_example_of_the_package_is_read_or_refused_with_a_reason() {
    let Ok(entries) = std::fs::read_dir("/usr/share/doc/fio/examples") else {
        println!(
            "skipped: there is no /usr/share/doc/fio/examples (Debian: the package `fio`, with documentation)"
        );
        return;
    };
    let mut seen = 0;
    for path in entries.map(|e| e.unwrap().path()) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_none_or(|e| e != "fio") {
            continue;
        }
        seen += 1;
        if let Err(diagnostic) = read(path.to_str().unwrap(), &text, &[]) {
            let known =
                ["cannot be run here", "no like here", "would", "no variable", "no engine", "no option"];
            assert!(known.iter().any(|k| diagnostic.message.contains(k)), "{}: {diagnostic}", path.display());
            println!("{}: {diagnostic}", path.display());
        }
    }
    assert!(seen > 0, "the folder of examples is empty");
}

mod arbitrary {
    use proptest::prelude::*;

    /// Lines as job files have them, with values of any kind.
    fn line() -> impl Strategy<Value = String> {
        let names: Vec<String> = import::fio::options().map(|o| o.name.to_owned()).collect();
        let value = prop_oneof![
            "[0-9]{1,20}[kmgtp%]?",
            "[0-9]{1,4}[km]?[,:/-][0-9]{0,4}[km]?[,:/-]?[0-9]{0,3}",
            "(randread|write|randrw|zipf:1|zoned:5/5|libaio|io_uring|crc32c|poisson|dsync)",
            "\\PC{0,12}",
            "\\([0-9+*/() -]{0,12}",
        ];
        prop_oneof![
            4 => (proptest::sample::select(names), value).prop_map(|(n, v)| format!("{n}={v}")),
            1 => "\\[[a-z]{0,6}\\]?",
            1 => Just("stonewall".to_owned()),
            1 => "\\PC{0,20}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn lines_never_make_the_reader_panic(lines in proptest::collection::vec(line(), 0..12)) {
            let text = format!("[a]\n{}", lines.join("\n"));
            if let Err(diagnostic) = super::read("a.fio", &text, &[]) {
                prop_assert!(diagnostic.source_text.text.get(diagnostic.span.clone()).is_some(), "{diagnostic:?}");
            }
        }

        #[test]
        fn bytes_never_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let _ = super::read("a.fio", &text, &[]);
            let _ = super::read("a.fio", &format!("[a]\n{text}"), &[]);
        }
    }
}
