//! How many times one figure is another, as people write it: `30 % faster`, `twice as fast`, `2.5x`, `3배 빠르다`.

use model::Unit;

use super::prose::{WrittenNumber, apart, numbers, with_unit_of};

/// What a claim says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// As written.
    pub(super) text: String,
    /// How many times, or which share more or less.
    pub(super) amount: Amount,
    pub(super) direction: Direction,
    /// What rounding may have changed of the amount, and more where it is said to be about that.
    pub(super) blur: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    /// Of one another.
    Times(f64),
    /// A share of one of the two.
    Share(f64),
}

/// Which way. What is faster has a higher rate or takes less time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Faster,
    Slower,
    More,
    Less,
}

/// Beginnings of words that tell a direction. Those of Korean and Japanese follow their particles.
const DIRECTIONS: &[(Direction, &[&str])] = &[
    (
        Direction::Faster,
        &["faster", "quicker", "speedup", "speed-up", "as fast", "빠르", "빨라", "빠른", "速", "高速"],
    ),
    (Direction::Slower, &["slower", "slowdown", "as slow", "느리", "느려", "느린", "遅"]),
    (
        Direction::More,
        &[
            "higher", "more", "greater", "better", "improve", "increas", "gain", "rose", "grew", "as much",
            "높", "향상", "증가", "개선", "상승", "늘", "向上", "増", "改善", "高い", "高く", "上が",
        ],
    ),
    (
        Direction::Less,
        &[
            "lower", "less", "fewer", "decreas", "reduc", "drop", "fell", "shorter", "낮", "감소", "하락",
            "줄", "低", "減", "短", "下が",
        ],
    ),
];

/// Words by which a claim is of about so much.
const ABOUT: &[&str] = &[
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    "nearly",
    "almost",
    "over",
    "some",
    "circa",
    "ca",
    "약",
    "거의",
    "대략",
    "約",
    "ほぼ",
];

/// Words of what is not measured here, or is of something else than rates and times.
const OTHERS: &[&str] = &[
    "should",
    "could",
    "would",
    "expect",
    "theor",
    "target",
    "goal",
    "promise",
    "advertis",
    "vendor",
    "datasheet",
    "spec",
    "price",
    "cost",
    "cheap",
    "power",
    "watt",
    "energy",
    "cpu",
    "memory",
    "capacity",
    "compress",
    "least",
    "up to",
    "yesterday",
    "last ",
    "if ",
    "예상",
    "목표",
    "이론",
    "최대",
    "최소",
    "予想",
    "目標",
    "理論",
    "最大",
    "以上",
    "이상",
    "each",
    "both",
    "respectively",
    "각각",
    "それぞれ",
    "combined",
    "together",
];

/// What stands behind a share of a whole: `95% in less than 3 ms`.
const OF_WHOLE: &[&str] = &["in", "of", "below", "under", "within", "at", "took", "take"];

/// Words behind which stands of what there is more or less.
const COUNTED: &[&str] = &["more", "less", "fewer", "greater", "higher", "lower"];

/// Beginnings of what is measured, and of words that no noun is.
const MEASURES: &[&str] = &[
    "iop",
    "throughp",
    "bandwidth",
    "request",
    "req",
    "operat",
    "ops",
    "transaction",
    "tps",
    "qps",
    "quer",
    "read",
    "write",
    "latenc",
    "time",
    "spee",
    "perform",
    "byte",
    "mb",
    "gb",
    "mib",
    "gib",
    "bit",
    "mbit",
    "gbit",
    "even",
    "packet",
    "than",
    "and",
    "with",
    "in",
    "on",
    "at",
    "for",
    "after",
    "compared",
    "over",
    "per",
    "when",
    "here",
    "now",
    "then",
    "but",
];

/// How far behind an amount its direction stands, in words, and how far before.
const BEHIND: usize = 4;
const BEFORE: usize = 3;

/// An amount is written with so few digits that it may be off by this share of itself.
const ROUGH: f64 = 0.06;

