//! `scheduler`: the I/O scheduler of a disk (`queue/scheduler`,
//! `Documentation/block/switching-sched.rst`).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form, Words};
use super::block;

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |resource| block::queue(resource, "scheduler"),
    form: Form::Selected,
    absent: "it has no queue with a scheduler",
    words: Some(Words {
        list: None,
        // Each has this alias or name (`elevator_find_get` in `block/elevator.c`).
        module: Some(|word| format!("{word}-iosched")),
        // Of queues that Linux 5.0 has no more.
        successors: &[("noop", "none"), ("deadline", "mq-deadline"), ("cfq", "bfq")],
    }),
    // The kernel gives each scheduler twice the tags of the device, at most 256 (`blk_mq_init_sched`
    // in `block/blk-mq-sched.c`), none the tags (`elevator_switch` in `block/elevator.c`), and bfq
    // switches the throttling of writeback off (`wbt_disable_default` in `block/blk-wbt.c`).
    resets: &["queue-requests", "wbt"],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "scheduler",
        Kind::Text,
        "The I/O scheduler of the disk: none, mq-deadline, kyber, bfq, as the kernel has them. Changing it sets \
         queue-requests anew, and to or from bfq also wbt; \
         both are put back with it, but what a scheduler's own parameters (queue/iosched) \
         were set to is lost with that scheduler. A module that the kernel loads for it stays. Without `@DEVICE` it is the disk \
         under the target.",
    ),
    unit: Unit::One,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "the I/O scheduler of a disk",
};
