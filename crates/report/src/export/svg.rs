//! The picture of the machine, with the path of one case coloured by the share
//! that it uses of each limit: the same case as on the page.

use chart::machine::DrawnCase;

use super::ExportError;
use crate::page::{Subject, View, highlights};

pub(super) fn write(subject: &Subject<'_>) -> Result<Vec<u8>, ExportError> {
    let nothing = || ExportError::of("svg", "the run has no machine");
    let machine = subject.run.machines.first().ok_or_else(nothing)?;
    let case = highlights::fullest(&View::new(subject)).map(DrawnCase::from);
    Ok(chart::machine::svg(machine, case, subject.words).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Run;
    use model::run::CaseResult;

    #[test]
    fn the_case_that_uses_most_is_drawn() {
        let mut run = crate::tests::run();
        for fraction in [0.25, 0.75, 0.5] {
            let case = CaseResult {
                utilization: vec![crate::tests::used("sata:sda", fraction)],
                ..run.cases[0].clone()
            };
            run.cases.push(case);
        }
        let words = language::Language::English.words();
        let write = |run: &Run| write(&Subject { run, words });
        run.machines = vec![crate::tests::server()];
        let picture = String::from_utf8(write(&run).unwrap()).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("75 %"), "{picture}");
        let empty = Run { machines: vec![], ..run };
        assert!(write(&empty).is_err());
    }
}