/// The same of `twice`.
const ROUGHLY_TWICE: f64 = 0.18;

/// The same of `about` so much.
const ROUGHER: f64 = 0.2;

/// A sentence with what it says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sentence {
    /// On which line its claim stands.
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) claims: Vec<Claim>,
    pub(super) numbers: Vec<WrittenNumber>,
}

impl Sentence {
    /// A sentence without a claim is one, too: its figures count.
    pub(super) fn of(line: u64, text: &str) -> Self {
        let lower = text.to_lowercase();
        let is_of_others = OTHERS.iter().any(|word| lower.contains(word));
        let claims = if is_of_others { Vec::new() } else { claims(text) };
        Self { line, text: text.to_owned(), claims, numbers: all_numbers(text) }
    }
}

/// The claims of a text.
pub(super) fn claims(text: &str) -> Vec<Claim> {
    let text = apart(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    (0..words.len()).filter_map(|place| claim_at(&words, place)).collect()
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '%' || c == '\u{d7}' || c == '.'))
        .trim_end_matches('.')
}

fn claim_at(words: &[&str], place: usize) -> Option<Claim> {
    let word = bare(words.get(place)?);
    let next = words.get(place + 1).map_or("", |word| bare(word));
    let (amount, used) = amount(word, next)?;
    if words.get(place + used).is_some_and(|word| OF_WHOLE.contains(word)) {
        return None;
    }
    let is_about = || {
        let before = words.get(place.saturating_sub(2)..place).unwrap_or_default();
        before.iter().any(|word| ABOUT.contains(&bare(word).to_lowercase().as_str()))
            || words.get(place).is_some_and(|word| word.starts_with('~'))
    };
    // `, which` and a full stop begin another thought.
    let end = place + used;
    let behind = words.get(end..(end + BEHIND).min(words.len())).unwrap_or_default();
    let ends = |word: &&&str| word.ends_with([',', ';', ':']) || word.starts_with('(');
    let near = behind.iter().position(|word| ends(&word)).map_or(behind.len(), |at| at + 1);
    let is_closed = words.get(end - 1).is_some_and(|word| word.ends_with([',', ')', ';']));
    let behind = if is_closed { &[][..] } else { behind.get(..near).unwrap_or_default() };
    let before = words.get(place.saturating_sub(BEFORE)..place).unwrap_or_default();
    let joined =
        |words: &[&str]| words.iter().map(|word| bare(word).to_lowercase()).collect::<Vec<_>>().join(" ");
    let by = before.last().is_some_and(|word| ["by", "of"].contains(word));
    let direction =
        direction_in(&joined(behind)).or_else(|| by.then(|| direction_in(&joined(before))).flatten())?;
    if let Some(at) = direction_place(behind)
        && behind.get(at).is_some_and(|word| COUNTED.contains(word))
        && behind.get(at + 1).is_some_and(|noun| !is_measure(&bare(noun).to_lowercase()))
    {
        return None;
    }
    let share = if is_about() { ROUGHER } else { ROUGH };
    let blur = match amount {
        // Twice is less exact than 2.0 times.
        Amount::Times(times) if word.starts_with(|c: char| c.is_alphabetic()) => {
            times * share.max(ROUGHLY_TWICE)
        }
        Amount::Times(times) => (times * share).max(0.05),
        Amount::Share(of_one) => (of_one * share).max(0.01),
    };
    let last = end + direction_place(behind).map_or(0, |at| at + 1);
    let first = if direction_place(behind).is_some() { place } else { place.saturating_sub(BEFORE) };
    let text = words.get(first..last.max(end))?.join(" ");
    let text = text.trim_matches(|c: char| ",;:()".contains(c)).to_owned();
    Some(Claim { text, amount, direction, blur })
}

