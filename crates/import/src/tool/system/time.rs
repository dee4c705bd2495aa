//! What `time` prints: of bash, ksh and zsh, of csh and fish, of POSIX (`-p`), of GNU with or without `-v`,
//! of BSD and macOS, and PowerShell's Measure-Command. Decimals may follow a comma.

use model::tool_result::{Counting, LineRange, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use super::time_form::Form;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{LeadingNumber, leading, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Time;

const NAME: &str = "time";

const RULES: &[CountingRule] = &[CountingRule {
    tool: NAME,
    versions: "GNU 1.8 and 1.9",
    units: "k behind maxresident, and kbytes",
    counting: Counting::Binary,
    proof: "time-1.9-gnu: dd with a block of 209715200 bytes has 206640maxresident)k, less than 209715 of 1000 bytes; \
            getrusage(2) counts ru_maxrss in 1024 bytes. busybox and GNU 1.7 take these for pages, of 4 times that \
            (time-busybox-1.35-both); of busybox it is not read",
}];

const USER: MetricName = MetricName::new("cpu_user_time");
const SYSTEM: MetricName = MetricName::new("cpu_system_time");
const CPU_SHARE: MetricName = MetricName::new("cpu_share");
const RESIDENT_MAX: MetricName = MetricName::new("memory_resident_max");
const MAJOR_FAULTS: MetricName = MetricName::new("major_page_faults");
const MINOR_FAULTS: MetricName = MetricName::new("minor_page_faults");
const READ_BYTES: MetricName = MetricName::new("read_bytes");
const WRITTEN_BYTES: MetricName = MetricName::new("written_bytes");
const VALUE_ENDS: &[char] = &['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '%'];

impl ToolReader for Time {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the times of bash, ksh, zsh, csh and fish, of POSIX, GNU (`-v`, too), BSD and macOS, and Measure-Command"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["time", "gtime"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "real",
            "elapsed",
            "Command being timed:",
            "User time (seconds):",
            "Executed in",
            "Days ",
            "%",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if is_certain(line) {
            return Some(Beginning::Certain);
        }
        let text = line.text.trim();
        let (name, rest) = text.split_once(char::is_whitespace)?;
        (name == "real" && duration(line, rest).is_some()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let Some(first) = before.first() else {
            let is_alone = of_zsh(last).is_some() || of_csh(last).is_some();
            return if is_alone { Extent::EndsHere } else { Extent::More };
        };
        let is_more = match Form::of(first.text.trim()) {
            Form::Shell => {
                let is_one = |name: &str| text.starts_with(name) && of_shell(last).is_some();
                let is_other = ["user", "sys"].into_iter().any(is_one);
                return match is_other {
                    true if text.starts_with("sys") => Extent::EndsHere,
                    true => Extent::More,
                    false => Extent::EndsBefore,
                };
            }
            Form::Gnu => before.len() == 1 && text.contains("pagefaults"),
            Form::Verbose => text.contains(": ") && (last.is_indented() || text.ends_with(VALUE_ENDS)),
            Form::Bsd => whole(text).is_some() && OF_BSD.iter().any(|name| text.ends_with(name)),
            Form::Fish => ["usr time", "sys time"].iter().any(|name| text.starts_with(name)),
            Form::PowerShell => text.split_once(" : ").is_some(),
            Form::OneLine => false,
        };
        if is_more { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().ok_or(NotUnderstood::CutShort)?;
        let form = Form::of(first.text.trim());
        let mut times = Times::default();
        for line in block.lines {
            if !times.take(form, line) && !line.is_blank() {
                times.unread.push(LineRange { first: line.number, last: line.number });
            }
        }
        let elapsed = times.elapsed.ok_or(NotUnderstood::CutShort)?;
        let mut result = block.result(NAME, self.programs());
        let version = if times.is_busybox { Some("busybox") } else { form.name() };
        result.version = version.map(str::to_owned);
        result.unread = times.unread;
        result.whole.window = Some(elapsed.clone());
        result.whole.add(metric::ELAPSED, Some(elapsed));
        for (metric, printed) in times.figures {
            result.whole.add(metric, Some(printed));
        }
        let timed = timed(&result.command).unwrap_or_default().join(" ");
        let timed = Some(timed).filter(|words| !words.is_empty()).or(times.command);
        result.options.extend(timed.map(|command| ("command".to_owned(), command)));
        Ok(vec![result])
    }
}

/// Ends of the lines of BSD's and macOS's `-l`.
const OF_BSD: &[&str] = &[
    "resident set size",
    "memory size",
    "data size",
    "stack size",
    "page reclaims",
    "page faults",
    "swaps",
    "block input operations",
    "block output operations",
    "messages sent",
    "messages received",
    "signals received",
    "context switches",
    "instructions retired",
    "cycles elapsed",
    "memory footprint",
];

/// The words of the command that was timed: those behind `time` and its options.
fn timed(command: &[String]) -> Option<&[String]> {
    let mut at = 1;
    while let Some(word) = command.get(at).filter(|word| word.starts_with('-')) {
        let takes_one = matches!(word.as_str(), "-f" | "-o" | "--format" | "--output");
        at += if takes_one { 2 } else { 1 };
    }
    command.get(at..)
}

/// What was read so far.
#[derive(Default)]
struct Times {
    elapsed: Option<PrintedValue>,
    figures: Vec<(MetricName, PrintedValue)>,
    command: Option<String>,
    unread: Vec<LineRange>,
    /// Whether it is busybox's list, which looks like GNU's.
    is_busybox: bool,
}

impl Times {
    /// Takes a line; says whether it was understood.
    fn take(&mut self, form: Form, line: &ToolLine) -> bool {
        let found = match form {
            Form::Shell => of_shell(line).map(|one| vec![one]),
            Form::Gnu => of_gnu(line),
            Form::Verbose => self.of_verbose(line),
            Form::Bsd => of_bsd(line),
            Form::Fish => of_fish(line).map(|one| vec![one]),
            Form::PowerShell => of_powershell(line),
            Form::OneLine => of_zsh(line).or_else(|| of_csh(line)),
        };
        let Some(found) = found else { return false };
        for (metric, printed) in found {
            if metric == metric::ELAPSED {
                self.elapsed = Some(printed);
            } else {
                self.figures.push((metric, printed));
            }
        }
        true
    }

    /// `Maximum resident set size (kbytes): 2048`.
    fn of_verbose(&mut self, line: &ToolLine) -> Option<Found> {
        let text = line.text.trim();
        if let Some(command) = text.strip_prefix("Command being timed: ") {
            self.command = Some(command.trim_matches('"').to_owned());
            return Some(Vec::new());
        }
        // A colon stands in `h:mm:ss`, too.
        let (name, value) = text.rsplit_once(": ")?;
        if name.starts_with("Elapsed (wall clock) time") {
            self.is_busybox = value.contains("m ");
            return Some(vec![(metric::ELAPSED, duration(line, value)?)]);
        }
        match VERBOSE.iter().find(|(known, ..)| *known == name) {
            // busybox takes kB for pages.
            Some((_, metric, ..)) if *metric == RESIDENT_MAX && self.is_busybox => None,
            Some((_, metric, unit, scale)) => Some(vec![(*metric, scaled(line, value, *unit, *scale)?)]),
            // What Linux never counts is printed as 0.
            None => (value == "0" || name == "Page size (bytes)").then(Vec::new),
        }
    }
}

/// Figures of one line.
type Found = Vec<(MetricName, PrintedValue)>;

/// The list of GNU's `-v`, with the unit of each line.
const VERBOSE: &[(&str, MetricName, Unit, f64)] = &[
    ("User time (seconds)", USER, Unit::Seconds, 1.0),
    ("System time (seconds)", SYSTEM, Unit::Seconds, 1.0),
    ("Percent of CPU this job got", CPU_SHARE, Unit::One, 0.01),
    ("Maximum resident set size (kbytes)", RESIDENT_MAX, Unit::Bytes, 1024.0),
    ("Major (requiring I/O) page faults", MAJOR_FAULTS, Unit::One, 1.0),
    ("Minor (reclaiming a frame) page faults", MINOR_FAULTS, Unit::One, 1.0),
    ("Voluntary context switches", MetricName::new("voluntary_context_switches"), Unit::One, 1.0),
    ("Involuntary context switches", MetricName::new("involuntary_context_switches"), Unit::One, 1.0),
    // Of 512 bytes (getrusage(2)).
    ("File system inputs", READ_BYTES, Unit::Bytes, 512.0),
    ("File system outputs", WRITTEN_BYTES, Unit::Bytes, 512.0),
    ("Exit status", MetricName::new("exit_status"), Unit::One, 1.0),
];

/// Whether no other program prints such a line.
fn is_certain(line: &ToolLine) -> bool {
    let text = line.text.trim();
    match Form::of(text) {
        Form::Shell => text.contains('m') && text.ends_with('s') && of_shell(line).is_some(),
        Form::Gnu => of_gnu(line).is_some(),
        Form::Verbose => true,
        Form::Bsd => of_bsd(line).is_some(),
        Form::Fish => of_fish(line).is_some(),
        Form::PowerShell => text.split_once(" : ").is_some_and(|(name, _)| name.trim_end() == "Days"),
        Form::OneLine => text.contains('%') && (of_zsh(line).is_some() || of_csh(line).is_some()),
    }
}

/// `real\t0m1.234s`, `user 0.01`.
fn of_shell(line: &ToolLine) -> Option<(MetricName, PrintedValue)> {
    let (name, rest) = line.text.trim().split_once(char::is_whitespace)?;
    let metric = match name {
        "real" => metric::ELAPSED,
        "user" => USER,
        "sys" => SYSTEM,
        _ => return None,
    };
    Some((metric, duration(line, rest)?))
}

/// `0.01user 0.00system 0:00.01elapsed 97%CPU (0avgtext+0avgdata 2048maxresident)k`, and the line below it.
fn of_gnu(line: &ToolLine) -> Option<Found> {
    const NAMES: &[(&str, MetricName, Unit, f64)] = &[
        ("%CPU", CPU_SHARE, Unit::One, 0.01),
        ("maxresident)k", RESIDENT_MAX, Unit::Bytes, 1024.0),
        ("inputs", READ_BYTES, Unit::Bytes, 512.0),
        ("outputs", WRITTEN_BYTES, Unit::Bytes, 512.0),
        ("major", MAJOR_FAULTS, Unit::One, 1.0),
        ("minor", MINOR_FAULTS, Unit::One, 1.0),
    ];
    let one = |word: &str| {
        let word = word.strip_suffix(")pagefaults").unwrap_or(word).trim_start_matches('(');
        let times = [("user", USER), ("system", SYSTEM), ("elapsed", metric::ELAPSED)];
        if let Some((number, metric)) =
            times.into_iter().find_map(|(name, metric)| Some((word.strip_suffix(name)?, metric)))
        {
            return Some((metric, duration(line, number)?));
        }
        let (name, metric, unit, scale) = NAMES.iter().find(|(name, ..)| word.ends_with(*name))?;
        let number = word.strip_suffix(*name)?;
        let printed = scaled(line, number, *unit, *scale)?;
        Some((*metric, PrintedValue { text: word.to_owned(), ..printed }))
    };
    let found: Found = line.text.split([' ', '+']).filter_map(one).collect();
    (!found.is_empty()).then_some(found)
}

/// `1.01 real         0.00 user         0.00 sys`; of OpenBSD's ksh `0m01.01s real     0m00.00s user`.
fn of_bsd(line: &ToolLine) -> Option<Found> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [real, "real", user, "user", system, "sys" | "system"] = words.as_slice() else { return None };
    Some(vec![
        (metric::ELAPSED, duration(line, real)?),
        (USER, duration(line, user)?),
        (SYSTEM, duration(line, system)?),
    ])
}

/// `Executed in    1.00 secs      fish           external`, and those below it.
fn of_fish(line: &ToolLine) -> Option<(MetricName, PrintedValue)> {
    let text = line.text.trim();
    let names = [("Executed in", metric::ELAPSED), ("usr time", USER), ("sys time", SYSTEM)];
    let (rest, metric) =
        names.into_iter().find_map(|(name, metric)| Some((text.strip_prefix(name)?, metric)))?;
    let words: Vec<&str> = rest.split_whitespace().take(2).collect();
    let [number, unit] = words.as_slice() else { return None };
    let scale = match *unit {
        "micros" => 1e-6,
        "millis" => 1e-3,
        "secs" => 1.0,
        "mins" => 60.0,
        "hours" => 3600.0,
        _ => return None,
    };
    let printed = scaled(line, number, Unit::Seconds, scale)?;
    Some((metric, PrintedValue { text: words.join(" "), ..printed }))
}

/// `TotalSeconds      : 1.0123456`. The others say the same.
fn of_powershell(line: &ToolLine) -> Option<Found> {
    let (name, value) = line.text.trim().split_once(" : ")?;
    match name.trim_end() {
        "TotalSeconds" => Some(vec![(metric::ELAPSED, duration(line, value)?)]),
        _ => Some(Vec::new()),
    }
}

/// `sleep 1  0.00s user 0.00s system 0% cpu 1.003 total`.
fn of_zsh(line: &ToolLine) -> Option<Found> {
    let text = line.text.trim().strip_suffix(" total")?;
    let (before, elapsed) = text.rsplit_once("% cpu ")?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let [.., user, "user", system, "system", share] = words.as_slice() else { return None };
    Some(vec![
        (metric::ELAPSED, duration(line, elapsed)?),
        (USER, duration(line, user)?),
        (SYSTEM, duration(line, system)?),
        (CPU_SHARE, PrintedValue { text: format!("{share}%"), ..scaled(line, share, Unit::One, 0.01)? }),
    ])
}

/// `0.000u 0.000s 0:01.00 0.0%\t0+0k 0+0io 0pf+0w`.
fn of_csh(line: &ToolLine) -> Option<Found> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [user, system, elapsed, share, ..] = words.as_slice() else { return None };
    let (user, share) = (user.strip_suffix('u')?, share.strip_suffix('%')?);
    let system = system.strip_suffix('s').filter(|_| elapsed.contains(':'))?;
    Some(vec![
        (metric::ELAPSED, duration(line, elapsed)?),
        (USER, duration(line, user)?),
        (SYSTEM, duration(line, system)?),
        (CPU_SHARE, PrintedValue { text: format!("{share}%"), ..scaled(line, share, Unit::One, 0.01)? }),
    ])
}

/// A number of so many of a unit. Counts are exact.
fn scaled(line: &ToolLine, text: &str, unit: Unit, scale: f64) -> Option<PrintedValue> {
    let text = text.trim();
    let number = leading(text, false).filter(|number| matches!(number.rest, "" | "%"))?;
    let is_exact = unit == Unit::One && scale == 1.0 || scale == 512.0;
    Some(PrintedValue {
        half_step: if is_exact { 0.0 } else { number.half_step * scale },
        counting: (scale == 1024.0).then_some(Counting::Binary),
        ..plain(line.number, text, number.value * scale, unit)
    })
}

/// A time: `1.23`, `1.23s`, `0m1.234s`, `1:02.35`, `1:02:03`.
fn duration(line: &ToolLine, text: &str) -> Option<PrintedValue> {
    let text = text.trim();
    let (mut total, mut rest) = (0.0, text);
    loop {
        let LeadingNumber { value, half_step, rest: behind, .. } = leading(rest, false)?;
        let (scale, next) = match behind.chars().next() {
            None => (1.0, ""),
            Some('s') if behind == "s" => (1.0, ""),
            Some('h') => (3600.0, behind.get(1..)?),
            Some('m') => (60.0, behind.get(1..)?),
            Some(':') if behind.matches(':').count() == 2 => (3600.0, behind.get(1..)?),
            Some(':') => (60.0, behind.get(1..)?),
            Some(_) => return None,
        };
        total += value * scale;
        if next.is_empty() {
            let half_step = half_step * scale;
            return Some(PrintedValue { half_step, ..plain(line.number, text, total, Unit::Seconds) });
        }
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    fn elapsed_and_user(text: &str) -> (f64, f64) {
        let results = read(text);
        let [result] = results.as_slice() else { panic!("{text}: {results:?}") };
        let value = |metric| result.whole.figure(metric).unwrap().value;
        ((value(metric::ELAPSED) * 1e6).round() / 1e6, (value(USER) * 1e6).round() / 1e6)
    }

    #[test]
    fn every_form_is_read() {
        for (text, elapsed, user) in [
            ("real\t1m2.345s\nuser\t0m0.010s\nsys\t0m0.020s\n", 62.345, 0.01),
            ("real\t1m2,345s\nuser\t0m0,010s\nsys\t0m0,020s\n", 62.345, 0.01),
            ("real 2.5\nuser 0.25\nsys 0.00\n", 2.5, 0.25),
            ("        2.50 real         0.25 user         0.00 sys\n", 2.5, 0.25),
            ("    0m02.50s real     0m00.25s user     0m00.00s system\n", 2.5, 0.25),
            ("./a b  0.25s user 0.00s system 10% cpu 1:02.50 total\n", 62.5, 0.25),
            ("dd if=a of=b bs=1M  0.25s user 0.00s system 10% cpu 2.500 total\n", 2.5, 0.25),
            ("User time (seconds): 0.25\nElapsed (wall clock) time (h:mm:ss or m:ss): 0:02.50\n", 2.5, 0.25),
            ("0.250u 0.000s 0:02.50 10.0%\t0+0k 0+0io 0pf+0w\n", 2.5, 0.25),
            (
                "Executed in    2.50 secs      fish  external\n   usr time  250.00 millis  1.0 millis  1.0 micros\n",
                2.5,
                0.25,
            ),
        ] {
            assert_eq!(elapsed_and_user(text), (elapsed, user), "{text}");
        }
        let text = "Days              : 0\nSeconds           : 1\nTotalSeconds      : 1.25\n";
        assert_eq!(read(text)[0].whole.figure(metric::ELAPSED).unwrap().value, 1.25);
    }

    #[test]
    fn the_line_of_gnu_has_memory_and_faults() {
        let results = read(
            "0.01user 0.02system 0:01.50elapsed 2%CPU (0avgtext+0avgdata 2048maxresident)k\n\
             8inputs+16outputs (1major+100minor)pagefaults 0swaps\n",
        );
        let value = |metric| results[0].whole.figure(metric).unwrap().value;
        assert_eq!(
            (value(RESIDENT_MAX), value(READ_BYTES), value(WRITTEN_BYTES)),
            (2_097_152.0, 4096.0, 8192.0)
        );
        assert_eq!((value(MAJOR_FAULTS), value(MINOR_FAULTS), value(CPU_SHARE)), (1.0, 100.0, 0.02));
    }

    #[test]
    fn prose_with_these_words_is_no_time() {
        let line = |text: &str| ToolLine { number: 1, text: text.to_owned() };
        for text in
            ["real life", "real 5 apples", "the user 1 real", "time is 1.00 real", "a total", "Days : many"]
        {
            let begins = Time.begins(&line(text));
            assert!(begins.is_none() || text.starts_with("Days"), "{text}");
        }
        assert!(read("Days : many\n").is_empty());
    }

    #[test]
    fn the_command_that_was_timed_is_an_option() {
        let results = read("$ /usr/bin/time -f x dd if=a of=b\nreal 1.0\nuser 0.5\nsys 0.1\n");
        assert_eq!(results[0].options["command"], "dd if=a of=b");
    }
}
