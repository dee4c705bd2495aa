//! Links that people name beside results: `SATA 3`, `10 GbE`. Nothing follows where they tell of several drives, of an
//! array or of a faster way, too: the result may be of these.

use model::ToolOutput;
use model::tool_result::{UnreadCause, UnreadLines};

use super::bound::{BoundOf, BoundSource, RateBound};

/// The bounds by the links that the prose of a text names.
#[derive(Clone, Debug, Default)]
pub(super) struct NamedLinks {
    /// Of the fastest Ethernet.
    pub(super) network: Option<RateBound>,
    /// Of the fastest SATA.
    pub(super) storage: Option<RateBound>,
}

/// A kind of link.
struct LinkKind {
    name: &'static str,
    /// Bytes per second of a gigabit per second of the line.
    bytes_of_gigabit: f64,
    /// Beginnings of words that tell of other ways.
    others: &'static [&'static str],
    /// How many gigabits per second a text names, the most of them.
    gigabits: fn(&str) -> Option<f64>,
}

const ETHERNET: LinkKind = LinkKind {
    name: "Ethernet",
    bytes_of_gigabit: 1e9 / 8.0,
    others: &[
        "bond",
        "lacp",
        "trunk",
        "team",
        "aggregat",
        "multi",
        "infiniband",
        "rdma",
        "roce",
        "virt",
        "vm",
        "loop",
        "localhost",
        "container",
        "dual",
        "quad",
    ],
    gigabits: of_ethernet,
};

/// Of ten bits on a SATA link eight are data (8b/10b).
const SATA: LinkKind = LinkKind {
    name: "SATA",
    bytes_of_gigabit: 1e9 / 10.0,
    others: &[
        "nvme", "pci", "sas", "raid", "array", "stripe", "disks", "drives", "ssds", "hdds", "jbod", "optane",
        "md", "zfs", "lvm", "ram", "tmpfs", "ceph", "iscsi", "nas",
    ],
    gigabits: of_sata,
};

impl NamedLinks {
    /// Those of a text.
    pub(super) fn of(output: &ToolOutput) -> Self {
        let prose = output.unread.iter().filter(|unread| unread.cause == UnreadCause::NoTool);
        let texts: Vec<(u64, &str)> = prose.flat_map(UnreadLines::texts).collect();
        Self { network: fastest(&texts, &ETHERNET), storage: fastest(&texts, &SATA) }
    }
}

/// A link that one sentence names.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::check) struct LinkInWords {
    /// `Ethernet, 1 Gb/s`.
    pub(in crate::check) name: String,
    /// The bytes per second of its line.
    pub(in crate::check) line_rate: f64,
    /// What it carries of them.
    pub(in crate::check) most: f64,
}

/// The only link that a sentence names; `None` where it tells of other ways, too.
pub(in crate::check) fn link_in(text: &str) -> Option<LinkInWords> {
    let of_kind = |kind: &LinkKind| {
        let gigabits = (kind.gigabits)(text).filter(|gigabits| gigabits.is_finite());
        let gigabits = gigabits.filter(|_| !tells_of(text, kind.others))?;
        Some(LinkInWords {
            name: format!("{}, {gigabits} Gb/s", kind.name),
            line_rate: gigabits * 1e9 / 8.0,
            most: gigabits * kind.bytes_of_gigabit,
        })
    };
    let mut found = [&ETHERNET, &SATA].into_iter().filter_map(of_kind);
    found.next().filter(|_| found.next().is_none())
}

/// The fastest link of a kind that is named; `None` where other ways are.
fn fastest(texts: &[(u64, &str)], kind: &LinkKind) -> Option<RateBound> {
    if texts.iter().any(|(_, text)| tells_of(text, kind.others)) {
        return None;
    }
    let named = texts.iter().filter_map(|(line, text)| Some((*line, (kind.gigabits)(text)?)));
    let (line, gigabits) = named.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(RateBound {
        most: gigabits * kind.bytes_of_gigabit,
        of: BoundOf::Links(format!("{}, {gigabits} Gb/s", kind.name)),
        source: BoundSource::Line(line),
    })
}

/// Whether a word begins so.
fn tells_of(text: &str, beginnings: &[&str]) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| beginnings.iter().any(|beginning| word.starts_with(*beginning)))
}

/// Where a name stands in a text at the beginning of a word: what is before it, and what is behind.
fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let each = text.match_indices(name);
    let sides = each.filter_map(move |(at, name)| Some((text.get(..at)?, text.get(at + name.len()..)?)));
    sides.filter(|(before, _)| !before.ends_with(char::is_alphabetic))
}

