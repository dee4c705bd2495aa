//! Lines of every version, as they are copied and as pages show them.

use super::*;

#[test]
fn lines_of_every_version_are_read() {
    use Direction::{Read, Write};
    for (text, direction, block, queues, threads, iops) in [
        (
            "SEQ    1MiB (Q=  8, T= 1):   384.064 MB/s [    366.3 IOPS] < 21765.43 us>",
            Read,
            Some(1 << 20),
            8,
            1,
            true,
        ),
        (
            "RND    4KiB (Q= 32, T=16):     4.095 GB/s [ 999670.2 IOPS] <   494.56 us>",
            Read,
            Some(4096),
            32,
            16,
            true,
        ),
        ("Random Write 4KiB (Q= 32,T= 1) :   402.119 MB/s [ 98173.6 IOPS]", Write, Some(4096), 32, 1, true),
        ("Sequential Read (Q= 32,T= 1) :   558.264 MB/s", Read, None, 32, 1, false),
        ("Random Read 4KB (QD=32) :     0.819 MB/s [   199.8 IOPS]", Read, Some(4096), 32, 1, true),
        ("Random Write 512KB :    23.521 MB/s", Write, Some(524_288), 1, 1, false),
        ("Sequential Write :    44.849 MB/s", Write, None, 1, 1, false),
        (
            "Sequential 1MiB (Q=  8, T= 1):  3560.237 MB/s [   3395.3 IOPS] <  2354.12 us>",
            Read,
            Some(1 << 20),
            8,
            1,
            true,
        ),
        (
            "    Random   4 KiB (Q= 32, T=16):  2020.260 MB/s [ 493227.9 IOPS] <  1037.01 us>",
            Read,
            Some(4096),
            32,
            16,
            true,
        ),
    ] {
        let test = Test::of(text, Some(Read)).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((test.direction, test.block), (direction, block), "{text}");
        assert_eq!((test.queues, test.threads, test.iops.is_some()), (queues, threads, iops), "{text}");
        assert!(test.measured(1, false).is_some(), "{text}");
    }
    assert_eq!(Test::of("RND    4KiB (Q=  1, T= 1):    70.461 MB/s", None), None, "reads or writes?");
    let mix = section("[Mix] Read 70%/Write 30%");
    assert_eq!(mix, Some(Direction::Mix(70)));
    let test = Test::of("RND    4KiB (Q=  1, T= 1):    70.461 MB/s", mix).unwrap();
    assert_eq!(test.direction, Direction::Mix(70));
}

#[test]
fn a_text_is_of_the_program_that_its_head_names() {
    for (text, expected) in [
        ("CrystalDiskMark 2.2 (C) 2007-2008 hiyohiyo", Some("2.2")),
        ("CrystalDiskMark 3.0.3 Shizuku Edition x64 (C) 2007-2013 hiyohiyo", Some("3.0.3")),
        ("KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark", Some("KDiskMark 3.1.4")),
        ("KDiskMark (the port) is slower", None),
        ("CrystalDiskMark 8 says", None),
    ] {
        assert_eq!(version(text).as_deref(), expected, "{text}");
    }
    let mut about = About::default();
    about.take("   Test: 1 GiB (x5) [Interval: 5 sec] <DefaultAffinity=DISABLED>");
    let options: Vec<&str> = about.options.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((about.size, options), (Some(1 << 30), vec!["size", "passes"]), "no drive is told");
}

#[test]
fn regression_megabytes_of_kdiskmark_are_of_1024_000_bytes() {
    // Of the README of KDiskMark 3.0.0, and lines of it without its head.
    let line = "Sequential   1 MiB (Q=  8, T= 1):   508.897 MB/s [    497.0 IOPS] < 13840.05 us>";
    let head = "                        KDiskMark (3.0.0): https://github.com/JonMagon/KDiskMark\n                    Flexible I/O \
                Tester (fio-3.30): https://github.com/axboe/fio\n";
    let rule = "-".repeat(80);
    for text in [format!("{head}{rule}\n* KB = 1000 bytes\n\n[Read]\n{line}\n"), format!("[Read]\n{line}\n")]
    {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let rate = output.results[0].whole.figure(metric::THROUGHPUT).unwrap();
        assert!((rate.value - 508.897 * 1.024e6).abs() < 1.0, "{}", rate.value);
        assert_eq!((output.results.len(), output.unread.len()), (1, 0), "{:?}", output.unread);
    }
    let own = Test::of("SEQ    1MiB (Q=  8, T= 1):   508.897 MB/s", Some(Direction::Read)).unwrap();
    let rate = own.measured(1, false).unwrap();
    assert!((rate.figure(metric::THROUGHPUT).unwrap().value - 508.897e6).abs() < 1.0);
}

#[test]
fn prose_with_rates_is_no_result() {
    for text in [
        "Sequential reads: 5 MB/s",
        "Sequential Read : fast",
        "Random access: 100 MB/s and more",
        "SEQ: 100 MB/s",
        "[Read]: 5 MB/s",
    ] {
        assert!(Test::of(text, Some(Direction::Read)).is_none(), "{text}");
    }
}

#[test]
fn a_test_that_was_not_run_has_no_figures() {
    let test = Test::of(
        "SEQ    1MiB (Q=  8, T= 1):     0.000 MB/s [      0.0 IOPS] <     0.00 us>",
        Some(Direction::Read),
    )
    .unwrap();
    assert_eq!(test.measured(1, false), None);
}
