//! Who printed the times that `time` prints: each has a form of its own.

/// Who printed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `real 0m1.234s`, `user`, `sys` on lines of their own.
    Shell,
    /// `0.01user 0.00system 0:00.01elapsed 97%CPU (0avgtext+0avgdata 2048maxresident)k`.
    Gnu,
    /// The list of GNU's `-v`.
    Verbose,
    /// `1.01 real         0.00 user         0.00 sys`.
    Bsd,
    /// `Executed in    1.00 secs`.
    Fish,
    /// The list of Measure-Command.
    PowerShell,
    /// All on one line: of zsh and csh.
    OneLine,
}

impl Form {
    /// By the first line.
    pub(super) fn of(text: &str) -> Self {
        if text.starts_with("real") {
            Self::Shell
        } else if text.contains("elapsed") && text.contains("system") && text.contains("user ") {
            Self::Gnu
        } else if text.starts_with("Command being timed:") || text.starts_with("User time (seconds):") {
            Self::Verbose
        } else if text.contains(" real ") {
            Self::Bsd
        } else if text.starts_with("Executed in") {
            Self::Fish
        } else if text.starts_with("Days ") {
            Self::PowerShell
        } else {
            Self::OneLine
        }
    }

    /// As the version of a result; of shells it does not show which one it was.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Gnu | Self::Verbose => Some("GNU"),
            Self::Bsd => Some("BSD"),
            Self::Fish => Some("fish"),
            Self::PowerShell => Some("PowerShell"),
            Self::Shell | Self::OneLine => None,
        }
    }
}
