//! Words of fio that are typed out of habit on the command line of another tool: what they are
//! called here.

/// fio's options that have another name here.
pub const OPTIONS: &[(&str, &str)] = &[
    ("blocksize", "block-size"),
    ("bs", "block-size"),
    ("directory", "target"),
    ("filename", "target"),
    ("iodepth", "queue-depth"),
    ("iodepth_batch", "submit-batch"),
    ("iodepth_batch_complete_min", "complete-batch"),
    ("iodepth_batch_submit", "submit-batch"),
    ("ioengine", "engine"),
    ("loops", "trials"),
    ("nrfiles", "files"),
    ("numjobs", "threads"),
    ("ramp_time", "warm-up"),
    ("randseed", "seed"),
    ("rate_iops", "rate"),
    ("readwrite", "pattern"),
    ("runtime", "duration"),
    ("rw", "pattern"),
    ("rwmixread", "read-share"),
];

/// fio's options that need no hint here, and why.
pub const NEEDLESS: &[(&str, &str)] = &[
    ("fsync", "every so many writes are synced with `--sync fsync --sync-every N`"),
    (
        "fdatasync",
        "every so many writes are synced with `--sync fsync --sync-every N`, which is by fdatasync",
    ),
    ("group_reporting", "leave it out: all threads of a case are one result"),
    ("name", "leave it out: a case is called by what is asked of it"),
    ("output-format", "`--json` prints the run document; `-o FILE` writes a page"),
    ("rwmixwrite", "say the other share: `--read-share 70%` writes 30 %"),
    ("time_based", "leave it out: a trial takes its `--duration`"),
];

/// Values of fio that have another name here: the option, fio's word, ours.
pub const VALUES: &[(&str, &str, &str)] = &[
    ("engine", "libaio", "aio"),
    ("engine", "posixaio", "aio"),
    ("engine", "psync", "sync"),
    ("engine", "pvsync", "sync"),
    ("engine", "pvsync2", "sync"),
    ("engine", "vsync", "sync"),
    ("pattern", "rw", "readwrite"),
];

/// What an option of fio is here.
#[must_use]
pub fn option(name: &str) -> Option<String> {
    let find = |table: &'static [(&str, &str)]| table.iter().find(|(theirs, _)| *theirs == name);
    let ours =
        find(OPTIONS).map(|(_, ours)| format!("did you mean `--{ours}`? That is what fio calls {name}"));
    ours.or_else(|| find(NEEDLESS).map(|(_, why)| (*why).to_owned()))
}

/// What a value of fio is here, of the option that is called `name` here.
#[must_use]
pub fn value(name: &str, theirs: &str) -> Option<&'static str> {
    VALUES.iter().find(|(of, value, _)| *of == name && *value == theirs).map(|(_, _, ours)| *ours)
}

/// Whether a text is a job file of fio, whatever it is called.
#[must_use]
pub fn is_job(text: &str) -> bool {
    const KEYS: &[&str] =
        &["rw", "readwrite", "ioengine", "iodepth", "bs", "blocksize", "numjobs", "filename"];
    // In TOML a text has quotes.
    let is_option = |line: &str| {
        line.split_once('=').is_some_and(|(key, value)| {
            KEYS.contains(&key.trim()) && !value.trim_start().starts_with(['"', '\''])
        })
    };
    text.lines().map(str::trim).any(|line| line == "[global]" || is_option(line))
}
