//! Values of options that other tools call otherwise.

/// Values that have another name here: of which option, their word, ours.
pub const VALUES: &[(&str, &str, &str)] = &[
    ("pattern", "rand", "randread"),
    ("pattern", "random", "randread"),
    ("pattern", "rnd", "randread"),
    ("pattern", "rndrd", "randread"),
    ("pattern", "rndwr", "randwrite"),
    ("pattern", "rndrw", "randrw"),
    ("pattern", "random-read", "randread"),
    ("pattern", "random-write", "randwrite"),
    ("pattern", "randomread", "randread"),
    ("pattern", "randomwrite", "randwrite"),
    ("pattern", "seq", "read"),
    ("pattern", "sequential", "read"),
    ("pattern", "seqrd", "read"),
    ("pattern", "seqread", "read"),
    ("pattern", "seqwr", "write"),
    ("pattern", "seqwrite", "write"),
    ("pattern", "seqrewr", "write"),
    ("pattern", "mixed", "randrw"),
    ("pattern", "mix", "randrw"),
    ("engine", "uring", "io_uring"),
    ("engine", "io-uring", "io_uring"),
    ("engine", "iouring", "io_uring"),
    ("direction", "download", "receive"),
    ("direction", "upload", "send"),
    ("direction", "reverse", "receive"),
    ("direction", "bidirectional", "both"),
    ("start", "mysql", "mariadb"),
    ("start", "postgresql", "postgres"),
    ("start", "pg", "postgres"),
    ("access", "seq", "sequential"),
    ("access", "rnd", "random"),
    ("access", "rand", "random"),
];

/// What a value is here, of the option that is called `name` here.
#[must_use]
pub fn value(name: &str, theirs: &str) -> Option<&'static str> {
    VALUES.iter().find(|(of, value, _)| *of == name && *value == theirs).map(|(_, _, ours)| *ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_one_meaning() {
        for (at, (of, theirs, _)) in VALUES.iter().enumerate() {
            assert!(VALUES[..at].iter().all(|(o, t, _)| (o, t) != (of, theirs)), "{of}={theirs}");
        }
    }
}
