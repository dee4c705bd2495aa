//! Which facts go with being unlike the others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use stats::association::{TwoByTwo, rank_sum};
use stats::comparison::holm;
use stats::interval;

use super::facts::{FactValue, MachineFact};
use super::{FALSE_ALARM, FactTie, TiedFact, TiedWhat};

/// Ties that are told of a set of machines.
const TOLD: usize = 3;

/// A fact of which more than this share of its values differ is each machine's own: a serial number, an address.
const OWN_FROM: f64 = 0.5;

/// Of so few machines nothing is a machine's own: two kernels on three machines are a fact.
const MACHINES_LEAST: usize = 5;

/// What all machines have, by facts.
pub struct FactTable {
    columns: Vec<Column>,
}

/// One fact.
struct Column {
    code: &'static str,
    text: &'static str,
    what: What,
}

enum What {
    /// Something that a machine has or has not.
    Has {
        value: String,
        /// The machines that have it.
        with: Vec<usize>,
        /// Those of which nothing is known.
        unknown: Vec<usize>,
    },
    /// A number of each machine, where it is known.
    Number(Vec<Option<f64>>),
}

/// A fact as it parts a set from the others.
struct Parting {
    column: usize,
    /// What the others that part the machines alike share with it: the two sides, and who is known.
    key: (u128, u128),
    p_value: f64,
    told_apart: f64,
    what: TiedWhat,
}

impl FactTable {
    /// Of these machines.
    #[must_use]
    pub fn of(machines: &[Vec<MachineFact>]) -> Self {
        let mut codes: Vec<(&'static str, &'static str)> = Vec::new();
        let mut by_code: HashMap<&'static str, Vec<(usize, &FactValue)>> = HashMap::new();
        for (machine, facts) in machines.iter().enumerate() {
            for fact in facts {
                let all = by_code.entry(fact.code).or_insert_with(|| {
                    codes.push((fact.code, fact.text));
                    Vec::new()
                });
                all.push((machine, &fact.value));
            }
        }
        let mut columns = Vec::new();
        for (code, text) in codes {
            let all = by_code.remove(code).unwrap_or_default();
            let own = columns_of(&all, machines.len());
            columns.extend(own.into_iter().map(|what| Column { code, text, what }));
        }
        Self { columns }
    }

    /// What goes with being one of `own` and not of `others`, best first.
    #[must_use]
    pub fn explain(&self, own: &[usize], others: &[usize]) -> Vec<FactTie> {
        let sides = Sides::of(own, others);
        let parting = |(place, column): (usize, &Column)| parting(place, column, &sides);
        let mut all: Vec<Parting> = self.columns.iter().enumerate().filter_map(parting).collect();
        // The best first, and of those as good what the inventory has first.
        all.sort_by(|a, b| a.p_value.total_cmp(&b.p_value).then(b.told_apart.total_cmp(&a.told_apart)));
        let mut places: HashMap<_, usize> = HashMap::new();
        let mut ties: Vec<FactTie> = Vec::new();
        for Parting { column, key, p_value, told_apart, what } in all {
            let place = *places.entry(key).or_insert_with(|| {
                ties.push(FactTie { facts: Vec::new(), p_value, told_apart });
                ties.len() - 1
            });
            let Column { code, text, .. } = &self.columns[column];
            let fact = TiedFact { code: (*code).to_owned(), text: (*text).to_owned(), what };
            ties[place].facts.push(fact);
        }
        let adjusted = holm(&ties.iter().map(|tie| tie.p_value).collect::<Vec<_>>());
        ties.iter_mut().zip(adjusted).for_each(|(tie, p_value)| tie.p_value = p_value);
        // What always tells them apart is told even where so few machines prove nothing.
        ties.retain(|tie| tie.p_value <= FALSE_ALARM || tie.told_apart >= 1.0);
        ties.truncate(TOLD);
        ties
    }
}

/// What can be asked of a fact: nothing where it is each machine's own.
fn columns_of(all: &[(usize, &FactValue)], machines: usize) -> Vec<What> {
    let mut with: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut numbers: Vec<Option<f64>> = vec![None; machines];
    let mut known: BTreeSet<usize> = BTreeSet::new();
    for (machine, value) in all {
        match value {
            FactValue::Number(number) => numbers[*machine] = Some(*number).filter(|n| n.is_finite()),
            FactValue::Whole(text) => {
                with.entry(text).or_default().insert(*machine);
            }
            FactValue::Parts(parts) => parts.iter().for_each(|part| {
                with.entry(part).or_default().insert(*machine);
            }),
        }
        if !matches!(value, FactValue::Number(_)) {
            known.insert(*machine);
        }
    }
    let alone = |set: &BTreeSet<usize>| (set.len() == 1).then(|| set.first().copied()).flatten();
    let lonely: BTreeSet<usize> = with.values().filter_map(alone).collect();
    if known.len() >= MACHINES_LEAST && lonely.len() as f64 > OWN_FROM * known.len() as f64 {
        with.retain(|_, set| set.len() > 1);
    }
    let unknown: Vec<usize> = (0..machines).filter(|machine| !known.contains(machine)).collect();
    // What all have that is known parts nobody.
    with.retain(|_, set| set.len() < known.len());
    let has = with.into_iter().map(|(value, with)| What::Has {
        value: value.to_owned(),
        with: with.into_iter().collect(),
        unknown: unknown.clone(),
    });
    let is_number = numbers.iter().flatten().count() > 1;
    has.chain(is_number.then_some(What::Number(numbers))).collect()
}

