//! The rate at which all memory channels together can move data: transfers x
//! data bits / 8, of each channel that has a module (JEDEC's way; DDR4-2400 on
//! 64 bits is 19.2 GB/s, the module's "PC4-19200"). Which module is on which
//! channel only the board's labels tell (SMBIOS 3.7, structure 17: Device
//! Locator, Bank Locator); where they do not, there is no limit rather than a
//! guess.
//!
//! This is a bound: refreshes, turn-arounds of the bus and misses of open rows take
//! some of it. How much differs by processor and by what is done, so nothing is
//! said to be usual: the agent measures what copying gets before the run.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use model::machine::{Absent, Inventory, MemoryModule};
use model::{Limit, Resource};

use super::{Rates, is_guest, link};

/// Beyond what any board has.
const MODULES_MAX: usize = 1024;

/// Letters that boards give to channels; "channels" ends in another.
const LETTERS: RangeInclusive<char> = 'A'..='P';

/// Transfers per second beyond any module, DDR5 being at 8.8e9.
const TRANSFERS_MAX: u64 = 100_000_000_000;

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    if is_guest(inventory) {
        return Vec::new();
    }
    limit(inventory).into_iter().collect()
}

/// Why there is no limit, where there are modules. No channel is faster than
/// its modules are, and none is without one: that is the most that is known.
pub(super) fn absent(inventory: &Inventory) -> Option<Absent> {
    let modules = &inventory.memory.modules;
    if modules.is_empty() || modules.len() > MODULES_MAX || limit(inventory).is_some() {
        return None;
    }
    let rates: Option<Vec<f64>> = modules.iter().map(rate).collect();
    let reason = match rates.and_then(|rates| rates.into_iter().reduce(f64::max)) {
        Some(rate) => format!(
            "the labels of the slots, such as {}, do not tell the channels; at most {} x {:.2} GB/s",
            modules.first().map(|m| clip(&m.slot)).unwrap_or_default(),
            modules.len(),
            rate / 1e9,
        ),
        None => "the firmware's tables do not tell the speed or the width of each module".to_owned(),
    };
    Some(Absent { what: "limit of memory".to_owned(), reason })
}

/// A label that is none of ours, so short that a sentence stays one.
fn clip(label: &str) -> String {
    label.chars().filter(|c| !c.is_control()).take(24).collect()
}

fn limit(inventory: &Inventory) -> Option<Limit> {
    let modules = &inventory.memory.modules;
    if modules.is_empty() || modules.len() > MODULES_MAX {
        return None;
    }
    // On Dell's servers the letter of DIMM_A1 is the processor, not the channel.
    let letters = !inventory.system.vendor.as_deref().unwrap_or_default().starts_with("Dell");
    let mut channels: BTreeMap<String, f64> = BTreeMap::new();
    let mut made_for = false;
    for module in modules {
        let channel = channel_of(module, letters)?;
        made_for |= module.configured_transfers.is_none();
        let rate = rate(module)?;
        // Modules of one channel take turns, at the pace of the slower.
        channels.entry(channel).and_modify(|r| *r = r.min(rate)).or_insert(rate);
    }
    let line: f64 = channels.values().sum();
    let transfers = modules.iter().filter_map(transfers).min()?;
    let source = format!(
        "{} of {} modules on {} channels, {} MT/s{}, by the firmware's tables",
        modules.iter().find_map(|m| m.kind.as_deref()).unwrap_or("memory"),
        modules.len(),
        channels.len(),
        transfers / 1_000_000,
        if made_for { " that they are made for" } else { "" },
    );
    Some(link(Resource::MEMORY, None, Rates { line, effective: None }, source))
}

fn transfers(module: &MemoryModule) -> Option<u64> {
    module.configured_transfers.or(module.speed_transfers).filter(|t| (1..=TRANSFERS_MAX).contains(t))
}

fn rate(module: &MemoryModule) -> Option<f64> {
    let bits = module.data_bits.filter(|b| (8..=128).contains(b))?;
    Some(transfers(module)? as f64 * f64::from(bits) / 8.0)
}

/// What names the channel of a module: all of a label up to and with its
/// channel, so that channels of two processors stay apart.
fn channel_of(module: &MemoryModule, letters: bool) -> Option<String> {
    let labels = [Some(module.slot.as_str()), module.bank.as_deref()];
    let mut labels = labels.into_iter().flatten();
    labels.clone().find_map(named_channel).or_else(|| labels.find_map(lettered_slot).filter(|_| letters))
}

/// `ChannelA-DIMM0`, `P0 CHANNEL A`, `Controller1-ChannelB`, `NODE 0 CHANNEL 2
/// DIMM 0`.
fn named_channel(label: &str) -> Option<String> {
    let label = label.to_ascii_uppercase();
    let at = label.find("CHANNEL")?;
    let rest = label[at + "CHANNEL".len()..].trim_start_matches([' ', '_', '-']);
    let name: String = match rest.chars().next()? {
        c if c.is_ascii_digit() => rest.chars().take_while(char::is_ascii_digit).collect(),
        // A letter that begins a word is no channel.
        c if LETTERS.contains(&c) && !rest[1..].starts_with(|n: char| n.is_ascii_alphabetic()) => {
            c.to_string()
        }
        _ => return None,
    };
    Some(format!("{}{name}", &label[..at]))
}

