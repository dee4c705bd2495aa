//! What became of the study's goals: a line for each at the head of the page, with the figure that is nearest to the
//! wrong side of it or farthest beyond, and a row for each case further down.

use std::cmp::Reverse;

use analysis::AbortCause;
use model::goal::{GoalDoubt, GoalOutcome, HeldGoal};
use model::run::{CaseResult, Estimate};
use model::{Goal, Value};

use super::View;
use crate::document::{Answer, Block, Column, Piece, Section, Table, Text, Tone};
use crate::format;

/// So many goals are named at the head.
const MOST: usize = 8;

/// Why it cannot be told of a goal whether it is kept, where no case is held to it.
pub(crate) const NO_CASE: &str = "goal-doubt-no-case";

/// The section with a row for each case.
const SECTION: &str = "goals";

/// A goal with the cases that are held to it.
pub(crate) struct GoalResults<'a> {
    pub(crate) goal: &'a Goal,
    pub(crate) cases: Vec<(&'a CaseResult, HeldGoal)>,
}

impl GoalResults<'_> {
    /// The gravest of what became of it.
    fn outcome(&self) -> GoalOutcome {
        self.cases.iter().map(|(_, held)| held.outcome).max().unwrap_or(GoalOutcome::CannotTell)
    }

    fn estimate<'c>(&self, case: &'c CaseResult) -> Option<&'c Estimate> {
        case.loads.main.estimates.get(&self.goal.metric).filter(|e| e.unit == self.goal.unit)
    }

    /// How far a figure is on the wrong side, to be compared with those of other cases.
    fn excess(&self, case: &CaseResult) -> f64 {
        let sign = if self.goal.operator.is_upper() { 1.0 } else { -1.0 };
        self.estimate(case).map_or(f64::NEG_INFINITY, |e| sign * e.median)
    }

    /// The case that decides: of those with the gravest outcome, the one with the worst figure.
    fn worst(&self) -> Option<&(&CaseResult, HeldGoal)> {
        let outcome = self.outcome();
        let own = self.cases.iter().filter(|(_, held)| held.outcome == outcome);
        own.max_by(|(a, _), (b, _)| self.excess(a).total_cmp(&self.excess(b)))
    }
}

/// Every goal, in the order of the study.
pub(crate) fn all<'a>(view: &View<'a>) -> Vec<GoalResults<'a>> {
    let run = view.run;
    let of_goal = |(place, goal): (usize, &'a Goal)| {
        let own = move |case: &'a CaseResult| {
            case.goals.iter().filter(move |held| held.goal == place).map(move |held| (case, *held))
        };
        GoalResults { goal, cases: run.cases.iter().flat_map(own).collect() }
    };
    run.study.goals.iter().enumerate().map(of_goal).collect()
}

/// What became of a goal, in a word or two.
pub(crate) fn verdict(outcome: GoalOutcome) -> (Tone, &'static str) {
    match outcome {
        GoalOutcome::Kept => (Tone::Good, "goal-kept"),
        GoalOutcome::CannotTell => (Tone::Warning, "goal-unknown"),
        GoalOutcome::NotKept => (Tone::Error, "goal-not-kept"),
    }
}

fn badge(view: &View<'_>, outcome: GoalOutcome) -> Piece {
    let (tone, key) = verdict(outcome);
    Piece::Badge(tone, view.say(key))
}

/// The figure that a goal is held against, with its interval: `1.200 ms (1.100 to 1.300)`.
fn figure(view: &View<'_>, goal: &GoalResults<'_>, case: &CaseResult) -> Option<String> {
    let estimate = goal.estimate(case)?;
    let rates = crate::load::rates(case);
    let point = rates.quantity(estimate.median, estimate.unit);
    Some(match view.interval(rates, estimate) {
        Some(interval) => format!("{point} ({interval})"),
        None => point,
    })
}

/// Why it cannot be told whether a goal is kept.
fn doubt(view: &View<'_>, held: HeldGoal) -> Option<String> {
    let key = match held.doubt? {
        GoalDoubt::Interval => "goal-doubt-interval",
        GoalDoubt::NoInterval => "goal-doubt-no-interval",
        GoalDoubt::NoFigure => "goal-doubt-no-figure",
        GoalDoubt::Untrusted => "goal-doubt-untrusted",
        GoalDoubt::Other => return None,
    };
    Some(view.say(key))
}

