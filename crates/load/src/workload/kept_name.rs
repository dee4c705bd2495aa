//! What data is called that is kept for later runs: the same wherever it lies, so that a person knows it.

/// What names begin with, before 16 hexadecimal digits.
const PREFIX: &str = "headroom_kept_";
const DIGITS: usize = 16;

/// The name of the data with this digest, in hexadecimal digits.
pub(in crate::workload) fn kept_name(digest: &str) -> String {
    format!("{PREFIX}{}", digest.get(..DIGITS).unwrap_or(digest))
}

/// Whether `name` is that of the data with this digest.
pub(in crate::workload) fn is_of(name: &str, digest: &str) -> bool {
    is_kept_name(name) && digest.get(..DIGITS) == name.get(PREFIX.len()..)
}

/// Whether a database, or a file without its ending, is called as kept data is.
pub(in crate::workload) fn is_kept_name(name: &str) -> bool {
    let digits = name.strip_prefix(PREFIX);
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_one_digest() {
        let (one, other) = ("0123456789abcdef00", "0123456789abcdee00");
        assert_eq!(kept_name(one), "headroom_kept_0123456789abcdef");
        assert!(is_of(&kept_name(one), one) && !is_of(&kept_name(one), other));
        assert!(!is_of(&kept_name(one), "") && !is_of("headroom_kept_", ""));
    }

    #[test]
    fn other_names_are_none_of_kept_data() {
        for name in
            ["", "headroom_kept_", "headroom_0123456789abcdef", "headroom_kept_0123456789abcde;", "shop"]
        {
            assert!(!is_kept_name(name), "{name}");
        }
    }
}
