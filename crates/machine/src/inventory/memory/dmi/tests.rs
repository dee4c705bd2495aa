//! Tables built by hand from the standard.

use super::*;

/// A structure with its strings; `set` fills the formatted part.
fn structure(kind: u8, handle: u16, length: u8, strings: &[&str], set: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; usize::from(length)];
    (bytes[0], bytes[1]) = (kind, length);
    bytes[2..4].copy_from_slice(&handle.to_le_bytes());
    for (at, value) in set {
        bytes[*at..at + value.len()].copy_from_slice(value);
    }
    for string in strings {
        bytes.extend(string.bytes().chain([0]));
    }
    bytes.extend(if strings.is_empty() { &[0, 0][..] } else { &[0][..] });
    bytes
}

/// An array (7.17) of `slots` for `purpose` with this error correction.
fn array(handle: u16, purpose: u8, correction: u8, slots: u16) -> Vec<u8> {
    let set: &[(usize, &[u8])] =
        &[(0x04, &[3]), (0x05, &[purpose]), (0x06, &[correction]), (0x0d, &slots.to_le_bytes())];
    structure(16, handle, 0x17, &[], set)
}

const STRINGS: &[&str] = &["DIMM_A1", "BANK 0", "Samsung", "S3R1A1", "TAG", "M393A2K43DB3-CWE  "];

/// A module (7.18, SMBIOS 3.3's 0x5c bytes) in array 0x1000, 16 GiB of DDR4 with
/// ECC unless `set` says otherwise.
fn device(handle: u16, set: &[(usize, &[u8])]) -> Vec<u8> {
    let usual: &[(usize, &[u8])] = &[
        (0x04, &0x1000_u16.to_le_bytes()),
        (0x08, &72_u16.to_le_bytes()),
        (0x0a, &64_u16.to_le_bytes()),
        (0x0c, &16384_u16.to_le_bytes()),
        (0x10, &[1]),
        (0x11, &[2]),
        (0x12, &[0x1a]),
        (0x15, &3200_u16.to_le_bytes()),
        (0x17, &[3]),
        (0x18, &[4]),
        (0x19, &[5]),
        (0x1a, &[6]),
        (0x1b, &[2]),
        (0x20, &2933_u16.to_le_bytes()),
    ];
    structure(17, handle, 0x5c, STRINGS, &[usual, set].concat())
}

fn one(set: &[(usize, &[u8])]) -> Option<MemoryModule> {
    let table = [array(0x1000, 3, 6, 4), device(0x1100, set)].concat();
    parse(&table).unwrap().modules.into_iter().next()
}

#[test]
fn a_module_is_read_without_its_serial_number() {
    let end = structure(127, 0xfeff, 4, &[], &[]);
    let bios = structure(0, 0, 0x18, &["Maker", "1.0"], &[(4, &[1])]);
    let table = [bios, array(0x1000, 3, 6, 4), device(0x1100, &[]), end, vec![17, 200]].concat();
    let expected = MemoryModule {
        slot: "DIMM_A1".to_owned(),
        bank: Some("BANK 0".to_owned()),
        bytes: 16 << 30,
        kind: Some("DDR4".to_owned()),
        speed_transfers: Some(3_200_000_000),
        configured_transfers: Some(2_933_000_000),
        data_bits: Some(64),
        ecc: Some(true),
        ranks: Some(2),
        maker: Some("Samsung".to_owned()),
        part: Some("M393A2K43DB3-CWE".to_owned()),
    };
    let slots = parse(&table).unwrap();
    assert_eq!(slots, Slots { slots: Some(4), modules: vec![expected] });
    let json = serde_json::to_string(&slots).unwrap();
    assert!(!json.contains("S3R1A1") && !json.contains("TAG"), "{json}");
}

#[test]
fn sizes_have_three_units_and_two_ways_to_be_none() {
    let size = |word: u16, extended: u32| {
        one(&[(0x0c, &word.to_le_bytes()), (0x1c, &extended.to_le_bytes())]).map(|module| module.bytes)
    };
    assert_eq!(size(512, 0), Some(512 << 20));
    assert_eq!(size(0x8000 | 512, 0), Some(512 << 10));
    assert_eq!(size(0x7fff, 65536), Some(64 << 30));
    assert_eq!(size(0x7fff, 0xffff_ffff), Some(0x7fff_ffff << 20));
    assert_eq!(size(0x7fff, 0), None);
    assert_eq!((size(0, 7), size(0xffff, 7)), (None, None));
}

#[test]
fn speeds_may_be_unknown_or_extended() {
    let speeds = |word: u16, extended: u32| {
        let (word, extended) = (word.to_le_bytes(), extended.to_le_bytes());
        let module = one(&[(0x15, &word), (0x20, &word), (0x54, &extended), (0x58, &extended)]).unwrap();
        assert_eq!(module.speed_transfers, module.configured_transfers);
        module.speed_transfers
    };
    assert_eq!(speeds(0, 9), None);
    assert_eq!(speeds(0xffff, 70_000), Some(70_000_000_000));
    assert_eq!(speeds(0xffff, 0), None);
    assert_eq!(speeds(0xfffe, 9), Some(65_534_000_000));
}

