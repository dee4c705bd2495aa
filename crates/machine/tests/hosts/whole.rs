//! What holds for every recorded host: its links lead somewhere, its parts
//! agree with one another, nothing in it identifies a machine, and every reader
//! can read it.

use std::collections::{BTreeMap, BTreeSet};

use language::LANGUAGES;
use machine::{Host, doctor, inventory, limit, sampler};
use model::limit::UsualRange;
use model::machine::BlockKind;

use super::all;

/// Kilobytes are enough for a machine of two sockets.
const BYTES_MAX: usize = 400_000;

/// The heads of a recording, without their mark and the end.
fn heads(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix("==> ")).filter(|head| *head != "end")
}

fn number(host: &Host, path: &str) -> u64 {
    host.text(path).unwrap_or_default().trim().parse().unwrap_or_else(|_| panic!("{path}"))
}

#[test]
fn there_are_eight_and_each_says_what_it_is() {
    let hosts = all();
    let names: Vec<_> = hosts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "arm-board",
            "cloud-vm",
            "ec2-from-documentation",
            "gce-from-documentation",
            "study-a",
            "study-e",
            "test-machine",
            "two-socket-nvme"
        ]
    );
    for (name, text) in &hosts {
        assert!(text.len() <= BYTES_MAX, "{name}: {} bytes", text.len());
        let comment = text.split("==> ").next().unwrap();
        assert!(comment.contains("What it is:"), "{name}");
        let told = comment.contains("Where the facts are from:") || comment.contains("recorded with");
        assert!(told, "{name}: no source");
    }
}

#[test]
fn every_path_stands_once_and_every_link_leads_somewhere() {
    for (name, text) in all() {
        let host = Host::parse(&text);
        let mut seen = BTreeSet::new();
        for head in heads(&text) {
            let path = head.split(" -> ").next().unwrap().split(" !").next().unwrap();
            assert!(path.starts_with('/') && !path.contains("//"), "{name}: {path}");
            assert!(seen.insert(path.trim_end_matches('/').to_owned()), "{name}: {path} stands twice");
            // A recording also holds links that were listed and not followed.
            if head.contains(" -> ") && name != "test-machine" {
                assert!(host.resolve(path).is_some(), "{name}: {head} dangles");
            }
        }
    }
}

#[test]
fn nothing_identifies_a_machine() {
    for (name, text) in all() {
        let part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-'));
        for word in text.split(part) {
            let hex = |p: &str| p.bytes().all(|b| b.is_ascii_hexdigit());
            let pairs: Vec<&str> = word.split(':').collect();
            let is_address = pairs.len() == 6 && pairs.iter().all(|p| p.len() == 2 && hex(p));
            let lengths: Vec<usize> = word.split('-').map(str::len).collect();
            let is_identifier = lengths == [8, 4, 4, 4, 12] && word.split('-').all(hex);
            let masked = word.bytes().all(|b| matches!(b, b'0' | b'x' | b':' | b'-'));
            assert!(masked || !(is_address || is_identifier), "{name}: {word}");
        }
        let host = Host::parse(&text);
        for head in heads(&text) {
            if matches!(head.rsplit('/').next(), Some("serial" | "address" | "hostname")) {
                let kept = host.text(head).unwrap_or_default();
                let plain = kept.chars().all(|c| matches!(c, '0' | 'x' | ':' | '-' | '.' | ' '));
                // A controller's place on the PCI bus is an `address` too.
                assert!(
                    plain || host.exists(format!("/sys/bus/pci/devices/{kept}")),
                    "{name}: {head}: {kept}"
                );
            }
        }
    }
}

#[test]
fn answers_to_probes_are_json() {
    for (name, text) in all() {
        let host = Host::parse(&text);
        for head in heads(&text).filter(|h| h.starts_with("/probe/") && !h.contains(" !")) {
            let answer = host.text(head).unwrap();
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&answer);
            assert!(parsed.is_ok(), "{name}: {head}: {parsed:?}");
        }
    }
}

#[test]
fn the_counters_of_cpus_and_disks_name_those_that_are_there() {
    for (name, text) in all() {
        let host = Host::parse(&text);
        let stat = host.text("/proc/stat").unwrap();
        let counted: Vec<u32> =
            stat.lines().filter_map(|l| l.strip_prefix("cpu")?.split(' ').next()?.parse().ok()).collect();
        assert_eq!(counted, host.cpu_list("/sys/devices/system/cpu/online").unwrap(), "{name}");
        let table = host.text("/proc/diskstats").unwrap();
        for line in table.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(matches!(words.len(), 14 | 18 | 20), "{name}: {line}");
            // A recording holds only what was read.
            if name == "test-machine" {
                continue;
            }
            let folder = format!("/sys/dev/block/{}:{}", words[0], words[1]);
            let place = host.resolve(&folder).unwrap_or_else(|| panic!("{name}: {folder}"));
            assert!(place.ends_with(&format!("/{}", words[2])), "{name}: {place}");
            let own = host.text(format!("{folder}/stat")).unwrap();
            assert_eq!(own.split_whitespace().collect::<Vec<_>>(), words[3..], "{name}: {folder}");
        }
    }
}

