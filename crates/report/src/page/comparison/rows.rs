//! Every figure on both sides, with its verdict.

use model::comparison::{Row, Verdict};
use model::run::Estimate;

use super::view::ComparisonView;
use crate::document::{Block, Column, Rank, Section, Table, Text};
use crate::format::{Rates, probability};
use crate::page::findings::sentence;

/// So many rows without a verdict stand in a page.
const UNJUDGED: usize = 2000;

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("rows", view.say("comparison-rows"));
    let rows = |judged: bool| view.comparison.rows.iter().filter(move |r| r.judged == judged);
    let judged: Vec<&Row> = rows(true).collect();
    if !judged.is_empty() {
        let caption = view.counts("comparison-rows-caption", &[("count", judged.len())]);
        section.put(Rank::Figure, Block::Table(table(view, &judged, true, caption)));
        section.put(Rank::Remark, Block::Paragraph(view.say("comparison-change-note").into()));
        reasons(view, &judged).into_iter().for_each(|block| section.put(Rank::Caution, block));
    }
    let mut others: Vec<&Row> = rows(false).collect();
    let left = others.len().saturating_sub(UNJUDGED);
    others.truncate(UNJUDGED);
    if !others.is_empty() {
        let mut blocks = vec![
            Block::Paragraph(view.say("comparison-others-about").into()),
            Block::Table(table(view, &others, false, String::new())),
        ];
        if left > 0 {
            blocks.push(Block::Paragraph(view.all.count("comparison-rows-left", left).into()));
        }
        section.push(Block::More { title: view.say("comparison-others-title"), blocks });
    }
    section
}

fn table(view: &ComparisonView<'_>, rows: &[&Row], judged: bool, caption: String) -> Table {
    // Intervals break on a narrow page, figures never do.
    let mut columns = vec![
        Column::words(view.say("column-metric")),
        Column::numbers(view.say("comparison-baseline")),
        Column::words(view.say("column-interval")).to_spare(2),
        Column::numbers(view.say("comparison-new")),
        Column::words(view.say("column-interval")).to_spare(2),
        Column::numbers(view.say("comparison-change")),
        Column::words(view.say("column-interval")),
    ];
    if judged {
        columns.push(Column::words(view.say("comparison-verdict")));
        columns.push(Column::numbers(view.say("comparison-p")).to_spare(3));
    }
    let mut table = Table { caption, columns, ..Table::default() };
    let mut last = None;
    for row in rows {
        let name = view.called(row);
        if last.as_ref() != Some(&name) {
            table.groups.push((table.rows.len(), name.clone().into()));
        }
        last = Some(name);
        table.rows.push(cells(view, row, judged));
    }
    table
}

fn cells(view: &ComparisonView<'_>, row: &Row, judged: bool) -> Vec<Text> {
    let interval = |e: Option<&Estimate>| {
        Text::from(e.and_then(|e| view.all.interval(Rates::of(row.rate_unit), e)).unwrap_or_default())
    };
    let (change, of_change) = view.change(row).unwrap_or_else(|| ("–".to_owned(), String::new()));
    let (baseline, new) = (row.baseline.as_ref(), row.new.as_ref());
    let mut cells = vec![
        view.all.metric(row.metric).into(),
        view.figure(row, baseline).into(),
        interval(baseline),
        view.figure(row, new).into(),
        interval(new),
        match row.verdict {
            Some(Verdict::Better | Verdict::Worse) => Text::default().strong(change),
            _ => change.into(),
        },
        of_change.into(),
    ];
    if judged {
        cells.push(Text(row.verdict.map(|v| view.badge(v)).into_iter().collect()));
        cells.push(row.ratio.as_ref().and_then(|r| r.p_adjusted).map(probability).unwrap_or_default().into());
    }
    cells
}

/// Why rows have no verdict, each reason once.
fn reasons(view: &ComparisonView<'_>, rows: &[&Row]) -> Vec<Block> {
    let reason = |row: &Row| Some(sentence(&view.words().remark(row.reason.as_ref()?)));
    let all = crate::grouped(rows.iter().filter_map(|row| Some((reason(row)?, *row))));
    let line = |(reason, rows): (String, Vec<&Row>)| {
        let first = rows.first().map_or_else(String::new, |row| view.name(row));
        let who = match rows.len() {
            1 => first,
            many => format!("{first} {}", view.all.count("and-more", many - 1)),
        };
        Text::default().strong(format!("{who}:")).plain(format!(" {reason}"))
    };
    if all.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Paragraph(view.say("comparison-reasons").into()),
        Block::List(all.into_iter().map(line).collect()),
    ]
}
