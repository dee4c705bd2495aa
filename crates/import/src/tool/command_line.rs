//! Command lines in a text, with the prompts of shells before them. What an output does not say
//! of its options, the command above it does.

use std::ops::Range;

use super::block::ToolLine;
use super::prompt::{ARROW, behind_prompt};
use super::shell_text::{tells_rate, with_backslashes, with_drives, with_plain_quotes};
use super::silent_command::is_silent;
use super::title::is_title;
use super::version_banner::is_version_banner;

/// A command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The line on which it begins.
    pub line: u64,
    /// Its words, by the rules of a shell. Where its quotes do not close, what white space parts.
    pub words: Vec<String>,
    /// How many outputs of a program were read below it, by the first of its names.
    passed: Vec<(&'static str, usize)>,
    /// The lines of the job file that was shown last before its output.
    pub(super) job_file: Vec<ToolLine>,
    /// Where its commands stand, once it is whole.
    places: Option<CommandPlaces>,
}

/// Where the commands of a line stand. Every line and every output below it is asked for them, and it may have very many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CommandPlaces {
    is_loop: bool,
    /// By the names of the programs of an importer; no other importer's program is run.
    of_programs: Vec<(&'static [&'static str], Vec<Range<usize>>)>,
}

/// So many words are behind [`ARROW`] at most.
const ARROW_WORDS_MAX: usize = 4;

/// Programs that run another one, whose name is among the words behind them.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "nice", "ionice", "taskset", "numactl", "stdbuf", "timeout", "nohup", "chrt",
    "unbuffer", "kubectl", "k", "oc", "docker", "podman", "nerdctl", "lxc", "ssh", "nsenter", "chroot",
    "srun",
];

/// What stands before a program on one line, with `;` or `&&` between them: `sync; dd if=/dev/zero of=x`.
const PREPARING: &[&str] =
    &["cd", "date", "echo", "export", "for", "mkdir", "mount", "rm", "sleep", "sync", "ulimit", "umount"];

/// Shells that are given a script by `-c`.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh"];

/// What people write before a command.
const LABELS: &[&str] = &["Command:", "Command line:", "Command used:", "command:", "Cmd:", "cmd:", "CMD:"];

/// So many words behind one of [`WRAPPERS`] the program comes at the latest.
const WRAPPED_WORDS_MAX: usize = 12;

impl CommandLine {
    /// The command on this line, if it is one: behind a prompt, or a program of `programs` with
    /// an option behind it.
    #[must_use]
    pub fn of(line: &ToolLine, programs: &[&str]) -> Option<Self> {
        Self::of_known(line, &|name| programs.contains(&name))
    }

    /// The same of programs of which `is_program` tells.
    pub(super) fn of_known(line: &ToolLine, is_program: &dyn Fn(&str) -> bool) -> Option<Self> {
        let command = command_text(line.text.trim_start(), is_program)?;
        Some(Self {
            line: line.number,
            words: words(&with_backslashes(&line.text, command)),
            ..Self::default()
        })
    }

