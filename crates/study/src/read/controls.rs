//! The controls: how a study is measured. Never factors. One table line each,
//! for the command line, for TOML and for the reference.

use model::Kind;
use model::scalar::{self, ScalarError};
use model::study::{Controls, Pin, PinnedCpus, PinnedCpusError, Ramp, RampLatency};
use model::value::Value;

/// The control that makes a rate rise until the load breaks.
pub const RAMP: &str = "ramp";

/// One control.
pub struct Control {
    /// Its name, the same everywhere.
    pub name: &'static str,
    /// What may be written, for help texts.
    pub hint: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Sets it from what a person wrote.
    pub set: fn(&mut Controls, &str) -> Result<(), ScalarError>,
}

/// Every control, in documentation order.
pub const CONTROLS: &[Control] = &[
    Control {
        name: "trials",
        hint: "N or MIN..MAX",
        doc: "Trials of each case. With bounds, `precision` decides between them. Default 5.",
        set: |c, text| {
            let (min, max) = text.split_once("..").unwrap_or((text, text));
            let (min, max) = (count(min, text)?, count(max, text)?);
            if min > max {
                return Err(wrong(text, "has bounds that run backwards", "write the smaller one first"));
            }
            (c.trials_min, c.trials_max) = (min, max);
            Ok(())
        },
    },
    Control {
        name: "precision",
        hint: "PERCENT",
        doc: "Go on until the interval's half width is within this share of the estimate, as 2%. Needs bounds for \
              trials, such as 5..15.",
        set: |c, text| {
            let share = text.strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok()).map(|n| n / 100.0);
            let wrong = || wrong(text, "is not a precision", "a percentage above 0, such as 2%");
            c.precision = Some(share.filter(|s| *s > 0.0 && *s < 1.0).ok_or_else(wrong)?);
            Ok(())
        },
    },
    Control {
        name: "budget",
        hint: "DURATION",
        doc: "The longest that the whole run may take. It wins over trials and precision.",
        set: |c, text| seconds(text).map(|s| c.budget_s = Some(s)),
    },
    Control {
        name: "seed",
        hint: "N",
        doc: "Decides the order of trials and all operations; the same seed repeats them. Default: chosen anew, and \
              stored.",
        set: |c, text| {
            let wrong = |_| wrong(text, "is not a seed", "a whole number from 0 to 2^64 - 1");
            c.seed = text.parse().map_err(wrong)?;
            Ok(())
        },
    },
    Control {
        name: "interval",
        hint: "DURATION",
        doc: "How far apart the points of a series are. Default: a hundredth of the window, 10 ms to 1 s.",
        set: |c, text| match seconds(text)? {
            s if s < 0.001 => Err(wrong(text, "is too short for an interval", "at least 1ms")),
            s => {
                c.interval_s = Some(s);
                Ok(())
            }
        },
    },
    Control {
        name: "warm-up",
        hint: "DURATION",
        doc: "How long a load runs before its window opens. Default 300ms.",
        set: |c, text| {
            c.warm_up_s = if matches!(text, "0" | "0s") { 0.0 } else { seconds(text)? };
            Ok(())
        },
    },
    Control {
        name: "pin",
        hint: "auto|local|remote|spread|none|cpus:LIST",
        doc: "Where workers run, relative to the CPUs that take the interrupts of what is measured; or a list of CPUs \
              that they take in turn, such as cpus:2-5,8, again from the first if there are more workers. With a peer \
              the list is for the end that drives the load, and the other takes auto. Default auto.",
        set: |c, text| match Pin::ALL.iter().find(|(name, ..)| *name == text) {
            Some((_, pin, _)) => {
                c.pin = pin.clone();
                Ok(())
            }
            None if text.starts_with(PinnedCpus::PREFIX) => {
                let odd = |error: PinnedCpusError| ScalarError {
                    message: error.to_string(),
                    help: "CPUs by their numbers, each once, such as cpus:2-5,8".to_owned(),
                    span: 0..text.len(),
                };
                c.pin = Pin::Cpus(text.parse().map_err(odd)?);
                Ok(())
            }
            None => {
                let names: Vec<&str> = Pin::ALL.iter().map(|(name, ..)| *name).collect();
                Err(wrong(text, "is not a placement", &format!("one of {}, or cpus:2-5", names.join(", "))))
            }
        },
    },
    Control {
        name: "extra",
        hint: "yes|no",
        doc: "Measure more than was asked if a verdict depends on it: a deeper level, marked as extra, or more trials, \
              at most 12. Default yes.",
        set: |c, text| match text {
            "yes" | "no" => {
                c.extra = text == "yes";
                Ok(())
            }
            _ => Err(wrong(text, "is neither yes nor no", "--extra no keeps to what was asked")),
        },
    },
    Control {
        name: "prove",
        hint: "yes|no",
        doc: "Prove each verdict by perturbation: additional trials take away a tenth of the limit that it names, or \
              give more of it, and do the same with what it does not name. Default no.",
        set: |c, text| match text {
            "yes" | "no" => {
                c.prove = text == "yes";
                Ok(())
            }
            _ => Err(wrong(text, "is neither yes nor no", "--prove yes, or just --prove")),
        },
    },
    Control {
        name: RAMP,
        hint: "LATENCY@PERCENT",
        doc: "Raise `rate` over its levels within each block, lowest first, until the load breaks: a trial fails, \
              operations in it fail, or less than 95 % of the rate are done. With a latency such as 10ms@99%, it also \
              breaks if fewer operations end within that time of the moment they were due. Higher rates are left out \
              of that block. Default no.",
        set: |c, text| {
            c.ramp = match text {
                "no" => None,
                "yes" => Some(Ramp::default()),
                _ => {
                    let (latency_s, share) = scalar::latency_target(text)?;
                    Some(Ramp { latency: Some(RampLatency { latency_s, share }) })
                }
            };
            Ok(())
        },
    },
    Control {
        name: "patience",
        hint: "DURATION",
        doc: "A load that makes no progress for so long is killed, and its trial fails. Default 30s.",
        set: |c, text| seconds(text).map(|s| c.patience_s = s),
    },
];

fn wrong(text: &str, message: &str, help: &str) -> ScalarError {
    ScalarError { message: format!("`{text}` {message}"), help: help.to_owned(), span: 0..text.len() }
}

fn count(part: &str, whole: &str) -> Result<u32, ScalarError> {
    match part.trim().parse::<u32>() {
        Ok(n @ 1..=10_000) => Ok(n),
        _ => Err(wrong(whole, "is not a number of trials", "a number such as 5, or bounds such as 5..15")),
    }
}

fn seconds(text: &str) -> Result<f64, ScalarError> {
    match scalar::parse(Kind::Duration, text)? {
        Value::Number(s) => Ok(s),
        _ => Err(wrong(text, "is not a duration", Kind::Duration.hint())),
    }
}

/// What only shows when all controls are known.
pub(super) fn contradiction(controls: &Controls) -> Option<(&'static str, String, &'static str)> {
    if controls.precision.is_some() && controls.trials_min == controls.trials_max {
        return Some((
            "precision",
            format!("precision has no room: every case gets exactly {} trials", controls.trials_max),
            "give bounds, such as --trials 5..15",
        ));
    }
    if controls.precision.is_none() && controls.trials_min != controls.trials_max {
        return Some((
            "trials",
            "bounds for trials need a precision that decides between them".to_owned(),
            "add --precision 2%, or give one number",
        ));
    }
    None
}
