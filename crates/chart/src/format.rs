//! Numbers as a picture writes them: short, with the unit that the field uses.
//! Rates are decimal, disks decimal (as sold), memory binary (as built).

/// A rate: `3.9 GB/s`, `985 MB/s`.
pub(crate) fn bytes_per_second(rate: f64) -> String {
    scaled(rate, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"], tenths)
}

/// A network's rate, given in bytes as all rates are: `10 Gb/s`, `9.4 Gb/s`.
pub(crate) fn bits_per_second(bytes_per_second: f64) -> String {
    scaled(bytes_per_second * 8.0, 1000.0, &["b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"], tenths)
}

/// A disk's size: `256 GB`, `3.84 TB`.
pub(crate) fn disk_size(bytes: u64) -> String {
    scaled(bytes as f64, 1000.0, &["B", "kB", "MB", "GB", "TB", "PB", "EB"], three_digits)
}

/// A memory's or cache's size: `32 GiB`, `8 MiB`.
pub(crate) fn memory_size(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], three_digits)
}

/// A clock rate: `3.5 GHz`.
pub(crate) fn hertz(rate: u64) -> String {
    scaled(rate as f64, 1000.0, &["Hz", "kHz", "MHz", "GHz", "THz"], tenths)
}

/// A share: `83 %`. What is not quite nothing is not written as nothing.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent > 0.0 && percent < 0.5 {
        "< 1 %".to_owned()
    } else if percent > 999.0 {
        "> 999 %".to_owned()
    } else {
        format!("{percent:.0} %")
    }
}

/// Names as they go into one line: all of a few, of many those that follow on
/// one another by their ends, so that no name seems to be among them that is not;
/// and how many more there are.
pub(crate) fn names(all: &[String]) -> (String, usize) {
    const LONGEST: usize = 18;
    const MOST_RUNS: usize = 3;
    if all.len() <= 2 || (all.len() == 3 && all.iter().map(String::len).sum::<usize>() <= LONGEST) {
        return (all.join(", "), 0);
    }
    let mut runs: Vec<Vec<&String>> = Vec::new();
    for name in all {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| follows(last, name)) => run.push(name),
            _ => runs.push(vec![name]),
        }
    }
    let mut words = Vec::new();
    let mut shown = 0;
    for run in runs.iter().take(MOST_RUNS) {
        shown += run.len();
        match run.as_slice() {
            [first, _, .., last] => words.push(format!("{first} … {last}")),
            few => words.extend(few.iter().map(|n| (*n).clone())),
        }
    }
    (words.join(", "), all.len() - shown)
}

/// Whether one name is the next after another: `sdb` and `sdc`, `nvme9n1` and
/// `nvme10n1`.
fn follows(a: &str, b: &str) -> bool {
    let (a, b) = (pieces(a), pieces(b));
    let mut steps = 0;
    let alike = a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| {
            steps += usize::from(a != b);
            a == b || is_next(a, b)
        });
    alike && steps == 1
}

/// A name in its numbers and what is between them.
fn pieces(name: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn is_next(a: &str, b: &str) -> bool {
    if let (Ok(a), Ok(b)) = (a.parse::<u64>(), b.parse::<u64>()) {
        return a.checked_add(1) == Some(b);
    }
    let (mut x, mut y) = (a.chars(), b.chars());
    let (last, next) = (x.next_back(), y.next_back());
    let stepped =
        last.zip(next).is_some_and(|(l, n)| l.is_ascii_lowercase() && u32::from(l) + 1 == u32::from(n));
    stepped && x.as_str() == y.as_str()
}

fn scaled(value: f64, step: f64, units: &[&str], digits: fn(f64) -> String) -> String {
    let mut value = if value.is_finite() { value.max(0.0) } else { 0.0 };
    let mut unit = 0;
    while value >= step && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    format!("{} {}", digits(value), units[unit])
}

/// One decimal below a hundred, none where the number is whole.
fn tenths(value: f64) -> String {
    if value >= 99.95 || (value - value.round()).abs() < 1e-6 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

/// Three digits that count, without zeros at the end.
fn three_digits(value: f64) -> String {
    let text = match value {
        v if v >= 99.95 => return format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_short_and_decimal() {
        assert_eq!(bytes_per_second(3.938e9), "3.9 GB/s");
        assert_eq!(bytes_per_second(984.6e6), "985 MB/s");
        assert_eq!(bytes_per_second(600e6), "600 MB/s");
        assert_eq!(bytes_per_second(1e9), "1 GB/s");
        assert_eq!(bits_per_second(1.25e9), "10 Gb/s");
        assert_eq!(bits_per_second(1.17625e9), "9.4 Gb/s");
        assert_eq!(bytes_per_second(f64::NAN), "0 B/s");
    }

    #[test]
    fn sizes_are_as_sold_and_as_built() {
        assert_eq!(disk_size(1_000_204_886_016), "1 TB");
        assert_eq!(disk_size(3_840_755_982_336), "3.84 TB");
        assert_eq!(disk_size(256_060_514_304), "256 GB");
        assert_eq!(memory_size(34_359_738_368), "32 GiB");
        assert_eq!(memory_size(25_232_932_864), "23.5 GiB");
        assert_eq!(memory_size(u64::MAX), "16 EiB");
    }

    #[test]
    fn a_share_is_never_rounded_to_nothing() {
        assert_eq!(percent(0.001), "< 1 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.834), "83 %");
        assert_eq!(percent(1.04), "104 %");
        assert_eq!(percent(1e9), "> 999 %");
    }

    #[test]
    fn many_names_are_written_by_their_ends() {
        let all: Vec<String> = ('a'..='h').map(|c| format!("sd{c}")).collect();
        assert_eq!(names(&all), ("sda … sdh".to_owned(), 0));
        assert_eq!(names(&all[..3]), ("sda, sdb, sdc".to_owned(), 0));
        let nvme = |numbers: &[u32]| names(&numbers.iter().map(|n| format!("nvme{n}n1")).collect::<Vec<_>>());
        assert_eq!(nvme(&[8, 9, 10]), ("nvme8n1 … nvme10n1".to_owned(), 0));
    }

    #[test]
    fn names_by_their_ends_do_not_span_one_that_is_not_among_them() {
        let nvme = |numbers: &[u32]| names(&numbers.iter().map(|n| format!("nvme{n}n1")).collect::<Vec<_>>());
        let told = |text: &str, more: usize| (text.to_owned(), more);
        assert_eq!(nvme(&[4, 6, 7]), told("nvme4n1, nvme6n1, nvme7n1", 0));
        assert_eq!(nvme(&[0, 1, 2, 4, 5, 6]), told("nvme0n1 … nvme2n1, nvme4n1 … nvme6n1", 0));
        assert_eq!(nvme(&[0, 2, 4, 6, 8]), told("nvme0n1, nvme2n1, nvme4n1", 2));
    }
}