    /// Whether the next line goes on with it.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.words.last().is_some_and(|word| word == CONTINUED)
    }

    /// Goes on with a further line.
    pub fn extend(&mut self, text: &str) {
        self.words.pop();
        self.words.extend(words(behind_continuation(text)));
    }

    /// The words from a program of these on, up to the end of its command: `dd` and its operands
    /// in `sudo dd if=x of=y; sync`. Where several commands run it, those of the next whose output was not yet read.
    #[must_use]
    pub fn invocation(&self, programs: &[&str]) -> Option<&[String]> {
        let passed = self.passed.iter().find(|(name, _)| programs.first() == Some(name));
        let passed = passed.map_or(0, |(_, count)| *count);
        let one_of = |all: &[Range<usize>], is_loop: bool| {
            // A loop begins again.
            let at =
                if is_loop { passed.checked_rem(all.len())? } else { passed.min(all.len().checked_sub(1)?) };
            self.words.get(all.get(at)?.clone())
        };
        match &self.places {
            Some(places) => {
                let (_, all) = places.of_programs.iter().find(|(known, _)| *known == programs)?;
                one_of(all, places.is_loop)
            }
            None => one_of(&self.invocations(programs), self.is_loop()),
        }
    }

    /// Looks where the commands of each importer's programs stand: no more words come. `programs` are those of all importers
    /// whose programs it runs.
    pub(super) fn complete(&mut self, programs: impl Iterator<Item = &'static [&'static str]>) {
        let of_programs = programs.map(|programs| (programs, self.invocations(programs))).collect();
        self.places = Some(CommandPlaces { is_loop: self.is_loop(), of_programs });
    }

    fn is_loop(&self) -> bool {
        self.words.iter().any(|word| word == "do")
    }

    /// An output of one of these programs was read: the next one is of the next command that runs it.
    pub(super) fn pass(&mut self, programs: &'static [&'static str]) {
        let Some(name) = programs.first() else { return };
        match self.passed.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.passed.push((*name, 1)),
        }
    }

    /// Whether an output of one of these programs was read below it before.
    pub(super) fn is_passed(&self, programs: &[&str]) -> bool {
        self.passed.iter().any(|(name, _)| programs.first() == Some(name))
    }

    /// Where each command stands that runs one of these programs, from the program on.
    /// What prints nothing into the text, because its output goes to a file or it only prepares, is left out where others are there.
    fn invocations(&self, programs: &[&str]) -> Vec<Range<usize>> {
        let (mut all, mut silent) = (Vec::new(), Vec::new());
        let mut from = 0;
        let words = |from: usize| self.words.get(from..).unwrap_or_default();
        while let Some(start) = words(from).iter().position(|word| programs.contains(&program(word))) {
            from += start;
            let own = words(from);
            let end = own.iter().position(|word| is_end(word)).unwrap_or(own.len());
            let is_asked = own.get(..end).is_some_and(|words| words.iter().any(|word| is_question(word)));
            let next = own.iter().position(|word| is_separator(word));
            let is_silent = is_silent(own.get(..next.unwrap_or(own.len())).unwrap_or_default());
            let list = if is_silent { &mut silent } else { &mut all };
            list.extend((!is_asked).then_some(from..from + end));
            // A file that the output goes to is no command.
            let Some(next) = next else { break };
            from += next + 1;
        }
        if all.is_empty() { silent } else { all }
    }
}

/// The last word of a line that the next one goes on with.
const CONTINUED: &str = "\\";

/// A further line of a command without the mark that a shell writes before it: `> `. Before the name of a file
/// it is no mark, but says where the output goes.
fn behind_continuation(text: &str) -> &str {
    let is_operand = |word: &str| word.starts_with('-') || word.contains('=');
    let rest = text.trim_start().strip_prefix("> ");
    rest.filter(|rest| rest.split_whitespace().any(is_operand)).unwrap_or(text)
}

/// The name of the program that a word calls: without its folder, and without `.exe`.
pub(super) fn program(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Whether a program that is given this word says something of itself, and does nothing.
fn is_question(word: &str) -> bool {
    matches!(word, "--version" | "--help")
}

/// Whether a word ends a command: it parts it from another, or sends its output elsewhere.
fn is_end(word: &str) -> bool {
    is_separator(word) || word.trim_start_matches(['1', '2', '&']).starts_with('>')
}

/// Whether a word parts a command from another.
fn is_separator(word: &str) -> bool {
    matches!(word, "|" | "||" | "&&" | ";" | "&" | "|&")
}

fn words(text: &str) -> Vec<String> {
    let is_continued = text.ends_with(CONTINUED);
    let text = &with_drives(with_plain_quotes(text.strip_suffix(CONTINUED).unwrap_or(text)));
    let split = shlex::split(text).filter(|words| !words.is_empty());
    let split = split.unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect());
    let mut words: Vec<String> = Vec::new();
    let mut is_script = false;
    for word in put_together(split) {
        if std::mem::take(&mut is_script) && word.contains(' ') && !word.starts_with("$(") {
            words.extend(self::words(&word));
            continue;
        }
        is_script = word == "-c" && words.last().is_some_and(|shell| SHELLS.contains(&program(shell)));
        match word.strip_suffix(';') {
            Some("") | None => words.push(word),
            Some(before) => words.extend([before.to_owned(), ";".to_owned()]),
        }
    }
    if is_continued {
        words.push(CONTINUED.to_owned());
    }
    words
}

