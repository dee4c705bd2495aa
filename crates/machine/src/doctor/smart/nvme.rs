//! NVMe: Identify Controller and two log pages. Sources: NVM Express Base
//! Specification 2.0, "SMART / Health Information (Log Identifier 02h)", "Device
//! Self-test (Log Identifier 06h)" and "Identify Controller Data Structure".

use std::fs::File;

use super::{COMMAND_MS, Smart, little_endian, reason_of};
use crate::nvme::{self, Question, Refusal};

/// The log page of health.
const HEALTH: u32 = 0x02;
/// The log page of self-tests.
const SELF_TEST: u32 = 0x06;
/// All namespaces.
const ALL: u32 = 0xffff_ffff;
/// Get Log Page: do not clear the event that announced a change of the page.
/// Since version 1.3.
const RETAIN_EVENT: u32 = 1 << 15;
/// The version register of 1.3.
const VERSION_1_3: u64 = 0x0001_0300;
/// Optional Admin Command Support: the controller has self-tests. Asking one
/// without them for their page would leave an entry in its error log.
const HAS_SELF_TESTS: u64 = 1 << 4;

/// What the drive says. Three commands, all of which only read.
pub(super) fn ask(drive: &File) -> Result<Smart, String> {
    let mut controller = [0u8; 4096];
    ask_for(drive, Question::identify_controller(), &mut controller)?;
    let retain = match version(&controller) {
        Some(version) if version >= VERSION_1_3 => RETAIN_EVENT,
        _ => 0,
    };
    let mut health = [0u8; 512];
    ask_for(drive, Question::log_page(HEALTH, ALL, health.len(), retain), &mut health)?;
    let mut test = [0u8; 4];
    let has_tests = little_endian::<2>(&controller, 256).is_some_and(|o| o & HAS_SELF_TESTS != 0);
    let page = Question::log_page(SELF_TEST, ALL, test.len(), retain);
    let has_test = has_tests && ask_for(drive, page, &mut test).is_ok();
    let smart = read_health(&health).ok_or("garbled: a health page of another form")?;
    let (warning_c, critical_c) = limits(&controller);
    Ok(Smart { warning_c, critical_c, self_test: has_test.then(|| self_test(&test)).flatten(), ..smart })
}

fn ask_for(drive: &File, question: Question, data: &mut [u8]) -> Result<(), String> {
    nvme::read(drive, question, COMMAND_MS, data).map_err(|e| match e {
        Refusal::Kernel(errno) => reason_of(errno),
        Refusal::Drive(status) => format!("the drive answered with status {status:#x}"),
        Refusal::Unsent => "not sent".to_owned(),
    })
}

fn version(controller: &[u8]) -> Option<u64> {
    little_endian::<4>(controller, 80)
}

/// WCTEMP and CCTEMP, kelvins, 0 where they are not reported.
fn limits(controller: &[u8]) -> (Option<f64>, Option<f64>) {
    let limit = |at| little_endian::<2>(controller, at).and_then(celsius);
    (limit(266), limit(268))
}

/// Whole kelvins as degrees Celsius; absent where no drive can be that cold or
/// warm.
fn celsius(kelvins: u64) -> Option<f64> {
    (200..500).contains(&kelvins).then_some(kelvins as f64 - 273.0)
}

/// The page of health.
fn read_health(page: &[u8]) -> Option<Smart> {
    let byte = |at: usize| page.get(at).map(|b| u32::from(*b));
    // 16 bytes; nobody counts past 8.
    let media_errors = little_endian::<8>(page, 160)?;
    let more = little_endian::<8>(page, 168)?;
    Some(Smart {
        kind: "nvme".to_owned(),
        critical_warning: byte(0),
        temperature_c: little_endian::<2>(page, 1).and_then(celsius),
        available_spare: byte(3).filter(|p| *p <= 100),
        spare_threshold: byte(4).filter(|p| *p <= 100),
        percentage_used: byte(5),
        media_errors: Some(if more == 0 { media_errors } else { u64::MAX }),
        ..Smart::default()
    })
}

/// The head of the page of self-tests: byte 0 what runs (0 nothing), byte 1 how
/// much of it is done, per cent.
fn self_test(page: &[u8]) -> Option<String> {
    let (operation, done) = (page.first()? & 0x0f, page.get(1)? & 0x7f);
    (operation != 0).then(|| format!("running {} %", done.min(100)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page as a drive at 45 C gives it.
    fn health() -> [u8; 512] {
        let mut page = [0u8; 512];
        page[0] = 0x04;
        page[1..3].copy_from_slice(&318u16.to_le_bytes());
        (page[3], page[4], page[5]) = (98, 10, 3);
        // Data units read and written, which must not be taken for others.
        page[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        page[160..168].copy_from_slice(&7u64.to_le_bytes());
        page
    }

    #[test]
    fn the_page_of_health_is_read() {
        let smart = read_health(&health()).unwrap();
        assert_eq!(smart.temperature_c, Some(45.0));
        assert_eq!((smart.available_spare, smart.spare_threshold), (Some(98), Some(10)));
        assert_eq!((smart.percentage_used, smart.critical_warning), (Some(3), Some(4)));
        assert_eq!(smart.media_errors, Some(7));
    }

    #[test]
    fn a_page_cut_short_or_absurd_has_no_answer() {
        assert_eq!(read_health(&health()[..100]), None);
        let mut page = health();
        page[1..3].copy_from_slice(&0u16.to_le_bytes());
        page[3] = 255;
        let smart = read_health(&page).unwrap();
        assert_eq!((smart.temperature_c, smart.available_spare), (None, None));
        page[168] = 1;
        assert_eq!(read_health(&page).unwrap().media_errors, Some(u64::MAX));
    }

    #[test]
    fn the_controller_says_its_limits() {
        let mut controller = [0u8; 4096];
        controller[80..84].copy_from_slice(&0x0001_0400u32.to_le_bytes());
        controller[266..268].copy_from_slice(&357u16.to_le_bytes());
        assert_eq!(limits(&controller), (Some(84.0), None));
        assert_eq!(version(&controller), Some(0x0001_0400));
    }

    #[test]
    fn a_self_test_that_runs_is_seen() {
        assert_eq!(self_test(&[0x02, 40, 0, 0]), Some("running 40 %".to_owned()));
        assert_eq!(self_test(&[0x00, 40, 0, 0]), None);
        assert_eq!(self_test(&[]), None);
    }

    #[test]
    fn what_is_no_drive_is_not_supported() {
        let error = ask(&File::open("/dev/null").unwrap()).unwrap_err();
        assert_eq!(error, "not supported");
    }
}