/// `10 GbE`, `Gigabit Ethernet`, `10GBASE-T`. Of `2x10 GbE` nobody knows.
fn of_ethernet(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    let of_name = |name: &&str| {
        let numbers = places(&lower, name).filter_map(|(before, _)| number_at_end(before));
        numbers.max_by(f64::total_cmp)
    };
    let of_words = ["gbe", "gigabit", "gbase"].iter().filter_map(of_name);
    of_words.chain(of_speed(text)).max_by(f64::total_cmp)
}

/// What of a network has a speed, in the letters of a text in lower case; the last ones are Korean and Japanese.
const OF_NETWORKS: &[&str] = &[
    "ethernet",
    "interface",
    "nic",
    "uplink",
    "link",
    "switch",
    "leitung",
    "netzwerk",
    "링크",
    "회선",
    "回線",
    "リンク",
];

/// `Speed: 1000Mb/s` as ethtool prints it; `a 1 Gbit/s link`, `10Gbpsの回線`: a speed of Ethernet right beside such a word.
fn of_speed(text: &str) -> Option<f64> {
    // A large B would be of bytes.
    const UNITS: &[(&str, f64)] = &[
        ("Gbit/s", 1.0),
        ("Gbit", 1.0),
        ("Gbps", 1.0),
        ("Gb/s", 1.0),
        ("gbps", 1.0),
        ("Mbit/s", 1e-3),
        ("Mbps", 1e-3),
        ("Mb/s", 1e-3),
    ];
    const SPEEDS: &[f64] = &[0.01, 0.1, 1.0, 2.5, 5.0, 10.0, 25.0, 40.0, 50.0, 100.0];
    let near = |(before, behind): (&str, &str)| {
        let digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | '-');
        let (named, next) = (before.to_lowercase(), behind.to_lowercase());
        let (named, next) = (named.trim_end_matches(digit), next.trim_start_matches([' ', '-', 'の', '의']));
        let is_named = |word: &&str| {
            next.starts_with(word) || [" is", ":"].iter().any(|end| named.ends_with(&format!("{word}{end}")))
        };
        let is_near = named.ends_with("speed:") || OF_NETWORKS.iter().any(is_named);
        is_near.then(|| number_at_end(before)).flatten()
    };
    let speeds = UNITS.iter().flat_map(|(unit, scale)| {
        places_of_unit(text, unit).filter_map(near).map(move |number| number * scale)
    });
    let is_speed =
        |speed: &f64| speed.is_infinite() || SPEEDS.iter().any(|one| (one / speed - 1.0).abs() < 1e-9);
    speeds.filter(is_speed).max_by(f64::total_cmp)
}

/// Where a unit stands behind a number: what is before it, and what is behind, which goes on with no letter of it.
fn places_of_unit<'a>(text: &'a str, unit: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let each = text.match_indices(unit);
    let sides = each.filter_map(move |(at, unit)| Some((text.get(..at)?, text.get(at + unit.len()..)?)));
    sides.filter(|(before, behind)| {
        before.trim_end_matches(' ').ends_with(|c: char| c.is_ascii_digit())
            && !behind.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
    })
}

/// The number at the end of a text: one if there is none, and no bound where it is told how many there are.
fn number_at_end(text: &str) -> Option<f64> {
    let text = text.trim_end_matches([' ', '-']);
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match text.get(before.len()..)? {
        "" => Some(1.0),
        _ if before.trim_end().ends_with(['x', '\u{d7}', '*']) => Some(f64::INFINITY),
        digits => digits.parse().ok(),
    }
}

/// `SATA`, `SATA III`, `SATA 2`, `SATA 3 Gb/s`; `SATA 2.5"` and `SATA 2 TB` are sizes.
fn of_sata(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    // CrystalDiskMark writes of every disk what `SATA/600` is.
    let links = places(&lower, "sata").filter(|(_, behind)| !behind.starts_with('/'));
    let rates = links.map(|(before, behind)| match counts_several(before) {
        true => f64::INFINITY,
        false => generation(behind),
    });
    rates.max_by(f64::total_cmp)
}

/// Whether a text ends with a number of things, `2x` or `eight`: of their links nobody knows how many took part.
fn counts_several(text: &str) -> bool {
    const NUMBERS: &[&str] = &["two", "three", "four", "six", "eight", "both", "dual", "several"];
    let last = text.split_whitespace().next_back().unwrap_or_default();
    let number = last.trim_end_matches(['x', '\u{d7}', '*']);
    let is_sign = !last.is_empty() && number.is_empty();
    is_sign || NUMBERS.contains(&last) || number.parse::<u32>().is_ok_and(|count| count > 1)
}

