//! The picture of the machine, with the path of one case coloured by the share
//! that it uses of each limit: the case that uses most of one.

use language::Words;
use model::Run;
use model::run::CaseResult;

use super::ExportError;

/// The run's machine as SVG, told in `words`.
pub(super) fn write(run: &Run, words: &Words) -> Result<Vec<u8>, ExportError> {
    let nothing = || ExportError::Format { format: "svg", reason: "the run has no machine".to_owned() };
    let machine = run.machines.first().ok_or_else(nothing)?;
    Ok(chart::machine::svg(machine, most_telling(run), words).into_bytes())
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
    use model::Unit;
    use model::limit::LimitKind;
    use model::run::Utilization;

    #[test]
    fn the_case_that_uses_most_is_drawn() {
        let mut run = crate::tests::run();
        let used = |fraction| Utilization {
            line_only: false,
            resource: "sata:sda".to_owned(),
            quantity: "throughput".to_owned(),
            kind: LimitKind::Link,
            demand: fraction * 560e6,
            limit: 560e6,
            unit: Unit::BytesPerSecond,
            fraction,
            source: String::new(),
        };
        for fraction in [0.25, 0.75, 0.5] {
            let case = CaseResult { utilization: vec![used(fraction)], ..run.cases[0].clone() };
            run.cases.push(case);
        }
        assert_eq!(most_telling(&run), Some(&run.cases[2]));
        run.machines = vec![crate::tests::server()];
        let picture = String::from_utf8(write(&run, language::Language::English.words()).unwrap()).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("75 %"), "{picture}");
        let empty = Run { machines: vec![], ..run };
        assert!(write(&empty, language::Language::English.words()).is_err());
    }
}
