//! The grammar of values: a comma makes levels, `..` doubles (the end is always
//! included), `a..b:s` steps, `+` joins parts of one level, quotes protect.

use std::ops::Range;

use import::checked::{LEVELS_MAX, each_part_once};
use import::diagnostic::{Diagnostic, SourceRange};
use model::parameter::Parts;
use model::study::Level;
use model::value::Value;
use model::{Kind, ParameterSpec, ScalarError, scalar};

/// Reads all levels of a parameter from `text`, which stands at `place`.
pub fn levels(spec: &ParameterSpec, text: &str, place: &SourceRange) -> Result<Vec<Level>, Diagnostic> {
    let mut levels: Vec<Level> = Vec::new();
    let pieces = split(text, 0..text.len(), ',', place)?;
    no_decimal_comma(spec, text, &pieces, place)?;
    for level in pieces {
        if spec.kind.ordered()
            && split(text, level.clone(), '+', place)?.len() == 1
            && let Some(values) = range(spec, text, level.clone(), place)?
        {
            levels.extend(values.into_iter().map(|v| vec![v]));
        } else {
            levels.push(parts(spec, text, level, place)?);
        }
        not_too_many(spec, &levels, place)?;
    }
    each_once(spec, &levels, place)?;
    Ok(levels)
}

/// Refuses what is written as people do whose decimals have a comma: `1,5G` would be one byte and 5 GiB. Only pairs of a
/// bare number and one with a unit are such, which is no list that anybody wants; `512,4k` is one, for no file has 512.4 KiB.
fn no_decimal_comma(
    spec: &ParameterSpec,
    text: &str,
    pieces: &[Range<usize>],
    place: &SourceRange,
) -> Result<(), Diagnostic> {
    if !matches!(spec.kind, Kind::Size | Kind::Rate | Kind::Duration | Kind::Share) {
        return Ok(());
    }
    let is_bare = |piece: &str| !piece.is_empty() && piece.bytes().all(|byte| byte.is_ascii_digit());
    let starts = |piece: &str| piece.starts_with(|c: char| c.is_ascii_digit());
    let texts: Vec<&str> = pieces.iter().map(|piece| &text[piece.clone()]).collect();
    let joined = |pair: &[&str]| match pair {
        [whole, fraction] if is_bare(whole) && starts(fraction) && !is_bare(fraction) => {
            Some(format!("{whole}.{fraction}")).filter(|decimal| spec.parse(decimal).is_ok())
        }
        _ => None,
    };
    let Some(decimals) = texts.chunks(2).map(joined).collect::<Option<Vec<_>>>() else { return Ok(()) };
    // `500,1k` are rates that somebody wants both.
    let is_list = |pair: &[&str]| pair[0].parse::<u64>().is_ok_and(|first| first >= 100);
    if spec.kind == Kind::Rate && texts.chunks(2).all(is_list) {
        return Ok(());
    }
    let unit =
        |fraction: &str| fraction.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    let levels: Vec<String> = texts
        .chunks(2)
        .map(|pair| match spec.kind {
            Kind::Size => format!("{}B,{}", pair[0], pair[1]),
            Kind::Rate => format!("{}/s,{}", pair[0], pair[1]),
            _ => format!("{}{},{}", pair[0], unit(pair[1]), pair[1]),
        })
        .collect();
    Err(place.diagnostic(
        format!("`{}` is {text}: a comma parts levels, and decimals have a point", spec.name),
        format!("did you mean `{}`? For levels give each its unit: {}", decimals.join(","), levels.join(",")),
    ))
}

fn not_too_many(spec: &ParameterSpec, levels: &[Level], place: &SourceRange) -> Result<(), Diagnostic> {
    if levels.len() <= LEVELS_MAX {
        return Ok(());
    }
    Err(place.diagnostic(
        format!("`{}` has more than {LEVELS_MAX} levels", spec.name),
        "use a larger step, or `..` without a step, which doubles",
    ))
}

/// No level stands twice: it would be two cases that are one. Nor are there more
/// than anybody measures.
pub fn each_once(spec: &ParameterSpec, levels: &[Level], place: &SourceRange) -> Result<(), Diagnostic> {
    not_too_many(spec, levels, place)?;
    for (index, level) in levels.iter().enumerate() {
        if levels[..index].contains(level) {
            let shown: Vec<String> = level.iter().map(|v| scalar::show(spec.kind, v)).collect();
            return Err(place.diagnostic(
                format!("`{}` has the level {} twice", spec.name, shown.join("+")),
                "give each level once; `--trials` repeats",
            ));
        }
    }
    Ok(())
}

