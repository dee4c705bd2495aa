//! How long an upload may take, which of them begin anew, and which answers end all of them.

/// So long an upload may go on after the window, at least, ns.
const SPARE_NS: u64 = 10_000_000_000;

/// Where a connection that has answered before breaks so early in an upload, the server had closed it before
/// it had the request, ns. Later the body was under way, and to send it again would hide a failure.
const STALE_NS: u64 = 1_000_000_000;

/// How long an upload may take in a window of so many ns: the window, and as long again, but 10 s at least.
pub(super) fn longest_ns(window_ns: u64) -> u64 {
    window_ns.saturating_add(window_ns.max(SPARE_NS))
}

/// Whether an upload that began so many ns ago begins anew when its connection breaks.
pub(super) fn is_stale(age_ns: u64) -> bool {
    age_ns < STALE_NS
}

/// Whether an answer is no success and says that the request is at fault, so that the next one would have
/// the same (RFC 9110, section 15.5): not one that says that it took too long or came too often.
pub(super) fn is_refusal(status: u16) -> bool {
    (300..500).contains(&status) && !matches!(status, 408 | 429)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_next_request_would_have_too_is_a_refusal() {
        for (status, refuses) in [
            (200, false),
            (201, false),
            (204, false),
            (301, true),
            (403, true),
            (408, false),
            (413, true),
            (429, false),
            (500, false),
            (503, false),
        ] {
            assert_eq!(is_refusal(status), refuses, "{status}");
        }
    }

    #[test]
    fn regression_an_upload_has_an_end_after_its_window() {
        let second = 1_000_000_000;
        assert_eq!(longest_ns(second), 11 * second);
        assert_eq!(longest_ns(10 * second), 20 * second);
        assert_eq!(longest_ns(60 * second), 120 * second);
        assert_eq!(longest_ns(u64::MAX), u64::MAX);
    }

    #[test]
    fn regression_only_an_upload_that_just_began_begins_anew() {
        assert!(is_stale(0) && is_stale(STALE_NS - 1));
        assert!(!is_stale(STALE_NS) && !is_stale(u64::MAX));
    }
}
