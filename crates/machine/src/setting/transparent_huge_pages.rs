//! `transparent-huge-pages`: who gets huge pages without asking for reserved ones
//! (`/sys/kernel/mm/transparent_hugepage/enabled`, `Documentation/admin-guide/mm/transhuge.rst`).

use std::path::PathBuf;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form, Words};

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |_| PathBuf::from("/sys/kernel/mm/transparent_hugepage/enabled"),
    form: Form::Selected,
    absent: "this kernel was built without them",
    words: Some(Words { list: None, module: None, successors: &[] }),
    // khugepaged is started or stopped, and vm.min_free_kbytes is raised to what that recommends, or
    // reckoned anew (`start_stop_khugepaged` in `mm/khugepaged.c`). Where it has changed and is put
    // back it counts as somebody's, and is not lowered by the kernel any more.
    resets: &["sysctl.vm.min_free_kbytes"],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "transparent-huge-pages",
        Kind::Text,
        "Who gets huge pages (mostly 2 MiB) without reserving them: always, madvise (who asks for them) or never. Memory that \
         is already in use keeps its pages; loads take theirs in each trial. It belongs to the whole machine, with a peer to \
         both.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "who gets huge pages without reserving them",
};
