//! Sending without copying, by io_uring (`IORING_OP_SEND_ZC`, io_uring_enter(2)).
//!
//! One call is under way at a time, as with send(2): what differs is how the bytes come to the
//! interface. A call has two completions, of which the second comes when the kernel needs the pages
//! no more; what is sent here never changes, so nothing waits for it.

use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};

use engine::clock;
use engine::fault::Fault;
use io_uring::types::SubmitArgs;
use io_uring::{IoUring, Probe, cqueue, opcode, types};
use rustix::io::Errno;

use crate::workload::memory::buffer::Buffer;
use crate::workload::net::socket::LOOK;
use crate::workload::net::stream::source::Told;

/// Notifications say whether the bytes were copied (`IORING_SEND_ZC_REPORT_USAGE` of
/// include/uapi/linux/io_uring.h).
const REPORT: u16 = 1 << 3;

/// They were (`IORING_NOTIF_USAGE_ZC_COPIED`, there).
const COPIED: i32 = i32::MIN;

/// Calls and notifications that may wait to be seen; what is more the kernel keeps itself.
const COMPLETIONS: u32 = 256;

/// What lies in memory of this process, and is sent from there by a ring.
pub(in crate::workload::net) struct SendRing {
    // The order matters: the ring goes before the memory that it points into.
    ring: Box<IoUring>,
    buffer: Buffer,
    registered: bool,
    socket: RawFd,
    is_under_way: bool,
    /// The number of the call that is under way, or was last.
    call: u64,
    /// Calls that took no bytes, whose notifications are still to come: the kernel calls those copied.
    refused: Vec<u64>,
    told: Told,
}

impl std::fmt::Debug for SendRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SendRing").field("told", &self.told).finish_non_exhaustive()
    }
}

impl SendRing {
    /// Sends what lies in `buffer` over `stream`.
    pub(super) fn new(stream: &TcpStream, mut buffer: Buffer) -> Result<Self, Fault> {
        let failed = |e| Fault::system("making a ring to send by", e);
        let ring = IoUring::builder()
            .setup_cqsize(COMPLETIONS)
            .setup_single_issuer()
            .setup_defer_taskrun()
            .build(2)
            .or_else(|_| IoUring::builder().setup_cqsize(COMPLETIONS).build(2))
            .map_err(failed)?;
        let mut probe = Probe::new();
        let known = ring.submitter().register_probe(&mut probe).is_ok();
        if !known || !probe.is_supported(opcode::SendZc::CODE) {
            return Err(Fault::Other(
                "this kernel's io_uring sends nothing without copying (SEND_ZC came with Linux 6.0): \
                 use zero-copy-by=msg-zerocopy or sendfile"
                    .to_owned(),
            ));
        }
        let memory = buffer.as_mut_slice();
        let one = libc::iovec { iov_base: memory.as_mut_ptr().cast(), iov_len: memory.len() };
        // SAFETY: the mapping outlives the ring, by the order of the fields.
        let registered = unsafe { ring.submitter().register_buffers(&[one]) }.is_ok();
        let socket = stream.as_raw_fd();
        let (ring, told, refused) = (Box::new(ring), Told::default(), Vec::new());
        Ok(Self { ring, buffer, registered, socket, is_under_way: false, call: 0, refused, told })
    }

    /// Hands up to `bytes` bytes to the socket; as many as it took. One that is still under way is
    /// waited for first, whatever `bytes` is.
    #[inline]
    pub(super) fn send(&mut self, bytes: usize) -> rustix::io::Result<usize> {
        if !self.is_under_way {
            let place = self.buffer.as_mut_slice()[..bytes].as_ptr();
            let entry = opcode::SendZc::new(types::Fd(self.socket), place, bytes as u32)
                .buf_index(self.registered.then_some(0))
                .flags(libc::MSG_NOSIGNAL)
                .zc_flags(REPORT)
                .build()
                .user_data(self.call + 1);
            // SAFETY: the memory outlives the ring, and so does the kernel's use of it; the socket is
            // open as long as the connection that this belongs to.
            unsafe { self.ring.submission().push(&entry) }.map_err(|_| Errno::BUSY)?;
            self.is_under_way = true;
            self.call += 1;
        }
        self.wait()
    }

    /// What the call that is under way comes to, within a look.
    fn wait(&mut self) -> rustix::io::Result<usize> {
        let until_ns = clock::now_ns() + LOOK.as_nanos() as u64;
        loop {
            let left = types::Timespec::from(std::time::Duration::from_nanos(
                until_ns.saturating_sub(clock::now_ns()),
            ));
            let entered = self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&left));
            if let Some(result) = self.hear() {
                self.is_under_way = false;
                return usize::try_from(result).map_err(|_| Errno::from_raw_os_error(-result));
            }
            match entered {
                Ok(_) => {}
                Err(e) if e.raw_os_error() == Some(libc::ETIME) => return Err(Errno::AGAIN),
                Err(e) => return Err(Errno::from_io_error(&e).unwrap_or(Errno::IO)),
            }
        }
    }

    /// Takes what is completed; the result of the call, if it is among that.
    fn hear(&mut self) -> Option<i32> {
        let mut result = None;
        for completion in self.ring.completion() {
            let (flags, call) = (completion.flags(), completion.user_data());
            if !cqueue::notif(flags) {
                result = Some(completion.result());
                if completion.result() < 0 && cqueue::more(flags) {
                    self.refused.push(call);
                }
            } else if let Some(at) = self.refused.iter().position(|refused| *refused == call) {
                self.refused.swap_remove(at);
            } else {
                self.told.calls += 1;
                self.told.copied += u64::from(completion.result() & COPIED != 0);
            }
        }
        result
    }

    /// Waits until no call is under way.
    ///
    /// # Errors
    /// [`Errno::AGAIN`] if that takes longer than a look.
    pub(super) fn settle(&mut self) -> rustix::io::Result<()> {
        if self.is_under_way { self.wait().map(drop) } else { Ok(()) }
    }

    /// What the kernel told so far.
    pub(super) fn told(&self) -> Told {
        self.told
    }
}
