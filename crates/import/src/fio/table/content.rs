//! Options about what is written, whether it is read back, and whether it stays.

use crate::fio::option::FioOption as O;
use crate::fio::value::Form;

/// How fio checks what it wrote.
const VERIFY: &[&str] = &[
    "0",
    "null",
    "crc32c",
    "crc32c-intel",
    "md5",
    "crc64",
    "crc32",
    "crc16",
    "crc7",
    "sha256",
    "sha512",
    "sha1",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "xxhash",
    "meta",
    "pattern",
    "pattern_hdr",
];

pub(super) const CONTENT: &[O] = &[
    O::taken("zero_buffers", Form::Flag, "`content=zeros`"),
    O::taken("refill_buffers", Form::Flag, "`content=random`, which is new for every write anyway"),
    O::harmless("scramble_buffers", "no two blocks that are written are alike, unless asked for"),
    O::taken("buffer_compress_percentage", Form::Whole, "`content=compressible` with this `content-share`"),
    O::harmless("buffer_compress_chunk", "only the size of the pieces that compress"),
    O::foreign(
        "buffer_pattern",
        "fio would write this pattern, which compresses; here the content is random",
    ),
    O::taken("dedupe_percentage", Form::Whole, "`content=duplicate` with this `content-share`"),
    O::harmless("dedupe_global", "only with `dedupe_percentage`"),
    O::harmless("dedupe_mode", "only with `dedupe_percentage`"),
    O::harmless("dedupe_working_set_percentage", "only with `dedupe_percentage`"),
    O::taken(
        "verify",
        Form::Word(VERIFY),
        "`verify=crc32c`, with offset, seed and generation in every block; other checks are as strong or weaker",
    ),
    O::taken("do_verify", Form::Flag, "with 0, nothing is read back"),
    O::refused("verify_only", "fio would look for what an earlier run of fio wrote"),
    O::harmless("verify_policy", "all that was written is read back"),
    O::harmless("verifysort", "fio ignores it"),
    O::harmless("verifysort_nr", "fio ignores it"),
    O::harmless("verify_interval", "every block has its own header"),
    O::harmless("verify_offset", "where the header stands does not matter"),
    O::harmless("verify_pattern", "a header with a checksum shows more than a pattern"),
    O::harmless("verify_pattern_interval", "as `verify_pattern`"),
    O::harmless("verify_fatal", "every block that is wrong is counted and named"),
    O::harmless("verify_dump", "every block that is wrong is counted and named"),
    O::harmless("verify_async", "reading back is no part of the window"),
    O::harmless("verify_async_cpus", "reading back is no part of the window"),
    O::unsupported(
        "verify_backlog",
        "fio would read back between its writes; here after them, outside of the window",
    ),
    O::harmless("verify_backlog_batch", "only with `verify_backlog`"),
    O::harmless("experimental_verify", "what was written follows from the seed"),
    O::refused("verify_state_load", "fio would go on with what an earlier run of fio wrote"),
    O::harmless("verify_state_save", "what was written follows from the seed"),
    O::harmless("verify_write_sequence", "generations are checked"),
    O::harmless("verify_header_seed", "seeds are checked"),
    O::unsupported("trim_percentage", "fio would trim some of what it verifies"),
    O::harmless("trim_verify_zero", "only with `trim_percentage`"),
    O::harmless("trim_backlog", "only with `trim_percentage`"),
    O::harmless("trim_backlog_batch", "only with `trim_percentage`"),
];

pub(super) const DURABILITY: &[O] = &[
    O::taken("fsync", Form::Whole, "`sync=fsync` with `sync-every`"),
    O::taken(
        "fdatasync",
        Form::Whole,
        "`sync=fsync` with `sync-every`; of files of a fixed size both write the same",
    ),
    O::taken("end_fsync", Form::Flag, "`sync=end`"),
    O::taken("fsync_on_close", Form::Flag, "`sync=end`"),
    O::unsupported("end_syncfs", "fio would sync the whole file system at the end; `sync=end` is near"),
    O::taken(
        "sync",
        Form::Word(&["none", "0", "sync", "1", "dsync"]),
        "`sync=dsync`; with `sync`, without its metadata",
    ),
    O::foreign("sync_file_range", "fio would have the kernel write out ranges as it goes"),
    O::unsupported("write_barrier", "fio would make some writes barriers"),
    O::unsupported(
        "invalidate",
        "fio would leave in the page cache what is there; here it is dropped before each trial",
    )
    .unless(&["1"]),
    O::unsupported(
        "fadvise_hint",
        "fio would tell the kernel this about the order of places; here it is told nothing",
    )
    .unless(&["1", "0"]),
];