#[test]
fn strings_that_are_not_there_or_say_nothing_are_absent() {
    let module = one(&[(0x10, &[0]), (0x11, &[7]), (0x17, &[255]), (0x1a, &[0])]).unwrap();
    assert_eq!((module.slot.as_str(), module.bank, module.maker, module.part), ("", None, None, None));
    for text in ["Not Specified", "UNKNOWN", "0000", "   ", "NO DIMM"] {
        let table = structure(17, 1, 0x22, &[text], &[(0x0c, &[1]), (0x17, &[1])]);
        assert_eq!(parse(&table).unwrap().modules[0].maker, None, "{text}");
    }
}

#[test]
fn error_correction_shows_in_the_widths_or_else_in_the_array() {
    let ecc = |total: u16, data: u16, correction: u8| {
        let set: &[(usize, &[u8])] = &[(0x08, &total.to_le_bytes()), (0x0a, &data.to_le_bytes())];
        let table = [array(0x1000, 3, correction, 1), device(1, set)].concat();
        parse(&table).unwrap().modules[0].ecc
    };
    assert_eq!((ecc(72, 64, 3), ecc(80, 64, 3)), (Some(true), Some(true)));
    assert_eq!(ecc(64, 64, 6), Some(false));
    assert_eq!((ecc(0xffff, 64, 6), ecc(0, 0, 3), ecc(0xffff, 0xffff, 2)), (Some(true), Some(false), None));
    assert_eq!(ecc(32, 64, 5), Some(true), "fewer in total than of data is nonsense");
}

#[test]
fn old_short_structures_have_what_they_have() {
    // SMBIOS 2.1's 0x15 bytes end before the speed.
    let set: &[(usize, &[u8])] = &[(0x0c, &256_u16.to_le_bytes()), (0x10, &[1]), (0x12, &[0x0f])];
    let slots = parse(&structure(17, 1, 0x15, &["A0"], set)).unwrap();
    let module = &slots.modules[0];
    assert_eq!((module.slot.as_str(), module.kind.as_deref()), ("A0", Some("SDRAM")));
    assert_eq!((module.speed_transfers, module.ranks, module.ecc), (None, None, None));
    assert_eq!(slots.slots, Some(1));
}

#[test]
fn flash_and_empty_slots_are_no_modules() {
    let flash: &[(usize, &[u8])] = &[(0x04, &0x2000_u16.to_le_bytes())];
    let table = [
        array(0x1000, 3, 3, 2),
        array(0x2000, 5, 3, 1),
        device(1, &[]),
        device(2, &[(0x0c, &[0, 0])]),
        device(3, flash),
    ];
    let slots = parse(&table.concat()).unwrap();
    assert_eq!((slots.slots, slots.modules.len()), (Some(2), 1));
}

#[test]
fn a_table_cut_anywhere_gives_what_is_whole_or_a_reason() {
    let head = array(0x1000, 3, 6, 2);
    let table = [head, device(1, &[]), device(2, &[])].concat();
    let first_end = table.len() - device(2, &[]).len();
    for end in 0..=table.len() {
        match parse(&table[..end]) {
            Ok(slots) => assert_eq!(slots.modules.len(), 1 + usize::from(end == table.len()), "{end}"),
            Err(_) => assert!(end < first_end, "{end}"),
        }
    }
    assert_eq!(parse(&table[..first_end - 1]), Err(TRUNCATED.to_owned()));
    assert_eq!(parse(&[]), Err("the firmware's table lists none".to_owned()));
    // A length that is shorter than the head would go round in circles.
    assert_eq!(parse(&[17, 0, 0, 0, 0, 0]), Err(TRUNCATED.to_owned()));
}

#[test]
fn any_bytes_are_read_without_harm() {
    let mut state = 1_u64;
    for length in 0..2000 {
        let bytes: Vec<u8> = (0..length % 300)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Mostly small numbers, so that lengths and ends are met.
                ((state >> 33) as u8) >> ((state >> 60) & 7)
            })
            .collect();
        let _ = parse(&bytes);
    }
}

#[test]
fn a_recorded_answer_is_read_and_absurd_modules_left_out() {
    let host = |json: &str| Host::parse(&format!("==> /probe/dmi\n{json}\n"));
    let mut absent = Vec::new();
    let json = r#"{"slots": 8, "modules": [{"slot": "A", "bytes": 17179869184, "speed_transfers": 99999999999999999},
        {"slot": "B", "bytes": 18446744073709551615}, {"slot": "C", "bytes": 0}]}"#;
    let slots = read(&host(json), &mut absent);
    assert_eq!((slots.slots, slots.modules.len(), absent.len()), (Some(8), 1, 0));
    assert_eq!(slots.modules[0].speed_transfers, None);
    read(&host(r#"{"slots": -1}"#), &mut absent);
    assert!(absent[0].what == "memory modules" && absent[0].reason.starts_with("garbled"), "{absent:?}");
    let denied = Host::parse("==> /probe/dmi !permission denied\n");
    read(&denied, &mut absent);
    assert_eq!(absent[1].reason, "permission denied");
}