fn parts(
    spec: &ParameterSpec,
    text: &str,
    level: Range<usize>,
    place: &SourceRange,
) -> Result<Level, Diagnostic> {
    // In a stack a `+` joins the devices of a layer.
    let parts = match spec.kind {
        Kind::Stack => vec![level.clone()],
        _ => split(text, level.clone(), '+', place)?,
    };
    if parts.len() > 1 && spec.parts == Parts::Single {
        return Err(place.part(level).diagnostic(
            format!("`{}` takes one value at a time; `+` joins parts, which it does not have", spec.name),
            "use a comma for several levels, or quotes where the `+` belongs to the value",
        ));
    }
    let values: Level =
        parts.into_iter().map(|part| one(spec, text, part, place)).collect::<Result<_, _>>()?;
    each_part_once(spec, &values, &place.part(level))?;
    Ok(values)
}

/// One value, quoted or not.
fn one(
    spec: &ParameterSpec,
    text: &str,
    range: Range<usize>,
    place: &SourceRange,
) -> Result<Value, Diagnostic> {
    let inner = unquoted(text, trim(text, range));
    spec.parse(&text[inner.clone()]).map_err(|error| {
        let ScalarError { message, help, span } = error;
        let span = inner.start + span.start..inner.start + span.end;
        place.unread(ScalarError { message: format!("{}: {message}", spec.name), help, span })
    })
}

/// `a..b` or `a..b:s`; `None` where there is no `..`.
fn range(
    spec: &ParameterSpec,
    text: &str,
    level: Range<usize>,
    place: &SourceRange,
) -> Result<Option<Vec<Value>>, Diagnostic> {
    let Some(dots) = text[level.clone()].find("..").map(|at| level.start + at) else { return Ok(None) };
    let after = dots + 2..level.end;
    let colon = text[after.clone()].find(':').map(|at| after.start + at);
    let number = |range: Range<usize>| -> Result<f64, Diagnostic> {
        match one(spec, text, range.clone(), place)? {
            Value::Integer(v) => Ok(v as f64),
            Value::Number(v) => Ok(v),
            other => Err(place.part(range).diagnostic(
                format!("`{other}` cannot be an end of a range"),
                format!("both ends are {}", spec.kind.hint()),
            )),
        }
    };
    let first = number(level.start..dots)?;
    let last = number(after.start..colon.unwrap_or(after.end))?;
    if first > last {
        return Err(place.part(level).diagnostic("this range runs backwards", "write the smaller end first"));
    }
    let step = colon.map(|colon| number(colon + 1..after.end)).transpose()?;
    if first == 0.0 && step.is_none() && last > 0.0 {
        let help = "give a step behind a colon, such as 0..8:2";
        return Err(place.part(level).diagnostic("this range doubles, and twice nothing is nothing", help));
    }
    if step.is_some_and(|step| step <= 0.0) {
        return Err(place.part(level).diagnostic("a step of 0 leads nowhere", "give a step of more than 0"));
    }
    let mut values = Vec::new();
    let mut at = first;
    while at < last && values.len() <= LEVELS_MAX {
        values.push(at);
        at = step.map_or(at * 2.0, |step| at + step);
    }
    values.push(last);
    let whole = matches!(spec.kind, Kind::Size | Kind::Count);
    let value = |v: f64| if whole { Value::Integer(v.round() as u64) } else { Value::Number(v) };
    Ok(Some(values.into_iter().map(value).collect()))
}

/// Splits `range` of `text` at `separator` outside quotes; nothing may be empty.
fn split(
    text: &str,
    range: Range<usize>,
    separator: char,
    place: &SourceRange,
) -> Result<Vec<Range<usize>>, Diagnostic> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    let mut quote: Option<(char, usize)> = None;
    for (offset, c) in text[range.clone()].char_indices() {
        let at = range.start + offset;
        match quote {
            Some((open, _)) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some((c, at)),
            None if c == separator => {
                pieces.push(start..at);
                start = at + c.len_utf8();
            }
            None => {}
        }
    }
    if let Some((_, at)) = quote {
        return Err(place.part(at..range.end).diagnostic("this quote is not closed", ""));
    }
    pieces.push(start..range.end);
    for piece in &pieces {
        if text[piece.clone()].trim().is_empty() {
            let here = piece.start.saturating_sub(1)..(piece.end + 1).min(text.len().max(1));
            return Err(place
                .part(here)
                .diagnostic("a value is missing here", "write one value between two commas"));
        }
    }
    Ok(pieces)
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

