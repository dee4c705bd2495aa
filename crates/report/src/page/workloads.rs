//! What was measured, a section for each workload: what it does, what was the
//! same in all cases, charts, and the table of its cases.

use super::conclusion::{self, Conclusion};
use super::{block_trace, case_table, gains, notes, target_table};
use crate::document::{Block, Piece, Rank, Section, Text};
use crate::figure;
use crate::label;
use crate::view::{View, WorkloadGroup};

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("workloads", view.say("workloads-title"));
    let ranks = match case_table::are_few(view) {
        true => (Rank::Figure, Rank::Remark),
        false => (Rank::Detail, Rank::Detail),
    };
    let conclusions = conclusion::all(view);
    section.subsections = view.groups().iter().map(|group| of(view, group, &conclusions, ranks)).collect();
    section
}

/// One workload; its table has the rank `figures`, what is remarked on it `remark`.
fn of(
    view: &View<'_>,
    group: &WorkloadGroup<'_>,
    conclusions: &[Conclusion<'_>],
    (figures, remark): (Rank, Rank),
) -> Section {
    let mut section =
        Section { names_rows: true, ..Section::new(group.id(), view.called(group.name.as_str())) };
    if let Some(definition) = view.run.definitions.workload(group.name) {
        let summary = view.words.or(&format!("workload-{}", group.name), &definition.summary);
        let text = Text::from(super::findings::sentence(&summary))
            .plain(" ")
            .with(Piece::Code(group.name.to_string()));
        section.push(Block::Paragraph(text));
    }
    conclusion::put(view, &mut section, conclusions);
    let constant = label::constant_words(view.run, group.name);
    if !constant.is_empty() {
        let key = if group.cases.len() == 1 { "workloads-with" } else { "workloads-constant" };
        let text = Text::default().plain(format!("{} ", view.say(key)));
        // The name of an only case says it already.
        let is_said = group.cases.len() == 1 && crate::view::label::own(view, group.cases[0]).is_some();
        let rank = if is_said { Rank::Detail } else { remark };
        section.put(rank, Block::Paragraph(text.with(Piece::Code(constant.join(" ")))));
    }
    let remarks = notes::of(view, &group.cases, &|case| view.short(case));
    if !remarks.is_empty() {
        section.put(remark, Block::List(remarks.into_iter().map(Text::from).collect()));
    }
    section.extend(figure::of_workload(view, &group.cases));
    section.extend(figure::of_workload(view, &view.levels(group.name)));
    section.extend(figure::of_workload(view, &view.shares(group.name)));
    section.extend(figure::of_proofs(view, &group.cases));
    section.extend(figure::of_traces(view, &group.cases));
    section.put(figures, Block::Table(case_table::table(view, group)));
    section.extend(target_table::block(view, group));
    block_trace::blocks(view, &group.cases).into_iter().for_each(|block| section.put(figures, block));
    gains::put(view, &mut section, &group.cases, conclusions);
    section
}
