//! The picture of the machine, with the path of one case coloured by the share
//! that it uses of each limit: the same case as on the page.

use chart::machine::DrawnCase;

use super::ExportError;
use crate::page::{Subject, View, telling};

/// The run's machine as SVG.
pub(super) fn write(subject: &Subject<'_>) -> Result<Vec<u8>, ExportError> {
    let nothing = || ExportError::Format { format: "svg", reason: "the run has no machine".to_owned() };
    let machine = subject.run.machines.first().ok_or_else(nothing)?;
    let case = telling::fullest(&View::new(subject)).map(DrawnCase::from);
    Ok(chart::machine::svg(machine, case, subject.words).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::limit::LimitKind;
    use model::run::{CaseResult, Utilization};
    use model::workload::Catalogue;
    use model::{Run, Unit};

    #[test]
    fn the_case_that_uses_most_is_drawn() {
        let mut run = crate::tests::run();
        let used = |fraction| Utilization {
            machine: None,
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
        let catalogue = Catalogue { workloads: Vec::new(), common: &[] };
        let words = language::Language::English.words();
        let write = |run: &Run| write(&Subject { run, catalogue: &catalogue, words });
        run.machines = vec![crate::tests::server()];
        let picture = String::from_utf8(write(&run).unwrap()).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("75 %"), "{picture}");
        let empty = Run { machines: vec![], ..run };
        assert!(write(&empty).is_err());
    }
}
