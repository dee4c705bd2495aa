//! What the kernel really sends to block devices, event by event: an instance of our own in
//! tracefs, with buffers of its own, so that other tracers are not disturbed and do not
//! disturb ([`Capture`]); which device a path means ([`resolve`]); a command that is started
//! once the trace is on ([`TracedCommand`]); whether a trace could be begun ([`look()`]); and the
//! removal of what a process left that was killed ([`remove_left`]). Beside that, how long the
//! work of the kernel's queues ran ([`WorkCapture`]).

mod buffer_reader;
mod capture;
mod clock;
mod command;
mod device;
mod error;
mod file_systems;
mod filter;
mod instance;
mod kernel_counts;
mod left_instance;
mod look;
mod options;
mod priority;
mod process_io;
mod summary;
mod swap_use;
mod system_calls;
mod thread_names;
mod tracefs;
mod work_capture;

pub use capture::{Capture, CaptureState};
pub use command::TracedCommand;
pub use device::{DevicePart, TracedDevice, resolve};
pub use error::TraceError;
pub use file_systems::file_systems;
pub use kernel_counts::KernelCounts;
pub use left_instance::{LeftInstance, remove_left};
pub use look::look;
pub use options::CaptureOptions;
pub use process_io::ProcessIo;
pub use summary::{CaptureSummary, CpuSummary};
pub use swap_use::{swap_counters, swap_devices, swap_page_bytes};
pub use work_capture::{WorkCapture, WorkTimes};
