//! Single values: how they are read and written.

use super::*;
use proptest::prelude::*;

fn size(text: &str) -> Result<Value, ScalarError> {
    parse(Kind::Size, text)
}

#[test]
fn sizes_are_binary_unless_written_with_a_capital_b() {
    for text in ["4k", "4KiB", "4096", "4K", "4kib", "4096B"] {
        assert_eq!(size(text), Ok(Value::Integer(4096)), "{text}");
    }
    assert_eq!(size("4KB"), Ok(Value::Integer(4000)));
    assert_eq!(size("1.5g"), Ok(Value::Integer(1_610_612_736)));
    assert_eq!(size("10_000"), Ok(Value::Integer(10_000)));
}

#[test]
fn a_wrong_unit_is_pointed_at() {
    let error = size("4kq").unwrap_err();
    assert_eq!(error.span, 1..3);
    assert!(error.message.contains("kq"), "{error:?}");
    assert_eq!(parse(Kind::Duration, "5").unwrap_err().message, "`5` has no unit");
    for (kind, text, meant) in [
        (Kind::Duration, "5", "5s"),
        (Kind::Duration, "1.5", "1.5s"),
        (Kind::Share, "70", "70%"),
        (Kind::Count, "1-64", "1..64"),
        (Kind::Count, "1:64", "1..64"),
        (Kind::Count, "1 2 4", "1,2,4"),
        (Kind::Size, "4k-1M", "4k..1M"),
        (Kind::Duration, "1s 5s", "1s,5s"),
    ] {
        let help = parse(kind, text).unwrap_err().help;
        assert!(help.starts_with(&format!("did you mean `{meant}`? ")), "{text}: {help}");
    }
    for (kind, text) in
        [(Kind::Duration, "five"), (Kind::Count, "1-x"), (Kind::Size, "4x"), (Kind::Count, "0")]
    {
        assert!(!parse(kind, text).unwrap_err().help.contains("did you mean"), "{text}");
    }
    let of_bytes = parse(Kind::Rate, "100MB/s").unwrap_err();
    assert!(of_bytes.help.starts_with("it counts operations: "), "{}", of_bytes.help);
    assert_eq!(parse(Kind::Rate, "-5").unwrap_err().message, "`-5` is below zero");
    assert!(parse(Kind::Duration, "4k").is_err());
    assert!(size("0").is_err());
    assert!(size("1.5").is_err());
    assert!(parse(Kind::Rate, "0/s").is_err());
}

#[test]
fn regression_a_duration_below_a_nanosecond_or_beyond_all_clocks_was_taken() {
    let message = |kind, text: &str| parse(kind, text).unwrap_err().message;
    assert_eq!(message(Kind::Duration, "0.0001us"), "`0.0001us` is too small: at least 0.001us");
    assert_eq!(
        message(Kind::Duration, "99999999999999999999d"),
        "`99999999999999999999d` is too large: at most 3650d"
    );
    assert_eq!(message(Kind::Duration, "0s"), "`0s` must be more than zero");
    assert_eq!(parse(Kind::Duration, "0.001us"), Ok(Value::Number(1e-9)));
    assert_eq!(parse(Kind::Duration, "3650d"), Ok(Value::Number(315_360_000.0)));
    assert_eq!(parse(Kind::Number, "2.5x"), Ok(Value::Number(2.5)));
    let endless = "9".repeat(400);
    for kind in [Kind::Size, Kind::Count, Kind::Rate, Kind::Number] {
        assert!(message(kind, &endless).contains("too large"));
        assert!(message(kind, &format!("0.{}1", "0".repeat(400))).starts_with('`'));
    }
    assert!(latency_target("0.0000001us@99%").unwrap_err().message.contains("too small"));
    // It would be shown as all of them, which is then refused.
    assert!(latency_target("1ms@99.99999999%").is_err());
    let ns = [f64::NAN, f64::INFINITY, -1.0, 1e-10, 1.6e-9].map(nanoseconds);
    assert_eq!(ns, [0, 315_360_000_000_000_000, 0, 0, 2]);
}

#[test]
fn bytes_are_shown_binary() {
    assert_eq!(binary(25_232_932_864), "23.5 GiB");
    assert_eq!(binary(4096), "4 KiB");
    assert_eq!(binary(1000), "1000 bytes");
}

