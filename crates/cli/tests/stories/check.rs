//! Outputs of other tools, as a newcomer tries them first.

use crate::common::{StoryFolder, flat, stderr, stdout};

/// A capture of the importers' tests.
fn capture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/tool/fixtures/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

#[test]
fn a_text_with_two_tools_is_read_and_the_page_and_the_document_say_the_same() {
    let place = StoryFolder::new();
    let text = format!(
        "This is what I got:\n{}\nand then\n{}",
        capture("fio/fio-3.33-randread.out"),
        capture("dd/dd-9.1-fsync.out")
    );
    std::fs::write(place.path().join("paste.txt"), text).unwrap();
    let output = place.run(&["check", "paste.txt", "-o", "page.md"]);
    // It read a file again and again through the page cache, and wrote zeros.
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = flat(&stdout(&output));
    for part in ["56.4MiB/s", "59.14 MB/s", "1.0 GB/s", "was run only once", "headroom run disk"] {
        assert!(said.contains(part), "{part} is missing:\n{said}");
    }
    let page = std::fs::read_to_string(place.path().join("page.md")).unwrap();
    assert!(page.contains("59.14 MB/s") && !page.contains("check-"), "{page}");

    let (code, document) = place.document(&["check", "paste.txt"]);
    assert_eq!((code, document["schema"].as_str()), (1, Some(model::run::SCHEMA)));
    assert_eq!(document["origin"]["tool"], "fio + dd");
    let workloads: Vec<_> =
        document["cases"].as_array().unwrap().iter().map(|case| &case["loads"][0]["workload"]).collect();
    assert_eq!(workloads, ["disk", "disk"]);
}

