//! What was written to the drives that a run drove, and what share of their lives that is. It is what the kernel counted
//! between the looks before and after the run, so that files that were made ready and warm-ups are in it, and what other
//! programs wrote meanwhile.

use std::collections::BTreeSet;

use model::machine::{BlockDevice, BlockKind, CheckTime, ConditionCheck};
use model::{Machine, ResourceKind};

use super::View;
use crate::document::{Answer, Block, Column, Rank, Section, Table, Text};
use crate::format;
use crate::wear::{self, DriveLife};

/// A drive that something was written to.
struct WornDrive<'a> {
    device: &'a BlockDevice,
    /// How many bytes were written to it.
    bytes: u64,
    /// Whether that is of the whole run: of one that was killed nobody looked at the end.
    is_whole: bool,
    /// Absent where nobody knows it.
    life: Option<DriveLife>,
}

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("wear", view.say("wear-title"));
    let drives = drives(view);
    if drives.is_empty() {
        return section;
    }
    let unknown = drives.iter().any(|drive| drive.life.is_none() && drive.device.rotational != Some(true));
    let rows = drives.iter().map(|drive| row(view, drive)).collect();
    let columns = vec![
        Column::words(view.say("wear-drive")),
        Column::numbers(view.say("wear-written")),
        Column::numbers(view.say("wear-life")),
        Column::numbers(view.say("wear-share")),
        Column::words(view.say("wear-source")),
    ];
    let table = Table { columns, rows, ..Table::default() };
    section.put(Rank::Detail, Block::Table(table.without_empty_columns()));
    section.put(Rank::Detail, Block::Paragraph(view.say("wear-read").into()));
    if unknown {
        section.put(Rank::Detail, Block::Paragraph(view.say("wear-unknown").into()));
    }
    section
}

/// What share of the life of each drive was used, where that is known.
pub(super) fn answer(view: &View<'_>) -> Option<Answer> {
    let line = |drive: &WornDrive<'_>| {
        let life = drive.life?;
        let texts = [
            ("share", share(view, drive, life)),
            ("drive", drive.device.name.clone()),
            ("written", written(view, drive)),
            ("life", format::rough_decimal(life.bytes)),
        ];
        let text = view.tell("wear-answer", &texts.each_ref().map(|(name, text)| (*name, text.as_str())));
        Some(Text::default().link("wear", text))
    };
    let lines: Vec<Text> = drives(view).iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| Answer { question: view.say("wear-question"), lines, elsewhere: Vec::new() })
}

fn row(view: &View<'_>, drive: &WornDrive<'_>) -> Vec<Text> {
    let life = drive.life;
    let source = life.map(|life| {
        life.sheet.map_or_else(|| view.say("wear-said"), |sheet| view.tell("wear-sheet", &[("sheet", sheet)]))
    });
    let all = [
        Some(drive.device.name.clone()),
        Some(written(view, drive)),
        life.map(|life| format::rough_decimal(life.bytes)),
        life.map(|life| share(view, drive, life)),
        source,
    ];
    all.into_iter().map(|text| text.unwrap_or_default().into()).collect()
}

fn written(view: &View<'_>, drive: &WornDrive<'_>) -> String {
    let bytes = format::rough_decimal(drive.bytes);
    if drive.is_whole { bytes } else { view.tell("wear-at-least", &[("written", &bytes)]) }
}

fn share(view: &View<'_>, drive: &WornDrive<'_>, life: DriveLife) -> String {
    wear::percent(life.share(drive.bytes as f64)).unwrap_or_else(|| view.say("wear-little"))
}

/// The drives on the paths of the run's cases that something was written to.
fn drives<'a>(view: &View<'a>) -> Vec<WornDrive<'a>> {
    let Some(machine) = view.run.machines.first() else { return Vec::new() };
    let path = view.cases().flat_map(|case| &case.path);
    let driven: BTreeSet<&str> = path.filter_map(|step| step.resource.named(ResourceKind::Block)).collect();
    let is_driven =
        |device: &&BlockDevice| device.kind == BlockKind::Disk && driven.contains(device.name.as_str());
    let drives = machine.inventory.block.iter().filter(is_driven);
    drives.filter_map(|device| worn(machine, device, view.run.study.endurance_bytes)).collect()
}

