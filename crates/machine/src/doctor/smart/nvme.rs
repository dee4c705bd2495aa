//! NVMe: Identify Controller and two log pages, through the kernel's admin
//! passthrough. Sources: NVM Express Base Specification 2.0, "SMART / Health
//! Information (Log Identifier 02h)", "Device Self-test (Log Identifier 06h)"
//! and "Identify Controller Data Structure"; `include/uapi/linux/nvme_ioctl.h`.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode};

use super::{COMMAND_MS, Smart, little_endian, reason_of};

/// Admin command Get Log Page.
const GET_LOG_PAGE: u8 = 0x02;
/// Admin command Identify.
const IDENTIFY: u8 = 0x06;
/// Identify: the controller.
const CONTROLLER: u32 = 0x01;
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

/// `struct nvme_passthru_cmd`.
#[repr(C)]
#[derive(Debug, Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    address: u64,
    metadata_length: u32,
    data_length: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

/// `NVME_IOCTL_ADMIN_CMD`, `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const ADMIN_COMMAND: Opcode = rustix::ioctl::opcode::read_write::<Command>(b'N', 0x41);

struct Admin<'a>(&'a mut Command);

// SAFETY: the opcode takes a pointer to a `Command`, which `as_ptr` gives, and
// answers with the status of the command or an error.
unsafe impl Ioctl for Admin<'_> {
    type Output = i32;
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        ADMIN_COMMAND
    }

    fn as_ptr(&mut self) -> *mut std::ffi::c_void {
        std::ptr::from_mut(self.0).cast()
    }

    unsafe fn output_from_ptr(status: IoctlOutput, _: *mut std::ffi::c_void) -> rustix::io::Result<i32> {
        Ok(status)
    }
}

/// What the drive says. Three commands, all of which only read.
pub(super) fn ask(drive: &File) -> Result<Smart, String> {
    let mut controller = [0u8; 4096];
    send(drive, IDENTIFY, 0, CONTROLLER, &mut controller)?;
    let retain = match version(&controller) {
        Some(version) if version >= VERSION_1_3 => RETAIN_EVENT,
        _ => 0,
    };
    let mut health = [0u8; 512];
    send(drive, GET_LOG_PAGE, ALL, page(HEALTH, health.len()) | retain, &mut health)?;
    let mut test = [0u8; 4];
    let has_tests = little_endian::<2>(&controller, 256).is_some_and(|o| o & HAS_SELF_TESTS != 0);
    let has_test =
        has_tests && send(drive, GET_LOG_PAGE, ALL, page(SELF_TEST, test.len()) | retain, &mut test).is_ok();
    let smart = read_health(&health).ok_or("garbled: a health page of another form")?;
    let (warning_c, critical_c) = limits(&controller);
    Ok(Smart { warning_c, critical_c, self_test: has_test.then(|| self_test(&test)).flatten(), ..smart })
}

/// Command dword 10 of Get Log Page: the page, and its dwords less one.
fn page(identifier: u32, bytes: usize) -> u32 {
    let dwords = u32::try_from(bytes / 4).unwrap_or(1);
    identifier | (dwords.saturating_sub(1) << 16)
}

fn send(drive: &File, opcode: u8, namespace: u32, cdw10: u32, data: &mut [u8]) -> Result<(), String> {
    let mut command = Command {
        opcode,
        namespace,
        address: data.as_mut_ptr() as u64,
        data_length: u32::try_from(data.len()).map_err(|_| "too long")?,
        cdw10,
        timeout_ms: COMMAND_MS,
        ..Command::default()
    };
    // SAFETY: the command is one of those above, all of which only read; the
    // kernel writes at most `data_length` bytes to `address`, which is `data`,
    // borrowed for longer than the call.
    let status = unsafe { rustix::ioctl::ioctl(drive.as_fd(), Admin(&mut command)) };
    match status.map_err(reason_of)? {
        0 => Ok(()),
        status => Err(format!("the drive answered with status {status:#x}")),
    }
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
    fn the_command_has_the_kernels_form() {
        assert_eq!(std::mem::size_of::<Command>(), 72);
        assert_eq!(ADMIN_COMMAND, 0xc048_4e41);
        assert_eq!(page(HEALTH, 512), 0x007f_0002);
        assert_eq!(page(SELF_TEST, 4), 0x0000_0006);
    }

    #[test]
    fn what_is_no_drive_is_not_supported() {
        let error = ask(&File::open("/dev/null").unwrap()).unwrap_err();
        assert_eq!(error, "not supported");
    }
}