/// Words in which a command within one is a part of it: `--name=$(nproc` goes on with `--all)`.
fn put_together(split: Vec<String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    // Of the last word. Counted as the words come, for a text may have many, and none that closes it.
    let mut open = 0_usize;
    for word in split {
        let is_counted = open > 0 || word.contains("$(");
        let opened = open.saturating_add(word.matches('(').count()).saturating_sub(word.matches(')').count());
        match words.last_mut().filter(|_| open > 0) {
            Some(last) => {
                last.push(' ');
                last.push_str(&word);
            }
            None => words.push(word),
        }
        open = if is_counted { opened } else { 0 };
    }
    words
}

/// The text of the command on a line, behind its prompt.
fn command_text<'a>(line: &'a str, is_program: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    // A heading of perf, which is no call of `time` behind a prompt.
    if line.starts_with('#') && line.split_whitespace().eq(["#", "time", "counts", "unit", "events"]) {
        return None;
    }
    let is_known = |text: &str| text.split_whitespace().next().is_some_and(|w| is_program(program(w)));
    if let Some((prompt, command)) = behind_prompt(line) {
        // The others also begin comments, headings and quotations, or stand behind a share.
        let is_short = prompt.split_whitespace().count() <= 3;
        let is_sure = is_short && (prompt.ends_with('$') || prompt.contains(['@', '\\']));
        let is_quoted = prompt.trim_start().starts_with('>') && is_version_banner(command);
        let is_prose = || is_quoted || is_title(prompt, command) || tells_rate(command);
        if !command.is_empty() && (is_sure || is_known(command) && !is_prose()) {
            return Some(command);
        }
        if prompt.ends_with(ARROW)
            && let Some(command) = behind_words(command, ARROW_WORDS_MAX, is_known)
        {
            return Some(command);
        }
    }
    let line = LABELS.iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line).trim_start();
    // Somebody typed the mark of a prompt, without a space behind it.
    let line = line.strip_prefix(['#', '$']).filter(|rest| is_known(rest)).unwrap_or(line);
    let line = without_variables(line);
    let mut words = line.split_whitespace();
    let first = words.next().map(program)?;
    let mut others = words.clone().take(WRAPPED_WORDS_MAX);
    let is_one =
        is_program(first) || WRAPPERS.contains(&first) && others.any(|word| is_program(program(word)));
    let is_option = |word: &str| {
        let is_dash = word.starts_with(['-', '\u{2013}', '\u{2014}']);
        is_dash && word.chars().nth(1).is_some() || word.contains(['=', '/'])
    };
    // `fio Disk Speed Tests (Mixed R/W 50/50):` stands above a table.
    let is_heading = line.ends_with(':');
    let is_prose = || is_heading || tells_of_command(line) || tells_rate(line) || is_title("", line);
    let is_called = is_one && !is_prose() && words.any(is_option);
    let is_prepared = || PREPARING.contains(&first.trim_end_matches(';')) && is_chain(line, is_program);
    (is_called || is_prepared()).then_some(line)
}

/// Whether behind the first command of a line one of these programs is called.
fn is_chain(line: &str, is_program: &dyn Fn(&str) -> bool) -> bool {
    let mut further = line.split([';', '&', '|']).skip(1).map(str::trim_start);
    further.any(|own| command_text(own.strip_prefix("do ").unwrap_or(own).trim_start(), is_program).is_some())
}

/// Whether another program tells of a command that it ran: zsh of its times, hyperfine of the fastest.
fn tells_of_command(line: &str) -> bool {
    line.ends_with(" total") && line.contains("% cpu ") || line.ends_with(" ran")
}

/// A command without the variables that are set before it: `LC_ALL=C dd` is `dd`.
fn without_variables(line: &str) -> &str {
    let is_letter = |c: char| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit();
    let mut left = line;
    while let Some((word, rest)) = left.split_once(' ')
        && word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_letter))
    {
        left = rest.trim_start();
    }
    left
}

