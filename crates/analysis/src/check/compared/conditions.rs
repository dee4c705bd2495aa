//! Two results that a text compares, and that were measured under conditions which differ in more than what it compares.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Severity};

use super::sides::{ComparedPair, pairs, prose};
use crate::check::work::bytes;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// A condition: the names that options of tools have for it, what it is called here, and words by which a text says that this is
/// what it compares.
struct Condition {
    code: &'static str,
    options: &'static [&'static str],
    words: &'static [&'static str],
}

const CONDITIONS: &[Condition] = &[
    Condition {
        code: "block-size",
        options: &[
            "bs",
            "blocksize",
            "block-size",
            "file-block-size",
            "memory-block-size",
            "record-size",
            "ibs",
            "obs",
        ],
        words: &["block", "bs=", "record size", "블록", "ブロック", "io size", "i/o size"],
    },
    Condition {
        code: "duration",
        options: &["runtime", "time", "duration", "max-time", "z"],
        words: &["duration", "runtime", "longer", "seconds", "minutes", "시간", "時間"],
    },
    Condition {
        code: "amount",
        options: &[
            "size",
            "filesize",
            "file-total-size",
            "count",
            "requests",
            "transactions",
            "events",
            "max-requests",
            "n",
        ],
        words: &["file size", "larger file", "smaller file", "size", "amount", "크기", "サイズ"],
    },
    Condition {
        code: "threads",
        options: &[
            "numjobs",
            "threads",
            "num-threads",
            "jobs",
            "client",
            "clients",
            "connections",
            "concurrency",
            "c",
            "parallel",
            "P",
        ],
        words: &[
            "thread",
            "job",
            "client",
            "connection",
            "concurren",
            "parallel",
            "stream",
            "worker",
            "process",
            "스레드",
            "스트림",
            "スレッド",
            "並列",
        ],
    },
    Condition {
        code: "depth",
        options: &["iodepth", "queues", "pipeline"],
        words: &["depth", "qd", "queue", "pipelin", "깊이", "深さ"],
    },
    Condition {
        code: "direct",
        options: &[
            "direct",
            "buffered",
            "oflag",
            "iflag",
            "conv",
            "fsync",
            "fdatasync",
            "end_fsync",
            "sync",
            "file-extra-flags",
        ],
        words: &["direct", "buffer", "cache", "sync", "캐시", "キャッシュ"],
    },
    Condition {
        code: "engine",
        options: &["ioengine", "file-io-mode"],
        words: &["engine", "uring", "libaio", "psync", "엔진", "エンジン"],
    },
    Condition {
        code: "rate",
        options: &["rate", "rate_iops", "R", "qps", "bandwidth"],
        words: &["rate limit", "limited", "throttl", "at a rate", "속도 제한", "制限"],
    },
    Condition {
        code: "protocol",
        options: &["udp", "u", "protocol"],
        words: &["udp", "tcp", "protocol", "prepared", "simple", "프로토콜", "プロトコル"],
    },
    Condition {
        code: "message-size",
        options: &["length", "len", "l", "window", "w", "packetsize", "data-size", "d"],
        words: &["length", "window", "message", "payload", "packet size", "버퍼", "バッファ"],
    },
    Condition {
        code: "mix",
        options: &["rwmixread", "rwmixwrite", "percentage_random", "ratio", "file-rw-ratio"],
        words: &["mix", "ratio", "비율", "割合"],
    },
];

/// Patterns of other work are not compared with one another. They stand in one text, with commas between them.
const PATTERNS: &str = "rw, readwrite, test, benchmark, operation, phase, file-test-mode, reverse, bidir, builtin, \
     method, mode, name-of-test";

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "conditions-differ",
    doc: "A text compares two results, by what stands above them or by saying that one is so much faster, and their commands or \
          printed options differ in more than what it says that it compares: block size, duration, threads, caches and the like.",
    english: r#"
