//! Commands of a line whose figures do not stand below it.

use super::command_line::program;

/// Programs whose figures are written to standard error.
const OF_STANDARD_ERROR: &[&str] = &["dd", "wget", "curl", "pv", "perf", "time"];

/// Words of a command that only prepares what another one measures, or clears it away.
const PREPARATIONS: &[(&str, &[&str])] =
    &[("sysbench", &["prepare", "cleanup"]), ("pgbench", &["-i", "--initialize"])];

/// Whether a command of these words, from its program on, prints no figures to the terminal.
pub(super) fn is_silent(words: &[String]) -> bool {
    let Some(program) = words.first().map(|word| program(word)) else { return false };
    let goes_away = |word: &String| {
        let (stream, file) = word.split_once('>').map_or(("", ""), |(stream, file)| (stream, file));
        // `2>&1` goes where the other one does.
        let is_other_stream = file.trim_start_matches('>').starts_with('&');
        let is_own = match stream {
            "" | "1" => !OF_STANDARD_ERROR.contains(&program),
            "2" => OF_STANDARD_ERROR.contains(&program),
            "&" => true,
            _ => false,
        };
        word.contains('>') && is_own && !is_other_stream
    };
    let prepares = |(name, asked): &(&str, &[&str])| {
        *name == program && words.iter().any(|word| asked.contains(&word.as_str()))
    };
    words.iter().any(goes_away) || PREPARATIONS.iter().any(prepares)
}

#[cfg(test)]
mod tests {
    use crate::tool::{CommandLine, ToolLine};

    #[test]
    fn what_prints_nothing_here_is_not_the_command_of_an_output() {
        let invoked = |text: &str, program: &str| {
            let line = ToolLine { number: 1, text: format!("$ {text}") };
            let command = CommandLine::of(&line, &[program]).unwrap();
            command.invocation(&[program]).map(|words| words.join(" "))
        };
        let of = |before: &str| invoked(&format!("cd d && {before} && sysbench fileio run"), "sysbench");
        for before in
            ["sysbench fileio prepare", "sysbench cpu run >/dev/null", "sysbench cpu run > a.txt 2>&1"]
        {
            assert_eq!(of(before).as_deref(), Some("sysbench fileio run"), "{before}");
        }
        assert_eq!(of("sysbench cpu run 2>/dev/null").as_deref(), Some("sysbench cpu run"));
        assert_eq!(invoked("sysbench cpu run > a", "sysbench").as_deref(), Some("sysbench cpu run"));
        // It writes its figures to standard error.
        assert_eq!(invoked("dd if=a > b; dd if=c", "dd").as_deref(), Some("dd if=a"));
        assert_eq!(invoked("dd if=a 2> b; dd if=c", "dd").as_deref(), Some("dd if=c"));
        assert_eq!(invoked("pgbench -i x; pgbench -c 2 x", "pgbench").as_deref(), Some("pgbench -c 2 x"));
    }
}
