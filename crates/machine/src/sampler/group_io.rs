//! What an I/O controller of control groups says of our own group: `io.stat` of version 2, where `io.cost` accounts what each
//! group used of a device and, if the kernel was told to (`blkcg_debug_stats`), how long it waited (`ioc_pd_stat` in
//! `block/blk-iocost.c`).

use model::{Resource, ResourceKind, Unit};

use crate::inventory::cgroup;
use crate::sampler::file::{OpenFile, lines, number, split_word};
use crate::sampler::{SamplerColumn, SamplerKind, of_file};

/// Each with the word of the file, in microseconds.
const COUNTED: [(&str, &str); 4] = [
    ("cost_usage", "cost.usage="),
    ("cost_wait", "cost.wait="),
    ("cost_indebt", "cost.indebt="),
    ("cost_indelay", "cost.indelay="),
];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "group-io",
    doc: "what our own control group used of each device, and how long it waited for that, where io.cost shares the device out",
    open: |host, scope| {
        let Ok(levels) = cgroup::levels(host, "io") else { return Vec::new() };
        let Some(own) = levels.folders.first().filter(|_| levels.version == 2) else { return Vec::new() };
        let path = format!("{own}/io.stat");
        let is_counted = OpenFile::open(host, &path)
            .is_some_and(|mut file| file.read().is_some_and(|bytes| has(bytes, b"cost.usage=")));
        if !is_counted {
            return Vec::new();
        }
        // By the device's number: where its columns begin.
        let (mut numbers, mut columns) = (Vec::new(), Vec::new());
        for name in &scope.block {
            let Some(dev) = host.word(format!("/sys/class/block/{name}/dev")) else { continue };
            numbers.push((dev.into_bytes(), columns.len()));
            let resource = Resource::of(ResourceKind::Block, name);
            let column = |(name, _): &(&'static str, &str)| {
                SamplerColumn::counter(resource.clone(), name, Unit::Seconds, 1e-6)
            };
            columns.extend(COUNTED.iter().map(column));
        }
        of_file(host, &path, columns, move |bytes, values| {
            for line in lines(bytes) {
                let (device, words) = split_word(line);
                let Some((_, at)) = numbers.iter().find(|(number, _)| number == device) else { continue };
                for (value, (_, word)) in values[*at..].iter_mut().zip(COUNTED) {
                    if let Some(found) = value_of(words, word.as_bytes()) {
                        *value = found;
                    }
                }
            }
        })
    },
};

fn has(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|part| part == word)
}

/// What stands behind a word that ends with `=`.
fn value_of(words: &[u8], word: &[u8]) -> Option<u64> {
    let mut all = words.split(|byte| *byte == b' ');
    all.find_map(|own| own.strip_prefix(word)).map(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;
    use crate::sampler::{ABSENT, Scope};

    fn read(stat: &str) -> Vec<(String, &'static str, u64)> {
        let host = Host::parse(&format!(
            "==> /proc/self/cgroup\n0::/a\n==> /sys/class/block/sdb/dev\n8:16\n==> /sys/class/block/sda/dev\n8:0\n\
             ==> /sys/fs/cgroup/a/io.stat\n{stat}"
        ));
        let block = vec!["sda".to_owned(), "sdb".to_owned()];
        let mut found = Vec::new();
        for mut sampler in (KIND.open)(&host, &Scope { block, ..Scope::default() }) {
            let mut values = vec![ABSENT; sampler.columns().len()];
            sampler.read(&mut values);
            let named = sampler.columns().iter().map(|column| (column.resource.to_string(), column.name));
            let all = named.zip(values).filter(|(_, value)| *value != ABSENT);
            found.extend(all.map(|((resource, name), value)| (resource, name, value)));
        }
        found
    }

    #[test]
    fn what_a_group_used_and_waited_is_read_of_each_device() {
        let found =
            read("8:16 rbytes=4096 wbytes=0 cost.usage=700 cost.wait=12000 cost.indebt=0 cost.indelay=3\n");
        let sdb = |name, value| ("block:sdb".to_owned(), name, value);
        let expected =
            [sdb("cost_usage", 700), sdb("cost_wait", 12_000), sdb("cost_indebt", 0), sdb("cost_indelay", 3)];
        assert_eq!(found, expected);
        assert_eq!(read("8:16 rbytes=4096 cost.usage=700\n"), [sdb("cost_usage", 700)], "it counts no waits");
        assert!(read("8:16 rbytes=4096 wbytes=0\n").is_empty(), "nothing shares it out");
    }
}
