//! The kernel's table of connections, of this network namespace: packets that were dropped because theirs
//! could not be tracked, and how many entries there are of how many there may be.
//! `/proc/net/stat/nf_conntrack` has a line of names, and below it one of hexadecimal numbers for each CPU
//! (`ct_cpu_seq_show` in `net/netfilter/nf_conntrack_standalone.c`); which names there are differs from kernel
//! to kernel. Where nothing asks for connections (no firewall, no translation of addresses), there is no such
//! file, or its numbers stand still.

use model::{Unit, series};

use crate::sampler::file::lines;
use crate::sampler::softnet::hexadecimal;
use crate::sampler::{SamplerColumn, SamplerKind, of_file, single};

/// Packets that were dropped: the table was full, or two packets of one connection met that each would have made an
/// entry. And entries that were given up for new ones, which the kernel does of a full table only. `insert_failed`
/// is not added: what it counts is in `drop` too, or was not dropped.
const COUNTED: [&str; 2] = ["drop", "early_drop"];

const RESOURCE: &str = "conntrack";

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "conntrack",
    doc: "packets dropped because the kernel could not track their connection, entries of its table of connections and how \
          many it may have",
    open: |host, _| {
        let columns = COUNTED.map(|name| SamplerColumn::counter(RESOURCE, name, Unit::One, 1.0));
        let mut all = of_file(host, "/proc/net/stat/nf_conntrack", Vec::from(columns), |bytes, values| {
            if let Some(sums) = sums(bytes) {
                values.copy_from_slice(&sums);
            }
        });
        let files = [series::TRACKED_CONNECTIONS, series::TRACKED_CONNECTIONS_MOST].map(|name| {
            let path = format!("/proc/sys/net/netfilter/{}", name.as_str());
            (path, SamplerColumn::gauge(RESOURCE, name.as_str(), Unit::One, 1.0))
        });
        all.extend(single::open(host, "/proc/sys/net/netfilter", files));
        all
    },
};

/// The sums over all CPUs; none where a name is missing or a line is garbled, for a sum without it would
/// step back.
fn sums(bytes: &[u8]) -> Option<[u64; 2]> {
    let mut rest = lines(bytes);
    let names = rest.next()?;
    let places = COUNTED.map(|name| words(names).position(|word| word == name.as_bytes()));
    let mut sums = [0u64; 2];
    let mut is_empty = true;
    for line in rest {
        for (sum, place) in sums.iter_mut().zip(places) {
            *sum = sum.checked_add(hexadecimal(words(line).nth(place?)?)?)?;
        }
        is_empty = false;
    }
    (!is_empty).then_some(sums)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| *b == b' ').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;
    use crate::sampler::{ABSENT, Sampler, Scope};

    const NAMES: &str = "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop \
                         icmp_error  expect_new expect_create expect_delete search_restart";
    const FIRST: &str = "00000011  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000007 \
                         0000000a 00000001 00000000  00000000 00000000 00000000 00000000";
    const SECOND: &str = "00000011  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 \
                          00000010 00000002 00000000  00000000 00000000 00000000 00000000";

    #[test]
    fn the_lines_of_all_cpus_are_added_by_the_names_above_them() {
        let whole = format!("{NAMES}\n{FIRST}\n{SECOND}\n");
        assert_eq!(sums(whole.as_bytes()), Some([26, 3]));
        assert_eq!(sums(b"early_drop drop\n00000003 00000005\n"), Some([5, 3]), "another order");
        assert_eq!(sums(b"drop\n00000005\n"), None, "a name is missing");
        assert_eq!(sums(format!("{NAMES}\n").as_bytes()), None);
        assert_eq!(sums(format!("{NAMES}\n{FIRST}\n00000011  00000000\n").as_bytes()), None);
        assert_eq!(sums(b""), None);
    }

    #[test]
    fn drops_and_the_table_are_read_where_there_is_one() {
        let read = |text: &str| {
            let mut all: Vec<Box<dyn Sampler>> = (KIND.open)(&Host::parse(text), &Scope::default());
            let mut found = Vec::new();
            for sampler in &mut all {
                let mut values = vec![ABSENT; sampler.columns().len()];
                sampler.read(&mut values);
                found.extend(sampler.columns().iter().map(|column| column.name).zip(values));
            }
            found
        };
        let text = format!(
            "==> /proc/net/stat/nf_conntrack\n{NAMES}\n{FIRST}\n==> /proc/sys/net/netfilter/nf_conntrack_count\n17\n\
             ==> /proc/sys/net/netfilter/nf_conntrack_max\n65536\n"
        );
        let expected =
            [("drop", 10), ("early_drop", 1), ("nf_conntrack_count", 17), ("nf_conntrack_max", 65536)];
        assert_eq!(read(&text), expected);
        assert!(read("==> /proc/net/snmp\nIp: 1\n").is_empty());
    }
}
