//! The kinds of cores of a hybrid Intel processor. `/proc/cpuinfo` gives all of them one name; the kernel has a source of
//! events for each kind, which says whose events it counts (`arch/x86/events/intel/core.c`,
//! `tools/perf/Documentation/intel-hybrid.txt`; Linux 5.13).

use model::machine::CoreKind;

use crate::Host;

/// The sources of events, each with what Intel calls its cores in short.
const SOURCES: &[(&str, &str)] =
    &[("cpu_core", "P-core"), ("cpu_atom", "E-core"), ("cpu_lowpower", "LP E-core")];

/// The kinds of cores with those CPUs of them that are `online`; empty unless there are several.
pub(super) fn kinds(host: &Host, online: &[u32]) -> Vec<CoreKind> {
    let kind = |(source, name): &(&str, &str)| {
        let mut cpus = host.cpu_list(format!("/sys/devices/{source}/cpus"))?;
        cpus.retain(|cpu| online.binary_search(cpu).is_ok());
        (!cpus.is_empty()).then(|| CoreKind { model: (*name).to_owned(), cpus })
    };
    let kinds: Vec<CoreKind> = SOURCES.iter().filter_map(kind).collect();
    if kinds.len() > 1 { kinds } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_of_several_kinds_are_told_apart() {
        let host = Host::parse(
            "==> /sys/devices/cpu_core/cpus\n0-3\n==> /sys/devices/cpu_atom/cpus\n4-7\n\
             ==> /sys/devices/cpu_lowpower/cpus\n8-9\n",
        );
        let kind = |model: &str, cpus: &[u32]| CoreKind { model: model.to_owned(), cpus: cpus.to_vec() };
        // CPU 3 and the slowest are offline.
        assert_eq!(
            kinds(&host, &[0, 1, 2, 4, 5, 6, 7]),
            [kind("P-core", &[0, 1, 2]), kind("E-core", &[4, 5, 6, 7])]
        );
        assert!(kinds(&host, &[0, 1]).is_empty(), "only one kind is online");
        let one = Host::parse("==> /sys/devices/cpu_core/cpus\n0-3\n");
        assert!(kinds(&one, &[0, 1, 2, 3]).is_empty(), "another kind was switched off in the firmware");
    }
}
