//! hdparm -t and -T: how fast a device is read, and how fast what the caches hold. Each is a result of
//! its own.

use model::tool_result::{Counting, LineRange, PrintedValue, ToolMeasurement, ToolRemedy, ToolResult};
use model::{Unit, Value, WorkloadName, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::quantity;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::work::same_work;

/// The importer.
pub(super) struct Hdparm;

const NAME: &str = "hdparm";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MB, MB/sec, kB/sec",
    counting: Counting::Binary,
    proof: "hdparm-9.65-both: a device of 67108864 bytes, read to its end, is `64 MB` there, and 67.1 decimal MB",
};

const RULES: &[CountingRule] = &[BYTES];

/// It reads so much each time (`TIMING_BUF_MB` in its hdparm.c), and for so many seconds unless the device ends before.
const CALL_BYTES: u64 = 2 << 20;
const SECONDS: f64 = 3.0;

/// So many lines may stand between the device and its first figure.
const LINES_BEFORE: usize = 4;

impl ToolReader for Hdparm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the timings of hdparm -t and -T, with --direct and --offset or without"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["hdparm"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Timing ", "/dev/"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if is_timing(&line.text) {
            return Some(Beginning::Certain);
        }
        device(&line.text).map(|_| Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let has_timing = before.last().is_some_and(|line| is_timing(&line.text));
        match () {
            () if before.is_empty() || is_timing(&last.text) => Extent::More,
            // What a device refuses stands before the first timing, or between two of them.
            () if is_refusal(&last.text) => Extent::More,
            () if has_timing || before.len() > LINES_BEFORE => Extent::EndsBefore,
            () if last.is_blank() || last.is_indented() => Extent::More,
            () => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let device = block.lines.iter().find_map(|line| device(&line.text));
        let timings = block.lines.iter().filter(|line| is_timing(&line.text));
        let results: Vec<ToolResult> =
            timings.clone().filter_map(|line| result(line, device, block)).collect();
        match (results.is_empty(), timings.count()) {
            (false, _) => Ok(results),
            (true, 0) => Err(NotUnderstood::OtherText),
            (true, _) => Err(NotUnderstood::CutShort),
        }
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let has_direct = result.command.iter().any(|word| word == "--direct");
        if has_direct || result.command.is_empty() || !remedies.contains(&ToolRemedy::BypassPageCache) {
            return None;
        }
        let mut words = result.command.clone();
        words.insert(1, "--direct".to_owned());
        Some(words)
    }
}

/// `/dev/sda:`.
fn device(text: &str) -> Option<&str> {
    let device = text.strip_suffix(':')?;
    (device.starts_with("/dev/") && !device.contains(char::is_whitespace)).then_some(device)
}

/// ` Timing buffered disk reads:  64 MB in  0.23 seconds = 274.26 MB/sec`, or the beginning of it.
fn is_timing(text: &str) -> bool {
    let text = text.trim_start();
    text.strip_prefix("Timing ")
        .and_then(|rest| rest.split_once(':'))
        .is_some_and(|(what, _)| what.contains("reads"))
}

/// ` HDIO_DRIVE_CMD(identify) failed: Inappropriate ioctl for device`, and the like.
fn is_refusal(text: &str) -> bool {
    ["HDIO_", "SG_IO", "BLKFLSBUF", "BLKGETSIZE"].iter().any(|name| text.trim_start().starts_with(name))
}

fn result(line: &ToolLine, device: Option<&str>, block: &ToolBlock<'_>) -> Option<ToolResult> {
    let (what, figures) = line.text.trim_start().strip_prefix("Timing ")?.split_once(':')?;
    let mut result = ToolResult {
        lines: LineRange { first: line.number, last: line.number },
        whole: measured(line.number, figures)?,
        ..block.result(NAME, Hdparm.programs())
    };
    let (what, offset) = match what.split_once('(') {
        Some((what, offset)) => (what, Some(offset.trim_end_matches(')'))),
        None => (what, None),
    };
    result.options.insert("timing".to_owned(), what.trim().to_owned());
    // Of several commands in a text the last may be of another device.
    if device.is_some_and(|device| names_another(&result.command, device)) {
        result.command.clear();
    }
    let device = device.map(|device| ("device", device));
    // `offset 100 GB`.
    let offset = offset.and_then(|offset| Some(("offset", offset.strip_prefix("offset ")?)));
    let more = device.into_iter().chain(offset).map(|(name, value)| (name.to_owned(), value.to_owned()));
    result.options.extend(more);
    if what.trim() == "O_DIRECT disk reads"
        && let Some(parameters) = parameters(&result.command)
    {
        same_work(&mut result, WorkloadName::new("disk"), parameters);
    }
    Some(result)
}

/// Whether a command names devices, and not this one.
fn names_another(command: &[String], device: &str) -> bool {
    let devices = || command.iter().filter(|word| word.starts_with("/dev/"));
    // What a shell puts in is not known.
    let may_be = |word: &String| word == device || word.contains(['$', '*', '?', '[', '{']);
    devices().next().is_some() && !devices().any(may_be)
}

