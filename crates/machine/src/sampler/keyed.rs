//! Files of lines `name value`: `/proc/vmstat`, `/proc/meminfo`, `cpu.stat`.

use crate::Host;
use crate::sampler::file::{OpenFile, lines, number, split_word};
use crate::sampler::{Pace, Sampler, SamplerColumn, reader};

/// Reads some lines of the file at `path`, which the document calls `source`: each column with the
/// word that its line begins with.
pub(super) fn open(
    host: &Host,
    path: &str,
    source: &str,
    pace: Pace,
    columns: impl IntoIterator<Item = (&'static str, SamplerColumn)>,
) -> Vec<Box<dyn Sampler>> {
    let Some(mut file) = OpenFile::open(host, path) else { return Vec::new() };
    let (keys, columns): (Vec<&'static str>, Vec<_>) = columns.into_iter().unzip();
    // The columns that the file has, in its order, which a running kernel does
    // not change: a line is compared with one word, not with all.
    let mut order = Vec::with_capacity(keys.len());
    reader(source, pace, columns, move |values| {
        if let Some(bytes) = file.read() {
            read(bytes, &keys, &mut order, values);
        }
    })
}

fn read(bytes: &[u8], keys: &[&str], order: &mut Vec<usize>, values: &mut [u64]) {
    let mut expected = order.iter().copied().peekable();
    for line in lines(bytes) {
        let Some(column) = expected.peek().copied() else { break };
        if let Some(value) = value(line, keys[column]) {
            values[column] = value;
            expected.next();
        }
    }
    if !order.is_empty() && expected.peek().is_none() {
        return;
    }
    order.clear();
    for line in lines(bytes) {
        let found = keys.iter().enumerate().find_map(|(i, key)| Some((i, value(line, key)?)));
        if let Some((column, value)) = found
            && !order.contains(&column)
        {
            values[column] = value;
            order.push(column);
        }
    }
}

/// The value of a line that begins with `key`: `pgfault 12`, `MemFree:  12 kB`.
fn value(line: &[u8], key: &str) -> Option<u64> {
    let rest = line.strip_prefix(key.as_bytes())?;
    let rest = rest.strip_prefix(b":").unwrap_or(rest);
    let starts = matches!(rest.first(), Some(b' ' | b'\t'));
    starts.then(|| number(split_word(rest).0))
}

#[cfg(test)]
mod tests {
    use model::Unit;

    use super::*;
    use crate::sampler::ABSENT;

    #[test]
    fn lines_are_found_in_any_order_and_after_the_order_changed() {
        let tree = tempfile::tempdir().unwrap();
        let host = Host::recorded(tree.path());
        let write = |text: &str| std::fs::write(tree.path().join("f"), text).unwrap();
        write("b 2\nab 9\na: 1 kB\nb 7\n");
        let column = |name| (name, SamplerColumn::counter("x", name, Unit::One, 1.0));
        let mut keyed = open(&host, "/f", "/f", Pace::Fast, ["a", "b", "c"].map(column)).remove(0);
        let mut read = || {
            let mut values = [0; 3];
            keyed.read(&mut values);
            values
        };
        assert_eq!(read(), [1, 2, ABSENT]);
        assert_eq!(read(), [1, 2, ABSENT], "the second time");
        write("a 3\nc 4\nb 5\n");
        assert_eq!(read(), [3, 5, 4]);
        write("a x\nb -5\nc 99");
        assert_eq!(read(), [ABSENT; 3]);
        write("");
        assert_eq!(read(), [ABSENT; 3]);
        write("c 1\nb 2\n");
        assert_eq!(read(), [ABSENT, 2, 1]);
    }
}