#[test]
fn rates_are_decimal() {
    assert_eq!(parse(Kind::Rate, "20k/s"), Ok(Value::Number(20_000.0)));
    assert_eq!(parse(Kind::Duration, "500ms"), Ok(Value::Number(0.5)));
}

#[test]
fn bytes_per_second_are_never_bits() {
    assert_eq!(throughput("560MB/s"), Ok(560e6));
    assert_eq!(throughput("1.5 GiB/s"), Ok(1.5 * 1_073_741_824.0));
    assert_eq!(throughput("9.4Gb/s").unwrap_err().span, 3..7);
    for wrong in ["", "560", "560MB", "560k/s", "0MB/s", "MB/s", "1mb/s"] {
        assert!(throughput(wrong).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn what_is_shown_reads_back_the_same(bytes in 1u64..1 << 50, ms in 1u32..1_000_000) {
        let value = Value::Integer(bytes);
        prop_assert_eq!(size(&show(Kind::Size, &value)), Ok(value));
        let duration = Value::Number(f64::from(ms) / 1000.0);
        let Ok(Value::Number(back)) = parse(Kind::Duration, &show(Kind::Duration, &duration)) else {
            return Err(TestCaseError::fail("does not read back"));
        };
        prop_assert!((back - f64::from(ms) / 1000.0).abs() < 1e-9);
    }

    /// Numbers of any length, tiny and huge, with every unit.
    #[test]
    fn whatever_is_read_is_within_bounds_and_reads_back_the_same(
        number in "(0?\\.0{0,25}[0-9]{1,3}|[1-9][0-9]{0,24}(\\.[0-9]{1,4})?|9{300,400})",
        unit in 0usize..40,
    ) {
        let kinds = [
            (Kind::Size, SIZE_UNITS),
            (Kind::Count, &[("", 1.0), ("k", 1e3), ("m", 1e6)][..]),
            (Kind::Rate, RATE_UNITS),
            (Kind::Duration, DURATION_UNITS),
            (Kind::Share, &[("%", 1.0)]),
            (Kind::Number, &[("", 1.0)]),
        ];
        for (kind, units) in kinds {
            let text = format!("{number}{}", units[unit % units.len()].0);
            let Ok(value) = parse(kind, &text) else { continue };
            match &value {
                Value::Integer(whole) => prop_assert!((1..=9_000_000_000_000_000).contains(whole)),
                Value::Number(v) => {
                    prop_assert!(v.is_finite() && (*v > 0.0 || kind == Kind::Share), "{text}: {v}");
                    let ns = nanoseconds(*v);
                    prop_assert!(kind != Kind::Duration || (1..=u64::MAX / 50).contains(&ns), "{text}: {ns}");
                }
                other => prop_assert!(false, "{other:?}"),
            }
            let back = parse(kind, &show(kind, &value));
            let is_same = match (&value, &back) {
                (Value::Number(a), Ok(Value::Number(b))) => (a - b).abs() <= a.abs() * 1e-8,
                (a, b) => Ok(a) == b.as_ref(),
            };
            prop_assert!(is_same, "{text}: {value:?}, shown {}, back {back:?}", show(kind, &value));
        }
        for unit in THROUGHPUT_UNITS {
            let read = throughput(&format!("{number}{}", unit.0));
            prop_assert!(read.is_err() || read.is_ok_and(|v| v > 0.0 && v.is_finite()));
        }
        if let Ok(Value::Text(target)) = parse(Kind::LatencyTarget, &format!("{number}ms@{number}%")) {
            prop_assert!(latency_target(&target).is_ok(), "{target}");
        }
        if let Ok(Value::Text(part)) = weighted(Kind::Size, &format!("4k:{number}%")) {
            prop_assert!(weights(&part).is_some_and(|(_, share)| share > 0.0), "{part}");
        }
    }

    #[test]
    fn nothing_makes_it_panic(text in ".*") {
        for kind in [Kind::Size, Kind::Count, Kind::Rate, Kind::Duration, Kind::Flag] {
            if let Err(error) = parse(kind, &text) {
                prop_assert!(error.span.end <= text.len());
            }
        }
        if let Err(error) = throughput(&text) {
            prop_assert!(error.span.end <= text.len());
        }
    }
}
