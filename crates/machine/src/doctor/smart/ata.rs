//! ATA: three commands that read, through the SCSI generic passthrough. A drive
//! in standby is left asleep. Sources: ATA Command Set 4 (ACS-4), CHECK POWER
//! MODE, IDENTIFY DEVICE and SMART READ DATA; SCSI/ATA Translation 4 (SAT-4),
//! ATA PASS-THROUGH (16) and its sense data; `include/scsi/sg.h`.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::ioctl::Updater;

use super::{Attribute, COMMAND_MS, Smart, little_endian, reason_of};

/// ATA PASS-THROUGH (16).
const PASS_THROUGH: u8 = 0x85;
/// Its protocols, at their place in byte 1.
const NO_DATA: u8 = 3 << 1;
const DATA_IN: u8 = 4 << 1;
/// Byte 2: one block of 512 bytes, its number in the count field, to the host.
const ONE_BLOCK_IN: u8 = 0x0e;
/// Byte 2: give the registers back in the sense data.
const WITH_REGISTERS: u8 = 0x20;
/// Commands of ATA.
const CHECK_POWER_MODE: u8 = 0xe5;
const IDENTIFY_DEVICE: u8 = 0xec;
const SMART: u8 = 0xb0;
/// SMART's feature, and the signature of its commands in the LBA registers.
const READ_DATA: u8 = 0xd0;
const SIGNATURE: (u8, u8) = (0x4f, 0xc2);
/// Power modes from here on are idle or active; below lie the standby modes.
const IDLE: u8 = 0x80;
/// Attributes that makers use for temperature, and for wear.
const TEMPERATURES: [u8; 2] = [194, 190];
const WEAR: [u8; 4] = [177, 202, 231, 233];
/// Attributes that all makers use for errors, and what each counts. Of the first some use the upper bytes for others.
const ERRORS: [(u8, &str, u64); 4] = [
    (5, "reallocated-sectors", 0xffff),
    (197, "pending-sectors", 0xffff_ffff),
    (198, "uncorrectable-sectors", 0xffff_ffff),
    (199, "cable-checksum", 0xffff_ffff),
];

/// `SG_IO`.
const SG_IO: u32 = 0x2285;

/// `struct sg_io_hdr`.
#[repr(C)]
struct Header {
    interface: i32,
    direction: i32,
    command_length: u8,
    sense_max: u8,
    vectors: u16,
    data_length: u32,
    data: *mut u8,
    command: *const u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    id: i32,
    user: *mut u8,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_length: u8,
    host_status: u16,
    driver_status: u16,
    rest: i32,
    duration: u32,
    information: u32,
}

/// `SG_DXFER_NONE`, `SG_DXFER_FROM_DEV`.
const NOWHERE: i32 = -1;
const FROM_DEVICE: i32 = -3;
/// `SG_INFO_CHECK`: the status, or a driver, has something to say.
const CHECK: u32 = 1;

/// One of the three commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Power,
    Identify,
    Health,
}

impl Question {
    fn command(self) -> [u8; 16] {
        let mut block = [0u8; 16];
        block[0] = PASS_THROUGH;
        (block[1], block[2]) =
            if self == Self::Power { (NO_DATA, WITH_REGISTERS) } else { (DATA_IN, ONE_BLOCK_IN) };
        block[6] = u8::from(self != Self::Power);
        if self == Self::Health {
            (block[4], block[10], block[12]) = (READ_DATA, SIGNATURE.0, SIGNATURE.1);
        }
        block[14] = match self {
            Self::Power => CHECK_POWER_MODE,
            Self::Identify => IDENTIFY_DEVICE,
            Self::Health => SMART,
        };
        block
    }
}

/// What the drive says.
pub(super) fn ask(drive: &File) -> Result<Smart, String> {
    let (_, sense) = send(drive, Question::Power)?;
    match power_mode(&sense) {
        Some(mode) if mode >= IDLE => {}
        Some(_) => return Err("the drive is in standby".to_owned()),
        None => return Err("the drive does not say whether it is in standby".to_owned()),
    }
    let (identity, _) = send(drive, Question::Identify)?;
    let link_max_bits = link_max(&identity);
    // A command that is aborted may leave an entry in the drive's log.
    if !has_smart(&identity) {
        return Ok(Smart { kind: "ata".to_owned(), link_max_bits, ..Smart::default() });
    }
    let (page, _) = send(drive, Question::Health)?;
    let smart = read_health(&page).ok_or("garbled: a SMART page with a wrong sum")?;
    Ok(Smart { link_max_bits, ..smart })
}

