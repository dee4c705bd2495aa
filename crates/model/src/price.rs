//! What a machine costs, as people write it: `USD 2,100 a node`, `4,000 yen`,
//! `€1.299,00`. One thing may have a price in several currencies, `USD 2,100 / 2,000,000 won`, and there may be several
//! offers of it: `on demand: USD 0.10 an hour; reserved: USD 0.06 an hour`.

/// A price that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// How much.
    pub amount: f64,
    /// Of what: `USD`, `yen`, `€`; empty where nothing is said.
    pub currency: String,
    /// What else is said: `a node`.
    pub rest: String,
}

impl Price {
    /// Whether a text says less than nothing, or nothing, as a price: `-5 EUR`,
    /// `0`. Nobody sells for that, so it is a slip, not a second way to read it.
    #[must_use]
    pub fn is_none(text: &str) -> bool {
        let is_minus = |c: char| matches!(c, '-' | '\u{2212}');
        let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { return false };
        let before = text[..start]
            .trim_end_matches(|c: char| !c.is_whitespace() && !c.is_alphanumeric() && !is_minus(c));
        let digits = text.chars().filter(char::is_ascii_digit).collect::<String>();
        before.ends_with(is_minus)
            || text.trim_start().starts_with(is_minus)
            || digits.chars().all(|c| c == '0')
    }

    /// Reads a price. `None` where there is no number, more than one, or one
    /// that may be read in two ways (`1.299` is a thousand and more, or one and
    /// a bit): a wrong division is worse than none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |c: char| c.is_ascii_digit();
        let start = text.find(is_digit)?;
        let in_number =
            |c: char| is_digit(c) || matches!(c, '.' | ',' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}');
        let length = text[start..].find(|c| !in_number(c)).unwrap_or(text.len() - start);
        let number = &text[start..start + length];
        // A point or comma at the end is the sentence's.
        let number = number.trim_end_matches(|c| !is_digit(c));
        let after = &text[start + number.len()..];
        let before = text[..start].trim();
        let dashed = before.ends_with(['-', '\u{2212}']);
        if after.contains(is_digit) || dashed || Self::is_none(text) || multiplied(after) {
            return None;
        }
        let amount = amount(number)?;
        let (currency, rest) =
            if before.is_empty() { split(after) } else { (last_word(before), after.trim()) };
        (amount > 0.0).then(|| Self { amount, currency: currency.to_owned(), rest: rest.to_owned() })
    }
}

/// Between offers.
const BETWEEN_OFFERS: &str = ";";
/// Between the prices of one offer, each in a currency of its own.
const BETWEEN_CURRENCIES: &str = " / ";
/// Behind the name of an offer.
const BEHIND_NAME: &str = ": ";

/// One way to have something: its name, where there are several, and its price in each currency.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// What it is called: `reserved`; empty for the only one.
    pub name: String,
    /// Its price, in as many currencies as were written.
    pub prices: Vec<Price>,
}

impl Offer {
    /// Several texts of offers as one.
    #[must_use]
    pub fn joined<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
        texts.into_iter().collect::<Vec<_>>().join(&format!("{BETWEEN_OFFERS} "))
    }

    /// Reads all offers of a text. `None` where one of them cannot be read, or may be read in two ways.
    #[must_use]
    pub fn parse_all(text: &str) -> Option<Vec<Self>> {
        // What has one number is one price, whatever else is said of it.
        if let Some(price) = Price::parse(text) {
            return Some(vec![Self { name: String::new(), prices: vec![price] }]);
        }
        let offers = text.split(BETWEEN_OFFERS).map(str::trim).filter(|offer| !offer.is_empty());
        let offers: Vec<Self> = offers.map(Self::parse).collect::<Option<_>>()?;
        let names = offers.iter().map(|offer| offer.name.as_str());
        let is_told_apart = offers.len() < 2 || names.clone().all(|name| !name.is_empty());
        let is_once = |(place, name): (usize, &str)| names.clone().take(place).all(|other| other != name);
        let are_distinct = is_told_apart && names.clone().enumerate().all(is_once);
        (are_distinct && !offers.is_empty()).then_some(offers)
    }

    /// Reads one offer.
    fn parse(text: &str) -> Option<Self> {
        let named =
            text.split_once(BEHIND_NAME).filter(|(name, _)| !name.contains(|c: char| c.is_ascii_digit()));
        let (name, rest) = named.unwrap_or(("", text));
        let parts = rest.split(BETWEEN_CURRENCIES).map(Price::parse);
        let mut prices: Vec<Price> = parts.collect::<Option<_>>()?;
        let is_own = |(place, price): (usize, &Price)| {
            let others = prices[..place].iter();
            !price.currency.is_empty() && others.clone().all(|other| other.currency != price.currency)
        };
        if prices.len() > 1 && !prices.iter().enumerate().all(is_own) {
            return None;
        }
        // What it is for stands behind the last: `USD 2,100 / 2,000,000 won a node`.
        let last = prices.last()?.rest.clone();
        prices
            .iter_mut()
            .filter(|price| price.rest.is_empty())
            .for_each(|price| price.rest.clone_from(&last));
        Some(Self { name: name.trim().to_owned(), prices })
    }
}

