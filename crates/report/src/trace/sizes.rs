//! How large the pieces were, and whether each began where another had ended.

use language::format;
use trace::analysis::{DeviceReport, IoClass};

use super::view::{TraceView, bytes, counted, share};
use crate::document::{Block, Rank, Section, Table, Text};

/// Sizes that are named one by one.
const SIZES_NAMED: usize = 12;

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let mut section = Section::new("sizes", view.words().say("trace-sizes"));
    section.names_rows = true;
    let columns = vec![
        view.words_column("trace-sizes"),
        view.column("trace-column-bytes"),
        view.column("trace-column-least").to_spare(2),
        view.column("trace-column-median"),
        view.column("trace-column-largest"),
        view.column("trace-column-commonest").to_spare(1),
        view.column("trace-column-sequential"),
        view.column("trace-column-streams"),
    ];
    let table = view.table(columns, view.devices(), |device| rows(view, device));
    if !table.rows.is_empty() {
        section.put(Rank::Figure, Block::Table(table));
    }
    let named = named(view);
    if !named.rows.is_empty() {
        section.push(Block::Table(named));
    }
    section
}

fn rows(view: &TraceView<'_>, device: &DeviceReport) -> Vec<Vec<Text>> {
    let traffic = device.traffic();
    let size = |value: Option<u64>| Text::from(value.map(format::part).unwrap_or_default());
    let row = |class: IoClass| {
        let (sizes, sequence) = (traffic.sizes_of(class), traffic.sequence_of(class));
        let commonest = sizes
            .commonest()
            .map(|(size, share)| format!("{}: {}", format::part(size.bytes), format::percent(share)));
        (sizes.count > 0).then(|| {
            vec![
                view.class(class).into(),
                bytes(sizes.bytes).into(),
                size(sizes.min_bytes),
                size(sizes.median_bytes),
                size(sizes.max_bytes),
                commonest.unwrap_or_default().into(),
                share(sequence.share()),
                share(sequence.share_in_streams()),
            ]
        })
    };
    IoClass::ALL.into_iter().filter_map(row).collect()
}

/// The sizes that came most often.
fn named(view: &TraceView<'_>) -> Table {
    let columns = vec![
        view.words_column("trace-column-size"),
        view.words_column("trace-column-kind"),
        view.column("trace-column-count"),
        view.column("trace-column-share"),
    ];
    view.table(columns, view.devices(), |device| {
        let traffic = device.traffic();
        let of_class = |class: IoClass| {
            let sizes = traffic.sizes_of(class);
            sizes.sizes.iter().take(SIZES_NAMED).map(move |size| {
                vec![
                    format::part(size.bytes).into(),
                    view.class(class).into(),
                    counted(size.count).into(),
                    share(Some(size.count as f64 / sizes.count.max(1) as f64)),
                ]
            })
        };
        IoClass::ALL.into_iter().flat_map(of_class).collect()
    })
}