fn unquoted(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = text[range.clone()].as_bytes();
    match (piece.first(), piece.last()) {
        (Some(a @ (b'"' | b'\'')), Some(b)) if a == b && piece.len() >= 2 => range.start + 1..range.end - 1,
        _ => range,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use import::diagnostic::Source;
    use proptest::prelude::*;
    use std::sync::Arc;

    const DEPTH: ParameterSpec = ParameterSpec::new("queue-depth", Kind::Count, "");
    const SIZE: ParameterSpec = ParameterSpec::new("size", Kind::Size, "");
    const TARGET: ParameterSpec = ParameterSpec::new("target", Kind::Path, "");

    fn read(spec: &ParameterSpec, text: &str) -> Result<Vec<String>, Diagnostic> {
        let source = Arc::new(Source { name: "test".to_owned(), text: text.to_owned() });
        let levels = levels(spec, text, &SourceRange::whole(source))?;
        Ok(levels.iter().map(|l| l.iter().map(ToString::to_string).collect::<Vec<_>>().join("+")).collect())
    }

    #[test]
    fn levels_ranges_and_steps() {
        assert_eq!(read(&DEPTH, "1,4, 16").unwrap(), ["1", "4", "16"]);
        assert_eq!(read(&DEPTH, "1..64").unwrap(), ["1", "2", "4", "8", "16", "32", "64"]);
        assert_eq!(read(&DEPTH, "1..48").unwrap().last().unwrap(), "48");
        assert_eq!(read(&DEPTH, "1..5:2").unwrap(), ["1", "3", "5"]);
        assert_eq!(read(&DEPTH, "1..4:2").unwrap(), ["1", "3", "4"]);
        assert_eq!(read(&DEPTH, "7..7").unwrap(), ["7"]);
        assert_eq!(read(&SIZE, "4k..16k,1m").unwrap(), ["4096", "8192", "16384", "1048576"]);
    }

    /// Bug: `--size 1,5G` was one byte and 5 GiB.
    #[test]
    fn regression_a_decimal_comma_made_two_levels() {
        const TIME: ParameterSpec = ParameterSpec::new("time", Kind::Duration, "");
        const RATE: ParameterSpec = ParameterSpec::new("rate", Kind::Rate, "");
        const SHARE: ParameterSpec = ParameterSpec::new("share", Kind::Share, "");
        for (spec, text, meant, levels) in [
            (SIZE, "1,5G", "1.5G", "1B,5G"),
            (SIZE, "0,5GiB,1,5GiB", "0.5GiB,1.5GiB", "0B,5GiB,1B,5GiB"),
            (RATE, "1,5k/s", "1.5k/s", "1/s,5k/s"),
            (TIME, "2,5s", "2.5s", "2s,5s"),
            (SHARE, "12,5%", "12.5%", "12%,5%"),
        ] {
            let error = read(&spec, text).unwrap_err();
            assert!(error.message.contains("decimals have a point"), "{text}: {error}");
            let help = error.help.unwrap();
            assert!(help.contains(&format!("`{meant}`")) && help.ends_with(levels), "{text}: {help}");
        }
        assert_eq!(read(&SIZE, "512,4k").unwrap(), ["512", "4096"]);
        assert_eq!(read(&SIZE, "512,1024,4k").unwrap(), ["512", "1024", "4096"]);
        assert_eq!(read(&SIZE, "1B,5k").unwrap(), ["1", "5120"]);
        assert_eq!(read(&RATE, "500,1k/s").unwrap(), ["500", "1000"]);
        assert_eq!(read(&DEPTH, "1,4k").unwrap(), ["1", "4000"]);
    }

    #[test]
    fn paths_keep_their_dots_and_quotes_protect() {
        assert_eq!(read(&TARGET, "../a,/b").unwrap(), ["../a", "/b"]);
        assert_eq!(read(&TARGET, "'/a,b','/c++'").unwrap(), ["/a,b", "/c++"]);
        assert!(read(&TARGET, "/c++").is_err());
    }

    #[test]
    fn a_stack_is_one_value_and_a_comma_makes_levels_of_it() {
        use model::stack::{LayerRole, LayerSpec};
        const LAYERS: &[LayerSpec] = &[LayerSpec {
            name: "raid1",
            role: LayerRole::Device,
            devices: (2, 26),
            beside: None,
            options: &[],
            doc: "one",
        }];
        const STACK: ParameterSpec = ParameterSpec::new("stack", Kind::Stack, "").layers(LAYERS);
        assert_eq!(read(&STACK, "raid1(a+b), raid1( c + d )").unwrap(), ["raid1(a+b)", "raid1(c+d)"]);
        let error = read(&STACK, "raid1(a+b),raid2(a+b)").unwrap_err();
        assert_eq!(error.span, 11..16, "{}", error.message);
        assert!(error.message.contains("no layer `raid2`"), "{}", error.message);
    }

    #[test]
    fn a_mix_has_shares_that_make_a_whole() {
        const BLOCKS: ParameterSpec = ParameterSpec::new("block-size", Kind::Size, "").parts(Parts::Weighted);
        assert_eq!(read(&BLOCKS, "4k:70%+64k:30%,8k").unwrap(), ["4KiB:70%+64KiB:30%", "8192"]);
        assert_eq!(read(&BLOCKS, "4k+64k").unwrap(), ["4096+65536"]);
        for wrong in ["4k:70%", "4k:70%+64k:20%", "4k:70%+64k"] {
            assert!(read(&BLOCKS, wrong).unwrap_err().message.contains("100%"), "{wrong}");
        }
    }

    #[test]
    fn a_range_that_leads_nowhere_is_refused() {
        const FROM_ZERO: ParameterSpec = ParameterSpec::new("depth", Kind::Count, "").or_zero();
        const SHARE: ParameterSpec = ParameterSpec::new("share", Kind::Share, "");
        assert!(read(&FROM_ZERO, "0..8").unwrap_err().message.contains("twice nothing"));
        assert!(read(&FROM_ZERO, "1..8:0").unwrap_err().message.contains("leads nowhere"));
        assert!(read(&SHARE, "0%..8%").is_err() && read(&SHARE, "1%..8%:0%").is_err());
        assert_eq!(read(&FROM_ZERO, "0..8:4").unwrap(), ["0", "4", "8"]);
        assert_eq!(read(&FROM_ZERO, "0..0").unwrap(), ["0"]);
    }

    #[test]
    fn regression_a_million_parts_of_one_level_were_compared_with_each_other() {
        let parts = (1..=5000).map(|n| n.to_string()).collect::<Vec<_>>().join("+");
        const JOINED: ParameterSpec = ParameterSpec::new("size", Kind::Size, "").parts(Parts::Joined);
        assert!(read(&JOINED, &parts).unwrap_err().message.contains("1000 parts"));
    }

    proptest! {
        /// Ranges of tiny and huge ends and steps, of all that has an order.
        #[test]
        fn a_range_of_any_size_is_read_or_refused(
            a in "(0?\\.0{0,12}[1-9]|[0-9]{1,22})",
            b in "(0?\\.0{0,12}[1-9]|[0-9]{1,22})",
            step in proptest::option::of("(0?\\.0{0,12}[1-9]|[0-9]{1,22})"),
        ) {
            let kinds = [
                (Kind::Size, "t"), (Kind::Count, ""), (Kind::Rate, "g/s"), (Kind::Duration, "d"),
                (Kind::Duration, "us"), (Kind::Share, "%"), (Kind::Number, ""),
            ];
            for (kind, unit) in kinds {
                let spec = ParameterSpec::new("x", kind, "").or_zero();
                let step = step.as_ref().map(|step| format!(":{step}{unit}")).unwrap_or_default();
                let text = format!("{a}{unit}..{b}{unit}{step}");
                match read(&spec, &text) {
                    Ok(levels) => prop_assert!((1..=LEVELS_MAX).contains(&levels.len()), "{text}"),
                    Err(diagnostic) => prop_assert!(diagnostic.span.end <= text.len(), "{text}: {diagnostic}"),
                }
            }
        }
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let at = |text: &str| {
            let diagnostic = read(&DEPTH, text).unwrap_err();
            (diagnostic.span.clone(), diagnostic.message)
        };
        assert_eq!(at("1,x,3").0, 2..3);
        assert_eq!(at("64..1").1, "this range runs backwards");
        assert_eq!(at("1,,2").1, "a value is missing here");
        assert_eq!(at("").1, "a value is missing here");
        assert_eq!(at("1,2,1").1, "`queue-depth` has the level 1 twice");
        assert_eq!(at("1,'2").1, "this quote is not closed");
        assert!(at("1..100000:1").1.contains("1000 levels"));
        assert!(at("1+2").1.contains("one value at a time"));
        assert!(at("..4").1.contains("no value"), "{:?}", at("..4"));
    }
}
