//! `device-power`: how much links of PCI Express may sleep (the policy of ASPM,
//! `drivers/pci/pcie/aspm.c`).

use std::path::PathBuf;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form};

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    file: |_| PathBuf::from("/sys/module/pcie_aspm/parameters/policy"),
    form: Form::Selected,
    absent: "this kernel manages no sleep of PCIe links (CONFIG_PCIEASPM)",
    // Each link is set by the policy anew (`pcie_aspm_set_policy`); what was chosen for one
    // alone (`link/l1_aspm` of a device) is kept beside it.
    resets: &[],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "device-power",
        Kind::Text,
        "How much links of PCI Express may sleep while nothing is sent: default (as the firmware set it), performance (not at \
         all), powersave, powersupersave (the policy of ASPM). A link that slept takes some to some tens of microseconds to wake, \
         which the first operation after a pause of an NVMe drive or a network card sees. Where the firmware keeps that for itself the kernel \
         refuses. Drives and cards may sleep by themselves besides (APST of NVMe): that is not changed. It belongs to the whole machine, \
         with a peer to both.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "how much links of PCI Express may sleep",
};
