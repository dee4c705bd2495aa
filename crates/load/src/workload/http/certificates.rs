//! Why a certificate is not believed, in words.

use rustls::CertificateError;

/// What is wrong with the certificate of `host`.
pub(in crate::workload) fn explained(error: &CertificateError, host: &str) -> String {
    const CLOCK: &str = "unless the clock of this machine is wrong";
    match error {
        CertificateError::UnknownIssuer => "no authority that is trusted here issued it".to_owned(),
        CertificateError::Expired => "it has expired".to_owned(),
        CertificateError::ExpiredContext { time, not_after } => {
            let ago = span(time.as_secs().saturating_sub(not_after.as_secs()));
            format!("it has expired, {ago} ago, {CLOCK}")
        }
        CertificateError::NotValidYet => "it is not valid yet".to_owned(),
        CertificateError::NotValidYetContext { time, not_before } => {
            let left = span(not_before.as_secs().saturating_sub(time.as_secs()));
            format!("it is not valid yet, only in {left}, {CLOCK}")
        }
        CertificateError::NotValidForName => format!("it is not for `{host}`"),
        CertificateError::NotValidForNameContext { presented, .. } => match presented.as_slice() {
            [] => format!("it is not for `{host}`, and names nothing that it is for"),
            names => {
                let names: Vec<&str> = names.iter().map(|name| bare(name)).collect();
                format!("it is not for `{host}`, but for {}", names.join(", "))
            }
        },
        // What curl takes where it is named as an authority, rustls takes for none of a server.
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            "it is that of an authority (CA:TRUE), and a server needs one of its own".to_owned()
        }
        other => other.to_string(),
    }
}

/// The name in `DnsName("a.example")` or `IpAddress(10.0.0.1)`, as webpki writes them.
fn bare(name: &str) -> &str {
    let inside = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
    inside.trim_matches('"')
}

/// A span of time in the largest unit that fits twice, so that nothing is told in large halves.
fn span(seconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(86_400, "days"), (3_600, "hours"), (60, "minutes")];
    let unit = UNITS.into_iter().find(|(unit, _)| seconds >= 2 * unit);
    match unit {
        Some((unit, name)) => format!("{} {name}", seconds / unit),
        None if seconds == 1 => "1 second".to_owned(),
        None => format!("{seconds} seconds"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustls::pki_types::{ServerName, UnixTime};

    use super::*;

    #[test]
    fn each_reason_is_told_with_what_is_known_of_it() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let told = |error: &CertificateError| explained(error, "a.example");
        let expired = CertificateError::ExpiredContext { time: at(1_000_000), not_after: at(400_000) };
        assert!(told(&expired).starts_with("it has expired, 6 days ago, "), "{}", told(&expired));
        let early = CertificateError::NotValidYetContext { time: at(1_000), not_before: at(1_000 + 7_300) };
        assert!(told(&early).starts_with("it is not valid yet, only in 2 hours, "), "{}", told(&early));
        let presented =
            ["DnsName(\"b.example\")", "IpAddress(10.0.0.1)"].into_iter().map(str::to_owned).collect();
        let expected = ServerName::try_from("a.example").unwrap();
        let other = CertificateError::NotValidForNameContext { expected, presented };
        assert_eq!(told(&other), "it is not for `a.example`, but for b.example, 10.0.0.1");
        assert!(told(&CertificateError::UnknownIssuer).contains("no authority"));
    }

    #[test]
    fn spans_are_told_in_units_that_fit() {
        assert_eq!(
            [1, 119, 120, 7_200, 172_799, 172_800].map(span),
            ["1 second", "119 seconds", "2 minutes", "2 hours", "47 hours", "2 days"]
        );
    }
}
