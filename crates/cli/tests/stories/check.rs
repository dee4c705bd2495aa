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
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = flat(&stdout(&output));
    for part in ["56.4MiB/s", "59.14 MB/s", "1.0 GB/s", "was run once", "headroom run disk"] {
        assert!(said.contains(part), "{part} is missing:\n{said}");
    }
    let page = std::fs::read_to_string(place.path().join("page.md")).unwrap();
    assert!(page.contains("59.14 MB/s") && !page.contains("check-"), "{page}");

    let (code, document) = place.document(&["check", "paste.txt"]);
    assert_eq!((code, document["schema"].as_str()), (0, Some(model::run::SCHEMA)));
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
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
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
