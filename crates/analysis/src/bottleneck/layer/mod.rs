//! What is full at a layer of a storage stack beside what any load may fill: the CPUs that the kernel's work for it may
//! use, one thread of the kernel, a member, what parity makes of small writes, the journal of a file system. Each is a
//! file. They are looked at where the load passes an array, a mapping or a loop device, whoever made that.

pub(super) mod copied;
pub(super) mod held;
pub(super) mod journal;
pub(super) mod member;
mod nodes;
pub(super) mod parity;
pub(super) mod thread;
pub(super) mod work;