/// One block of data, and the sense data.
type Answer = ([u8; 512], [u8; 32]);

fn send(drive: &File, question: Question) -> Result<Answer, String> {
    let command = question.command();
    let (mut data, mut sense) = ([0u8; 512], [0u8; 32]);
    let has_data = question != Question::Power;
    let mut header = Header {
        interface: i32::from(b'S'),
        direction: if has_data { FROM_DEVICE } else { NOWHERE },
        command_length: 16,
        sense_max: 32,
        vectors: 0,
        data_length: if has_data { 512 } else { 0 },
        data: data.as_mut_ptr(),
        command: command.as_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms: COMMAND_MS,
        flags: 0,
        id: 0,
        user: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_length: 0,
        host_status: 0,
        driver_status: 0,
        rest: 0,
        duration: 0,
        information: 0,
    };
    // SAFETY: SG_IO takes a `struct sg_io_hdr`, which `Header` is; its pointers
    // lead to arrays of the lengths it names, which outlive the call; the
    // commands only read.
    let sent = unsafe { rustix::ioctl::ioctl(drive.as_fd(), Updater::<SG_IO, Header>::new(&mut header)) };
    sent.map_err(reason_of)?;
    // The registers come as sense data, which is no failure of that command.
    if header.host_status != 0 || (has_data && header.information & CHECK != 0) {
        return Err("the drive refused to answer".to_owned());
    }
    Ok((data, sense))
}

/// The count register, from sense data of either form: 0x72 with the ATA status
/// return descriptor, or 0x70, whose information field holds it.
fn power_mode(sense: &[u8; 32]) -> Option<u8> {
    match sense[0] & 0x7f {
        0x72 if sense[8] == 0x09 && sense[9] >= 12 => Some(sense[13]),
        0x70 => Some(sense[6]),
        _ => None,
    }
}

fn word(identity: &[u8], number: usize) -> u64 {
    little_endian::<2>(identity, number * 2).unwrap_or(0)
}

/// Words 82 and 85: SMART is there, and on; valid where bits 15 and 14 of words
/// 83 and 87 are 01.
fn has_smart(identity: &[u8]) -> bool {
    let is_valid = |number| word(identity, number) >> 14 == 1;
    is_valid(83) && is_valid(87) && word(identity, 82) & 1 == 1 && word(identity, 85) & 1 == 1
}

/// Word 76: bits 1 to 3 are the signalling speeds 1.5, 3 and 6 Gbit/s.
fn link_max(identity: &[u8]) -> Option<u64> {
    let speeds = word(identity, 76);
    if speeds == 0xffff {
        return None;
    }
    [(3, 6_000_000_000), (2, 3_000_000_000), (1, 1_500_000_000)]
        .into_iter()
        .find_map(|(bit, rate)| (speeds >> bit & 1 == 1).then_some(rate))
}