/// How much, and how many words that takes.
fn amount(word: &str, next: &str) -> Option<(Amount, usize)> {
    match word.to_lowercase().as_str() {
        "twice" | "double" | "doubled" | "doubles" => return Some((Amount::Times(2.0), 1)),
        "triple" | "tripled" | "thrice" => return Some((Amount::Times(3.0), 1)),
        _ => {}
    }
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
    let value: f64 = word.get(..end)?.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite())?;
    let is_word = |word: &str| ["times", "x", "\u{d7}", "fold", "배", "倍"].contains(&word);
    match word.get(end..)? {
        "%" => Some((Amount::Share(value / 100.0), 1)),
        "x" | "\u{d7}" | "-fold" => Some((Amount::Times(value), 1)),
        "" if ["%", "percent"].contains(&next) => Some((Amount::Share(value / 100.0), 2)),
        "" if is_word(next) => Some((Amount::Times(value), 2)),
        _ => None,
    }
}

fn is_measure(word: &str) -> bool {
    word.is_empty() || MEASURES.iter().any(|known| word.starts_with(known))
}

fn direction_in(text: &str) -> Option<Direction> {
    let first = |(direction, beginnings): &(Direction, &[&str])| {
        let at = beginnings.iter().filter_map(|beginning| begins_at(text, beginning)).min()?;
        Some((at, *direction))
    };
    DIRECTIONS.iter().filter_map(first).min_by_key(|(at, _)| *at).map(|(_, direction)| direction)
}

/// Where a word begins so.
fn begins_at(text: &str, beginning: &str) -> Option<usize> {
    let is_word =
        |at: usize| text.get(..at).is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphabetic()));
    text.match_indices(beginning).map(|(at, _)| at).find(|at| is_word(*at))
}

fn direction_place(words: &[&str]) -> Option<usize> {
    let has = |words: &[&str]| {
        direction_in(&words.iter().map(|word| bare(word).to_lowercase()).collect::<Vec<_>>().join(" "))
    };
    (0..words.len()).find(|at| words.get(..=*at).is_some_and(|words| has(words).is_some()))
}

/// Numbers with units, and those before them that have theirs: `120 to 180 MB/s`, `120 -> 180 MB/s`.
fn all_numbers(text: &str) -> Vec<WrittenNumber> {
    const JOINS: &[&str] =
        &["to", "->", "=>", "\u{2192}", "vs", "vs.", "versus", "and", "에서", "から", "대", "대비"];
    let found = numbers(text);
    let text = apart(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut all = Vec::new();
    for number in found {
        let join = number.place.checked_sub(1).and_then(|at| words.get(at));
        if join.is_some_and(|join| JOINS.contains(join))
            && let Some(at) = number.place.checked_sub(2)
        {
            all.extend(words.get(at).and_then(|digits| with_unit_of(digits, at, &number)));
        }
        all.push(number);
    }
    all
}

/// Two figures, the greater one first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) greater: f64,
    pub(super) smaller: f64,
    /// What rounding may have changed of the first divided by the second, as a share of it.
    pub(super) blur: f64,
    pub(super) unit: Unit,
}

impl Pair {
    pub(super) fn of(a: (f64, f64), b: (f64, f64), unit: Unit) -> Option<Self> {
        let (greater, smaller) = if a.0 >= b.0 { (a.0, b.0) } else { (b.0, a.0) };
        (smaller > 0.0 && greater.is_finite()).then_some(Self { greater, smaller, blur: a.1 + b.1, unit })
    }

    /// What may be claimed of it: how many times, or which share.
    fn readings(&self, claim: &Claim) -> Vec<f64> {
        let ratio = self.greater / self.smaller;
        let is_time = self.unit == Unit::Seconds;
        match (claim.amount, claim.direction) {
            // Some count what is added only: `200 % faster` is three times.
            (Amount::Times(_), _) => vec![ratio, ratio - 1.0],
            (Amount::Share(_), Direction::More) if is_time => vec![ratio - 1.0, 1.0 - 1.0 / ratio],
            (Amount::Share(_), Direction::More) => vec![ratio - 1.0],
            (Amount::Share(_), Direction::Less) => vec![1.0 - 1.0 / ratio],
            // Of a time either share is called so.
            (Amount::Share(_), _) if is_time => vec![ratio - 1.0, 1.0 - 1.0 / ratio],
            (Amount::Share(_), Direction::Faster) => vec![ratio - 1.0],
            (Amount::Share(_), Direction::Slower) => vec![1.0 - 1.0 / ratio],
        }
    }