/// What was measured of a goal in a case, and why that does not decide, where it does not.
pub(crate) fn told(view: &View<'_>, goal: &GoalResults<'_>, (case, held): (&CaseResult, HeldGoal)) -> String {
    let parts = [figure(view, goal, case), doubt(view, held)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A goal at the head of the page.
fn line(view: &View<'_>, goal: &GoalResults<'_>) -> Text {
    let text = Text(vec![badge(view, goal.outcome()), Piece::Code(goal.goal.text.clone())]);
    let Some((case, held)) = goal.worst() else {
        return text.plain(": ").plain(view.say(NO_CASE));
    };
    let told = told(view, goal, (*case, *held));
    let text = if told.is_empty() { text } else { text.plain(": ").strong(told) };
    let text = text.plain("; ").link(SECTION, view.name(case));
    if goal.cases.len() < 2 {
        return text;
    }
    let same = goal.cases.iter().filter(|(_, other)| other.outcome == held.outcome).count();
    let counts = [("count", Value::from(same as u64)), ("total", Value::from(goal.cases.len() as u64))];
    text.plain(format!(" ({})", view.words.tell("cases-of", &counts)))
}

/// Whether the goals are kept, where there are any.
pub(super) fn answer(view: &View<'_>) -> Option<Answer> {
    Some(Answer { question: view.say("goals-question"), lines: lines(view), elsewhere: Vec::new() })
}

/// A line for each goal, the gravest first.
pub(super) fn lines(view: &View<'_>) -> Vec<Text> {
    let mut goals = all(view);
    goals.sort_by_key(|goal| Reverse(goal.outcome()));
    let mut lines: Vec<Text> = goals.iter().take(MOST).map(|goal| line(view, goal)).collect();
    if goals.len() > MOST {
        lines.push(Text::default().link(SECTION, view.count("and-more", goals.len() - MOST)));
    }
    lines
}

/// That a condition of the study ended the run.
pub(crate) fn aborted(view: &View<'_>, cause: &AbortCause<'_>) -> String {
    let AbortCause { condition, case, value } = *cause;
    let value = format::setting(value, condition.unit);
    view.tell(
        "ending-aborted",
        &[("condition", &condition.text), ("value", &value), ("case", &view.name(case))],
    )
}

/// A row for each case that is held to a goal.
pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new(SECTION, view.say("goals-title"));
    let mut goals = all(view);
    goals.retain(|goal| !goal.cases.is_empty());
    if goals.is_empty() {
        return section;
    }
    let row = |goal: &GoalResults<'_>, case: &CaseResult, held: HeldGoal| {
        vec![
            Text(vec![Piece::Code(goal.goal.text.clone())]),
            view.name(case).into(),
            figure(view, goal, case).unwrap_or_default().into(),
            Text(vec![badge(view, held.outcome)]).plain(doubt(view, held).unwrap_or_default()),
        ]
    };
    let rows =
        goals.iter().flat_map(|goal| goal.cases.iter().map(move |(case, held)| row(goal, case, *held)));
    let table = Table {
        columns: vec![
            Column::words(view.say("goal-column")),
            Column::words(view.say("goal-column-case")).to_spare(1),
            Column::numbers(view.say("goal-column-measured")),
            Column::words(view.say("goal-column-verdict")),
        ],
        rows: rows.collect(),
        ..Table::default()
    };
    section.push(Block::Table(table));
    section.push(Block::Paragraph(view.say("goals-note").into()));
    section
}

#[cfg(test)]
pub(crate) mod tests {
    use language::{LANGUAGES, Language};
    use model::goal::GoalOperator;
    use model::run::Outcome;
    use model::trial::{Status, Trial, TrialResult};
    use model::{Better, Run, Unit, metric};

    use super::*;
    use crate::page::Subject;

    /// A run of two cases, the second slower, with a goal for each outcome.
    pub(crate) fn run() -> Run {
        let mut run = crate::tests::run();
        for (at, iops) in [1000.0, 500.0].into_iter().enumerate() {
            let mut case = run.cases[0].clone();
            crate::tests::named(&mut case, &format!("disk queue-depth={}", at + 1));
            let estimate = Estimate {
                n: 5,
                median: iops,
                low: Some(iops * 0.9),
                high: Some(iops * 1.1),
                confidence: Some(0.95),
                method: None,
                unit: Unit::PerSecond,
                better: Better::Higher,
            };
            case.loads.main.estimates.insert(metric::IOPS, estimate);
            run.cases.push(case);
        }
        run.cases.remove(0);
        let goal = |text: &str, value| Goal {
            text: text.to_owned(),
            metric: metric::IOPS,
            operator: GoalOperator::AtLeast,
            value,
            unit: Unit::PerSecond,
            filter: Vec::new(),
        };
        run.study.goals =
            vec![goal("iops >= 100/s", 100.0), goal("iops >= 480/s", 480.0), goal("iops >= 800/s", 800.0)];
        let outcomes = [
            [(GoalOutcome::Kept, None); 3],
            [
                (GoalOutcome::Kept, None),
                (GoalOutcome::CannotTell, Some(GoalDoubt::Interval)),
                (GoalOutcome::NotKept, None),
            ],
        ];
        for (case, outcomes) in run.cases.iter_mut().zip(outcomes) {
            let held = |(goal, (outcome, doubt))| HeldGoal { goal, outcome, doubt };
            case.goals = outcomes.into_iter().enumerate().map(held).collect();
        }
        run
    }

