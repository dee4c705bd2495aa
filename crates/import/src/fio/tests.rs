//! The reader against fio itself: what it prints as its understanding of a file.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::ini::sections;
use super::job::Job;
use super::{JobFileAccess, is_global};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fio")
}

fn number(name: &str) -> u64 {
    let output = Command::new("getconf").arg(name).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

fn outside() -> JobFileAccess<'static> {
    let page = number("PAGESIZE");
    JobFileAccess {
        variable: &|name| name.starts_with("FIO_").then(|| "/x".to_owned()),
        file: &|path| std::fs::read_to_string(folder().join(path)),
        words: vec![
            ("$pagesize", page),
            ("$mb_memory", (number("_PHYS_PAGES") * page) >> 20),
            ("$ncpus", number("_NPROCESSORS_ONLN")),
        ],
        sections: &[],
    }
}

fn fio(arguments: &[&str]) -> Option<String> {
    let mut run = Command::new("fio");
    let output = run
        .args(arguments)
        .current_dir(folder())
        .env("FIO_FOLDER", "/x")
        .env("FIO_NAME", "/x")
        .output()
        .ok()?;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// `--bs=4k` and its like, of each section, as fio prints a job file with
/// --showcmd: what [global] said so far, again at each [global].
fn shown(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    let mut all = Vec::new();
    let mut global = Vec::new();
    for section in sections(name, &text, &outside()).unwrap() {
        // An option that nobody knows is no error, as its engine may bring it; none here has one.
        let mut job = Job::new(&section);
        job.take(&section).unwrap();
        assert!(job.unknown.is_none(), "{name}: {:?}", job.unknown);
        let own = section.lines.iter().map(|line| {
            let name = super::table::find(&line.key).unwrap().name;
            line.value.as_ref().map_or(name.to_owned(), |v| format!("{name}={v}"))
        });
        if is_global(&section) {
            global.extend(own);
            all.extend(global.iter().cloned());
        } else {
            all.push(format!("name={}", section.name));
            all.extend(own);
        }
    }
    all.sort();
    all
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn sections_and_options_are_those_that_fio_reads() {
    if fio(&["--version"]).is_none() {
        println!("skipped: there is no fio to compare with");
        assert!(std::env::var_os("CI").is_none(), "CI has no fio");
        return;
    }
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".fio") {
            continue;
        }
        let text = fio(&["--showcmd", &name]).unwrap();
        let text = text.trim().strip_prefix("fio ").unwrap().trim();
        let mut theirs: Vec<String> =
            format!(" {text}").split(" --").skip(1).map(|w| w.trim().replace('"', "")).collect();
        theirs.sort();
        assert_eq!(shown(&name), theirs, "{name}");
        seen += 1;
    }
    assert!(seen >= 20);
}

/// Bytes that fio takes sizes for, as its parser prints them.
fn parsed(sizes: &[&str], kb_base: u64) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fio");
    let job = |size: &&str| format!("[a]\nkb_base={kb_base}\nioengine=null\nsize={size}\n");
    std::fs::write(&path, sizes.iter().map(job).collect::<String>()).unwrap();
    let text = fio(&["--parse-only", "--debug=parse", path.to_str().unwrap()]).unwrap();
    let after = |s: &str| s.split("out=").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
    text.split("__handle_option=size").skip(1).map(after).collect()
}

#[test]
fn sizes_are_those_that_fio_reads() {
    if fio(&["--version"]).is_none() {
        println!("skipped: there is no fio to compare with");
        assert!(std::env::var_os("CI").is_none(), "CI has no fio");
        return;
    }
    let sizes = [
        "4k",
        "4K",
        "4kb",
        "4KiB",
        "3m",
        "3MiB",
        "2g",
        "1t",
        "512",
        "512b",
        "0x1000",
        "+8k",
        "7gib",
        "9007199254740993",
    ];
    for kb_base in [1024, 1000] {
        let ours = sizes.map(|size| match super::value::amount(size, kb_base) {
            Ok(super::value::Amount::Whole(bytes)) => bytes,
            other => panic!("{size}: {other:?}"),
        });
        assert_eq!(parsed(&sizes, kb_base), ours, "kb_base={kb_base}");
    }
}