#[test]
fn the_document_can_be_shown_and_compared() {
    let place = StoryFolder::new();
    for (name, seconds) in [("a", "0.5"), ("b", "0.25")] {
        let printed = format!("134217728 bytes (134 MB, 128 MiB) copied, {seconds} s");
        let rate = if seconds == "0.5" { "268 MB/s" } else { "537 MB/s" };
        let text = format!(
            "$ dd if=/dev/zero of=x bs=1M count=128\n128+0 records in\n128+0 records out\n{printed}, {rate}\n"
        );
        std::fs::write(place.path().join(format!("{name}.txt")), text).unwrap();
        let output = place.run(&["check", &format!("{name}.txt"), "-o", &format!("{name}.json")]);
        // Zeros went into the page cache.
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    }
    let output = place.run(&["show", "./a.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("268.0 MB/s"), "{}", stdout(&output));
    let output = place.run(&["compare", "./a.json", "./b.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("268") && said.contains("537"), "{said}");
}

#[test]
fn a_figure_that_is_not_what_it_says_ends_with_1_and_text_of_no_tool_with_2() {
    let place = StoryFolder::new();
    let text = capture("dd/dd-9.1-fsync.out").replace("1.0 GB/s", "1.0 MB/s");
    std::fs::write(place.path().join("wrong.txt"), text).unwrap();
    let output = place.run(&["check", "wrong.txt"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(flat(&stdout(&output)).contains("33554432 in 0.0325342 s are 1.031 GB/s"), "{}", stdout(&output));
    std::fs::write(place.path().join("prose.txt"), "nothing but words\n").unwrap();
    let output = place.run(&["check", "prose.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nothing was understood"), "{}", stderr(&output));
}

#[test]
fn the_figures_of_prose_alone_are_held_against_one_another() {
    let place = StoryFolder::new();
    let said = |text: &str| {
        std::fs::write(place.path().join("prose.txt"), text).unwrap();
        let output = place.run(&["check", "prose.txt"]);
        (output.status.code(), flat(&stdout(&output)))
    };
    let (code, right) = said("We copied 10 GB in 100 seconds, which is 100 MB/s.\n");
    assert!(code == Some(0) && right.contains("No output of a known tool was found"), "{right}");
    let (code, wrong) = said("We copied 10 GB in 60 seconds, which is 500 MB/s.\n");
    assert!(code == Some(1) && wrong.contains("that amount in that time is 166.7 MB/s"), "{wrong}");
    let table = "| run | MB/s |\n|---|---|\n| 1 | 500 |\n| 2 | 520 |\n| Average | 560 |\n";
    let (code, wrong) = said(table);
    assert!(code == Some(1) && wrong.contains("510"), "{wrong}");
    let (code, wrong) = said("Throughput went from 120 to 180 MB/s, 80% faster.\n");
    assert!(code == Some(1) && wrong.contains("1.50 times"), "{wrong}");
}

/// What dd prints of a write of 128 MiB in so many seconds.
fn dd_write(flags: &str, seconds: f64) -> String {
    let rate = 134.217_728 / seconds;
    format!(
        "$ dd if=/dev/urandom of=/data/x bs=1M count=128{flags}\n128+0 records in\n128+0 records out\n\
         134217728 bytes (134 MB, 128 MiB) copied, {seconds} s, {rate:.0} MB/s\n"
    )
}

#[test]
fn a_folder_is_one_comparison_of_its_folders() {
    let place = StoryFolder::new();
    for (side, seconds) in [("linux", [0.5, 0.51, 0.5]), ("windows", [0.25, 0.26, 0.25])] {
        let folder = place.path().join("results").join(side);
        std::fs::create_dir_all(&folder).unwrap();
        for (number, seconds) in seconds.into_iter().enumerate() {
            let text = dd_write(" oflag=direct conv=fsync", seconds);
            std::fs::write(folder.join(format!("{number}.txt")), text).unwrap();
        }
    }
    std::fs::write(place.path().join("results/picture.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let output = place.run(&["check", "--run", "results", "-o", "page.md"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    assert!(stderr(&output).contains("picture.png"), "{}", stderr(&output));
    let page = std::fs::read_to_string(place.path().join("page.md")).unwrap();
    assert!(page.contains("linux") && page.contains("windows"), "{page}");
}

#[test]
fn what_gzip_compressed_is_read_and_what_is_damaged_is_told() {
    let place = StoryFolder::new();
    let path = place.path().join("x.txt");
    std::fs::write(&path, dd_write(" oflag=direct", 0.5)).unwrap();
    let packed = std::process::Command::new("gzip").arg("-k").arg(&path).status();
    if !packed.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped");
        println!("skipped: there is no gzip");
        return;
    }
    let output = place.run(&["check", "x.txt.gz"]);
    assert!(stdout(&output).contains("268 MB/s"), "{}", stderr(&output));
    let bytes = std::fs::read(place.path().join("x.txt.gz")).unwrap();
    std::fs::write(place.path().join("cut.gz"), &bytes[..bytes.len() / 2]).unwrap();
    let output = place.run(&["check", "cut.gz"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("compressed by gzip"), "{}", stderr(&output));
}

#[test]
fn results_are_kept_with_their_machine_and_can_be_compared() {
    let place = StoryFolder::new();
    for (name, seconds) in [("a.txt", 0.5), ("b.txt", 0.25)] {
        std::fs::write(place.path().join(name), dd_write("", seconds)).unwrap();
    }
    let host = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/hosts/arm-board.host");
    let mut kept = Vec::new();
    for name in ["a.txt", "b.txt"] {
        let output = place.run(&["import", name, "--machine", host]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let said = stdout(&output);
        let id = said.split_once("headroom show ").map(|(_, id)| id.trim().to_owned());
        kept.push(id.unwrap_or_else(|| panic!("{said}")));
    }
    let output = place.run(&["export", &kept[0]]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["machines"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["tool_outputs"][0]["results"][0]["tool"], "dd");
    let codes: Vec<&str> = document["cases"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"page-cache-likely"), "{codes:?}");
    let output = place.run(&["compare", &kept[0], &kept[1]]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    std::fs::write(place.path().join("prose.txt"), "nothing but words\n").unwrap();
    let output = place.run(&["import", "prose.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&place.run(&["list"])).lines().count(), 3, "a heading and two runs");
}

#[test]
fn a_recording_that_is_none_is_refused() {
    let place = StoryFolder::new();
    std::fs::write(place.path().join("x.txt"), dd_write("", 0.5)).unwrap();
    let output = place.run(&["check", "x.txt", "--machine", "no-such.host"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no-such.host"), "{}", stderr(&output));
}

#[test]
fn texts_are_compared_without_a_document_between() {
    let place = StoryFolder::new();
    for (name, seconds) in [("linux.txt", [0.5, 0.51, 0.5]), ("windows.txt", [0.25, 0.26, 0.25])] {
        let text = seconds.map(|seconds| dd_write(" oflag=direct conv=fsync", seconds)).concat();
        std::fs::write(place.path().join(name), text).unwrap();
    }
    let output = place.run(&["compare", "linux.txt", "windows.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = flat(&stdout(&output));
    assert!(said.contains("268") && said.contains("537"), "{said}");
    assert!(!said.contains("apart"), "when they were measured is not known: {said}");
    let output = place.run(&["show", "linux.txt"]);
    assert!(stdout(&output).contains("268.4 MB/s") || stdout(&output).contains("268.0 MB/s"), "{output:?}");
}
