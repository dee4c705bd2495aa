//! The picture of the machine, with the path of one case coloured by the share
//! that it uses of each limit: the case that uses most of one.

use model::Run;
use model::run::CaseResult;

use super::ExportError;

/// The run's machine as SVG.
pub(super) fn write(run: &Run) -> Result<Vec<u8>, ExportError> {
    let nothing = || ExportError::Format { format: "svg", reason: "the run has no machine".to_owned() };
    let machine = run.machines.first().ok_or_else(nothing)?;
    Ok(chart::machine::svg(machine, most_telling(run)).into_bytes())
}

/// The case that uses the largest share of a limit of its path.
fn most_telling(run: &Run) -> Option<&CaseResult> {
    let share = |case: &&CaseResult| case.utilization.first().map_or(0.0, |u| u.fraction);
    let measured = run.cases.iter().filter(|case| !case.utilization.is_empty());
    measured.max_by(|a, b| share(a).total_cmp(&share(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_that_uses_most_is_drawn() {
        let mut run = crate::tests::run();
        let used = |resource: &str, fraction: f64| model::run::Utilization {
            resource: resource.to_owned(),
            quantity: "throughput".to_owned(),
            kind: model::limit::LimitKind::Link,
            demand: fraction,
            limit: 1.0,
            unit: model::Unit::BytesPerSecond,
            fraction,
            line_only: false,
            source: "a test".to_owned(),
        };
        let mut other = run.cases[0].clone();
        run.cases[0].utilization = vec![used("block:sda", 0.2)];
        other.utilization = vec![used("block:sda", 0.7)];
        run.cases.push(other);
        let most = most_telling(&run).unwrap();
        assert!((most.utilization[0].fraction - 0.7).abs() < 1e-9);
        let picture = String::from_utf8(write(&run).unwrap()).unwrap();
        assert!(picture.starts_with("<svg"), "{picture}");
        let empty = Run { machines: vec![], ..run };
        assert!(write(&empty).is_err());
    }
}
