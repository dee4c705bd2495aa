//! What is said beside the figures of recorded operations.

use model::fact;

use super::fixture::{disk, run, seen};

#[test]
fn that_nothing_is_known_of_the_recorded_device_is_said() {
    let said = |why: Option<&str>| {
        let mut case = disk("randread", 4096, 1, 2000.0);
        for trial in &mut case.trials {
            let facts = &mut trial.result.main_mut().facts;
            facts.extend(why.map(|why| (fact::RECORDED_TIMES_UNKNOWN, why.into())));
        }
        let run = run(vec![case]);
        let all: Vec<_> = run.cases.iter().collect();
        seen(&run, |view| crate::page::notes::of(view, &all, &|case| case.label.to_string()))
    };
    let of_format = said(Some(fact::NOT_IN_FORMAT));
    assert!(of_format.len() == 1 && of_format[0].contains("as no iolog of fio does"), "{of_format:?}");
    let of_trace = said(Some(fact::NOT_RECORDED));
    assert!(of_trace.len() == 1 && of_trace[0].contains("no operation that was seen to end"), "{of_trace:?}");
    assert!(said(None).is_empty());
}