/// The parameters of the same work: reads of a device from its beginning on. `None` where it is none of ours, or options
/// are not known: without `--direct` it empties the page cache first, and reads ahead.
fn parameters(command: &[String]) -> Option<Vec<(&'static str, Value)>> {
    const KNOWN: &[&str] = &["-t", "-T", "-tT", "-Tt", "--direct"];
    let words = command.get(1..)?;
    let (options, devices): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.starts_with('-'));
    let [device] = devices.as_slice() else { return None };
    let is_known = options.iter().all(|option| KNOWN.contains(&option.as_str()));
    let is_direct = options.iter().any(|option| option.as_str() == "--direct");
    (is_known && is_direct).then(|| {
        vec![
            ("target", device.as_str().into()),
            ("pattern", "read".into()),
            ("block-size", CALL_BYTES.into()),
            ("engine", "sync".into()),
            ("direct", true.into()),
            ("duration", SECONDS.into()),
        ]
    })
}

/// `  64 MB in  0.23 seconds = 274.26 MB/sec`; early versions have no space before the rate.
fn measured(line: u64, figures: &str) -> Option<ToolMeasurement> {
    let (bytes, rest) = figures.split_once(" in ")?;
    let (time, rate) = rest.split_once('=')?;
    let rate = quantity(line, rate, BYTES.counting).filter(|rate| rate.unit == Unit::BytesPerSecond)?;
    let read = |text: &str, unit: Unit| -> Option<PrintedValue> {
        quantity(line, text, BYTES.counting).filter(|printed| printed.unit == unit)
    };
    let mut measured = ToolMeasurement {
        window: read(time, Unit::Seconds),
        bytes: read(bytes, Unit::Bytes),
        ..ToolMeasurement::default()
    };
    measured.add(metric::THROUGHPUT, Some(rate));
    Some(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings_of_early_versions_are_read() {
        let read = measured(1, "   128 MB in  0.34 seconds =376.47 MB/sec").unwrap();
        assert_eq!(read.bytes.as_ref().map(|bytes| bytes.value), Some(134_217_728.0));
        assert!(
            (read.figure(metric::THROUGHPUT).unwrap().value / (376.47 * 1_048_576.0) - 1.0).abs() < 1e-12
        );
        assert!(measured(1, "  64 MB in ").is_none());
        assert!(measured(1, " 512 MB in  3.02 seconds = 169.54 kB/sec").is_some());
    }

    #[test]
    fn what_hdparm_says_of_a_device_is_no_timing() {
        let lines: Vec<ToolLine> = (1..)
            .zip(["/dev/sda:", "", "ATA device, with non-removable media"])
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        assert_eq!(
            Hdparm.read(&ToolBlock { lines: &lines, command: None }).unwrap_err(),
            NotUnderstood::OtherText
        );
        assert_eq!(Hdparm.extent(&lines), Extent::EndsBefore);
    }

    #[test]
    fn regression_a_command_of_another_device_was_told_as_its_own() {
        let command = |typed: &str| {
            let text = format!(
                "$ {typed}\n\n/dev/sda:\n Timing buffered disk reads: 204 MB in  3.00 seconds =  67.98 MB/sec\n"
            );
            crate::tool::read("", text.as_bytes()).unwrap().results[0].command.len()
        };
        assert_eq!(command("hdparm -t /dev/sda"), 3);
        assert_eq!(command("hdparm -t /dev/sd[ab]"), 3);
        assert_eq!(command("hdparm -t /dev/hda"), 0);
    }

    #[test]
    fn reads_around_the_page_cache_are_the_same_work_where_all_options_are_known() {
        let read = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let each = parameters(&words)?;
            Some(each.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
        };
        let expected = "target=/dev/sda pattern=read block-size=2097152 engine=sync direct=yes duration=3";
        assert_eq!(read("hdparm -tT --direct /dev/sda").as_deref(), Some(expected));
        for other in [
            "hdparm -t /dev/sda",
            "hdparm -t --direct --offset 5 /dev/sda",
            "hdparm -t --direct /dev/sda /dev/sdb",
            "hdparm -t --direct",
            "hdparm",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn both_timings_are_of_the_device_whatever_it_refuses_between_them() {
        let text = "/dev/sda:\n Timing cached reads:   2000 MB in  2.00 seconds = 1000.00 MB/sec\n\
                    HDIO_DRIVE_CMD(identify) failed: Inappropriate ioctl for device\n \
                    Timing buffered disk reads: 300 MB in  3.00 seconds = 100.00 MB/sec\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let devices: Vec<&str> = results.iter().map(|result| result.options["device"].as_str()).collect();
        assert_eq!(devices, ["/dev/sda", "/dev/sda"]);
    }

    #[test]
    fn the_command_gets_what_it_lacks() {
        let command = ["hdparm", "-t", "/dev/sda"].map(str::to_owned).to_vec();
        let mut result = ToolResult { command, ..ToolResult::default() };
        let corrected = Hdparm.corrected(&result, &[ToolRemedy::BypassPageCache]).unwrap();
        assert_eq!(corrected.join(" "), "hdparm --direct -t /dev/sda");
        result.command = corrected;
        assert_eq!(Hdparm.corrected(&result, &[ToolRemedy::BypassPageCache]), None);
    }
}