/// The gigabits per second of the generation that stands behind `SATA`, or of the last.
fn generation(behind: &str) -> f64 {
    let behind: String = behind.chars().filter(|c| *c != ' ' && *c != '-').take(6).collect();
    let is_second = behind.strip_prefix('2').is_some_and(|rest| {
        let next = rest.chars().next();
        next.is_none_or(|c| !c.is_alphanumeric() && c != '.')
    });
    let begins = |names: &[&str]| names.iter().any(|name| behind.starts_with(*name));
    match () {
        () if begins(&["iii"]) => 6.0,
        () if is_second || begins(&["ii", "3gb", "3.0gb"]) => 3.0,
        () if begins(&["1.5gb"]) => 1.5,
        () => 6.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;
    use crate::check::limits::above_limit;

    #[test]
    fn generations_of_sata_are_told_apart_from_sizes() {
        for (text, gigabits) in [
            ("An SSD at SATA III", Some(6.0)),
            ("SATA 3 (6 Gb/s)", Some(6.0)),
            ("SATA 3 Gb/s", Some(3.0)),
            ("SATA2, SATA II", Some(3.0)),
            ("SATA 2 and SATA 3", Some(6.0)),
            ("2x SATA, 8 SATA", Some(f64::INFINITY)),
            ("two SATA and 2 x SATA", Some(f64::INFINITY)),
            ("one 256 GB SATA SSD", Some(6.0)),
            ("a SATA 2.5\" SSD, SATA 2 TB, SATA 240 GB", Some(6.0)),
            ("an SSD that was at a port [SATA/600 = 600,000,000 bytes/s]", None),
        ] {
            assert_eq!(of_sata(text), gigabits, "{text}");
        }
    }

    #[test]
    fn rates_of_ethernet_are_read() {
        for (text, gigabits) in [
            ("over Gigabit Ethernet", Some(1.0)),
            ("10 GbE, MTU 9000", Some(10.0)),
            ("1 GbE and 2.5GBASE-T", Some(2.5)),
            ("2x10 GbE", Some(f64::INFINITY)),
            ("2 x 10 GbE", Some(f64::INFINITY)),
            ("9.41 Gbit/s, a big benefit", None),
            ("10 Gbit/s, a big benefit", None),
            ("ethtool says Speed: 1000Mb/s", Some(1.0)),
            ("over a 1 Gbit/s link", Some(1.0)),
            ("10Gbpsの回線を使う", Some(10.0)),
            ("The interface is 1 Gbit/s", Some(1.0)),
            ("The link is 100 MB/s", None),
            ("2x10Gbit/s uplink", Some(f64::INFINITY)),
        ] {
            assert_eq!(of_ethernet(text), gigabits, "{text}");
        }
    }

    #[test]
    fn what_a_named_link_cannot_carry_is_told() {
        let dd = |prose: &str| {
            let text = format!(
                "{prose}\n$ dd if=/dev/zero of=/mnt/x bs=100M count=100\n100+0 records in\n100+0 records out\n\
                 10485760000 bytes (10 GB, 9.8 GiB) copied, 11.69 s, 897 MB/s\n"
            );
            fixture::found(&above_limit::CHECK, &text).len()
        };
        assert_eq!((dd("One SATA SSD"), dd("One SSD"), dd("One NVMe SSD")), (1, 0, 0));
        assert_eq!((dd("Eight SATA disks"), dd("A SATA and an NVMe drive"), dd("SATA, RAID 0")), (0, 0, 0));
        let iperf3 = |prose: &str| {
            let text = format!(
                "{prose}\nConnecting to host 10.0.0.2, port 5201\n\
                 [  5] local 10.0.0.1 port 50000 connected to 10.0.0.2 port 5201\n\
                 [ ID] Interval           Transfer     Bitrate         Retr\n\
                 [  5]   0.00-10.00  sec  11.0 GBytes   9.41 Gbits/sec    0             sender\n\
                 [  5]   0.00-10.00  sec  11.0 GBytes   9.41 Gbits/sec                  receiver\n"
            );
            fixture::found(&above_limit::CHECK, &text).len()
        };
        assert_ne!(iperf3("Over a 1 GbE switch"), 0);
        assert_eq!((iperf3("Over a 10 GbE switch"), iperf3("Over 10x1 GbE, bonded")), (0, 0));
    }
}
