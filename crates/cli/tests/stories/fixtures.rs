//! Data that a load keeps, which is listed and removed by name.

use crate::common::{StoryFolder, stderr, stdout, trials};

#[test]
fn kept_data_is_listed_and_only_it_is_removed() {
    let place = StoryFolder::new();
    assert!(stdout(&place.run(&["fixtures"])).starts_with("No data is kept for later runs.\n"));
    let load =
        ["run", "db.oltp", "--target", ".", "--keep-data", "yes", "--rows", "500", "--mix", "read-only"];
    let short = ["--duration", "200ms", "--warm-up", "10ms", "--trials", "1", "--no-extra"];
    let output = place.run(&[&load[..], &short[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let listed = stdout(&place.run(&["fixtures"]));
    assert_eq!(listed.lines().count(), 1, "{listed}");
    let (path, _) = listed.split_once(" (").unwrap();
    assert!(path.contains("headroom_kept_") && std::path::Path::new(path).exists(), "{listed}");

    let other = place.path().join("mine.db");
    std::fs::write(&other, "mine").unwrap();
    let output = place.run(&["fixtures", "--remove", path, "--remove", "mine.db"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(other.exists() && std::path::Path::new(path).exists());
    let output = place.run(&["fixtures", "--remove", path]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("is removed") && !std::path::Path::new(path).exists());
    assert!(stdout(&place.run(&["fixtures"])).starts_with("No data is kept for later runs.\n"));
}

#[test]
fn a_file_of_disk_is_kept_used_again_and_removed() {
    let place = StoryFolder::new();
    let load = ["run", "disk", "--target", ".", "--size", "16MiB", "--direct", "no", "--keep-data", "yes"];
    let short = ["--duration", "100ms", "--warm-up", "10ms", "--trials", "1", "--no-extra"];
    let was_reused = || {
        let (code, document) = place.document(&[&load[..], &short[..]].concat());
        assert_eq!(code, 0, "{document}");
        trials(&document)[0]["loads"][0]["facts"]["data_reused"].as_bool().unwrap()
    };
    assert_eq!((was_reused(), was_reused()), (false, true));
    let listed = stdout(&place.run(&["fixtures"]));
    let (path, size) = listed.split_once(" (").unwrap();
    assert!(path.contains("headroom_kept_") && size.starts_with("16 MiB"), "{listed}");
    let output = place.run(&[&load[..], &["--pattern", "write", "--dry-run"][..]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let output = place.run(&["restore", "--kept"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!std::path::Path::new(path).exists());
    assert!(stdout(&place.run(&["fixtures"])).starts_with("No data is kept for later runs.\n"));
}