finding-conditions-differ =
    { $how ->
        [headings] “{ $name }” and “{ $other }” are compared
       *[claim] the two results are compared
    }, but they differ in { $of ->
        [block-size] the block size
        [duration] how long they ran
        [amount] how much was done
        [threads] how many did it at once
        [depth] the queue depth
        [direct] whether caches may answer
        [engine] the I/O engine
        [rate] the rate that was asked for
        [protocol] the protocol
        [message-size] the size of messages or windows
       *[mix] the mix of operations
    }, too: { $printed } in one, { $amount } in the other{ $more ->
        [0] {""}
        [1] {" "}(and in one thing more)
       *[other] {" "}(and in { $more } things more)
    }
    .advice = measure both with the same options, but for the one that is compared

evidence-condition-line =
    lines { $first } to { $last }: { $printed }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let of_text = |output| {
        let pairs = pairs(output);
        let prose = if pairs.is_empty() { String::new() } else { prose(output) };
        pairs.iter().find_map(|pair| contradiction(pair, &prose))
    };
    context.outputs.iter().filter_map(of_text).collect()
}

/// What differs between two results, though it is not what is compared.
fn contradiction(pair: &ComparedPair<'_>, prose: &str) -> Option<Finding> {
    let is_same_work =
        PATTERNS.split(", ").all(|name| pair.one.options.get(name) == pair.other.options.get(name));
    if !is_same_work || pair.one.workload != pair.other.workload {
        return None;
    }
    let differing = CONDITIONS.iter().filter_map(|condition| Some((condition, condition.difference(pair)?)));
    let meant = |condition: &Condition, (one, other): &(String, String)| {
        let value = |text: &String| {
            let (_, value) = text.split_once('=').unwrap_or(("", text));
            value.len() > 1 && prose.contains(&value.to_lowercase())
        };
        condition.words.iter().any(|word| prose.contains(word)) || value(one) || value(other)
    };
    let unsaid: Vec<(&Condition, (String, String))> =
        differing.filter(|(condition, values)| !meant(condition, values)).collect();
    let (first, (one, other)) = unsaid.first()?;
    let line = |result: &ToolResult, text: &str| {
        Evidence::maybe_at("condition-line", None)
            .arg("first", result.lines.first)
            .arg("last", result.lines.last)
            .arg("printed", text)
    };
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("how", if pair.headings.is_some() { "headings" } else { "claim" })
        .arg("of", first.code)
        .arg("printed", one.as_str())
        .arg("amount", other.as_str())
        .arg("more", u64::try_from(unsaid.len() - 1).ok()?)
        .because(line(pair.one, one))
        .because(line(pair.other, other));
    Some(match &pair.headings {
        Some((one, other)) => finding.arg("name", one.as_str()).arg("other", other.as_str()),
        None => finding,
    })
}

impl Condition {
    /// The values of the first of its options that differs. What only one of them tells is a difference where both commands are
    /// known.
    fn difference(&self, pair: &ComparedPair<'_>) -> Option<(String, String)> {
        let (one, other) = (&pair.one.options, &pair.other.options);
        let knows_both = !pair.one.command.is_empty() && !pair.other.command.is_empty();
        let of_option = |name: &&str| {
            let (a, b) = (one.get(*name).map(String::as_str), other.get(*name).map(String::as_str));
            let shown = |value: Option<&str>| match value {
                Some("" | "yes") => (*name).to_owned(),
                Some(value) => format!("{name}={value}"),
                None => format!("no {name}"),
            };
            let differs = match (a, b) {
                (Some(a), Some(b)) => !is_same(a, b),
                (None, None) => false,
                _ => knows_both && self.is_off_unless_given(),
            };
            differs.then(|| (shown(a), shown(b)))
        };
        self.options.iter().find_map(of_option)
    }

    /// Whether what is not given is off: a default that is a number may be the same as what is given.
    fn is_off_unless_given(&self) -> bool {
        ["direct", "rate"].contains(&self.code)
    }
}

