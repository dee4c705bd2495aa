//! What is wrong with figures that other tools printed: one file a check, in the folder of what it
//! looks at, and one line in that folder's table. A check reads a [`ToolResult`], not a case, for it
//! judges what was printed: the arithmetic within it, and what its options say of it.

mod arithmetic;
mod claim;
mod compared;
mod limits;
mod prose;
mod statistics;
mod storage;
mod time;
mod work;
mod written;

use std::collections::{HashMap, HashSet};

use model::tool_result::{RepeatedWork, ToolRemedy, ToolResult};
use model::{Finding, Machine, Run, ToolOutput, parallel};

use self::limits::ListedBounds;

/// One check.
pub struct ToolCheck {
    /// Its name, the code of its findings.
    pub code: &'static str,
    /// What it looks for, in a sentence or two.
    pub doc: &'static str,
    /// What its findings and their evidence say in English, in Fluent.
    pub english: &'static str,
    /// What should have been done, where that can be said for all of its findings.
    pub remedies: &'static [ToolRemedy],
    /// How it looks.
    pub look: ToolCheckLook,
}

/// How a check looks.
pub enum ToolCheckLook {
    /// At each result.
    EachResult(fn(&ToolResult, &ToolCheckContext<'_>) -> Vec<Finding>),
    /// At all of them together.
    All(fn(&ToolCheckContext<'_>) -> Vec<Finding>),
}

/// What checks may look at beside the result. What is asked for every result is put in order once: there
/// may be very many.
#[derive(Clone, Debug)]
pub struct ToolCheckContext<'a> {
    /// All results, in the order of the texts.
    pub results: Vec<&'a ToolResult>,
    /// The texts that they stand in, with what was not understood of them.
    pub outputs: &'a [ToolOutput],
    /// The machine on which they were measured, where it is known.
    pub machine: Option<&'a Machine>,
    /// How often each work was done.
    times: HashMap<RepeatedWork<'a>, usize>,
    /// The texts with results, by where these lie: those of one lie together.
    by_address: Vec<CheckedText<'a>>,
}

/// A text, with what is asked of it for each of its results.
#[derive(Clone, Debug)]
struct CheckedText<'a> {
    /// Where its first result lies.
    address: usize,
    output: &'a ToolOutput,
    /// The bounds by the links that it lists.
    links: ListedBounds,
}

impl<'a> ToolCheckContext<'a> {
    /// That of a run.
    #[must_use]
    pub fn of(run: &'a Run) -> Self {
        Self::new(&run.tool_outputs, run.machines.first())
    }

    /// That of these outputs.
    #[must_use]
    pub fn new(outputs: &'a [ToolOutput], machine: Option<&'a Machine>) -> Self {
        let results: Vec<&ToolResult> = outputs.iter().flat_map(|output| &output.results).collect();
        let mut times: HashMap<RepeatedWork<'a>, usize> = HashMap::new();
        for work in results.iter().filter_map(|result| result.repeated_work()) {
            *times.entry(work).or_default() += 1;
        }
        let text = |output: &'a ToolOutput| {
            let first = output.results.first()?;
            Some(CheckedText { address: address(first), output, links: ListedBounds::of_output(output) })
        };
        let mut by_address: Vec<CheckedText<'_>> = outputs.iter().filter_map(text).collect();
        by_address.sort_unstable_by_key(|text| text.address);
        Self { results, outputs, machine, times, by_address }
    }

    /// How often the same was done, this time counted.
    #[must_use]
    pub fn repetitions(&self, result: &ToolResult) -> usize {
        result.repeated_work().and_then(|work| self.times.get(&work).copied()).unwrap_or(1)
    }

    /// The text in which a result stands.
    fn output_of(&self, result: &ToolResult) -> Option<&'a ToolOutput> {
        self.text_of(result).map(|text| text.output)
    }

    /// The bounds by the links that its text lists.
    fn links_of(&self, result: &ToolResult) -> Option<&ListedBounds> {
        self.text_of(result).map(|text| &text.links)
    }

    fn text_of(&self, result: &ToolResult) -> Option<&CheckedText<'a>> {
        let behind = self.by_address.partition_point(|text| text.address <= address(result));
        let text = self.by_address.get(behind.checked_sub(1)?)?;
        text.output.results.as_ptr_range().contains(&std::ptr::from_ref(result)).then_some(text)
    }
}