#[test]
fn partitions_fit_into_their_disks_and_stacks_agree_upwards_and_downwards() {
    for (name, text) in all() {
        let host = Host::parse(&text);
        for disk in host.names("/sys/block") {
            let folder = format!("/sys/block/{disk}");
            let size = number(&host, &format!("{folder}/size"));
            for part in host.names(&folder) {
                if host.exists(format!("{folder}/{part}/partition")) {
                    let at = |leaf: &str| number(&host, &format!("{folder}/{part}/{leaf}"));
                    assert!(at("start") + at("size") <= size, "{name}: {part} is beyond {disk}");
                }
            }
            for below in host.names(format!("{folder}/slaves")) {
                let back = host.resolve(format!("/sys/class/block/{below}/holders/{disk}"));
                assert_eq!(back, host.resolve(&folder), "{name}: {below} does not hold {disk}");
                let room = number(&host, &format!("/sys/class/block/{below}/size"));
                let members = host.names(format!("{folder}/slaves")).len() as u64;
                assert!(size <= room * members, "{name}: {disk} is larger than {below}");
            }
        }
    }
}

#[test]
fn memory_of_nodes_adds_up_and_each_cpu_is_in_one_node() {
    for (name, text) in all() {
        let inventory = inventory::describe(&Host::parse(&text));
        let memory = &inventory.memory;
        assert!(memory.total_bytes > 0 && memory.available_bytes > 0, "{name}");
        if memory.nodes.is_empty() {
            continue;
        }
        let sum = memory.nodes.iter().map(|n| n.total_bytes).sum::<u64>();
        // The guest that tests run in counts there what was touched so far.
        assert!(sum == memory.total_bytes || name == "test-machine", "{name}: {sum}");
        let cpus: BTreeSet<u32> = memory.nodes.iter().flat_map(|n| n.cpus.clone()).collect();
        assert_eq!(cpus, inventory.cpu.online.iter().copied().collect(), "{name}");
        for node in &memory.nodes {
            assert_eq!(node.distances.len(), memory.nodes.len(), "{name}");
            assert_eq!(node.distances[node.id as usize], 10, "{name}");
        }
    }
}

#[test]
fn pci_links_have_two_ends_that_agree() {
    for (name, text) in all() {
        let inventory = inventory::describe(&Host::parse(&text));
        let by_address: BTreeMap<_, _> = inventory.pci.iter().map(|d| (d.address.as_str(), d)).collect();
        for device in &inventory.pci {
            let Some(parent) = device.parent.as_deref().map(|p| by_address[p]) else { continue };
            assert!(parent.is_bridge(), "{name}: {} stands below {}", device.address, parent.address);
            let (Some(own), Some(above)) = (device.link, parent.link) else { continue };
            // Between the upstream and the downstream ports of a switch there is
            // no link.
            let inside =
                device.is_bridge() && parent.vendor == device.vendor && parent.device == device.device;
            if !inside && own.lanes.is_some() {
                assert_eq!(
                    (own.lanes, own.transfers),
                    (above.lanes, above.transfers),
                    "{name}: {}",
                    device.address
                );
                assert!(own.lanes <= own.max_lanes && above.lanes <= above.max_lanes, "{name}");
            }
        }
    }
}

#[test]
fn every_reader_reads_every_host() {
    for (name, text) in all() {
        let host = Host::parse(&text);
        let inventory = inventory::describe(&host);
        assert!(!inventory.kernel.is_empty() && inventory.os.is_some(), "{name}");
        assert!(!inventory.block.is_empty() && !inventory.network.is_empty(), "{name}");
        let position = |wanted: &str| inventory.block.iter().position(|d| d.name == wanted);
        for (at, device) in inventory.block.iter().enumerate() {
            for below in &device.below {
                assert!(
                    position(below).is_some_and(|p| p < at),
                    "{name}: {below} comes after {}",
                    device.name
                );
            }
            assert!(device.kind == BlockKind::Optical || device.bytes > 0, "{name}: {}", device.name);
        }
        for absent in &inventory.absent {
            assert!(!absent.reason.contains("garbled"), "{name}: {absent:?}");
        }
        for finding in doctor::look(&host, &inventory) {
            assert!(!finding.text.is_empty(), "{name}: {finding:?}");
            for language in LANGUAGES {
                let lacking = language.words().lacking(&finding);
                assert_eq!(lacking, Vec::<String>::new(), "{name}: {} {finding:?}", language.tag());
            }
        }
        for limit in limit::of(&inventory) {
            assert!(limit.bound().is_some(), "{name}: {limit:?}");
            // What is usual is within the bound.
            let sane = |range: &UsualRange| {
                0.0 < range.least && range.least <= range.most && Some(range.most) <= limit.bound()
            };
            assert!(limit.usual.iter().all(sane), "{name}: {limit:?}");
        }
    }
}

#[test]
fn every_counter_that_a_machine_has_can_be_sampled() {
    for (name, text) in all() {
        let host = Host::parse(&text);
        let scope = sampler::Scope::of(&inventory::describe(&host), &host);
        let mut samplers = sampler::open_all(&host, &scope);
        let sources: BTreeSet<&str> = samplers.iter().map(|s| s.source()).collect();
        for source in ["/proc/stat", "/proc/diskstats", "/proc/vmstat", "/proc/net/dev"] {
            assert!(sources.contains(source), "{name}: {source} of {sources:?}");
        }
        for sampler in &mut samplers {
            let mut values = vec![0; sampler.columns().len()];
            sampler.read(&mut values);
            let known = values.iter().any(|v| *v != sampler::ABSENT);
            assert!(known, "{name}: nothing in {}", sampler.source());
        }
    }
}