    fn shown(run: &Run, language: Language) -> Vec<String> {
        let view = View::new(&Subject { run, words: language.words() });
        answer(&view).unwrap().lines.iter().map(Text::words).collect()
    }

    #[test]
    fn the_goal_that_is_not_kept_stands_first_with_the_case_that_decides() {
        let lines = shown(&run(), Language::English);
        assert!(lines[0].starts_with("not kept: iops >= 800/s: 500.0 /s (450.0 to 550.0); "), "{lines:?}");
        assert!(lines[0].ends_with("2 (1 of 2 cases)"), "{lines:?}");
        assert!(
            lines[1].starts_with("cannot tell: iops >= 480/s: ")
                && lines[1].contains("over the bound of the goal")
        );
        assert!(lines[2].starts_with("kept: iops >= 100/s: 500.0 /s"), "{lines:?}");
        assert!(lines[2].ends_with("(2 of 2 cases)"), "{lines:?}");
    }

    #[test]
    fn of_a_goal_that_no_case_is_held_to_it_cannot_be_told() {
        let mut run = run();
        run.cases.iter_mut().for_each(|case| case.goals.retain(|held| held.goal == 0));
        let lines = shown(&run, Language::English);
        assert_eq!(lines[0], "cannot tell: iops >= 480/s: no case was held to it", "{lines:?}");
        assert_eq!(lines.len(), 3, "{lines:?}");
        for language in LANGUAGES {
            assert!(!shown(&run, *language).concat().contains(NO_CASE));
        }
    }

    #[test]
    fn every_case_has_a_row_for_each_goal() {
        let run = run();
        let section = write(&View::new(&Subject { run: &run, words: Language::English.words() }));
        let Block::Table(table) = &section.blocks[0].block else { panic!("a table first") };
        let verdicts: Vec<String> = table.rows.iter().map(|row| row[3].words()).collect();
        let starts = ["kept: ", "kept: ", "kept: ", "cannot tell: ", "kept: ", "not kept: "];
        assert!(verdicts.iter().zip(starts).all(|(told, start)| told.starts_with(start)), "{verdicts:?}");
        assert_eq!(verdicts.len(), starts.len());
    }

    #[test]
    fn every_language_has_the_words_of_goals() {
        let shown = |language| {
            let run = run();
            let document = crate::page::document(&Subject { run: &run, words: Language::words(language) });
            crate::document::markdown::write(&document)
        };
        for language in LANGUAGES {
            let page = shown(*language);
            assert!(!page.contains("goal-") && !page.contains("goals-"), "{page}");
            assert!(page.contains("iops >= 480/s"), "{page}");
            if *language != Language::English {
                assert!(!page.contains("cannot tell") && !page.contains("not kept"), "{page}");
            }
        }
    }

    #[test]
    fn a_run_without_goals_says_nothing_of_them() {
        let run = crate::tests::run();
        let view = View::new(&Subject { run: &run, words: Language::English.words() });
        assert!(answer(&view).is_none_or(|answer| answer.lines.is_empty()) && write(&view).is_empty());
    }

    #[test]
    fn a_run_that_a_condition_ended_says_which() {
        let mut run = run();
        run.outcome = Some(Outcome::Interrupted);
        run.study.abort_when = vec![Goal {
            text: "errors > 0".to_owned(),
            metric: metric::ERRORS,
            operator: GoalOperator::Above,
            value: 0.0,
            unit: Unit::One,
            filter: Vec::new(),
        }];
        run.cases[1].trials.push(Trial {
            order: 3,
            block: 0,
            started: String::new(),
            status: Status::Failed,
            reason: Some("no space".to_owned()),
            result: TrialResult::default(),
        });
        let cause = analysis::abort_cause(&run).unwrap();
        for language in LANGUAGES {
            let subject = Subject { run: &run, words: language.words() };
            let ended = aborted(&View::new(&subject), &cause);
            assert!(ended.contains("errors > 0") && !ended.contains("ending-"), "{ended}");
            let page = crate::document::markdown::write(&crate::page::document(&subject));
            assert!(page.contains("errors \\> 0"), "{page}");
        }
    }
}
