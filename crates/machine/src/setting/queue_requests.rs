//! `queue-requests`: how many requests a queue of a disk holds (`queue/nr_requests`,
//! `Documentation/ABI/stable/sysfs-block`).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form};
use super::block;

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |resource| block::queue(resource, "nr_requests"),
    form: Form::Number(1),
    absent: "it has no queue of requests",
    words: None,
    // A scheduler derives limits of its own from it each time (`depth_updated`), which go back with it
    // unless somebody had set them by hand (`blk_mq_update_nr_requests` in `block/blk-mq.c`).
    resets: &[],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "queue-requests",
        Kind::Count,
        "How many requests each queue of the disk holds, reads and writes together (queue/nr_requests), at least 4 and at most \
         2048. With the scheduler none it cannot be more than the device takes, and is shared by all disks of one controller. \
         With fewer, writers wait sooner; with more, a scheduler can sort \
         more. The change waits for requests that are under way. Without `@DEVICE` it is the disk under the target.",
    ),
    unit: Unit::One,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "requests that a queue of a disk holds",
};
