//! Names of devices as they go into one line of a picture.

/// Names as they go into one line: all of a few, of many those that follow on
/// one another by their ends, so that no name seems to be among them that is not;
/// and how many more there are.
pub(super) fn joined(all: &[String]) -> (String, usize) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_written_by_their_ends() {
        let all: Vec<String> = ('a'..='h').map(|c| format!("sd{c}")).collect();
        assert_eq!(joined(&all), ("sda … sdh".to_owned(), 0));
        assert_eq!(joined(&all[..3]), ("sda, sdb, sdc".to_owned(), 0));
        let nvme =
            |numbers: &[u32]| joined(&numbers.iter().map(|n| format!("nvme{n}n1")).collect::<Vec<_>>());
        assert_eq!(nvme(&[8, 9, 10]), ("nvme8n1 … nvme10n1".to_owned(), 0));
    }

    #[test]
    fn names_by_their_ends_do_not_span_one_that_is_not_among_them() {
        let nvme =
            |numbers: &[u32]| joined(&numbers.iter().map(|n| format!("nvme{n}n1")).collect::<Vec<_>>());
        let told = |text: &str, more: usize| (text.to_owned(), more);
        assert_eq!(nvme(&[4, 6, 7]), told("nvme4n1, nvme6n1, nvme7n1", 0));
        assert_eq!(nvme(&[0, 1, 2, 4, 5, 6]), told("nvme0n1 … nvme2n1, nvme4n1 … nvme6n1", 0));
        assert_eq!(nvme(&[0, 2, 4, 6, 8]), told("nvme0n1, nvme2n1, nvme4n1", 2));
    }
}
