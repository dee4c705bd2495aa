//! `wbt`: the latency of reads that the kernel's writeback throttling keeps
//! (`queue/wbt_lat_usec`, `Documentation/ABI/stable/sysfs-block`).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form};
use super::block;

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |resource| block::queue(resource, "wbt_lat_usec"),
    form: Form::Number(1),
    absent: "it has no throttling of writeback (a kernel without BLK_WBT, a device without a queue of requests, or nobody has begun it)",
    words: None,
    // One number (`queue_wb_lat_store` in `block/blk-sysfs.c`).
    resets: &[],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "wbt",
        Kind::Count,
        "The read latency, in microseconds, that the kernel keeps the disk below by holding back what it writes from \
         the page cache (queue/wbt_lat_usec); 0 switches that off. The kernel knows whether a number was its own choice or \
         somebody's: after it was changed and put back it counts as chosen, so that a change of the scheduler to bfq \
         no longer switches it off by itself. While bfq is the scheduler it stays off. Without `@DEVICE` it is the disk under the target.",
    )
    .or_zero(),
    unit: Unit::One,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "microseconds of latency that writeback is held back for; 0 is off",
};
