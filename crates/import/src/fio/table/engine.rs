//! Options about how operations reach the kernel, those of single engines too.

use crate::fio::option::FioOption as O;
use crate::fio::value::Form;

pub(super) const OPTIONS: &[O] = &[
    O::taken("ioengine", Form::Text, "`engine`; fio's default, psync, is `sync`"),
    O::taken(
        "iodepth",
        Form::Whole,
        "`queue-depth`; engines that wait for each operation have none, here as in fio",
    ),
    O::taken("iodepth_batch", Form::Whole, "`submit-batch`; 1 where it is not given, as in fio")
        .or(&["iodepth_batch_submit"]),
    O::taken("iodepth_batch_complete_min", Form::Whole, "`complete-batch`").or(&["iodepth_batch_complete"]),
    O::harmless("iodepth_batch_complete_max", "all that is complete is taken at once"),
    O::unsupported("iodepth_low", "fio would let the queue drain to this before it fills it again"),
    O::unsupported("serialize_overlap", "fio would wait where operations in flight touch the same bytes"),
    O::harmless(
        "io_submit_mode",
        "a load with a rate starts operations when they are due, whatever is in flight",
    ),
    O::taken("direct", Form::Flag, "`direct`; fio's default is no"),
    O::taken("buffered", Form::Flag, "`direct`, the other way round"),
    O::unsupported("atomic", "fio would write atomically"),
    O::taken("hipri", Form::Flag, "`iopoll`, with io_uring"),
    O::harmless("hipri_percentage", "only with `hipri` of pvsync2"),
    O::taken("sqthread_poll", Form::Flag, "`sqpoll`"),
    O::foreign("sqthread_poll_cpu", "fio would keep the kernel's thread on this CPU"),
    O::taken("fixedbufs", Form::Flag, "`registered`, for files and buffers together"),
    O::taken("registerfiles", Form::Flag, "`registered`, for files and buffers together"),
    O::unsupported("nonvectored", "fio would use other commands of the kernel for the same")
        .unless(&["1", "-1"]),
    O::unsupported("libaio_vectored", "fio would use other commands of the kernel for the same"),
    O::harmless("userspace_reap", "completions are taken from the ring in memory where that can be"),
    O::unsupported("uncached", "fio would not leave pages in the page cache"),
    O::unsupported("nowait", "fio would count operations that would have to wait as failed"),
    O::unsupported("force_async", "fio would have the kernel do some operations by its own threads"),
    O::unsupported("readfua", "fio would have reads bypass the drive's cache"),
    O::unsupported(
        "writefua",
        "fio would have every write on the medium before it ends; `sync=dsync` is near",
    ),
    O::unsupported("cmdprio_percentage", "fio would give some operations a higher priority"),
    O::foreign("cmdprio_bssplit", "fio would give some operations a higher priority"),
    O::harmless("cmdprio_class", "only with `cmdprio_percentage`"),
    O::harmless("cmdprio", "only with `cmdprio_percentage`"),
    O::unsupported("thp", "fio would ask for huge pages below the mapping"),
    O::harmless("cmd_type", "only with ioengine=io_uring_cmd"),
    O::refused("write_mode", "fio would send other commands than writes").unless(&["write"]),
    O::refused("sg_write_mode", "fio would send other commands than writes").unless(&["write"]),
    O::harmless("verify_mode", "only with ioengine=io_uring_cmd"),
    O::harmless("read_mode", "only with ioengine=io_uring_cmd"),
    O::harmless("cdb_len", "only with ioengine=io_uring_cmd"),
    O::harmless("verify_bytchk", "only with ioengine=io_uring_cmd"),
    O::unsupported("stream_id", "fio would name the stream that written data belong to"),
    O::unsupported("md_per_io_size", "fio would move metadata with every block"),
    O::harmless("pi_act", "only with `md_per_io_size`"),
    O::harmless("pi_chk", "only with `md_per_io_size`"),
    O::harmless("apptag", "only with `md_per_io_size`"),
    O::harmless("apptag_mask", "only with `md_per_io_size`"),
    O::harmless("deac", "only with `write_mode`"),
];
