//! `read-ahead`: how far the kernel reads ahead of who reads in sequence (`queue/read_ahead_kb`,
//! `Documentation/ABI/stable/sysfs-block`).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form};
use super::block;

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |resource| block::queue(resource, "read_ahead_kb"),
    form: Form::Number(1024),
    absent: "it has no queue",
    words: None,
    // One number of the device (`queue_ra_store` in `block/blk-sysfs.c`); devices above keep theirs.
    resets: &[],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "read-ahead",
        Kind::Size,
        "How far the kernel reads ahead of a program that reads in sequence through the page cache \
         (queue/read_ahead_kb): 0 is not at all, otherwise whole pages (mostly 4 KiB). Direct reads have none. \
         Files already open keep \
         what they had, and devices above (md, dm) have their own: name the uppermost. Without `@DEVICE` it is the disk \
         under the target.",
    )
    .or_zero(),
    unit: Unit::Bytes,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "bytes that the kernel reads ahead of sequential reads",
};