/// The machines that are held against each other.
struct Sides<'a> {
    own: &'a [usize],
    others: &'a [usize],
    /// Whether a machine is of the own, by its place; absent where it is of neither.
    is_own: Vec<Option<bool>>,
    /// The mark of all of them together.
    mark: u128,
}

impl<'a> Sides<'a> {
    fn of(own: &'a [usize], others: &'a [usize]) -> Self {
        let most = own.iter().chain(others).max().map_or(0, |most| most + 1);
        let mut is_own = vec![None; most];
        others.iter().for_each(|machine| is_own[*machine] = Some(false));
        own.iter().for_each(|machine| is_own[*machine] = Some(true));
        let mark = own.iter().chain(others).fold(0, |mark, machine| mark ^ mark_of(*machine));
        Self { own, others, is_own, mark }
    }

    /// How many of a set are of the own and of the others, and the set's mark.
    fn count(&self, set: &[usize]) -> (usize, usize, u128) {
        let of = |machine: &usize| Some((*machine, (*self.is_own.get(*machine)?)?));
        set.iter().filter_map(of).fold((0, 0, 0), |(own, others, mark), (machine, is_own)| {
            (own + usize::from(is_own), others + usize::from(!is_own), mark ^ mark_of(machine))
        })
    }
}

/// A number for each machine. Those of a set, combined by exclusive or, mark the set: two sets of one mark among
/// some thousand are less likely than a broken memory cell (Zobrist, "A New Hashing Method with Application for Game
/// Playing", 1970). The mixing is that of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
fn mark_of(machine: usize) -> u128 {
    let mix = |seed: u64| {
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u128::from(mixed ^ (mixed >> 31))
    };
    let step = |times: u64| (2 * machine as u64 + times).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mix(step(1)) << 64) | mix(step(2))
}

fn parting(column: usize, fact: &Column, sides: &Sides<'_>) -> Option<Parting> {
    let (value, with, unknown) = match &fact.what {
        What::Has { value, with, unknown } => (value, with, unknown),
        What::Number(numbers) => return by_number(column, numbers, sides),
    };
    let (own_unknown, others_unknown, unknown_mark) = sides.count(unknown);
    let (own_with, others_with, mark) = sides.count(with);
    let (own, others) = (sides.own.len() - own_unknown, sides.others.len() - others_unknown);
    if own_with + others_with == 0 || own_with + others_with == own + others {
        return None;
    }
    let table = TwoByTwo {
        group_with: own_with,
        group_without: own - own_with,
        others_with,
        others_without: others - others_with,
    };
    let known = sides.mark ^ unknown_mark;
    let what = TiedWhat::Has { value: value.clone(), own: (own_with, own), others: (others_with, others) };
    // A fact and its absence part the machines alike.
    let key = (mark.min(known ^ mark), known);
    Some(Parting { column, key, p_value: table.fisher(), told_apart: table.told_apart(), what })
}

fn by_number(column: usize, numbers: &[Option<f64>], sides: &Sides<'_>) -> Option<Parting> {
    let number = |machine: &usize| numbers.get(*machine).copied().flatten();
    let known = |all: &[usize]| all.iter().filter_map(number).collect::<Vec<f64>>();
    let (a, b) = (known(sides.own), known(sides.others));
    let p_value = rank_sum(&a, &b)?;
    let what = TiedWhat::Number { own: interval::median(&a)?, others: interval::median(&b)? };
    let ends = |all: &[f64]| {
        all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
    };
    let ((a_low, a_high), (b_low, b_high)) = (ends(&a), ends(&b));
    let is_apart = a_high < b_low || b_high < a_low;
    let marked = |all: &[usize]| {
        let known = all.iter().filter(|machine| number(machine).is_some());
        known.fold(0, |mark, machine| mark ^ mark_of(*machine))
    };
    let (own, others) = (marked(sides.own), marked(sides.others));
    // A number that parts them wholly does what a fact does that only they have.
    let key = if is_apart { (own.min(others), own ^ others) } else { (column as u128, u128::MAX) };
    Some(Parting { column, key, p_value, told_apart: area(&a, &b), what })
}

/// The share of pairs that a number orders in one way, ties by half: 1 is always, 0.5 is as a coin does.
fn area(a: &[f64], b: &[f64]) -> f64 {
    let mut sorted = b.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |value: &f64| {
        let (less, up_to) = (sorted.partition_point(|b| b < value), sorted.partition_point(|b| b <= value));
        (less + up_to) as f64 / 2.0
    };
    let share = a.iter().map(below).sum::<f64>() / (a.len() * b.len()).max(1) as f64;
    share.max(1.0 - share)
}
