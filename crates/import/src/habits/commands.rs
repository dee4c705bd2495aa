//! Commands of other tools.

/// Commands of other tools, and what is typed here.
const COMMANDS: &[(&str, &str)] = &[
    ("bench", "run"),
    ("benchmark", "run"),
    ("client", "run net.stream --peer"),
    ("cmp", "compare"),
    ("daemon", "node"),
    ("delete", "rm"),
    ("diff", "compare"),
    ("hardware", "machine"),
    ("health", "doctor"),
    ("history", "list"),
    ("info", "machine"),
    ("inventory", "machine"),
    ("ls", "list"),
    ("measure", "run"),
    ("plan", "run NAME --dry-run"),
    ("remove", "rm"),
    ("runs", "list"),
    ("server", "node"),
    ("start", "run"),
    ("test", "run"),
    ("version", "--version"),
    ("view", "show"),
];

/// The command of Headroom that does what another tool calls so.
#[must_use]
pub fn command(theirs: &str) -> Option<&'static str> {
    COMMANDS.iter().find(|(word, _)| *word == theirs).map(|(_, ours)| *ours)
}