/// Where a result lies.
fn address(result: &ToolResult) -> usize {
    std::ptr::from_ref(result).addr()
}

/// The checks of each folder. Findings of the same severity are told in this order: those that
/// change the figure most come first.
const FOLDERS: &[&[ToolCheck]] = &[
    arithmetic::CHECKS,
    written::CHECKS,
    time::CHECKS,
    limits::CHECKS,
    storage::CHECKS,
    compared::CHECKS,
    statistics::CHECKS,
];

/// Whether a text without the output of any tool has figures that checks hold against one another.
#[must_use]
pub fn has_written_figures(output: &ToolOutput) -> bool {
    written::has_figures(output)
}

/// Every check, in the order in which their findings are told.
pub fn checks() -> impl Iterator<Item = &'static ToolCheck> {
    FOLDERS.iter().copied().flatten()
}

/// What checks find in results of other tools.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundInResults {
    /// Of each result, by its place among all.
    pub(crate) of_each: Vec<Vec<Finding>>,
    /// Of all together.
    pub(crate) of_all: Vec<Finding>,
}

/// Looks at all results of a run.
pub(crate) fn look(run: &Run) -> FoundInResults {
    let context = ToolCheckContext::of(run);
    let of_one = |result: &&ToolResult| {
        let looks = checks().filter_map(|check| match check.look {
            ToolCheckLook::EachResult(look) => Some(look),
            ToolCheckLook::All(_) => None,
        });
        looks.flat_map(|look| look(result, &context)).collect()
    };
    let of_all = checks().filter_map(|check| match check.look {
        ToolCheckLook::All(look) => Some(look),
        ToolCheckLook::EachResult(_) => None,
    });
    FoundInResults {
        of_each: parallel::map(&context.results, of_one),
        of_all: of_all.flat_map(|look| look(&context)).collect(),
    }
}

/// Puts what is found in the results of other tools beside the cases that were made of them: the
/// order of a trial is the place of its result. Returns what is found in each result, by that place; its sentences are
/// not written.
pub(crate) fn derive(run: &mut Run) -> Vec<Vec<Finding>> {
    if run.tool_outputs.is_empty() {
        return Vec::new();
    }
    let found = look(run);
    for case in &mut run.cases {
        let mut of_case: Vec<Finding> = Vec::new();
        // Written out, for its numbers have no order; a case may have very many.
        let mut known: HashSet<String> = HashSet::new();
        for trial in &case.trials {
            let of_trial = usize::try_from(trial.order).ok().and_then(|place| found.of_each.get(place));
            for finding in of_trial.into_iter().flatten() {
                if known.insert(format!("{finding:?}")) {
                    of_case.push(finding.clone());
                }
            }
        }
        of_case.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        case.findings = of_case;
    }
    run.findings = found.of_all;
    found.of_each
}

#[cfg(test)]
pub(crate) mod fixture {
    //! Texts to find something in.

    use model::{Finding, ToolOutput};

    use super::{ToolCheck, ToolCheckContext, ToolCheckLook};

    /// What a check finds in a text; every language can say it.
    pub(crate) fn found(check: &ToolCheck, text: &str) -> Vec<Finding> {
        found_in(check, &import::tool::read("", text.as_bytes()).unwrap())
    }

    /// The same of what was read already.
    pub(crate) fn found_in(check: &ToolCheck, output: &ToolOutput) -> Vec<Finding> {
        assert!(!output.results.is_empty(), "nothing was read");
        looked_for(check, output)
    }

    /// What a check finds in a text that has the output of no tool.
    pub(crate) fn found_in_prose(check: &ToolCheck, text: &str) -> Vec<Finding> {
        let output = import::tool::read("", text.as_bytes()).unwrap();
        assert!(output.results.is_empty(), "{:?}", output.results);
        looked_for(check, &output)
    }

    fn looked_for(check: &ToolCheck, output: &ToolOutput) -> Vec<Finding> {
        let context = ToolCheckContext::new(std::slice::from_ref(output), None);
        let found = match check.look {
            ToolCheckLook::All(look) => look(&context),
            ToolCheckLook::EachResult(look) => {
                context.results.iter().flat_map(|result| look(result, &context)).collect()
            }
        };
        assert!(found.iter().all(|finding| finding.code == check.code));
        crate::said::written(found)
    }
}

#[cfg(test)]
mod tests;
