//! That a run was resumed: between which of its trials time has passed.

use model::run::Resumption;

use super::{View, method};

/// A sentence for each gap of the run.
pub(super) fn gaps(view: &View<'_>) -> Vec<String> {
    let one = |gap: &Resumption| {
        let (stopped, resumed) = (method::moment(&gap.stopped), method::moment(&gap.resumed));
        // Of a killed run nobody knows when it ended, only when its last trial began.
        let key = if gap.outcome.is_some() { "ending-resumed" } else { "ending-resumed-killed" };
        view.tell(key, &[("stopped", &stopped), ("resumed", &resumed)])
    };
    view.run.resumptions.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use language::LANGUAGES;
    use model::machine::ClockInfo;
    use model::run::Outcome;

    use super::*;
    use crate::page::{Subject, document};

    #[test]
    fn the_page_of_a_resumed_run_says_when_it_stopped_and_went_on() {
        let gap = Resumption {
            stopped: "2026-11-28T08:15:30Z".to_owned(),
            outcome: Some(Outcome::Interrupted),
            resumed: "2026-11-28T09:40:00.5Z".to_owned(),
            order: 3,
            clock: ClockInfo::default(),
        };
        for language in LANGUAGES {
            let page = |resumptions: &[Resumption]| {
                let resumptions = resumptions.to_vec();
                let run = model::Run { resumptions, outcome: Some(Outcome::Complete), ..crate::tests::run() };
                crate::document::markdown::write(&document(&Subject { run: &run, words: language.words() }))
            };
            let text = page(std::slice::from_ref(&gap));
            let says = |text: &str, time: &str| text.contains(time);
            assert!(says(&text, "08:15:30") && says(&text, "09:40:00"), "{language:?}: {text}");
            assert!(!text.contains("ending-resumed"), "{text}");
            assert!(!says(&page(&[]), "08:15:30"), "{language:?}");
        }
    }

    #[test]
    fn regression_the_page_of_a_killed_run_said_when_it_stopped() {
        let gap = |outcome| Resumption {
            stopped: "2026-11-28T08:15:30Z".to_owned(),
            outcome,
            resumed: "2026-11-28T09:40:00.5Z".to_owned(),
            order: 3,
            clock: ClockInfo::default(),
        };
        for language in LANGUAGES {
            let said = |outcome| {
                let run = model::Run { resumptions: vec![gap(outcome)], ..crate::tests::run() };
                gaps(&View::new(&Subject { run: &run, words: language.words() })).concat()
            };
            let (killed, interrupted) = (said(None), said(Some(Outcome::Interrupted)));
            assert!(killed.contains("08:15:30") && killed.contains("09:40:00"), "{killed}");
            assert!(!killed.contains("ending-") && killed != interrupted, "{killed}");
        }
    }
}