/// `2k`, `3 million`: more than the digits say.
fn multiplied(after: &str) -> bool {
    let joined = after.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
    let word = after.split_whitespace().next().unwrap_or_default().to_lowercase();
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let scales = ["k", "m", "thousand", "million", "billion", "lakh", "crore"];
    scales.contains(&word) && (joined || word.len() > 1 || after.starts_with(' '))
        || ['천', '만', '억', '万', '億', '千'].iter().any(|c| after.trim_start().starts_with(*c))
}

/// The currency in front of a number, its last word: `about USD`.
fn last_word(before: &str) -> &str {
    before.split_whitespace().last().unwrap_or_default().trim_end_matches(':')
}

/// The currency behind a number, and what follows.
fn split(after: &str) -> (&str, &str) {
    let after = after.trim();
    let end = after.find(char::is_whitespace).unwrap_or(after.len());
    let (word, rest) = after.split_at(end);
    // "a node", "per node" say no currency.
    if matches!(word.to_lowercase().as_str(), "a" | "an" | "per" | "each" | "/" | "for") {
        return ("", after);
    }
    (word.trim_end_matches([',', ';', '.']), rest.trim())
}

/// A number with or without marks between thousands.
fn amount(text: &str) -> Option<f64> {
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let mut kinds = marks.clone();
    kinds.dedup();
    let plain = |t: &str| t.chars().filter(char::is_ascii_digit).collect::<String>();
    match (&kinds[..], &marks[..]) {
        ([], _) => text.parse().ok(),
        // One mark once: decimals where two digits or one follow; thousands
        // where it is a comma or no point at all; a point before three digits is
        // either.
        ([mark], [_]) => {
            let (whole, part) = text.split_once(*mark)?;
            match (part.len(), mark) {
                (1 | 2, '.' | ',') => format!("{}.{part}", plain(whole)).parse().ok(),
                (3, ',') if (1..=3).contains(&whole.len()) && whole != "0" => plain(text).parse().ok(),
                // No thousands begin with a zero.
                (3.., '.') if whole == "0" => text.parse().ok(),
                (3, '.') => None,
                (3, '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}') if grouped(text, *mark) => {
                    plain(text).parse().ok()
                }
                _ => None,
            }
        }
        // One mark several times: thousands.
        ([mark], _) if grouped(text, *mark) => plain(text).parse().ok(),
        // Thousands by one, decimals by the other.
        ([thousands, decimal], _) if matches!(decimal, '.' | ',') => {
            let (whole, part) = text.rsplit_once(*decimal)?;
            let fits = grouped(whole, *thousands) && (1..=2).contains(&part.len());
            if fits { format!("{}.{part}", plain(whole)).parse().ok() } else { None }
        }
        _ => None,
    }
}