/// `DIMM_A1`, `DIMMB2`, `CPU1_DIMM_C1`, `P1-DIMMA1`: a letter and a number
/// after the word.
fn lettered_slot(label: &str) -> Option<String> {
    let label = label.to_ascii_uppercase();
    let at = label.find("DIMM")?;
    let rest = label[at + "DIMM".len()..].trim_start_matches([' ', '_', '-']);
    let mut after = rest.chars();
    let letter = after.next().filter(|c| LETTERS.contains(c))?;
    let number = after.as_str().trim_end();
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| format!("{}{letter}", &label[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(slot: &str, bank: Option<&str>) -> MemoryModule {
        MemoryModule {
            slot: slot.to_owned(),
            bank: bank.map(str::to_owned),
            bytes: 16 << 30,
            kind: Some("DDR4".to_owned()),
            speed_transfers: Some(3_200_000_000),
            configured_transfers: Some(2_400_000_000),
            data_bits: Some(64),
            ..MemoryModule::default()
        }
    }

    fn line(modules: Vec<MemoryModule>) -> Option<f64> {
        let mut inventory = Inventory::default();
        inventory.memory.modules = modules;
        limits(&inventory).first().and_then(|l| l.line).map(|l| l / 1e9)
    }

    #[test]
    fn channels_add_and_modules_of_one_channel_do_not() {
        // A Xeon E3-1220 v6 has two channels of DDR4-2400: 38.4 GB/s by Intel.
        let both = vec![module("DIMMA1", None), module("DIMMB1", None)];
        assert_eq!(line(both), Some(38.4));
        let all = ["DIMM_A1", "DIMM_A2", "DIMM_B1", "DIMM_B2"].map(|s| module(s, Some("BANK 0"))).to_vec();
        assert_eq!(line(all), Some(38.4));
        let one = vec![module("DIMM_A1", None), module("DIMM_A2", None)];
        assert_eq!(line(one), Some(19.2));
    }

    #[test]
    fn boards_name_channels_in_many_ways() {
        for (slots, channels) in [
            ([("ChannelA-DIMM0", "BANK 0"), ("ChannelB-DIMM0", "BANK 2")], 2.0),
            ([("DIMM 0", "P0 CHANNEL A"), ("DIMM 1", "P0 CHANNEL A")], 1.0),
            ([("DIMM 0", "P0 CHANNEL A"), ("DIMM 0", "P1 CHANNEL A")], 2.0),
            ([("Controller0-ChannelA-DIMM0", ""), ("Controller1-ChannelA-DIMM0", "")], 2.0),
            ([("P1-DIMMA1", "x"), ("P2-DIMMA1", "x")], 2.0),
            ([("NODE 0 CHANNEL 0 DIMM 0", ""), ("NODE 0 CHANNEL 1 DIMM 0", "")], 2.0),
        ] {
            let modules = slots.map(|(slot, bank)| module(slot, Some(bank))).to_vec();
            assert_eq!(line(modules), Some(19.2 * channels), "{slots:?}");
        }
    }

    #[test]
    fn where_labels_do_not_say_there_is_no_limit() {
        for slot in ["DIMM 0", "DIMM1", "A1", "Slot A", "SODIMM", "CHANNEL", "CHANNELS", "", "ÄDIMM_Ä1"] {
            assert_eq!(line(vec![module(slot, Some("BANK 0"))]), None, "{slot}");
        }
        assert_eq!(line(vec![module("DIMM_A1", None), module("DIMM 3", None)]), None);
    }

    #[test]
    fn dells_letters_are_processors() {
        let mut inventory = Inventory::default();
        inventory.memory.modules = vec![module("DIMM_A1", None)];
        assert_eq!(limits(&inventory).len(), 1);
        inventory.system.vendor = Some("Dell Inc.".to_owned());
        assert!(limits(&inventory).is_empty());
    }

    #[test]
    fn where_there_is_no_limit_the_reason_names_a_label_and_the_most_that_can_be() {
        let reason = |modules: Vec<MemoryModule>| {
            let mut inventory = Inventory::default();
            inventory.memory.modules = modules;
            absent(&inventory).map(|a| a.reason)
        };
        let told =
            reason(["DIMM1A", "DIMM1B", "DIMM2A", "DIMM2B"].map(|s| module(s, None)).to_vec()).unwrap();
        assert!(told.contains("such as DIMM1A,") && told.ends_with("at most 4 x 19.20 GB/s"), "{told}");
        let told = reason(vec![MemoryModule { data_bits: None, ..module("A1", None) }]).unwrap();
        assert!(told.contains("the width of each module"), "{told}");
        assert_eq!(reason(vec![module("DIMM_A1", None)]), None);
        assert_eq!(reason(Vec::new()), None, "that the modules are not known is said of them");
    }

    #[test]
    fn missing_and_absurd_figures_give_none() {
        let good = module("DIMM_A1", None);
        for bad in [
            MemoryModule { data_bits: None, ..good.clone() },
            MemoryModule { data_bits: Some(0), ..good.clone() },
            MemoryModule { configured_transfers: Some(u64::MAX), ..good.clone() },
            MemoryModule { configured_transfers: Some(0), ..good.clone() },
            MemoryModule { configured_transfers: None, speed_transfers: None, ..good.clone() },
        ] {
            assert_eq!(line(vec![bad.clone()]), None, "{bad:?}");
        }
        assert_eq!(line(Vec::new()), None);
        let mut inventory = Inventory::default();
        inventory.memory.modules = vec![MemoryModule { configured_transfers: None, ..good }];
        assert!(limits(&inventory)[0].source.contains("made for"));
    }
}
