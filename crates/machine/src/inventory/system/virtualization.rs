//! What this machine is a guest of. The signs are those that systemd looks for
//! (`src/basic/virt.c`, detect_vm), the hypervisor's own word first.

use super::{dmi, file, tree};
use crate::Host;
use crate::inventory::cpu::{cpuid, info::CpuInfo};
use crate::inventory::line;

/// For a guest whose hypervisor does not give its name.
const UNKNOWN: &str = "unknown hypervisor";

/// Signatures of the CPUID leaf 0x40000000.
const SIGNATURES: &[(&str, &str)] = &[
    ("KVMKVMKVM", "kvm"),
    // KVM that passes itself off as Hyper-V.
    ("Linux KVM Hv", "kvm"),
    ("TCGTCGTCGTCG", "qemu"),
    ("VMwareVMware", "vmware"),
    ("Microsoft Hv", "hyperv"),
    ("XenVMMXenVMM", "xen"),
    ("VBoxVBoxVBox", "virtualbox"),
    ("prl hyperv", "parallels"),
    ("bhyve bhyve", "bhyve"),
    ("BHyVE BHyVE", "bhyve"),
    ("ACRNACRNACRN", "acrn"),
    ("QNXQVMBSQG", "qnx"),
    ("Apple VZ", "apple"),
];

/// How words of the firmware begin that only virtual machines have.
const PRODUCTS: &[(&str, &str)] = &[
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("Cloud Hypervisor", "kvm"),
    ("crosvm", "kvm"),
    ("QEMU", "qemu"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("innotek GmbH", "virtualbox"),
    ("VirtualBox", "virtualbox"),
    ("Xen", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "hyperv"),
    ("Apple Virtualization", "apple"),
];

/// Clouds by maker and the beginning of the product. They also rent out whole
/// machines under these names, which a processor tells apart where it can.
const CLOUDS: &[(&str, &str, &str)] = &[
    // The Nitro hypervisor is built on KVM.
    ("Amazon EC2", "", "kvm"),
    ("Google", "Google Compute Engine", "kvm"),
    ("Microsoft Corporation", "Virtual Machine", "hyperv"),
    ("Hetzner", "vServer", "kvm"),
    ("DigitalOcean", "Droplet", "kvm"),
];

/// What this machine is a guest of; absent on hardware, as far as can be seen.
pub(super) fn of(host: &Host) -> Option<String> {
    // The first domain of Xen has the hardware to itself.
    if file(host, "/proc/xen/capabilities").is_some_and(|all| all.contains("control_d")) {
        return None;
    }
    let cpuid = cpuid::ask(host);
    let signature = cpuid.as_ref().and_then(|answer| answer.hypervisor.as_deref());
    let told = signature.map(|signature| named(SIGNATURES, signature).unwrap_or(UNKNOWN));
    let kind_of_xen = file(host, "/sys/hypervisor/type").map(|kind| kind.to_ascii_lowercase());
    let words = ["product_name", "sys_vendor", "board_vendor", "bios_vendor"].map(|leaf| dmi(host, leaf));
    let product = || words.iter().flatten().find_map(|word| named(PRODUCTS, word));
    let found = match told {
        Some(name) if name != UNKNOWN => name.to_owned(),
        _ => kind_of_xen
            .filter(|kind| kind == "xen")
            .or_else(|| product().map(str::to_owned))
            .or_else(|| device_tree(host).map(str::to_owned))
            .or_else(|| told.map(str::to_owned))
            .or_else(|| if cpuid.is_none() { unasked(host, &words).map(str::to_owned) } else { None })?,
    };
    Some(if found == "kvm" && is_firecracker(host) { "firecracker".to_owned() } else { found })
}

fn named(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(start, _)| word.starts_with(start)).map(|(_, name)| *name)
}

/// The device tree of a guest, and of the virtual boards that QEMU and others
/// make (`Documentation/devicetree/bindings/arm/linux,dummy-virt.yaml`).
fn device_tree(host: &Host) -> Option<&'static str> {
    let list = tree(host, "hypervisor/compatible").unwrap_or_default();
    for (part, name) in [("linux,kvm", "kvm"), ("xen", "xen"), ("vmware", "vmware")] {
        if list.contains(part) {
            return Some(name);
        }
    }
    if !list.is_empty() {
        return Some(UNKNOWN);
    }
    if tree(host, "ibm,partition-name").is_some() {
        return Some("powervm");
    }
    let board = tree(host, "compatible").or_else(|| tree(host, "model")).unwrap_or_default();
    if board.contains("qemu,pseries") {
        return Some("qemu");
    }
    board.contains("linux,dummy-virt").then_some(UNKNOWN)
}

/// Where no processor answers (ARM, or a recording without the answer): a
/// cloud's name, or the flag that the kernel shows.
fn unasked(host: &Host, words: &[Option<String>; 4]) -> Option<&'static str> {
    let guest = CpuInfo::read(host).says_guest();
    if guest == Some(false) {
        return None;
    }
    let [Some(product), Some(vendor), ..] = words else { return guest.map(|_| UNKNOWN) };
    let metal = product.ends_with(".metal") || product.contains(".metal-");
    let cloud = CLOUDS.iter().find(|(maker, start, _)| vendor == maker && product.starts_with(start));
    cloud.filter(|_| !metal).map(|(_, _, name)| *name).or(guest.map(|_| UNKNOWN))
}

