//! PCI class codes in words: PCI Code and ID Assignment Specification, as far
//! as a measurement may meet them. Words are those of the public table of PCI
//! identifiers (`pci.ids`).

/// Base class and subclass, and, where it tells more, the programming interface.
const CLASSES: &[(u32, Option<u8>, &str)] = &[
    (0x0001, None, "VGA compatible unclassified device"),
    (0x0100, None, "SCSI storage controller"),
    (0x0101, None, "IDE interface"),
    (0x0102, None, "Floppy disk controller"),
    (0x0104, None, "RAID bus controller"),
    (0x0105, None, "ATA controller"),
    (0x0106, Some(0x01), "SATA controller (AHCI)"),
    (0x0106, None, "SATA controller"),
    (0x0107, None, "Serial Attached SCSI controller"),
    (0x0108, Some(0x02), "NVMe controller"),
    (0x0108, None, "Non-Volatile memory controller"),
    (0x0109, None, "Universal Flash Storage controller"),
    (0x0180, None, "Mass storage controller"),
    (0x0200, None, "Ethernet controller"),
    (0x0207, None, "InfiniBand controller"),
    (0x0208, None, "Fabric controller"),
    (0x0280, None, "Network controller"),
    (0x0300, None, "VGA compatible controller"),
    (0x0302, None, "3D controller"),
    (0x0380, None, "Display controller"),
    (0x0401, None, "Multimedia audio controller"),
    (0x0403, None, "Audio device"),
    (0x0500, None, "RAM memory"),
    (0x0502, None, "CXL memory device"),
    (0x0580, None, "Memory controller"),
    (0x0600, None, "Host bridge"),
    (0x0601, None, "ISA bridge"),
    (0x0604, None, "PCI bridge"),
    (0x0609, None, "Semi-transparent PCI bridge"),
    (0x0680, None, "Bridge"),
    (0x0700, None, "Serial controller"),
    (0x0780, None, "Communication controller"),
    (0x0800, None, "PIC"),
    (0x0801, None, "DMA controller"),
    (0x0805, None, "SD host controller"),
    (0x0806, None, "IOMMU"),
    (0x0807, None, "Root complex event collector"),
    (0x0880, None, "System peripheral"),
    (0x0b40, None, "Co-processor"),
    (0x0c03, Some(0x10), "USB controller (OHCI)"),
    (0x0c03, Some(0x20), "USB controller (EHCI)"),
    (0x0c03, Some(0x30), "USB controller (xHCI)"),
    (0x0c03, Some(0x40), "USB controller (USB4)"),
    (0x0c03, None, "USB controller"),
    (0x0c04, None, "Fibre Channel"),
    (0x0c05, None, "SMBus"),
    (0x0c06, None, "InfiniBand controller"),
    (0x0d80, None, "Wireless controller"),
    (0x1000, None, "Network and computing encryption device"),
    (0x1080, None, "Encryption controller"),
    (0x1101, None, "Performance counters"),
    (0x1180, None, "Signal processing controller"),
    (0x1200, None, "Processing accelerators"),
];

/// Base classes, for what has no line above.
const BASES: &[&str] = &[
    "Unclassified device",
    "Mass storage controller",
    "Network controller",
    "Display controller",
    "Multimedia controller",
    "Memory controller",
    "Bridge",
    "Communication controller",
    "Generic system peripheral",
    "Input device controller",
    "Docking station",
    "Processor",
    "Serial bus controller",
    "Wireless controller",
    "Intelligent controller",
    "Satellite communications controller",
    "Encryption controller",
    "Signal processing controller",
    "Processing accelerators",
    "Non-Essential Instrumentation",
];

/// The class in words: the closest that the tables have.
pub(super) fn name(class: u32) -> String {
    let interface = class.to_le_bytes()[0];
    let found = CLASSES
        .iter()
        .filter(|(code, _, _)| *code == class >> 8)
        .find(|(_, only, _)| only.is_none_or(|only| only == interface));
    if let Some((_, _, name)) = found {
        return (*name).to_owned();
    }
    let base = usize::try_from(class >> 16).ok().and_then(|base| BASES.get(base));
    base.map_or_else(|| format!("Unassigned class {:04x}", class >> 8), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_named_by_interface_then_subclass_then_base() {
        for (class, words) in [
            (0x01_0802, "NVMe controller"),
            (0x01_0801, "Non-Volatile memory controller"),
            (0x01_0601, "SATA controller (AHCI)"),
            (0x02_0000, "Ethernet controller"),
            (0x06_0400, "PCI bridge"),
            (0x02_1100, "Network controller"),
            (0xff_ff00, "Unassigned class ffff"),
        ] {
            assert_eq!(name(class), words);
        }
    }

    #[test]
    fn the_table_names_what_tells_more_first() {
        for (index, (code, only, _)) in CLASSES.iter().enumerate() {
            let earlier = &CLASSES[..index];
            let hides = |(c, o, _): &&(u32, Option<u8>, &str)| c == code && (o.is_none() || o == only);
            assert!(!earlier.iter().any(|line| hides(&line)), "{code:04x} {only:?} is never reached");
        }
    }
}