    /// How far a claim is from what it may say of it, beyond what rounding explains; 0 where it fits.
    pub(super) fn distance(&self, claim: &Claim) -> f64 {
        let (Amount::Times(claimed) | Amount::Share(claimed)) = claim.amount;
        let ratio = self.greater / self.smaller;
        let apart = self.readings(claim).into_iter().map(|reading| (reading - claimed).abs());
        (apart.fold(f64::INFINITY, f64::min) - claim.blur - self.blur * ratio).max(0.0)
    }

    /// Whether it would fit the other of the two as the base of its share.
    pub(super) fn has_wrong_base(&self, claim: &Claim) -> bool {
        let Amount::Share(claimed) = claim.amount else { return false };
        let ratio = self.greater / self.smaller;
        let both = [ratio - 1.0, 1.0 - 1.0 / ratio];
        both.into_iter().any(|share| (share - claimed).abs() <= claim.blur + self.blur * ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(Amount, Direction)> {
        claims(text).into_iter().map(|claim| (claim.amount, claim.direction)).collect()
    }

    #[test]
    fn claims_are_read_in_several_languages() {
        use Amount::{Share, Times};
        use Direction::{Faster, Less, More, Slower};
        for (text, amount, direction) in [
            ("B is 50% faster than A.", Share(0.5), Faster),
            ("B is 50 % slower", Share(0.5), Slower),
            ("It is twice as fast as before", Times(2.0), Faster),
            ("a 2.5x speedup", Times(2.5), Faster),
            ("3 times higher throughput", Times(3.0), More),
            ("latency was reduced by 25%", Share(0.25), Less),
            ("an increase of 40 percent", Share(0.4), More),
            ("B가 A보다 3배 빠르다", Times(3.0), Faster),
            ("처리량이 50% 향상되었습니다", Share(0.5), More),
            ("BはAの2倍速い", Times(2.0), Faster),
            ("遅延が30%減少", Share(0.3), Less),
        ] {
            assert_eq!(of(text), [(amount, direction)], "{text}");
        }
        for text in
            ["95% of the requests", "CPU was at 80 %", "70% reads, 30% writes", "the 99% latency", "4x NVMe"]
        {
            assert_eq!(of(text), [], "{text}");
        }
    }

    #[test]
    fn a_number_has_the_unit_of_the_one_that_it_is_joined_with() {
        let texts = |text: &str| all_numbers(text).into_iter().map(|number| number.text).collect::<Vec<_>>();
        assert_eq!(texts("from 120 to 180 MB/s"), ["120 MB/s", "180 MB/s"]);
        assert_eq!(texts("8.0 -> 5.0 ms"), ["8.0 ms", "5.0 ms"]);
        assert_eq!(texts("4 and more"), Vec::<String>::new());
    }

    #[test]
    fn a_share_is_of_its_base() {
        let rates = Pair::of((150.0, 0.0), (100.0, 0.0), Unit::BytesPerSecond).unwrap();
        let fits = |pair: &Pair, text: &str| pair.distance(&claims(text)[0]) == 0.0;
        for text in ["50% faster", "1.5x faster", "33% slower", "50% higher", "33% lower"] {
            assert!(fits(&rates, text), "{text}");
        }
        for text in ["33% faster", "50% slower", "2x faster", "twice as fast", "33% higher"] {
            assert!(!fits(&rates, text), "{text}");
        }
        assert!(
            rates.has_wrong_base(&claims("33% faster")[0]) && !rates.has_wrong_base(&claims("80% faster")[0])
        );
        let times = Pair::of((1.5, 0.0), (1.0, 0.0), Unit::Seconds).unwrap();
        assert!(fits(&times, "33% faster") && fits(&times, "50% faster") && !fits(&times, "50% lower"));
    }
}