fn worn<'a>(machine: &Machine, device: &'a BlockDevice, asked: Option<u64>) -> Option<WornDrive<'a>> {
    let (bytes, is_whole) = between(&machine.looks, &device.name)?;
    let life = DriveLife::of(device, asked);
    (bytes > 0).then_some(WornDrive { device, bytes, is_whole, life })
}

/// What was written to a disk between looks before and after, and whether that is all: a run that was killed and resumed
/// has no look at its first end. `None` without both.
fn between(looks: &[ConditionCheck], disk: &str) -> Option<(u64, bool)> {
    let (mut before, mut sum, mut is_whole) = (None, None, true);
    for look in looks {
        let counted = look.written_bytes.get(disk).copied();
        match look.moment {
            CheckTime::Before => is_whole &= before.replace(counted).is_none(),
            CheckTime::After => {
                let change =
                    counted.zip(before.take().flatten()).and_then(|(after, first)| after.checked_sub(first));
                is_whole &= change.is_some();
                sum = change.map(|change| sum.unwrap_or(0) + change).or(sum);
            }
        }
    }
    is_whole &= before.is_none();
    sum.map(|bytes| (bytes, is_whole))
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::Resource;
    use model::resource::PathStep;
    use model::run::Run;

    use super::*;
    use crate::page::Subject;

    fn looks(counts: &[(CheckTime, u64)]) -> Vec<ConditionCheck> {
        let look = |(moment, bytes): &(CheckTime, u64)| ConditionCheck {
            moment: *moment,
            findings: Vec::new(),
            written_bytes: [("sda".to_owned(), *bytes)].into(),
        };
        counts.iter().map(look).collect()
    }

    #[test]
    fn what_was_written_lies_between_the_looks() {
        use CheckTime::{After, Before};
        for (counts, expected) in [
            (&[(Before, 100), (After, 400)][..], Some((300, true))),
            (&[(Before, 100)], None),
            // Resumed after Ctrl-C, and after it was killed.
            (&[(Before, 100), (After, 400), (Before, 500), (After, 550)], Some((350, true))),
            (&[(Before, 100), (Before, 500), (After, 550)], Some((50, false))),
            // A machine that was started again meanwhile counts from 0.
            (&[(Before, 100), (After, 20)], None),
        ] {
            assert_eq!(between(&looks(counts), "sda"), expected, "{counts:?}");
        }
        assert_eq!(between(&looks(&[(Before, 1), (After, 2)]), "sdb"), None);
    }

    /// A run that wrote 3 TB to a drive which it drives, and as much to another.
    fn run(endurance_bytes: Option<u64>) -> Run {
        let mut run = crate::tests::long::short();
        run.study.endurance_bytes = endurance_bytes;
        let disk = |name: &str| BlockDevice { name: name.to_owned(), ..BlockDevice::default() };
        run.machines[0].inventory.block = vec![disk("sda"), disk("sdb")];
        let mut all = looks(&[(CheckTime::Before, 1), (CheckTime::After, 3_000_000_000_001)]);
        for look in &mut all {
            let bytes = look.written_bytes["sda"];
            look.written_bytes.insert("sdb".to_owned(), bytes);
        }
        run.machines[0].looks = all;
        run.cases[0].path = vec![PathStep { resource: Resource::from("block:sda"), amplification: 1.0 }];
        run.cases.truncate(1);
        run
    }

    #[test]
    fn a_drive_is_told_with_the_share_of_its_life() {
        let see = |run: &Run| {
            let view = View::new(&Subject { run, words: Language::English.words() });
            let table = write(&view).blocks.into_iter().find_map(|b| match b.block {
                Block::Table(table) => Some(table),
                _ => None,
            });
            let rows: Vec<Vec<String>> =
                table.unwrap().rows.iter().map(|row| row.iter().map(Text::words).collect()).collect();
            (rows, answer(&view).map(|answer| answer.lines[0].words()))
        };
        let (rows, said) = see(&run(Some(300_000_000_000_000)));
        assert_eq!(rows, [["sda", "3 TB", "300 TB", "1 %", "as the study says"]]);
        assert_eq!(said.as_deref(), Some("1 % of sda: 3 TB of the 300 TB that may be written to it"));
        let (rows, said) = see(&run(None));
        assert_eq!((rows, said), (vec![vec!["sda".to_owned(), "3 TB".to_owned()]], None));
    }
}
