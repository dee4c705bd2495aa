//! Numbers in the sentences of findings.

/// A time as a person reads it: `109 us`.
pub(crate) fn seconds(value: f64) -> String {
    let (factor, unit) = match value {
        v if v >= 1.0 => (1.0, "s"),
        v if v >= 1e-3 => (1e3, "ms"),
        v if v >= 1e-6 => (1e6, "us"),
        _ => (1e9, "ns"),
    };
    let scaled = value * factor;
    if scaled >= 100.0 { format!("{scaled:.0} {unit}") } else { format!("{scaled:.1} {unit}") }
}

/// A rate of bytes as a person reads it: `560 MB/s`.
pub(crate) fn bytes_per_second(value: f64) -> String {
    let (factor, unit) = match value {
        v if v >= 1e9 => (1e9, "GB/s"),
        v if v >= 1e6 => (1e6, "MB/s"),
        v if v >= 1e3 => (1e3, "kB/s"),
        _ => (1.0, "B/s"),
    };
    let scaled = value / factor;
    if scaled >= 100.0 { format!("{scaled:.0} {unit}") } else { format!("{scaled:.2} {unit}") }
}
