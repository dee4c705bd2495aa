//! ARM processors by their numbers: 64-bit kernels give no names. The numbers
//! are those of the Main ID Register (`arch/arm64/include/asm/cputype.h`;
//! the older ones as in util-linux, `sys-utils/lscpu-arm.c`).

use model::machine::CoreKind;

use super::info::pairs;

/// The kinds of cores that one machine has at most; more is garbled.
const KINDS_MAX: usize = 8;

/// One kind of core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Core {
    implementer: u32,
    part: u32,
    variant: u32,
    revision: u32,
}

/// Who makes cores: number and name.
const IMPLEMENTERS: &[(u32, &str)] = &[
    (0x41, "ARM"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x50, "APM"),
    (0x51, "Qualcomm"),
    (0x53, "Samsung"),
    (0x56, "Marvell"),
    (0x61, "Apple"),
    (0x6d, "Microsoft"),
    (0x70, "Phytium"),
    (0xc0, "Ampere"),
];

/// Cores: implementer, part, name.
const PARTS: &[(u32, u32, &str)] = &[
    (0x41, 0xb76, "ARM1176"),
    (0x41, 0xc07, "Cortex-A7"),
    (0x41, 0xc08, "Cortex-A8"),
    (0x41, 0xc09, "Cortex-A9"),
    (0x41, 0xc0e, "Cortex-A17"),
    (0x41, 0xc0f, "Cortex-A15"),
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd0e, "Cortex-A76AE"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd42, "Cortex-A78AE"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd48, "Cortex-X2"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4a, "Neoverse-E1"),
    (0x41, 0xd4b, "Cortex-A78C"),
    (0x41, 0xd4c, "Cortex-X1C"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4e, "Cortex-X3"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x41, 0xd80, "Cortex-A520"),
    (0x41, 0xd81, "Cortex-A720"),
    (0x41, 0xd82, "Cortex-X4"),
    (0x41, 0xd84, "Neoverse-V3"),
    (0x41, 0xd85, "Cortex-X925"),
    (0x41, 0xd87, "Cortex-A725"),
    (0x41, 0xd8e, "Neoverse-N3"),
    (0x43, 0x0a1, "ThunderX"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "Kunpeng-920"),
    (0x4e, 0x003, "Denver 2"),
    (0x4e, 0x004, "Carmel"),
    (0x50, 0x000, "X-Gene"),
    (0x51, 0x001, "Oryon"),
    (0x51, 0x804, "Kryo-4XX-Gold"),
    (0x51, 0x805, "Kryo-4XX-Silver"),
    (0x51, 0xc00, "Falkor"),
    (0x61, 0x022, "M1 Icestorm"),
    (0x61, 0x023, "M1 Firestorm"),
    (0x61, 0x024, "M1 Pro Icestorm"),
    (0x61, 0x025, "M1 Pro Firestorm"),
    (0x61, 0x028, "M1 Max Icestorm"),
    (0x61, 0x029, "M1 Max Firestorm"),
    (0x61, 0x032, "M2 Blizzard"),
    (0x61, 0x033, "M2 Avalanche"),
    (0x61, 0x034, "M2 Pro Blizzard"),
    (0x61, 0x035, "M2 Pro Avalanche"),
    (0x61, 0x038, "M2 Max Blizzard"),
    (0x61, 0x039, "M2 Max Avalanche"),
    (0x6d, 0xd49, "Azure Cobalt 100"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1a"),
];

/// The kinds of cores that `/proc/cpuinfo` names, each once with its CPUs, in
/// order; the number begins each entry, the revision ends it. Old kernels name
/// one core for all CPUs after the last.
pub(super) fn cores(cpuinfo: &str) -> Vec<(Core, Vec<u32>)> {
    let mut found: Vec<(Core, Vec<u32>)> = Vec::new();
    let mut open: Option<Core> = None;
    let mut cpus: Vec<u32> = Vec::new();
    for (key, value) in pairs(cpuinfo) {
        match (key, number(value), &mut open) {
            ("processor", Some(cpu), _) => cpus.push(cpu),
            ("CPU implementer", Some(implementer), _) => open = Some(Core { implementer, ..Core::default() }),
            ("CPU variant", Some(variant), Some(core)) => core.variant = variant,
            ("CPU part", Some(part), Some(core)) => core.part = part,
            ("CPU revision", Some(revision), Some(core)) => {
                core.revision = revision;
                match found.iter().position(|(known, _)| known == core) {
                    Some(at) => found[at].1.append(&mut cpus),
                    None if found.len() < KINDS_MAX => found.push((*core, std::mem::take(&mut cpus))),
                    None => cpus.clear(),
                }
                open = None;
            }
            ("CPU implementer" | "CPU variant" | "CPU part" | "CPU revision", None, _) => {
                open = None;
                cpus.clear();
            }
            _ => {}
        }
    }
    found
}

