//! What the limits of version 0.1 say in their sources alone.

use model::Limit;
use model::limit::ChipsetLink;

/// Gives a limit of version 0.1 what it has only in words.
pub(super) fn complete(limit: &mut Limit) {
    limit.chipset = limit.chipset.take().or_else(|| chipset(&limit.source));
    limit.promise = limit.promise.take().or_else(|| promise(&limit.source));
    if let (None, Some((link, payload))) = (&limit.payload, limit.source.split_once("; goodput of ")) {
        limit.payload = Some(format!("goodput of {payload}"));
        limit.source = link.to_owned();
    }
}

/// The key of the study's promise that a limit is.
pub(super) fn promise(source: &str) -> Option<String> {
    source.strip_prefix("promised by the study: ").map(str::to_owned)
}

/// `DMI 3.0 x4 (8 GT/s) of the C620 chipset, line rate`.
fn chipset(source: &str) -> Option<ChipsetLink> {
    let (version, rest) = source.strip_prefix("DMI ")?.split_once(" x")?;
    let (lanes, rest) = rest.split_once(' ')?;
    let (_, rest) = rest.split_once(" of the ")?;
    let (chipset, _) = rest.split_once(" chipset")?;
    Some(ChipsetLink { chipset: chipset.to_owned(), version: version.to_owned(), lanes: lanes.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use model::{Resource, ResourceKind, metric};

    use super::*;

    fn completed(source: &str) -> Limit {
        let mut limit = Limit {
            resource: Resource::whole(ResourceKind::Dmi),
            quantity: metric::THROUGHPUT,
            direction: None,
            kind: model::limit::LimitKind::Link,
            line: None,
            effective: None,
            usual: Vec::new(),
            unit: model::Unit::BytesPerSecond,
            block_bytes: None,
            access: None,
            chipset: None,
            promise: None,
            allowance: None,
            scope: model::limit::LimitScope::All,
            payload: None,
            source: source.to_owned(),
        };
        complete(&mut limit);
        assert_eq!(limit.known_from(), source);
        limit
    }

    #[test]
    fn what_a_source_says_becomes_data_and_is_said_as_before() {
        let link = completed("DMI 2.0 x4 (5 GT/s) of the C600 or X79 chipset, line rate").chipset.unwrap();
        assert_eq!((link.chipset.as_str(), link.version.as_str(), link.lanes), ("C600 or X79", "2.0", 4));
        assert_eq!(completed("made by hand").chipset, None);
        let nic = completed("link at 10 Gb/s; goodput of TCP over IPv4 at MTU 1500, timestamps assumed on");
        assert_eq!(nic.source, "link at 10 Gb/s");
        assert_eq!(completed("promised by the study: read").promise.as_deref(), Some("read"));
    }
}
