//! What the UUID of a mapping of the device mapper tells of it and may be kept.

/// The front of a mapping's UUID, by which programs mark what is theirs, without
/// the rest, which identifies the machine.
pub(crate) fn uuid_front(uuid: &str) -> Option<&str> {
    const FRONTS: &[&str] = &["LVM", "mpath", "DMRAID", "VDO", "stratis"];
    let (first, rest) = uuid.split_once('-')?;
    if first == "CRYPT" {
        // cryptsetup: `CRYPT-LUKS2-`, `CRYPT-PLAIN-`, `CRYPT-VERITY-`.
        let (second, _) = rest.split_once('-')?;
        let word = second.starts_with(|c: char| c.is_ascii_uppercase())
            && second.len() <= 10
            && second.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        return if word { uuid.get(..first.len() + 1 + second.len()) } else { Some(first) };
    }
    // kpartx: `part1-mpath-`.
    let is_part =
        first.strip_prefix("part").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    (is_part || FRONTS.contains(&first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_front_of_a_mapping_is_kept() {
        for (uuid, front) in [
            ("LVM-0Oq3VxYyVbZ1rJ2dLkXo8nGJhC4bT5mS", Some("LVM")),
            ("CRYPT-LUKS2-4d9a8c1f0b2e4f6a8c0d2e4f6a8b0c1d-cryptmd", Some("CRYPT-LUKS2")),
            ("CRYPT-PLAIN-swap", Some("CRYPT-PLAIN")),
            ("CRYPT-4d9a8c1f0b2e-x", Some("CRYPT")),
            ("mpath-36001405b2f0c0d8", Some("mpath")),
            ("part1-mpath-36001405b2f0c0d8", Some("part1")),
            ("4d9a8c1f-0b2e-4f6a-8c0d-2e4f6a8b0c1d", None),
            ("anything-else", None),
            ("", None),
        ] {
            assert_eq!(uuid_front(uuid), front, "{uuid}");
        }
    }
}