/// The kinds of cores by name, with those of them that are `online`; empty
/// unless there are several.
pub(super) fn kinds(cores: &[(Core, Vec<u32>)], online: &[u32]) -> Vec<CoreKind> {
    let mut kinds: Vec<CoreKind> = Vec::new();
    for (core, cpus) in cores {
        let model = name(core);
        let cpus = cpus.iter().copied().filter(|cpu| online.binary_search(cpu).is_ok());
        match kinds.iter_mut().find(|kind| kind.model == model) {
            Some(kind) => kind.cpus.extend(cpus),
            None => kinds.push(CoreKind { model, cpus: cpus.collect() }),
        }
    }
    for kind in &mut kinds {
        kind.cpus.sort_unstable();
        kind.cpus.dedup();
    }
    kinds.retain(|kind| !kind.cpus.is_empty());
    if kinds.len() > 1 { kinds } else { Vec::new() }
}

/// `0xd0c` or `3`.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn implementer(core: &Core) -> Option<&'static str> {
    IMPLEMENTERS.iter().find(|(number, _)| *number == core.implementer).map(|(_, name)| *name)
}

fn name(core: &Core) -> String {
    let known = PARTS.iter().find(|(by, part, _)| (*by, *part) == (core.implementer, core.part));
    match (known, implementer(core)) {
        (Some((_, _, name)), Some(by)) if core.implementer != 0x41 => format!("{by} {name}"),
        (Some((_, _, name)), _) => (*name).to_owned(),
        (None, Some(by)) => format!("{by} part {:#05x}", core.part),
        (None, None) => format!("implementer {:#04x} part {:#05x}", core.implementer, core.part),
    }
}

/// The names of all kinds: `Cortex-A55 + Cortex-A76`.
pub(super) fn model(cores: &[(Core, Vec<u32>)]) -> Option<String> {
    joined(cores, name)
}

pub(super) fn vendor(cores: &[(Core, Vec<u32>)]) -> Option<String> {
    implementer(&cores.first()?.0).map(str::to_owned)
}

pub(super) fn signature(cores: &[(Core, Vec<u32>)]) -> Option<String> {
    joined(cores, |c| {
        format!("implementer {:#04x}, part {:#05x}, r{}p{}", c.implementer, c.part, c.variant, c.revision)
    })
}

fn joined(cores: &[(Core, Vec<u32>)], show: impl Fn(&Core) -> String) -> Option<String> {
    let mut all: Vec<String> = cores.iter().map(|(core, _)| show(core)).collect();
    all.dedup();
    (!all.is_empty()).then(|| all.join(" + "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_once_in_the_table_and_their_makers_are_known() {
        for (at, (by, part, name)) in PARTS.iter().enumerate() {
            assert!(PARTS[..at].iter().all(|(b, p, n)| (b, p) != (by, part) && n != name), "{name}");
            assert!(IMPLEMENTERS.iter().any(|(number, _)| number == by), "{name}");
        }
    }

    #[test]
    fn cores_of_two_kinds_are_both_named_and_garbled_ones_left_out() {
        let mut cpu = 0;
        let mut core = |part: &str| {
            cpu += 1;
            format!(
                "processor : {cpu}\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\n\
                 CPU part\t: {part}\nCPU revision\t: 2\n\n"
            )
        };
        let text = [core("0xd05"), core("0xd05"), core("-1"), core("0xd0b"), core("0xfffffffff")].concat();
        let cores = cores(&text);
        assert_eq!(model(&cores).unwrap(), "Cortex-A55 + Cortex-A76");
        let expected = "implementer 0x41, part 0xd05, r1p2 + implementer 0x41, part 0xd0b, r1p2";
        assert_eq!(signature(&cores).unwrap(), expected);
        assert_eq!(vendor(&cores).unwrap(), "ARM");
        let kind = |model: &str, cpus: &[u32]| CoreKind { model: model.to_owned(), cpus: cpus.to_vec() };
        let both = [kind("Cortex-A55", &[1, 2]), kind("Cortex-A76", &[4])];
        assert_eq!(kinds(&cores, &[1, 2, 3, 4, 5]), both);
        assert!(kinds(&cores, &[1, 2, 3, 5]).is_empty(), "one kind needs no list");
    }

    #[test]
    fn cores_without_a_name_keep_their_numbers() {
        let of = |implementer, part| [(Core { implementer, part, ..Core::default() }, vec![0])];
        assert_eq!(model(&of(0x41, 0xfff)).unwrap(), "ARM part 0xfff");
        assert_eq!(model(&of(0x99, 0x1)).unwrap(), "implementer 0x99 part 0x001");
        assert_eq!(model(&of(0x61, 0x22)).unwrap(), "Apple M1 Icestorm");
        assert_eq!(model(&[]), None);
    }
}
