//! Bad input: each has its message, its exit code, and touches nothing.

use crate::common::{StoryFolder, stderr};

/// Each study in `tests/invalid` has its message beside it. With
/// `UPDATE_EXPECT=1` the messages are written anew, to be read and committed.
#[test]
fn every_invalid_study_has_its_message() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/invalid");
    let mut studies: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml" || e == "fio"))
        .collect();
    studies.sort();
    assert!(studies.len() > 20);
    for path in studies {
        let place = StoryFolder::new();
        let name = path.file_name().unwrap().to_str().unwrap();
        std::fs::copy(&path, place.path().join(name)).unwrap();
        let output = place.run(&["run", &format!("./{name}")]);
        let found = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {found}");
        assert!(output.stdout.is_empty(), "{name}");
        assert_eq!(place.names(), [name], "{name} left something behind");
        assert!(!place.store().exists(), "{name} made a store");
        let expected_path = path.with_extension("txt");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&expected_path, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        assert_eq!(found, expected, "{name}: UPDATE_EXPECT=1 writes the message anew");
    }
}

/// (arguments, exit code, what the message must say)
const ARGUMENTS: &[(&[&str], i32, &[&str])] = &[
    (&["run", "dsik"], 2, &["no workload and no built-in study `dsik`", "did you mean `disk`"]),
    (&["run", "no-such.toml"], 2, &["there is no file no-such.toml"]),
    (&["run", "disk", "--qeue-depth", "4"], 2, &["--qeue-depth", "--queue-depth"]),
    (&["run", "disk", "--max-prime", "4"], 2, &["`disk` has no parameter `max-prime`"]),
    (
        &["run", "disk", "--replay", "trace"],
        2,
        &["`disk` has no parameter `replay`", "headroom run disk.replay --replay"],
    ),
    (&["run", "disk.replay"], 2, &["plays a recording, and none is given", "--replay FILE"]),
    (&["run", "disk.replay", "--replay", "no-such-log"], 2, &["reading no-such-log", "no such file"]),
    (&["run", "disk", "--block-size", "4q"], 2, &["--block-size 4q", "`q` is not a unit"]),
    (&["run", "disk", "--queue-depth", "1,,4"], 2, &["a value is missing here"]),
    (&["run", "disk", "--queue-depth", "64..1"], 2, &["this range runs backwards"]),
    (&["run", "disk", "--set", "swapp=off"], 2, &["no setting `swapp`", "did you mean `swap`"]),
    (&["run", "disk", "--trials", "0"], 2, &["trials"]),
    (&["run", "disk", "--precision", "2%"], 2, &["precision has no room", "--trials 5..15"]),
    (&["run", "null", "--trials", "5..15"], 2, &["need a precision"]),
    (&["run", "null", "--seed", "-1"], 2, &["is not a seed"]),
    (&["run", "null", "--pin", "here"], 2, &["is not a placement", "spread"]),
    (&["run", "null", "--pin", "cpus:3-1"], 2, &["no list of CPUs", "cpus:2-5"]),
    (&["run", "null", "--pin", "cpus:0,0"], 2, &["CPU 0 stands there twice"]),
    (&["run", "null", "--pin", "cpus:65000"], 2, &["names CPU 65000", "not online", "may run on CPU"]),
    (&["run", "null", "--duration", "1", "--threads", "2"], 2, &["`1` has no unit"]),
    (
        &["run", "null", "--with", "disk --pattren write"],
        2,
        &["no parameter `pattren`", "did you mean `pattern`"],
    ),
    (&["run", "null", "--duration", "0.0001us"], 2, &["`0.0001us` is too small: at least 0.001us"]),
    (&["run", "null", "--duration", "99999999999999999999d"], 2, &["is too large: at most 3650d"]),
    (&["run", "null", "--warm-up", "99999999999999999999d"], 2, &["is too large: at most 3650d"]),
    (&["run", "null", "--patience", "99999999999999999999d"], 2, &["is too large: at most 3650d"]),
    (&["run", "null", "--budget", "0.0000001us"], 2, &["is too small"]),
    (&["run", "null", "--join-within", "99999999999999999999d"], 2, &["this is no duration"]),
    (&["run", "null", "--rate", "99999999999999999999g/s"], 2, &["is too large"]),
    (&["run", "null", "--rate", "0.00000000001/s"], 2, &["is too small"]),
    (&["run", "null", "--queue-depth", "99999999999999999999m"], 2, &["is too large"]),
    (&["run", "disk", "--size", "99999999999999999999t"], 2, &["is too large"]),
    (
        &["run", "null", "--precision", "0.0000000001%", "--trials", "5..99999999999"],
        2,
        &["is not a number of trials"],
    ),
    (
        &["run", "null", "--expect", "throughput >= 5MB/s"],
        2,
        &["no workload of this study has the metric `throughput`", "operations_per_second"],
    ),
    (&["run", "disk", "--expect", "latency_p99 < 5MB/s"], 2, &["`MB/s` is not a unit", "1.5ms"]),
    (
        &["run", "null", "--expect", "latency_p99 < 1ms", "--expect", "latency_p99 > 2ms"],
        2,
        &["no result keeps both `latency_p99 < 1ms` and `latency_p99 > 2ms`"],
    ),
    (
        &["run", "null", "--expect", "latency_p99 < 1ms where threads=7"],
        2,
        &["no case of this study is meant"],
    ),
    (&["run", "null", "--abort-when", "errors"], 2, &["`errors` has no bound"]),
    (&["run", "/dev/zero"], 2, &["/dev/zero is no file"]),
    (&["run", "."], 2, &["there is no workload and no built-in study `.`"]),
    (&["show", "/dev/zero"], 2, &["/dev/zero is no run: it is a device"]),
    (&["compare", "/dev/zero", "last"], 2, &["it is a device"]),
    (&["compare", "last", "--class=sata-sdd"], 2, &["there is no class `sata-sdd`", "sata-ssd"]),
    (&["compare", "last", "first", "--class"], 2, &["--class is about one run"]),
    (&["compare", "last", "--class", "--by", "threads"], 2, &["cannot be used with"]),
    (&["machine", "--host", "/dev/zero"], 2, &["/dev/zero is no recording"]),
    (&["node", "--join", "/dev/zero"], 2, &["there is no join string in /dev/zero: it is a device"]),
    (
        &["node", "--print", "--key-file", "/dev/zero"],
        3,
        &["the key file /dev/zero cannot be read: it is a device"],
    ),
    (&["run", "null", "--with", "disk pattern"], 2, &["is not an option"]),
    (&["run", "null", "--with", "disk --duration 1s"], 2, &["shares the window"]),
    (&["run", "null", "--duration", "1s", "--duration", "2s"], 2, &["cannot be used multiple times"]),
    (&["run", "disk", "--target", "no/such/folder"], 2, &["does not exist"]),
    (&["run", "disk", "--target", "/dev/null"], 3, &["neither a folder, a regular file nor a block device"]),
    (&["run", "disk", "--target", "mine", "--pattern", "write"], 3, &["mine exists", "--destroy mine"]),
    (&["run", "disk", "--wipe", "ext4"], 2, &["--wipe alone gives nothing up", "--destroy"]),
    (&["run", "null", "--with", "disk --destroy mine"], 2, &["`destroy` cannot stand in a study"]),
    (
        &["run", "disk", "--target", "mine", "--precondition", "full"],
        3,
        &["precondition=full would overwrite it"],
    ),
    (
        &["run", "disk", "--target", "mine", "--purge", "yes"],
        3,
        &["purge=yes would overwrite it", "--destroy mine"],
    ),
    (
        &[
            "run",
            "disk",
            "--target",
            "mine",
            "--purge",
            "yes",
            "--destroy",
            "mine",
            "--block-size",
            "1B",
            "--direct",
            "no",
        ],
        2,
        &["purge discards the blocks of a device", "mine is a file"],
    ),
    (
        &["run", "disk", "--pattern", "write", "--until", "full", "--size", "1m", "--precondition", "fill"],
        2,
        &["needs it empty"],
    ),
    (
        &["run", "disk", "--pattern", "randwrite", "--until", "full", "--size", "1m"],
        2,
        &["only sequential writes"],
    ),
    (
        &["run", "disk", "--pattern", "write", "--until", "full", "--size", "1m", "--offset", "4k"],
        2,
        &["until=full begins at the first byte"],
    ),
    (&["run", "disk", "--pattern", "read", "--places", "8"], 2, &["places=8 are visited once each"]),
    (
        &["run", "disk", "--pattern", "read", "--until", "end", "--places", "8", "--threads", "2"],
        2,
        &["by one thread in one file"],
    ),
    (&["run", "null", "--latency-target", "1ms@99%", "--rate", "1k/s"], 2, &["target is to find"]),
    (
        &["run", "null", "--latency-target", "1ms@99%", "--requests", "1k"],
        2,
        &["requests cannot end a trial that searches"],
    ),
    (&["run", "null", "--latency-target", "1ms"], 2, &["has no `@`"]),
    (&["run", "null", "--with", "null --latency-target 1ms@99%"], 2, &["only the rate of the main load"]),
    (&["run", "memory.bandwidth", "--latency-target", "1ms@99%"], 2, &["no rate to search"]),
    (&["run", "disk", "--size", "4096TiB"], 3, &["no room"]),
    (&["run", "disk", "--target", "/proc"], 3, &["/proc"]),
    (&["run", "memory.bandwidth", "--size", "1TiB"], 3, &["are free"]),
    (&["run", "null", "--memory-node", "999"], 3, &["no NUMA node 999"]),
    (&["run", "disk", "--engine", "null", "--cpu-node", "999"], 3, &["no NUMA node 999"]),
    (&["run", "net.stream", "--peer-cpu-node", "999"], 3, &["the other end: there is no NUMA node 999"]),
    (&["run", "null", "-o", "page.xyz"], 2, &["does not say in which format"]),
    (&["run", "null", "-o", "no/such/run.json"], 3, &["no/such/run.json"]),
    (&["show", "last"], 2, &["run"]),
    (&["workloads", "disc"], 2, &["did you mean `disk`"]),
    (&["machine", "--host", "no/such.host"], 2, &["no recording at no/such.host", "--record"]),
    (&["machine", "--host", "."], 2, &["is no recording of a machine"]),
    (&["machine", "--host", "mine"], 2, &["mine is no recording of a machine"]),
    (&["doctor", "--host", "mine"], 2, &["mine is no recording of a machine"]),
    (&["machine", "--record", "x.host", "--host", "mine"], 2, &["cannot be used with"]),
    (&["machine", "--record", "mine"], 3, &["mine is there already", "ending in .host"]),
    (&["machine", "--record", "."], 3, &["is there already"]),
    (&["machine", "--record", "no/such/x.host"], 3, &["cannot be written"]),
    (&["machine", "--svg", "no/such/x.svg"], 3, &["no/such/x.svg", "there is no folder no/such"]),
    (&["machine", "--svg", "mine"], 3, &["mine cannot be written", "is no picture"]),
    (&["machine", "--svg", "."], 3, &["that is a folder"]),
    (&["machine", "--svg", "/proc/x.svg"], 3, &["no file can be made in the folder /proc"]),
    (&["machine", "--svg", "/dev/null"], 3, &["is no picture"]),
    (&["machine", "--svg", "-", "--json"], 2, &["cannot both be printed"]),
    (&["nothing"], 2, &["nothing"]),
];

#[test]
fn every_wrong_argument_has_its_message_and_exit_code() {
    for (arguments, code, says) in ARGUMENTS {
        let place = StoryFolder::new();
        std::fs::write(place.path().join("mine"), "precious").unwrap();
        let output = place.run(arguments);
        let found = stderr(&output);
        // Messages wrap; what is looked for may stand across lines.
        let flat: String = found.split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "");
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {found}");
        for text in *says {
            assert!(flat.contains(text), "{arguments:?} does not say `{text}`: {found}");
        }
        assert_eq!(place.names(), ["mine"], "{arguments:?} left something behind");
        assert_eq!(std::fs::read_to_string(place.path().join("mine")).unwrap(), "precious");
    }
}

#[test]
fn a_store_that_is_not_ours_stays_as_it_is() {
    let place = StoryFolder::new();
    std::fs::write(place.store(), "these are my notes").unwrap();
    for arguments in [&["run", "null"][..], &["list"], &["show", "last"]] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert_eq!(std::fs::read_to_string(place.store()).unwrap(), "these are my notes");
    }
}

#[test]
fn a_read_only_folder_is_refused() {
    // Root may write anywhere but on a read-only file system.
    let output = StoryFolder::new().run(&["run", "disk", "--target", "/sys"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
}