/// What is behind at most so many words, where that is known.
fn behind_words(text: &str, most: usize, is_known: impl Fn(&str) -> bool) -> Option<&str> {
    let mut rest = text;
    for _ in 0..most {
        rest = rest.split_once(' ')?.1.trim_start();
        if is_known(rest) {
            return Some(rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Option<String> {
        let line = ToolLine { number: 1, text: text.to_owned() };
        CommandLine::of(&line, &["dd", "fio"]).map(|command| command.words.join(" "))
    }

    #[test]
    fn commands_are_found_behind_the_prompts_of_shells() {
        for prompt in [
            "$ ",
            "# ",
            "user@host:~/a$ ",
            "root@host:/# ",
            "[root@host ~]# ",
            "[sender]# ",
            "(env) me@host:~$ ",
            "bash-5.2$ ",
            "~ % ",
            "me@mac ~ % ",
            "C:\\bench>",
            "PS C:\\Users\\me> ",
            "me@host ~/src (main) $ ",
            "\u{279c}  src git:(main) \u{2717} ",
            "\u{3bb} ",
            "host:~ # ",
            "Mac:~ me$ ",
            "~ \u{27a4} ",
            "++ ",
            "PS> ",
            "LC_ALL=C ",
            "#",
            "Command: ",
        ] {
            assert_eq!(
                words_of(&format!("{prompt}dd if=a of=b")).as_deref(),
                Some("dd if=a of=b"),
                "{prompt}"
            );
        }
        assert_eq!(words_of("sudo -n dd if=a of=b").as_deref(), Some("sudo -n dd if=a of=b"));
        assert!(words_of("kubectl exec -n net -it client -- dd if=a of=b").is_some());
        assert!(words_of("k exec -n net -it client -- dd if=a of=b").is_some());
        assert_eq!(words_of("ssh is slower than dd"), None);
        assert_eq!(words_of("#dd is a tool"), None);
        assert_eq!(words_of("fio \u{2013}name=a").as_deref(), Some("fio --name=a"));
        assert_eq!(words_of("$ cat x").as_deref(), Some("cat x"));
        let prepared = "sync; dd if=a of=b; sync";
        assert_eq!(words_of(prepared).as_deref(), Some("sync ; dd if=a of=b ; sync"));
        assert_eq!(words_of("cd /x && fio --name=a").as_deref(), Some("cd /x && fio --name=a"));
        assert_eq!(words_of("sync, then dd it"), None);
        assert_eq!(words_of("for all of it; see below"), None);
        for banner in
            ["> fio 0.5:  system evaluation", "> > fio (8.32)", "> fio 1.0.20 (using it)", "> fio 1.59"]
        {
            assert_eq!(words_of(banner), None, "{banner}");
        }
        assert_eq!(words_of("$ fio --name=a #1").as_deref(), Some("fio --name=a"), "a comment");
        let windows = "PS C:\\x> fio --filename=D\\:\\x --rw=read";
        assert_eq!(words_of(windows).as_deref(), Some("fio --filename=D\\:\\x --rw=read"));
        assert_eq!(words_of("PS C:\\x> diskspd.exe -b4K #1").as_deref(), Some("diskspd.exe -b4K #1"));
        assert_eq!(words_of("dd if=a of=b").as_deref(), Some("dd if=a of=b"));
    }

    #[test]
    fn a_program_that_was_asked_for_its_version_did_nothing() {
        let invocation = |text: &str| {
            let line = ToolLine { number: 1, text: text.to_owned() };
            let command = CommandLine::of(&line, &["fio"])?;
            command.invocation(&["fio"]).map(|words| words.join(" "))
        };
        assert_eq!(invocation("$ fio --version"), None);
        assert_eq!(invocation("$ fio --version && fio --name=a").as_deref(), Some("fio --name=a"));
    }

    #[test]
    fn a_command_within_a_word_does_not_end_the_one_around_it() {
        let line = ToolLine {
            number: 1,
            text: "$ fio --bs=4k --name=$(uname; hostname | head -1); sync".to_owned(),
        };
        let command = CommandLine::of(&line, &["fio"]).unwrap();
        assert_eq!(
            command.invocation(&["fio"]).unwrap(),
            ["fio", "--bs=4k", "--name=$(uname; hostname | head -1)"]
        );
    }

    /// Bug: with each further word the whole was counted again, which took minutes.
    #[test]
    fn a_command_within_a_word_that_does_not_end_takes_no_longer_than_another() {
        let text = format!("$ fio --name=$(a{}", " a".repeat(300_000));
        assert_eq!(words_of(&text).map(|words| words.len()), Some(text.len() - 2));
    }

    /// Bug: an option behind an ideographic space was not read.
    #[test]
    fn spaces_of_pages_and_input_methods_part_words() {
        for space in ['\u{3000}', '\u{a0}', '\u{2009}'] {
            let text = format!("$ fio{space}--name=a{space}--bs=4k");
            assert_eq!(words_of(&text).as_deref(), Some("fio --name=a --bs=4k"));
        }
    }

    #[test]
    fn prose_and_figures_are_no_commands() {
        for text in [
            "# Results",
            "> quoted words",
            "dd is a tool",
            "fio-3.33",
            "fio Disk Speed Tests (Mixed R/W 50/50):",
            "It costs 5$ a month",
            "  cpu : usr=4.15%, sys=42.05%",
            "100 % of it",
            "a@b.org wrote of the old disk > dd",
            "sudo -n is not needed",
            "dd if=a of=b  0.00s user 0.01s system 97% cpu 1:02.50 total",
            "  fio --name=a ran",
            "fio \u{2013} a tool",
            "#           time             counts unit events",
            "",
        ] {
            assert_eq!(words_of(text), None, "{text}");
        }
    }

    #[test]
    fn the_words_of_one_program_are_taken_out() {
        let line = |text: &str| ToolLine { number: 1, text: text.to_owned() };
        let invocation = |text: &str| {
            let command = CommandLine::of(&line(text), &["dd"]).unwrap();
            command.invocation(&["dd"]).map(|words| words.join(" "))
        };
        assert_eq!(
            invocation("$ sync; sudo /bin/dd if=a of='b c' 2>&1 | tee x").unwrap(),
            "/bin/dd if=a of=b c"
        );
        assert_eq!(invocation("$ for i in 1 2; do dd if=a of=b; done").unwrap(), "dd if=a of=b");
        assert_eq!(invocation("$ ls"), None);
        let mut split = CommandLine::of(&line("$ dd if=a \\"), &["dd"]).unwrap();
        assert!(split.goes_on());
        split.extend("of=b");
        assert_eq!(split.invocation(&["dd"]).unwrap().join(" "), "dd if=a of=b");
    }

    #[test]
    fn regression_the_mark_before_a_further_line_was_taken_for_a_redirection() {
        let read = |further: &[&str]| {
            let line = ToolLine { number: 1, text: "$ fio --name=a \\".to_owned() };
            let mut command = CommandLine::of(&line, &["fio"]).unwrap();
            further.iter().for_each(|text| command.extend(text));
            (command.goes_on(), command.invocation(&["fio"]).unwrap().join(" "))
        };
        let whole = "fio --name=a --rw=write --end_fsync=1".to_owned();
        assert_eq!(read(&["> --rw=write \\", "> --end_fsync=1"]), (false, whole));
        assert_eq!(read(&["  > out.txt"]), (false, "fio --name=a".to_owned()));
    }

    #[test]
    fn the_script_of_a_shell_is_read() {
        let line = ToolLine { number: 1, text: "$ time sh -c \"dd if=a of=b bs=1M && sync\"".to_owned() };
        let command = CommandLine::of(&line, &["dd"]).unwrap();
        assert_eq!(command.invocation(&["dd"]).unwrap().join(" "), "dd if=a of=b bs=1M");
    }

    #[test]
    fn each_output_is_of_the_next_command_of_its_line() {
        const DD: &[&str] = &["dd"];
        let read = |text: &str, times: usize| -> Vec<String> {
            let line = ToolLine { number: 1, text: text.to_owned() };
            let mut command = CommandLine::of(&line, DD).unwrap();
            let mut all = Vec::new();
            for _ in 0..times {
                all.push(command.invocation(DD).unwrap().join(" "));
                command.pass(DD);
            }
            all
        };
        assert_eq!(read("$ dd if=a; sync && dd if=b", 3), ["dd if=a", "dd if=b", "dd if=b"]);
        assert_eq!(read("$ dd if=a of=/x/y 2> dd", 2), ["dd if=a of=/x/y", "dd if=a of=/x/y"]);
        let looped = read("$ for i in 1 2; do dd if=a; dd if=b; done", 4);
        assert_eq!(looped, ["dd if=a", "dd if=b", "dd if=a", "dd if=b"]);
        assert_eq!(CommandLine::default().invocation(DD), None);
    }
}
