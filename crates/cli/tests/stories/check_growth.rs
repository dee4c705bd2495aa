//! The time in which outputs of other tools are judged grows with their size, and not with its square: what is looked for
//! in every line, or beside every result, must not go through all of them again.

use std::path::{Path, PathBuf};

use crate::common::{StoryFolder, program, stderr};

/// The bytes of the smaller text of each tool.
const SMALL: usize = 60_000;

/// So many times that is the larger one.
const TIMES: usize = 10;

/// It may take so many times as long. With the square it would take [`TIMES`] times as many.
const GROWTH_MAX: f64 = 3.0 * TIMES as f64;

/// What takes less is not looked at: it says more of the clock than of the text. Seconds of CPU time.
const LEAST_S: f64 = 0.5;

/// Less is taken for so much: the program itself has to start.
const START_S: f64 = 0.1;

/// All captures of the importers of one tool.
fn captures(folder: &Path) -> Vec<u8> {
    let mut files: Vec<PathBuf> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "out"))
        .collect();
    files.sort();
    let texts = files
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .filter(|text| std::str::from_utf8(text).is_ok());
    texts
        .flat_map(|mut text| {
            text.push(b'\n');
            text
        })
        .collect()
}

/// The seconds of CPU time in which a text is judged: a machine with other work to do changes them little.
fn cpu_seconds(place: &StoryFolder, text: &[u8]) -> f64 {
    std::fs::write(place.path().join("paste.txt"), text).unwrap();
    let output = std::process::Command::new("bash")
        .args(["-c", "\"$0\" check paste.txt > out.txt 2>&1; code=$?; times > times.txt; exit $code"])
        .arg(program())
        .current_dir(place.path())
        .output()
        .unwrap();
    // Nothing of it may be understood.
    assert!(matches!(output.status.code(), Some(0..=2)), "{}", stderr(&output));
    // The second line is of the programs that it started: user and system.
    let times = std::fs::read_to_string(place.path().join("times.txt")).unwrap();
    let seconds = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    times.lines().nth(1).unwrap().split_whitespace().map(seconds).sum()
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_time_of_a_check_does_not_grow_with_the_square_of_its_text() {
    let place = StoryFolder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/tool/fixtures");
    let mut folders: Vec<PathBuf> = root.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() > 50, "{folders:?}");
    let mut wrong = Vec::new();
    for folder in folders {
        let all = captures(&folder);
        if all.is_empty() {
            continue;
        }
        let small = all.repeat(SMALL.div_ceil(all.len()));
        let large = cpu_seconds(&place, &small.repeat(TIMES));
        if large < LEAST_S {
            continue;
        }
        let growth = large / cpu_seconds(&place, &small).max(START_S);
        if growth > GROWTH_MAX {
            wrong.push(format!("{}: {growth:.1} times as long, {large:.1} s", folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{TIMES} times the text takes\n{}", wrong.join("\n"));
}
