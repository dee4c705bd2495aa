//! `kernel-flush`: whether the kernel believes that a disk has a volatile cache, and flushes it
//! (`queue/write_cache`, `Documentation/block/writeback_cache_control.rst`).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form};
use super::block;

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |resource| block::queue(resource, "write_cache"),
    form: Form::Flag("write back", "write through"),
    absent: "it has no queue",
    words: None,
    // The limits are committed anew, and read-ahead with them (`queue_wc_store` in
    // `block/blk-sysfs.c`, `blk_apply_bdi_limits` in `block/blk-settings.c`).
    resets: &["read-ahead"],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "kernel-flush",
        Kind::Flag,
        "Whether the kernel flushes the cache of the disk when a program syncs (queue/write_cache is `write back`). It does \
         not switch the cache of the device: that is another setting. With `no` on a disk that has a volatile cache, \
         syncs are faster **and prove nothing**: acknowledged writes are lost if the power fails. File systems that are \
         mounted on it, also through devices above it, do not flush either until it is put back. `yes` has no effect on a disk \
         that reported no cache: then the level has failed. Without `@DEVICE` \
         it is the disk under the target.",
    ),
    unit: Unit::One,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "whether the kernel flushes the cache of a disk (unsafe when off)",
};
