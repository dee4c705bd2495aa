//! What must be known of cases beside their figures, a sentence each: whether
//! rounds became steady, what a cache took, what each of several targets did,
//! what was read back.
//! The page and the terminal say the same.

mod caches;
mod capacity;
mod commit;
mod durable;
mod full;
mod recorded;
mod rounds;
mod targets;
mod verified;

use model::run::CaseResult;

use super::View;

/// Sentences of one kind; further ones are counted.
const MOST: usize = 6;

/// What the remarks are made from.
struct NoteContext<'a> {
    view: &'a View<'a>,
    /// The cases of one workload.
    cases: &'a [&'a CaseResult],
    /// What a case is called.
    label: &'a dyn Fn(&CaseResult) -> String,
}

impl NoteContext<'_> {
    /// A sentence about a case, which needs its name among several.
    fn about(&self, case: &CaseResult, text: &str) -> String {
        if self.cases.len() == 1 {
            return sentence(self, text);
        }
        self.view.tell("remark-of-case", &[("case", &(self.label)(case)), ("text", &sentence(self, text))])
    }
}

/// With a point at its end, as the language has it.
fn sentence(context: &NoteContext<'_>, text: &str) -> String {
    match text.ends_with(['.', '。']) {
        true => text.to_owned(),
        false => context.view.tell("remark-sentence", &[("text", text)]),
    }
}

/// What one kind has to say of each case.
type OfCase = fn(&NoteContext<'_>, &CaseResult) -> Option<String>;

/// One kind: a file and a line here.
const KINDS: &[fn(&NoteContext<'_>) -> Vec<String>] = &[
    |context| of_each(context, capacity::of),
    |context| of_each(context, rounds::of),
    caches::of,
    |context| of_each(context, durable::of),
    |context| of_each(context, full::of),
    |context| of_each(context, commit::of),
    |context| of_each(context, targets::of),
    |context| of_each(context, verified::of),
    |context| of_each(context, recorded::of),
];

fn of_each(context: &NoteContext<'_>, of: OfCase) -> Vec<String> {
    let about = |case: &&CaseResult| Some(context.about(case, &of(context, case)?));
    context.cases.iter().filter_map(about).collect()
}

/// What there is to say of the cases of one workload; `label` says what a case
/// is called.
pub(crate) fn of(
    view: &View<'_>,
    cases: &[&CaseResult],
    label: &dyn Fn(&CaseResult) -> String,
) -> Vec<String> {
    let context = NoteContext { view, cases, label };
    let mut all = Vec::new();
    for kind in KINDS {
        let mut said = kind(&context);
        let more = said.len().saturating_sub(MOST);
        said.truncate(MOST);
        if let (Some(last), true) = (said.last_mut(), more > 0) {
            *last = format!("{last} {}", view.count("remark-more", more));
        }
        all.extend(said);
    }
    all
}
