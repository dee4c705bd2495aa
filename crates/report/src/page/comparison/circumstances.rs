//! What else differs between the sides, what must be kept in mind, and which
//! cases stand alone.

use language::Words;
use model::comparison::{Difference, Differs, Remark, Unmatched};

use super::view::ComparisonView;
use crate::document::{Block, Column, Rank, Section, Table, Text};
use crate::page::findings::sentence;

/// So many differences have room on a screen.
const FEW: usize = 8;
/// So many cases without a partner are listed.
const ALONE: usize = 100;

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("circumstances", view.say("comparison-circumstances"));
    if let Some(block) = differences(view) {
        let is_short = view.comparison.differences.len() <= FEW;
        let rank = if is_short && matches!(block, Block::Table(_)) { Rank::Caution } else { Rank::Detail };
        section.put(rank, block);
    }
    // What casts doubt has its own section, with more.
    let mut notes = view.comparison.notes.iter().filter(|n| n.code != "doubtful").peekable();
    if notes.peek().is_some() {
        let mut part = Section::new("notes", view.say("comparison-notes"));
        let line = |n: &Remark| Text::from(sentence(&view.words().remark(n)));
        part.push(Block::List(notes.map(line).collect()));
        section.subsections.push(part);
    }
    section.subsections.extend(alone(view));
    section
}

/// What differs in machine, software and way of measuring; that nothing does,
/// where that was looked at.
fn differences(view: &ComparisonView<'_>) -> Option<Block> {
    let comparison = view.comparison;
    if comparison.by.is_some() {
        return None;
    }
    if comparison.differences.is_empty() {
        return Some(Block::Paragraph(view.say("comparison-none-differ").into()));
    }
    let several = comparison.sides.len() > 2;
    let mut columns = vec![
        Column::words(view.say("column-what")),
        Column::words(view.say("comparison-baseline")),
        Column::words(view.say("comparison-new")),
    ];
    if several {
        columns.push(Column::words(view.say("comparison-run")));
    }
    let labels = view.labels();
    let row = |d: &Difference| {
        let name = view.words().or(&format!("environment-{}", d.code), &d.text);
        let mut row = vec![
            name.into(),
            value_in_words(view.words(), &d.before).into(),
            value_in_words(view.words(), &d.after).into(),
        ];
        if several {
            row.push(labels.get(d.side).cloned().unwrap_or_default().into());
        }
        row
    };
    let rows = comparison.differences.iter().map(row).collect();
    let caption = view.all.count("comparison-differ-caption", comparison.differences.len());
    Some(Block::Table(Table { caption, columns, rows, groups: Vec::new() }))
}

/// A value of the environment: all but a few words is of no language.
pub(in crate::page) fn value_in_words(words: &Words, text: &str) -> String {
    let key = match text {
        "none" => "environment-value-none",
        "nothing more" => "environment-value-nothing-more",
        "on" => "environment-value-on",
        "off" => "environment-value-off",
        _ => return text.to_owned(),
    };
    words.say(key)
}

/// Cases that have no partner, each with the nearest and what differs.
fn alone(view: &ComparisonView<'_>) -> Option<Section> {
    let all = &view.comparison.unmatched;
    if all.is_empty() {
        return None;
    }
    let mut section = Section::new("alone", view.say("comparison-alone"));
    let columns = ["column-case", "comparison-of-side", "comparison-nearest", "comparison-differs"];
    let columns = columns.map(|key| Column::words(view.say(key))).to_vec();
    let row = |u: &Unmatched| {
        let differs: Vec<String> = u.differs.iter().map(|d| difference(view, d)).collect();
        let nearest = u.nearest.clone().unwrap_or_else(|| "–".to_owned());
        [u.case.clone(), view.side(u.side), nearest, differs.join("; ")].map(Text::from).to_vec()
    };
    let rows = all.iter().take(ALONE).map(row).collect();
    let caption = view.all.count("comparison-alone-count", all.len());
    section.push(Block::Table(Table { caption, columns, rows, groups: Vec::new() }));
    if all.len() > ALONE {
        section.push(Block::Paragraph(view.all.count("and-more", all.len() - ALONE).into()));
    }
    Some(section)
}

/// `queue-depth: 8, 64`.
fn difference(view: &ComparisonView<'_>, differs: &Differs) -> String {
    let name = view.words().or(&format!("differs-{}", differs.name), &differs.name);
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| view.say("environment-value-none"));
    let texts = [("name", name), ("baseline", side(&differs.baseline)), ("new", side(&differs.other))];
    view.tell("comparison-difference", &texts.each_ref().map(|(name, text)| (*name, text.as_str())))
}
