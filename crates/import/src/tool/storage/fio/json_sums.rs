//! What the figures of fio's JSON say of one another. Rates against amounts and times are held by the checks, as those of
//! every tool.

use model::tool_arithmetic::FigureDisagreement;

use crate::tool::arithmetic::{FigureSheet, JsonNode, Term};

/// KiB of bytes.
const KIB: f64 = 1024.0;

/// The means of the parts are of the same operations, but for a few at the beginning and at the end.
const PARTS: f64 = 0.02;

/// Shares that are rounded to nothing are printed as 0.01: there are some thirty.
const SHARES: f64 = 0.5;

/// What contradicts itself.
pub(super) fn disagreements(root: &JsonNode) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(&[]);
    for job in root.get("jobs").items().iter().chain(root.get("client_stats").items()) {
        for direction in ["read", "write", "trim"] {
            of_direction(&sheet, job.get(direction));
        }
        let shares = |names: &[&str]| -> Vec<Term> {
            let members =
                names.iter().flat_map(|name| job.get(name).members().iter().map(|(key, _)| (*name, key)));
            members.map(|(name, key)| job.get(name).number(key)).collect()
        };
        whole(&sheet, &shares(&["iodepth_level"]));
        whole(&sheet, &shares(&["iodepth_submit"]));
        whole(&sheet, &shares(&["iodepth_complete"]));
        whole(&sheet, &shares(&["latency_ns", "latency_us", "latency_ms"]));
    }
    sheet.found()
}

fn of_direction(sheet: &FigureSheet<'_>, direction: &JsonNode) {
    let bytes = direction.count("io_bytes");
    if !bytes.is_some() {
        return;
    }
    let kib = Term::number(KIB);
    // Before 2.21 both are in KiB, and there is no other.
    sheet.equal(&direction.number("io_kbytes"), (&bytes / &kib).cut_to(1.0), 0.0);
    sheet.equal(&direction.number("bw"), (&direction.number("bw_bytes") / &kib).cut_to(1.0), 0.0);
    for unit in ["_ns", ""] {
        let times = |name: &str| direction.get(&format!("{name}{unit}"));
        let (submission, completion, whole) = (times("slat"), times("clat"), times("lat"));
        let (issued, done, all) = (submission.count("N"), completion.count("N"), whole.count("N"));
        if done.is_some() {
            sheet.equal(&all, done.clone(), PARTS);
        }
        let (waited, served) = (submission.number("mean"), completion.number("mean"));
        if issued.is_some() && done.is_some() {
            sheet.equal(&whole.number("mean"), &waited + &served, PARTS);
        } else if served.is_some() {
            sheet.at_least(&whole.number("mean"), served, PARTS);
        }
    }
}

/// Holds the greatest of some shares in per cent against what the others leave.
fn whole(sheet: &FigureSheet<'_>, shares: &[Term]) {
    let greatest = (0..shares.len()).max_by(|a, b| {
        let value = |at: &usize| shares[*at].value().unwrap_or_default();
        value(a).total_cmp(&value(b))
    });
    let Some(greatest) = greatest else { return };
    let others: Vec<Term> =
        (0..shares.len()).filter(|at| *at != greatest).map(|at| shares[at].clone()).collect();
    let room = Term::number(100.0 + SHARES);
    sheet.at_most(&shares[greatest], &room - &Term::total(&others), 0.0);
}

#[cfg(test)]
mod tests {
    const CAPTURE: &str = include_str!("../../../../tests/tool/fixtures/fio/fio-3.33-json.out");

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    /// What is wrong where the first number behind a name is another one.
    fn with(name: &str, to: &str) -> Vec<String> {
        let name = format!("\"{name}\" : ");
        let at = CAPTURE.match_indices(&name).map(|(at, _)| at + name.len()).find(|at| {
            let digits = CAPTURE[*at..].split([',', '\n']).next().unwrap();
            digits.parse::<f64>().is_ok_and(|value| value > 0.0)
        });
        let at = at.unwrap_or_else(|| panic!("{name}"));
        let end = at + CAPTURE[at..].find([',', '\n']).unwrap();
        let text = format!("{}{to}{}", &CAPTURE[..at], &CAPTURE[end..]);
        wrong(&text)
    }

    #[test]
    fn figures_of_json_are_held_against_one_another() {
        assert_eq!(wrong(CAPTURE), Vec::<String>::new());
        assert_eq!(with("io_kbytes", "7").len(), 1);
        assert_eq!(with("bw", "7").len(), 1);
        assert_eq!(with("N", "77").len(), 1);
        assert!(!with("mean", "123456789.5").is_empty());
        assert!(!with("99.000000", "1").is_empty());
        assert!(!with("max", "1").is_empty());
    }

    #[test]
    fn shares_of_json_are_no_more_than_all() {
        let shares = |one: f64, other: f64| {
            let text = format!(
                "{{\"fio version\" : \"fio-3.33\", \"jobs\" : [{{\"jobname\" : \"a\", \"groupid\" : 0, \"job options\" : {{}},\n\
                 \"read\" : {{\"io_bytes\" : 4096000, \"bw_bytes\" : 2048000, \"iops\" : 500.0, \"runtime\" : 2000, \"total_ios\" : 1000}},\n\
                 \"latency_us\" : {{\"250\" : {one:.6}}}, \"latency_ms\" : {{\"2\" : {other:.6}}}}}]}}\n"
            );
            crate::tool::read("", text.as_bytes()).unwrap().results[0].disagreements.len()
        };
        assert_eq!((shares(60.0, 40.01), shares(60.0, 45.0)), (0, 1));
    }
}
