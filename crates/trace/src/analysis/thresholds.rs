//! From where on something matters, and why from there.
//!
//! Each is a convention, so that two traces are judged alike. What lies just below is in the
//! report too.

/// A time without a completion counts as a stall from here on: 100 ms. A disk that turns answers
/// in 10 to 20 ms and flash in one; a person notices a tenth of a second.
pub const STALL_NS: u64 = 100_000_000;

/// The share of issues that came back undone: 1 %. A driver may push back now and then when its
/// queue is full; at one in a hundred the queue is full again and again.
pub const REQUEUE_SHARE: f64 = 0.01;
/// Fewer requeues than this are a single moment of a full queue.
pub const REQUEUES_MIN: u64 = 10;

/// The share of the trace during which a flush was under way: 10 %. While one is, little else
/// is, so this much of the device's time can be won by asking for fewer.
pub const FLUSH_BUSY_SHARE: f64 = 0.10;

/// Fewer bios or requests than this say nothing of a pattern: a share of one half is then known
/// to no better than 10 %.
pub const SAMPLE_MIN: u64 = 100;

/// The share of a bio's time at the device from which the device decides: 80 %. All waiting
/// before it could then win a fifth at most.
pub const DEVICE_SHARE: f64 = 0.80;
/// The share of a bio's time at the device below which the host does: one half.
pub const HOST_SHARE: f64 = 0.50;

/// A mean depth at the device, while it is busy, that means one after another: 1.5.
pub const ALONE_DEPTH: f64 = 1.5;
/// For that to hold a program back the device must be busy nearly always: 90 % of the trace.
pub const ALONE_BUSY_SHARE: f64 = 0.90;

/// The share of requests that go on where one ended, from which I/O is mostly sequential: 80 %.
/// With fewer a disk that turns spends more time seeking than moving 512 KiB.
pub const SEQUENTIAL_SHARE: f64 = 0.80;
/// The share in streams below which it is mostly random: 20 %.
pub const RANDOM_SHARE: f64 = 0.20;

/// The median size of requests up to which sequential I/O is in small pieces: 16 KiB. At these,
/// what each one costs weighs more than the bytes on nearly all devices.
pub const SMALL_BYTES: u64 = 16 << 10;

/// The share of bios that were too large for the device: 10 %.
pub const SPLIT_SHARE: f64 = 0.10;

/// The share of written bytes that workers of the kernel queued: 80 %. Then block events hardly
/// show who wrote, and who dirtied the pages must be looked at.
pub const WRITEBACK_SHARE: f64 = 0.80;
/// Less written than this is nobody's load: 1 MiB.
pub const WRITTEN_MIN: u64 = 1 << 20;

/// The share of dirtied bytes from which one thread is the writer: one half.
pub const WRITER_SHARE: f64 = 0.50;

/// A call that waits for the medium is slow from here on: 100 ms, for the reason of [`STALL_NS`].
pub const SLOW_SYNC_NS: u64 = 100_000_000;

/// The share of the depth that completed requests do not account for: 5 %. Beyond this depth and
/// latencies must not be read together. Only where so many were completed that those on their way at
/// the trace's end are a smaller share.
pub const UNEXPLAINED_SHARE: f64 = 0.05;
