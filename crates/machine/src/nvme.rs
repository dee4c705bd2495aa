//! Questions to NVMe drives through the kernel's admin passthrough
//! (`include/uapi/linux/nvme_ioctl.h`): only such that read, and one feature that is
//! set. What the answers mean is the matter of who asks.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode};

/// Admin command Get Log Page.
const GET_LOG_PAGE: u8 = 0x02;
/// Admin command Identify.
const IDENTIFY: u8 = 0x06;
/// Admin command Set Features.
const SET_FEATURES: u8 = 0x09;
/// Admin command Get Features.
const GET_FEATURES: u8 = 0x0a;
/// Feature Volatile Write Cache (NVM Express base specification, 5.27.1.4 of revision 2.0): bit 0
/// says whether it is enabled.
const WRITE_CACHE: u32 = 0x06;
/// Identify: the controller, and how long its answer is.
const CONTROLLER: u32 = 0x01;
const CONTROLLER_BYTES: usize = 4096;

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

/// A command that reads. Nobody else makes one, and no other is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    opcode: u8,
    namespace: u32,
    /// Command dword 10.
    cdw10: u32,
    /// How long the answer is.
    bytes: usize,
}

impl Question {
    /// Get Log Page of a namespace, or of all (0xffffffff): the page, and its dwords less
    /// one, with other bits of dword 10.
    pub(crate) fn log_page(page: u32, namespace: u32, bytes: usize, bits: u32) -> Self {
        let dwords = u32::try_from(bytes / 4).unwrap_or(1);
        let cdw10 = page | (dwords.saturating_sub(1) << 16) | bits;
        Self { opcode: GET_LOG_PAGE, namespace, cdw10, bytes }
    }

    /// Identify, of the controller.
    pub(crate) fn identify_controller() -> Self {
        Self { opcode: IDENTIFY, namespace: 0, cdw10: CONTROLLER, bytes: CONTROLLER_BYTES }
    }
}

/// Why a drive did not answer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The kernel says so.
    Kernel(rustix::io::Errno),
    /// The drive does, with this status.
    Drive(i32),
    /// We do: it is no command that reads, or its answer has another length.
    Unsent,
}

/// Fills `data` with the answer, within so many milliseconds: when they are over the
/// kernel resets the drive. 0 is the kernel's own time (`admin_timeout` of `nvme_core`).
pub(crate) fn read(
    drive: &File,
    question: Question,
    patience_ms: u32,
    data: &mut [u8],
) -> Result<(), Refusal> {
    let is_question = [GET_LOG_PAGE, IDENTIFY].contains(&question.opcode);
    if !is_question || question.bytes != data.len() {
        return Err(Refusal::Unsent);
    }
    let mut command = Command {
        opcode: question.opcode,
        namespace: question.namespace,
        address: data.as_mut_ptr() as u64,
        data_length: u32::try_from(data.len()).map_err(|_| Refusal::Unsent)?,
        cdw10: question.cdw10,
        timeout_ms: patience_ms,
        ..Command::default()
    };
    // SAFETY: both commands only read; the kernel writes at most `data_length` bytes to
    // `address`, which is `data`, borrowed for longer than the call.
    let status = unsafe { rustix::ioctl::ioctl(drive.as_fd(), Admin(&mut command)) };
    match status.map_err(Refusal::Kernel)? {
        0 => Ok(()),
        status => Err(Refusal::Drive(status)),
    }
}

/// Whether the volatile write cache of a drive is enabled.
pub(crate) fn write_cache(drive: &File, patience_ms: u32) -> Result<bool, Refusal> {
    let command =
        Command { opcode: GET_FEATURES, cdw10: WRITE_CACHE, timeout_ms: patience_ms, ..Command::default() };
    Ok(without_data(drive, command)? & 1 == 1)
}

/// Enables the volatile write cache of a drive, or not, until the drive is reset: nothing is saved.
pub(crate) fn set_write_cache(drive: &File, is_on: bool, patience_ms: u32) -> Result<(), Refusal> {
    let (cdw10, cdw11) = (WRITE_CACHE, u32::from(is_on));
    let command =
        Command { opcode: SET_FEATURES, cdw10, cdw11, timeout_ms: patience_ms, ..Command::default() };
    without_data(drive, command).map(drop)
}

/// Sends a command that moves no data; its result.
fn without_data(drive: &File, mut command: Command) -> Result<u32, Refusal> {
    // SAFETY: there is no data; the kernel writes into `command` only, which outlives the call.
    let status = unsafe { rustix::ioctl::ioctl(drive.as_fd(), Admin(&mut command)) };
    match status.map_err(Refusal::Kernel)? {
        0 => Ok(command.result),
        status => Err(Refusal::Drive(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_page_is_asked_for_by_its_dwords_less_one() {
        let page = Question::log_page(0x02, u32::MAX, 512, 1 << 15);
        assert_eq!(page, Question { opcode: 2, namespace: u32::MAX, cdw10: 0x007f_8002, bytes: 512 });
        assert_eq!(Question::log_page(0xd0, 1, 4096, 0).cdw10, 0x03ff_00d0);
        assert_eq!(Question::log_page(0x06, 1, 4, 0).cdw10, 0x0000_0006);
    }

    #[test]
    fn only_commands_that_read_are_sent() {
        let file = File::open("/proc/self/stat").unwrap();
        let ask = |question: Question, bytes: usize| read(&file, question, 10, &mut vec![0_u8; bytes]);
        // Those that delete queues, set features, format, send and erase; and all others.
        for opcode in (0..=u8::MAX).filter(|opcode| ![0x02, 0x06].contains(opcode)) {
            let other = Question { opcode, ..Question::identify_controller() };
            assert!(matches!(ask(other, 4096), Err(Refusal::Unsent)), "{opcode:#x}");
        }
        assert!(matches!(ask(Question::identify_controller(), 512), Err(Refusal::Unsent)), "too short");
        assert!(matches!(ask(Question::identify_controller(), 4096), Err(Refusal::Kernel(_))));
    }

    #[test]
    fn the_command_has_the_kernels_form() {
        assert_eq!(std::mem::size_of::<Command>(), 72);
        assert_eq!(ADMIN_COMMAND, 0xc048_4e41);
    }

    #[test]
    fn what_is_no_drive_refuses() {
        let file = File::open("/proc/self/stat").unwrap();
        let answer = read(&file, Question::log_page(2, 1, 512, 0), 10, &mut [0; 512]);
        assert!(matches!(answer, Err(Refusal::Kernel(_))), "{answer:?}");
        assert!(matches!(write_cache(&file, 10), Err(Refusal::Kernel(_))));
        assert!(matches!(set_write_cache(&file, true, 10), Err(Refusal::Kernel(_))));
    }
}
