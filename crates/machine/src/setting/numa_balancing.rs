//! `numa-balancing`: whether the kernel moves memory to the node of who uses it
//! (`kernel.numa_balancing`, `Documentation/admin-guide/sysctl/kernel.rst`).

use std::path::PathBuf;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form};

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |_| PathBuf::from("/proc/sys/kernel/numa_balancing"),
    form: Form::Number(1),
    absent: "this kernel was built without it",
    words: None,
    // One switch (`sysctl_numa_balancing` in `kernel/sched/core.c`).
    resets: &[],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "numa-balancing",
        Kind::Count,
        "Whether the kernel moves memory to the NUMA node whose CPUs use it: 0 is no, 1 is yes, 2 moves between fast and \
         slow memory, 3 does both (kernel.numa_balancing). It costs page faults, for programs with several \
         threads even on a single node. It belongs to the whole machine, with a peer to \
         both.",
    )
    .or_zero(),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "whether the kernel moves memory to the node that uses it",
};