/// The page of SMART READ DATA: byte 363 is the self-test execution status, 15
/// in its upper half for "in progress", tenths that remain in its lower; the
/// sum of all bytes is 0. The attributes (30 of 12 bytes from byte 2) are the
/// makers', by a custom older than the standard.
fn read_health(page: &[u8; 512]) -> Option<Smart> {
    if page.iter().fold(0u8, |sum, b| sum.wrapping_add(*b)) != 0 {
        return None;
    }
    let attribute = |number: u8| {
        let one = page[2..362].chunks_exact(12).find(|a| a[0] == number)?;
        Some(Attribute { value: u32::from(one[3]), raw: little_endian::<6>(one, 5)? })
    };
    let temperature = TEMPERATURES.into_iter().find_map(attribute).map(|a| a.raw & 0xff);
    let status = page[363];
    let errors =
        ERRORS.into_iter().filter_map(|(n, what, mask)| Some((what.to_owned(), attribute(n)?.raw & mask)));
    let wear = WEAR.into_iter().filter_map(|n| Some((n.to_string(), attribute(n)?)));
    Some(Smart {
        kind: "ata".to_owned(),
        temperature_c: temperature.filter(|t| (1..125).contains(t)).map(|t| t as f64),
        self_test: (status >> 4 == 15)
            .then(|| format!("running {} %", 100 - 10 * u32::from(status & 0x0f).min(10))),
        wear: wear.collect(),
        errors: errors.collect(),
        ..Smart::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page as a drive at 36 C gives it while a self-test has 40 % to go.
    fn page() -> [u8; 512] {
        let mut page = [0u8; 512];
        let attributes: [(u8, u8, [u8; 6]); 3] = [
            (9, 99, [1, 2, 0, 0, 0, 0]),
            (177, 95, [0x34, 0x12, 0, 0, 0, 0]),
            (194, 64, [36, 0, 20, 0, 50, 0]),
        ];
        for (i, (number, value, raw)) in attributes.into_iter().enumerate() {
            let at = 2 + 12 * i;
            (page[at], page[at + 3], page[at + 4]) = (number, value, value);
            page[at + 5..at + 11].copy_from_slice(&raw);
        }
        page[363] = 0xf4;
        with_sum(page)
    }

    fn with_sum(mut page: [u8; 512]) -> [u8; 512] {
        page[511] = 0;
        page[511] = page.iter().fold(0u8, |s, b| s.wrapping_sub(*b));
        page
    }

    #[test]
    fn the_page_of_health_is_read() {
        let smart = read_health(&page()).unwrap();
        assert_eq!(smart.temperature_c, Some(36.0));
        assert_eq!(smart.self_test.as_deref(), Some("running 60 %"));
        assert_eq!(smart.wear, [("177".to_owned(), Attribute { value: 95, raw: 0x1234 })].into());
        let mut done = page();
        done[363] = 0x00;
        assert_eq!(read_health(&with_sum(done)).unwrap().self_test, None);
    }

    #[test]
    fn bad_sectors_and_broken_transfers_are_counted() {
        let mut page = [0u8; 512];
        // What a maker keeps in the upper bytes of the first is no count of sectors.
        let attributes: [(u8, [u8; 6]); 2] = [(5, [3, 1, 9, 0, 0, 0]), (199, [7, 0, 1, 0, 0, 0])];
        for (i, (number, raw)) in attributes.into_iter().enumerate() {
            let at = 2 + 12 * i;
            page[at] = number;
            page[at + 5..at + 11].copy_from_slice(&raw);
        }
        let errors = read_health(&with_sum(page)).unwrap().errors;
        let expected = [("reallocated-sectors".to_owned(), 259), ("cable-checksum".to_owned(), 65_543)];
        assert_eq!(errors, expected.into());
    }

    #[test]
    fn a_page_with_a_wrong_sum_has_no_answer() {
        let mut page = page();
        page[100] ^= 1;
        assert_eq!(read_health(&page), None);
        assert_eq!(read_health(&with_sum([0xff; 512])).unwrap().temperature_c, None);
    }

    #[test]
    fn the_identity_says_speed_and_smart() {
        let mut identity = [0u8; 512];
        let mut put = |number: usize, value: u16| {
            identity[number * 2..number * 2 + 2].copy_from_slice(&value.to_le_bytes());
        };
        put(76, 0x0006);
        put(82, 1);
        put(83, 0x4000);
        put(85, 1);
        put(87, 0x4000);
        assert_eq!(link_max(&identity), Some(3_000_000_000));
        assert!(has_smart(&identity));
        identity[85 * 2] = 0;
        assert!(!has_smart(&identity) && !has_smart(&[0xff; 512]) && !has_smart(&[]));
        assert_eq!((link_max(&[0xff; 512]), link_max(&[])), (None, None));
    }

    #[test]
    fn a_drive_in_standby_is_told_from_one_that_is_awake() {
        let mut sense = [0u8; 32];
        assert_eq!(power_mode(&sense), None);
        (sense[0], sense[7], sense[8], sense[9], sense[13]) = (0x72, 14, 0x09, 12, 0xff);
        assert_eq!(power_mode(&sense), Some(0xff));
        let mut fixed = [0u8; 32];
        (fixed[0], fixed[6]) = (0x70, 0x00);
        assert!(power_mode(&fixed).unwrap() < IDLE);
    }

    #[test]
    fn the_commands_have_the_standards_form() {
        let expected = [0x85, 8, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0];
        assert_eq!(Question::Health.command(), expected);
        let expected = [0x85, 6, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe5, 0];
        assert_eq!(Question::Power.command(), expected);
        #[cfg(target_pointer_width = "64")]
        assert_eq!(std::mem::size_of::<Header>(), 88);
    }

    #[test]
    fn what_is_no_drive_is_not_supported() {
        let error = ask(&File::open("/dev/null").unwrap()).unwrap_err();
        assert_eq!(error, "not supported");
    }
}
