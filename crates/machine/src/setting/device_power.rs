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
    words: None,
    // Each link is set by the policy anew (`pcie_aspm_set_policy`); what was chosen for one
    // alone (`link/l1_aspm` of a device) is kept beside it.
    resets: &[],
    is_of_namespace: false,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "device-power",
        Kind::Text,
        "How deeply PCI Express links may sleep while nothing is sent: default (as the firmware set it), performance (not at \
         all), powersave, powersupersave (the ASPM policy). \
         A sleeping link takes from a few to some tens of microseconds to wake, \
         which delays the first operation of an NVMe drive or a network card after a pause. \
         Where the firmware keeps control of this, the kernel \
         refuses. Drives and cards may also sleep on their own: \
         that is not changed (for NVMe drives, see nvme-power-states). It belongs to the whole machine, \
         with a peer to both.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "how deeply PCI Express links may sleep",
};
