//! kubestr's summary of fio: each job is a result.

use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Kubestr;

const NAME: &str = "kubestr";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.4",
    units: "BW(KiB/s)",
    counting: Counting::Binary,
    proof: "pkg/fio prints bw of fio's JSON, which is in KiB/s",
};

const RULES: &[CountingRule] = &[BINARY];

impl ToolReader for Kubestr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what `kubestr fio` prints of each job"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "Running FIO test (",
            "PVC created kubestr-",
            "FIO test results:",
            "FIO version - fio-",
            "JobName:",
            "IOPS=",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_own = text.starts_with("Running FIO test (")
            || text.starts_with("PVC created kubestr-")
            || text == "FIO test results:"
            || text.starts_with("FIO version - fio-")
            || text.starts_with("JobName:")
            || rates(text).is_some();
        is_own.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let begins_again = text.starts_with("Running FIO test (") || text == "FIO test results:";
        let is_over = || before.iter().any(|line| rates(line.text.trim()).is_some());
        if begins_again && is_over() {
            return Extent::EndsBefore;
        }
        let belongs = before.is_empty() || text.is_empty() || is_line(text) || self.begins(last).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut common = block.result(NAME, self.programs());
        let mut results: Vec<ToolResult> = Vec::new();
        let mut direction = None;
        for line in block.lines {
            let text = line.text.trim();
            if let Some(version) = text.strip_prefix("FIO version - ") {
                common.version = Some(version.to_owned());
            } else if let Some(options) = text.strip_prefix("Global options - ") {
                keep(options, &mut common);
            } else if let Some(class) =
                text.split_once("StorageClass (").and_then(|(_, rest)| rest.split_once(')'))
            {
                common.options.insert("storage-class".to_owned(), class.0.to_owned());
            } else if let Some(name) = text.strip_prefix("JobName:") {
                let mut result = common.clone();
                (result.lines.first, result.lines.last) = (line.number, line.number);
                result.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
                results.push(result);
            } else if let Some(name) =
                ["read", "write", "trim"].iter().find(|name| text.strip_suffix(':') == Some(**name))
            {
                direction = Some(*name);
            } else if let Some(result) = results.last_mut() {
                if text.starts_with("blocksize=") {
                    keep(text, result);
                } else if let Some((iops, rate)) = rates(text) {
                    let mut measured = ToolMeasurement::default();
                    measured.add(metric::IOPS, bare(line.number, iops, Unit::PerSecond));
                    measured.add(
                        metric::THROUGHPUT,
                        quantity(line.number, &format!("{rate} KiB/s"), BINARY.counting),
                    );
                    let kind = ToolPartKind::Direction;
                    let name = direction.unwrap_or("read").to_owned();
                    result.parts.push(ToolPart { kind, name, start_s: None, measured });
                }
                if is_line(text) {
                    result.lines.last = line.number;
                }
            }
        }
        results.retain(|result| !result.parts.is_empty());
        for result in &mut results {
            // Of one direction it is all.
            if let [only] = result.parts.as_slice() {
                result.whole = only.measured.clone();
                result.options.entry("operation".to_owned()).or_insert_with(|| only.name.clone());
                result.parts.clear();
            }
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// Whether a line stands between or below the figures.
fn is_line(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "Pod created kubestr-",
        "Elapsed time-",
        "Global options -",
        "blocksize=",
        "iops: min=",
        "bw(KiB/s): min=",
        "Disk stats (read/write):",
    ];
    let is_disk = || text.contains(": ios=") && text.contains("in_queue=");
    ["read:", "write:", "trim:", "-  OK", "- OK"].contains(&text)
        || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || rates(text).is_some()
        || is_disk()
}

/// `IOPS=1068.180298 BW(KiB/s)=4289`.
fn rates(text: &str) -> Option<(&str, &str)> {
    let (iops, rate) = text.strip_prefix("IOPS=")?.split_once(" BW(KiB/s)=")?;
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    (is_number(iops) && is_number(rate)).then_some((iops, rate))
}

/// Keeps `blocksize=4K filesize=2G iodepth=64 rw=randread`, with fio's names. What its job file does not say has no value.
fn keep(options: &str, result: &mut ToolResult) {
    for (name, value) in options.split_whitespace().filter_map(|word| word.split_once('=')) {
        let name = match name {
            "blocksize" => "bs",
            "filesize" => "size",
            other => other,
        };
        if !value.is_empty() {
            result.options.insert(name.to_owned(), value.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_job_is_a_result() {
        let text = "$ kubestr fio -s local-path --size 4G\nPVC created kubestr-fio-pvc-wjwt2\nPod created kubestr-fio-pod-nvvmj\n\
                    Running FIO test (default-fio) on StorageClass (local-path) with a PVC of Size (4G)\n\
                    Elapsed time- 30.590197824s\nFIO test results:\n\nFIO version - fio-3.20\n\
                    Global options - ioengine=libaio verify=0 direct=1 gtod_reduce=1\n\nJobName: read_iops\n\
                    \x20 blocksize=4K filesize=2G iodepth=64 rw=randread\nread:\n  IOPS=1068.180298 BW(KiB/s)=4289\n\
                    \x20 iops: min=758 max=1422 avg=1074.133301\n  bw(KiB/s): min=3033 max=5688 avg=4297.033203\n\n\
                    JobName: \n  blocksize= filesize= iodepth= rw=\nwrite:\n  IOPS=445.627716 BW(KiB/s)=57573\n\
                    \x20 iops: min=336 max=544 avg=448.766663\n  bw(KiB/s): min=43008 max=69748 avg=57449.035156\n\n\
                    Disk stats (read/write):\n  vda: ios=67834/1026 merge=0/3 ticks=2012345/20 in_queue=2012365, util=99.958305%\n\
                    \x20 -  OK\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [first, second] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!(first.name.as_deref(), Some("read_iops"));
        assert_eq!(first.whole.figure(metric::THROUGHPUT).unwrap().value, 4289.0 * 1024.0);
        assert_eq!((first.options["bs"].as_str(), first.options["direct"].as_str()), ("4K", "1"));
        assert!(!second.options.contains_key("bs") && second.options["operation"] == "write");
        assert!(
            second.options.contains_key("storage-class") && output.unread.is_empty(),
            "{:?}",
            output.unread
        );
    }
}
