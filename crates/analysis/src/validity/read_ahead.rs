//! Reads through the page cache for which the device delivered more than the
//! load asked for: the kernel reads whole pages, and ahead.

use model::finding::{Evidence, Place};
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity};

use super::counted::{lateness, rate, sectors};
use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// So much more is within what counting allows.
const MORE: f64 = 1.10;
/// And bytes per second that are felt.
const FELT: f64 = 1e6;
/// A page.
const PAGE: f64 = 4096.0;

pub(crate) const RULE: Rule = Rule {
    code: "read-ahead",
    doc: "Reads through the page cache for which the device delivered more than the load asked for: the kernel reads whole \
         pages, and ahead (`read_ahead_kb`), which is how it was done. More than that are others' reads.",
    english: r#"
finding-read-ahead =
    { RESOURCE($resource) } delivered { FIXED($times, decimals: 1) } times what the load asked for{ $how ->
        [explained] : the kernel reads whole pages, and up to { BINARY($ahead) } ahead (read_ahead_kb)
       *[unexplained] , more than reading ahead explains: others use { pronoun-them } too
    }

evidence-ahead = { BINARY($bytes) } ahead
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let reads = measure::does(case, OperationClass::Read);
    if !reads || measure::is_direct(case) || measure::is_null(case) || !case.loads.beside.is_empty() {
        return None;
    }
    let (steps, name) = (measure::devices(case), sectors(OperationClass::Read));
    let (first, block) = (steps.first()?, measure::block(case)?);
    let of = |f: &dyn Fn(&model::Trial) -> Option<f64>| measure::median(case, f);
    let program = of(&|t| measure::moved_in(case, t, OperationClass::Read)).filter(|p| *p > 0.0)?;
    let device = of(&|t| rate(t, &steps, name))?;
    let late = of(&|t| lateness(t, &first.resource, name))?;
    let place = measure::place(case, &first.resource, name)?;
    let resource = measure::name_of(&steps)?;
    let times = device / program;
    if times < MORE + late || device - program < FELT {
        return None;
    }
    let disks = measure::wholes(case, context.machine);
    let ahead = disks.iter().filter_map(|d| d.read_ahead_bytes).max();
    // Each operation may bring in its pages and all that is read ahead.
    let most = (block.max(PAGE) + ahead.unwrap_or(0) as f64 + PAGE) / block;
    let explained = ahead.is_some() && times <= most;
    let (severity, how) =
        if explained { (Severity::Note, "explained") } else { (Severity::Warning, "unexplained") };
    let counted = Evidence::at("counted", place).arg("program", program).arg("device", device);
    let mut found = Finding::new(FindingKind::Validity, RULE.code, severity)
        .on(resource)
        .arg("how", how)
        .arg("times", times)
        .arg("ahead", ahead.unwrap_or(0))
        .because(counted);
    if let (true, Some(disk)) = (explained, disks.first()) {
        let place = Place::Inventory(Resource::of(ResourceKind::Block, &disk.name));
        found = found.because(Evidence::at("ahead", place).arg("bytes", ahead.unwrap_or(0)));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::machine::{BlockDevice, BlockKind};
    use model::study::Controls;

    fn hows(program: f64, device: f64, ahead: Option<u64>, direct: bool) -> Vec<String> {
        let mut machine = Machine::default();
        let disk = BlockDevice { name: "sda".to_owned(), read_ahead_bytes: ahead, ..BlockDevice::default() };
        machine.inventory.block = vec![
            disk,
            BlockDevice {
                name: "sda1".to_owned(),
                kind: BlockKind::Partition,
                below: vec!["sda".to_owned()],
                ..BlockDevice::default()
            },
        ];
        let mut case = fixture::disk_case("randread", program, device);
        fixture::set(&mut case, "direct", direct);
        for resource in case.path.iter_mut().map(|s| &mut s.resource) {
            *resource = format!("{resource}1").into();
        }
        for counter in case.trials.iter_mut().flat_map(|t| &mut t.result.local_mut().counters) {
            counter.resource = format!("{}1", counter.resource).into();
        }
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        let found = fixture::found(&RULE, &case, &context);
        found.iter().map(|f| format!("{} {:?}", f.args["how"], f.severity)).collect()
    }

    #[test]
    fn what_is_read_ahead_is_told_and_the_rest_is_of_others() {
        assert_eq!(hows(100e6, 104e6, Some(131_072), false), Vec::<String>::new());
        assert_eq!(hows(100e6, 200e6, Some(131_072), false), ["explained Note"]);
        assert_eq!(hows(1e6, 100e6, Some(131_072), false), ["unexplained Warning"]);
        assert_eq!(hows(100e6, 300e6, Some(0), false), ["unexplained Warning"]);
        assert_eq!(hows(100e6, 300e6, None, false), ["unexplained Warning"]);
        assert_eq!(hows(100e6, 200e6, Some(131_072), true), Vec::<String>::new(), "reconciled elsewhere");
    }
}
