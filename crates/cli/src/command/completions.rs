//! `headroom completions SHELL`: lines for a shell, which then asks this program what may be typed.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::completion::{SHELLS, VARIABLE};
use super::help::examples;
use crate::exit::Failure;
use crate::output;

/// The program, as it is called and as functions of a shell are.
const NAME: &str = "headroom";

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "completions bash > /etc/bash_completion.d/headroom",
            "completions zsh > /usr/local/share/zsh/site-functions/_headroom",
            "completions fish > ~/.config/fish/completions/headroom.fish",
        ]))
        .about("Completion for bash, zsh and fish: commands, parameters, runs and devices")
        .long_about(
            "Prints what a shell needs to complete commands, parameters, runs and devices while you type: write it into a \
             file that the shell reads, as above, or try it with `source <(headroom completions bash)`. It asks this \
             program each time, so it stays right when the program changes; print it anew with a new version.",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(SHELLS.map(|shell| shell.name()))
                .help("The shell"),
        )
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let named = matches.get_one::<String>("shell").map_or("", String::as_str);
    let Some(shell) = SHELLS.into_iter().find(|shell| shell.is(named)) else {
        return Err(super::unknown("shell", named, SHELLS.map(|shell| shell.name())));
    };
    let mut lines = Vec::new();
    let program = program(typed);
    // Writing to memory does not fail.
    let _ = shell.write_registration(VARIABLE, NAME, NAME, &program, &mut lines);
    if shell.is("zsh") {
        // Loaded from a folder of functions, the file is itself the first call.
        lines.extend_from_slice(LOADED_BY_ZSH.as_bytes());
    }
    output::done(lines)
}

const LOADED_BY_ZSH: &str = "\
if [[ $funcstack[1] == _headroom ]]; then
    _clap_dynamic_completer_headroom \"$@\"
fi
";

/// How the shell calls this program: by its name where it was found by that, else by its whole path.
fn program(typed: &[String]) -> String {
    let called = typed.first().map_or(NAME, String::as_str);
    if !called.contains('/') {
        return NAME.to_owned();
    }
    std::path::absolute(Path::new(called))
        .map_or_else(|_| called.to_owned(), |path| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_a_path_is_called_by_it() {
        let typed = |name: &str| program(&[name.to_owned(), "completions".to_owned()]);
        assert_eq!(typed("headroom"), "headroom");
        assert_eq!(typed("/opt/headroom"), "/opt/headroom");
        assert!(typed("./headroom").starts_with('/'));
    }

    #[test]
    fn the_function_of_zsh_is_what_its_lines_define() {
        let mut lines = Vec::new();
        let zsh = SHELLS.into_iter().find(|shell| shell.is("zsh")).unwrap();
        zsh.write_registration(VARIABLE, NAME, NAME, NAME, &mut lines).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        assert!(lines.contains("function _clap_dynamic_completer_headroom()"), "{lines}");
        assert!(LOADED_BY_ZSH.contains("_clap_dynamic_completer_headroom"));
    }
}