/// Whether `mark` stands before each three digits.
fn grouped(text: &str, mark: char) -> bool {
    let mut groups = text.split(mark);
    let first = groups.next().unwrap_or_default();
    let digits = |g: &str| g.chars().all(|c| c.is_ascii_digit());
    (1..=3).contains(&first.len()) && digits(first) && groups.all(|g| g.len() == 3 && digits(g))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prices_are_read_as_people_write_them() {
        for (text, amount, currency, rest) in [
            ("USD 2,100 a node", 2100.0, "USD", "a node"),
            ("4,000 yen", 4000.0, "yen", ""),
            ("€1.299,00", 1299.0, "€", ""),
            ("$1,299.00", 1299.0, "$", ""),
            ("2100", 2100.0, "", ""),
            ("2100 a node", 2100.0, "", "a node"),
            ("1'250.50 CHF", 1250.5, "CHF", ""),
            ("1\u{202f}299,90 €", 1299.9, "€", ""),
            ("1,234,567 KRW, used", 1_234_567.0, "KRW", "used"),
            ("¥398000", 398_000.0, "¥", ""),
            ("about EUR 12.50.", 12.5, "EUR", "."),
            ("0.05 USD per hour", 0.05, "USD", "per hour"),
        ] {
            let expected = Price { amount, currency: currency.to_owned(), rest: rest.to_owned() };
            assert_eq!(Price::parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_may_be_read_in_two_ways_is_not_read() {
        for text in [
            "",
            "free",
            "1.299 €",
            "2 x 400 USD",
            "400-500 USD",
            "USD -5",
            "0",
            "2k USD",
            "3 million won",
            "1,2345",
            "1.2.3",
            "1,23,456.7.8",
            "5만원",
            "0,299 EUR",
        ] {
            assert_eq!(Price::parse(text), None, "{text}");
        }
    }

    #[test]
    fn one_thing_has_a_price_in_several_currencies_and_there_are_several_offers() {
        let read = |text: &str| -> Option<Vec<(String, Vec<String>)>> {
            let of = |offer: Offer| {
                let price =
                    |p: &Price| format!("{} {} {}", p.amount, p.currency, p.rest).trim_end().to_owned();
                (offer.name, offer.prices.iter().map(price).collect())
            };
            Some(Offer::parse_all(text)?.into_iter().map(of).collect())
        };
        let offer =
            |name: &str, prices: &[&str]| (name.to_owned(), prices.iter().map(|p| (*p).to_owned()).collect());
        for (text, expected) in [
            ("USD 2,100 a node", vec![offer("", &["2100 USD a node"])]),
            ("USD 2,100 / 2,000,000 won", vec![offer("", &["2100 USD", "2000000 won"])]),
            ("USD 2,100 / 2,000,000 won a node", vec![offer("", &["2100 USD a node", "2000000 won a node"])]),
            ("€1.299,00 / 1,390.00 USD", vec![offer("", &["1299 €", "1390 USD"])]),
            (
                "on demand: USD 0.10 an hour; reserved: USD 0.06 / 0.055 EUR an hour",
                vec![
                    offer("on demand", &["0.1 USD an hour"]),
                    offer("reserved", &["0.06 USD an hour", "0.055 EUR an hour"]),
                ],
            ),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in
            ["USD 5 / 6", "USD 5 / USD 6", "USD 5; USD 6", "a: USD 5; a: USD 6", "1.299 EUR / 1,400 USD", ";"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(Offer::joined(["a: USD 5", "b: USD 6"]), "a: USD 5; b: USD 6");
    }

    #[test]
    fn less_than_nothing_is_no_price() {
        for text in ["-5 EUR", "USD -5", "-$5", "$ -5", "\u{2212}79 EUR a month", "0", "0.00 EUR", "EUR 0"] {
            assert!(Price::is_none(text), "{text}");
            assert_eq!(Price::parse(text), None, "{text}");
        }
        for text in
            ["79 EUR a month", "1.299 EUR", "free", "", "400-500 USD", "pre-paid 20 EUR", "server A - 79 EUR"]
        {
            assert!(!Price::is_none(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in ".{0,40}|[0-9.,' -]{0,20}") {
            if let Some(price) = Price::parse(&text) {
                prop_assert!(price.amount > 0.0 && price.amount.is_finite());
            }
        }
    }
}