/// Whether two values mean the same: `4k` and `4096`, `30s` and `30`, `1` and `yes`.
fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim().to_ascii_lowercase(), b.trim().to_ascii_lowercase());
    let seconds = |text: &str| {
        let text = text.strip_suffix("sec").or(text.strip_suffix('s')).unwrap_or(text);
        match text.strip_suffix('m').or(text.strip_suffix("min")) {
            Some(minutes) => minutes.trim().parse::<f64>().ok().map(|minutes| minutes * 60.0),
            None => text.trim().parse::<f64>().ok(),
        }
    };
    let is_same_number =
        |of: &dyn Fn(&str) -> Option<f64>| of(&a).is_some_and(|a| of(&b).is_some_and(|b| a == b));
    let is_on = |text: &str| ["1", "yes", "true", "on"].contains(&text);
    a == b
        || is_same_number(&|text| bytes(text).map(|bytes| bytes as f64))
        || is_same_number(&seconds)
        || is_on(&a) && is_on(&b)
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn fio(options: &str, rate: &str) -> String {
        format!(
            "$ fio --name=a --filename=/data/a --rw=randread --ioengine=libaio {options}\nfio-3.33\n\
             a: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS={rate}, BW=39.1MiB/s (41.0MB/s)(391MiB/10000msec)\n"
        )
    }

    fn told(text: &str) -> Option<Value> {
        fixture::found(&CHECK, text).first().map(|finding| finding.args["of"].clone())
    }

    const PLAIN: &str = "--bs=4k --iodepth=32 --direct=1 --runtime=30";

    #[test]
    fn what_is_compared_is_the_only_difference() {
        let both = |one: &str, other: &str| {
            told(&format!(
                "Before the upgrade:\n{}\nAfter the upgrade:\n{}\n",
                fio(one, "10.0k"),
                fio(other, "12.1k")
            ))
        };
        assert_eq!(both(PLAIN, PLAIN), None);
        assert_eq!(both(PLAIN, "--bs=4096 --iodepth=32 --direct=1 --runtime=30s"), None);
        for (other, of) in [
            ("--bs=8k --iodepth=32 --direct=1 --runtime=30", "block-size"),
            ("--bs=4k --iodepth=64 --direct=1 --runtime=30", "depth"),
            ("--bs=4k --iodepth=32 --runtime=30", "direct"),
            ("--bs=4k --iodepth=32 --direct=1 --runtime=60", "duration"),
        ] {
            assert_eq!(both(PLAIN, other), Some(Value::from(of)));
        }
    }

    #[test]
    fn what_the_text_says_that_it_compares_may_differ() {
        let text = |heading: &str, end: &str| {
            format!(
                "{heading}\n{}\nwith the new setting\n{}\n{end}\n",
                fio(PLAIN, "10.0k"),
                fio("--bs=4k --iodepth=64 --direct=1 --runtime=30", "12.1k")
            )
        };
        assert_eq!(told(&text("without the new setting", "")), Some(Value::from("depth")));
        assert_eq!(told(&text("without the new setting", "The queue depth is what differs.")), None);
        assert_eq!(told(&text("Random reads", "")), None, "nothing says that they are compared");
    }

    #[test]
    fn a_claim_compares_two_results_without_headings() {
        let text = |claim: &str| {
            format!(
                "{}\n{}\n{claim}\n",
                fio(PLAIN, "10.0k"),
                fio("--bs=16k --iodepth=32 --direct=1 --runtime=30", "12.1k")
            )
        };
        assert_eq!(told(&text("The second disk is 21% faster.")), Some(Value::from("block-size")));
        assert_eq!(told(&text("With a larger block it is 21% faster.")), None);
        assert_eq!(told(&text("Two tests.")), None);
    }

    #[test]
    fn values_are_the_same_however_they_are_written() {
        assert!(is_same("4k", "4096") && is_same("30s", "30") && is_same("1m", "60") && is_same("1", "yes"));
        assert!(!is_same("4k", "8k") && !is_same("libaio", "psync"));
    }
}
