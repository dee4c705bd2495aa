//! What the limits of version 0.1 say in their sources alone.

use model::Limit;
use model::limit::ChipsetLink;

/// The chipset of its link: as the document says, or in version 0.1's words,
/// `DMI 3.0 x4 (8 GT/s) of the C620 chipset, line rate`.
#[must_use]
pub fn chipset_link(limit: &Limit) -> Option<ChipsetLink> {
    limit.chipset.clone().or_else(|| {
        let (version, rest) = limit.source.strip_prefix("DMI ")?.split_once(" x")?;
        let (lanes, rest) = rest.split_once(' ')?;
        let (_, rest) = rest.split_once(" of the ")?;
        let (chipset, _) = rest.split_once(" chipset")?;
        Some(ChipsetLink {
            chipset: chipset.to_owned(),
            version: version.to_owned(),
            lanes: lanes.parse().ok()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_to_a_chipset_is_read_from_the_source() {
        let limit = |source: &str| Limit {
            resource: "dmi".to_owned(),
            quantity: "throughput".to_owned(),
            direction: None,
            kind: model::limit::LimitKind::Link,
            line: None,
            effective: None,
            unit: model::Unit::BytesPerSecond,
            block_bytes: None,
            access: None,
            chipset: None,
            source: source.to_owned(),
        };
        let link = chipset_link(&limit("DMI 2.0 x4 (5 GT/s) of the C600 or X79 chipset, line rate")).unwrap();
        assert_eq!((link.chipset.as_str(), link.version.as_str(), link.lanes), ("C600 or X79", "2.0", 4));
        assert_eq!(chipset_link(&limit("made by hand")), None);
    }
}