/// Firecracker is KVM without a firmware's words; its ACPI tables carry its
/// mark (`src/vmm/src/acpi/mod.rs` there), or its own init names it.
fn is_firecracker(host: &Host) -> bool {
    let mark = host.probe("acpi-oem", || {
        use std::io::Read;
        // The head of an ACPI table has the maker at bytes 10 to 16 (ACPI 6.5, 5.2.6).
        let mut head = [0; 16];
        let mut file =
            std::fs::File::open("/sys/firmware/acpi/tables/DSDT").map_err(|e| e.kind().to_string())?;
        file.read_exact(&mut head).map_err(|e| e.kind().to_string())?;
        line(&String::from_utf8_lossy(&head[10..])).ok_or_else(|| "garbled: nothing".to_owned())
    });
    let mark: Option<String> = mark.ok();
    mark.as_deref() == Some("FIRECK")
        || host.text("/proc/cmdline").is_some_and(|line| line.contains("firecracker"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Option<String> {
        of(&Host::parse(text))
    }

    fn dmi_files(vendor: &str, product: &str) -> String {
        format!("==> /sys/class/dmi/id/sys_vendor\n{vendor}\n==> /sys/class/dmi/id/product_name\n{product}\n")
    }

    fn cpuid(hypervisor: &str) -> String {
        format!("==> /probe/cpuid\n{{\"hypervisor\": {hypervisor}, \"vendor\": \"GenuineIntel\"}}\n")
    }

    const GUEST: &str = "==> /proc/cpuinfo\nflags : fpu hypervisor\n";
    const METAL: &str = "==> /proc/cpuinfo\nflags : fpu\n";

    #[test]
    fn the_hypervisors_own_word_counts_first() {
        for (signature, expected) in [
            ("KVMKVMKVM", "kvm"),
            ("Linux KVM Hv", "kvm"),
            ("Microsoft Hv", "hyperv"),
            ("VMwareVMware", "vmware"),
            ("XenVMMXenVMM", "xen"),
            ("TCGTCGTCGTCG", "qemu"),
            ("NobodyKnows!", UNKNOWN),
        ] {
            assert_eq!(with(&cpuid(&format!("\"{signature}\""))).as_deref(), Some(expected));
        }
        let both = cpuid("\"KVMKVMKVM\"") + &dmi_files("QEMU", "Standard PC (Q35 + ICH9, 2009)");
        assert_eq!(with(&both).as_deref(), Some("kvm"));
        let unknown = cpuid("\"NobodyKnows!\"") + &dmi_files("innotek GmbH", "VirtualBox");
        assert_eq!(with(&unknown).as_deref(), Some("virtualbox"));
    }

    #[test]
    fn hardware_is_no_guest() {
        assert_eq!(with(""), None);
        assert_eq!(with(&(cpuid("null") + METAL + &dmi_files("Supermicro", "X11SSL-F"))), None);
        assert_eq!(with(&(cpuid("null") + &dmi_files("Amazon EC2", "c5.metal"))), None);
        assert_eq!(with(&(cpuid("null") + &dmi_files("Google", "Google Compute Engine"))), None);
        assert_eq!(with(&(METAL.to_owned() + &dmi_files("Amazon EC2", "m5.large"))), None);
        assert_eq!(with(&dmi_files("Amazon EC2", "c7g.metal")), None);
        assert_eq!(with(&dmi_files("Amazon EC2", "m7g.metal-48xl")), None);
        assert_eq!(with(&dmi_files("Microsoft Corporation", "Surface Pro 9")), None);
        let first_domain = "==> /proc/xen/capabilities\ncontrol_d\n==> /sys/hypervisor/type\nxen\n";
        assert_eq!(with(&(cpuid("\"XenVMMXenVMM\"") + first_domain)), None);
        assert_eq!(with("==> /sys/firmware/devicetree/base/model\nRaspberry Pi 5 Model B\0\n"), None);
    }

    #[test]
    fn firmware_device_tree_and_clouds_speak_where_the_processor_does_not() {
        let cases = [
            (dmi_files("QEMU", "KVM Virtual Machine"), "kvm"),
            (dmi_files("VMware, Inc.", "VMware Virtual Platform"), "vmware"),
            ("==> /sys/hypervisor/type\nxen\n".to_owned(), "xen"),
            (dmi_files("Amazon EC2", "m7g.large"), "kvm"),
            (dmi_files("Google", "Google Compute Engine"), "kvm"),
            (dmi_files("Microsoft Corporation", "Virtual Machine"), "hyperv"),
            (GUEST.to_owned() + &dmi_files("Hetzner", "vServer"), "kvm"),
            (GUEST.to_owned() + &dmi_files("Maker", "Thing"), UNKNOWN),
            (GUEST.to_owned(), UNKNOWN),
            (
                "==> /sys/firmware/devicetree/base/hypervisor/compatible\nxen,xen-4.17\0xen,xen\0\n"
                    .to_owned(),
                "xen",
            ),
            ("==> /sys/firmware/devicetree/base/compatible\nlinux,dummy-virt\0\n".to_owned(), UNKNOWN),
        ];
        for (text, expected) in cases {
            assert_eq!(with(&text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn firecracker_is_kvm_with_its_mark() {
        let mark = "==> /probe/acpi-oem\n\"FIRECK\"\n";
        assert_eq!(with(&(cpuid("\"KVMKVMKVM\"") + mark)).as_deref(), Some("firecracker"));
        let other = "==> /probe/acpi-oem\n\"BOCHS\"\n";
        assert_eq!(with(&(cpuid("\"KVMKVMKVM\"") + other)).as_deref(), Some("kvm"));
        assert_eq!(with(&(cpuid("null") + mark)), None);
    }
}
