//! What stands before each line of an output that was quoted, logged, numbered, indented or put into a list:
//! `> `, `2026-11-27T22:19:59Z `, `bench-1  | `, `result.txt:12:`. It is taken off only where what is left is
//! known and the line as it stands is not: much of it is also the beginning of some tool's own lines.

use std::cell::RefCell;

use super::moment;

/// How well a line is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sureness {
    /// Nobody knows it.
    Unknown,
    /// An output may begin with it.
    Likely,
    /// No other program prints it, or it is a command line.
    Certain,
}

/// The most of them one upon another: a log, quoted, in a quotation.
const DEPTH_MAX: usize = 3;

/// The most that are found at once.
const NESTED_MAX: usize = 2;

/// The most characters of a name or of what stands in brackets.
const NAME_MAX: usize = 80;

/// Marks that quotations, comments and lists put before a line.
const MARKS: &[char] = &['>', '|', '\u{2502}', '#', '*', '+', ';', '`'];

/// Those of them that begin so many other lines that what follows has to be certain.
const COMMON_MARKS: &[char] = &['#', '*', '+', ';', '`'];

/// What else comments and lists put before a line, with a space behind it.
const LONG_MARKS: &[&str] = &["//", "--", "-", "\u{2022}"];

/// Levels that logs write, in brackets or not.
const LEVELS: &[&str] =
    &["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "info", "stdout", "stderr"];

/// What parts a level from the line.
const BEHIND_LEVEL: &[&str] = &[" | ", " - ", "| ", ": ", " "];

/// What stands before the lines of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Decoration {
    /// The same characters.
    Same(String),
    /// So many spaces.
    Indent(usize),
    /// A number that grows by one each line, and what parts it from the line.
    Number { next: u64, separator: String },
    /// A moment, and what a log writes behind it.
    Moment { form: LogForm, has_date: bool },
    /// A moment, a level or a path in brackets.
    Bracket,
    /// A file and the number of a line in it.
    NumberedFile(String),
    /// Quotes of a JSON string.
    JsonString,
}

/// What a log writes behind the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogForm {
    /// Nothing.
    Plain,
    /// The level.
    Level,
    /// The host and the program, as syslog and journald do.
    Syslog,
    /// The stream and whether the line is whole, as container runtimes of Kubernetes do.
    Container,
}

impl Decoration {
    /// Whether what it leaves has to be certain: undecorated lines look like this, too.
    fn is_common(&self) -> bool {
        match self {
            Self::Same(marks) => marks.starts_with(COMMON_MARKS) || long_mark(marks).is_some(),
            Self::Indent(_) | Self::Number { .. } => true,
            Self::Moment { has_date, .. } => !has_date,
            Self::Bracket | Self::NumberedFile(_) | Self::JsonString => false,
        }
    }

    /// What is left of a line; nothing if it is not decorated so.
    fn taken_off(&mut self, text: &str) -> Option<String> {
        match self {
            Self::Same(marks) => behind_same(marks, text).map(str::to_owned),
            Self::Indent(width) => {
                let indent = " ".repeat(*width);
                text.strip_prefix(indent.as_str()).map(str::to_owned)
            }
            Self::Number { next, separator } => {
                let (number, rest) = number(text)?;
                let left = behind_same(separator, rest).map(str::to_owned);
                let left = left.or_else(|| rest.is_empty().then(String::new)).filter(|_| number == *next)?;
                *next = number.saturating_add(1);
                Some(left)
            }
            Self::Moment { form, .. } => form.behind(moment::behind(text)?.rest).map(str::to_owned),
            Self::Bracket => behind_bracket(text).map(str::to_owned),
            Self::NumberedFile(name) => {
                let (_, rest) = number(text.strip_prefix(name.as_str())?.strip_prefix([':', '-'])?)?;
                rest.strip_prefix([':', '-']).map(str::to_owned)
            }
            Self::JsonString => json_string(text),
        }
    }
}

impl LogForm {
    fn behind(self, text: &str) -> Option<&str> {
        match self {
            Self::Plain => {
                let text = text.strip_prefix(':').unwrap_or(text);
                if text.is_empty() { Some(text) } else { text.strip_prefix(' ') }
            }
            Self::Level => {
                let text = text.trim_start_matches([' ', '-', '|', '[']);
                LEVELS.iter().find_map(|level| behind_level(text.strip_prefix(*level)?))
            }
            Self::Syslog => {
                let (_host, rest) = text.strip_prefix(' ')?.split_once(' ')?;
                let end = rest.find(": ").or_else(|| rest.ends_with(':').then(|| rest.len() - 1))?;
                let program = rest.get(..end)?;
                let is_name = !program.is_empty() && !program.contains(char::is_whitespace);
                let left = rest.get(end + 1..)?;
                is_name.then(|| left.strip_prefix(' ').unwrap_or(left))
            }
            Self::Container => {
                let rest = text.strip_prefix(" stdout ").or_else(|| text.strip_prefix(" stderr "))?;
                let rest = rest.strip_prefix(['F', 'P'])?;
                if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
            }
        }
    }
}

/// What stands before the lines that come now, the outermost first.
#[derive(Debug, Default)]
pub(super) struct Decorations {
    kinds: Vec<Decoration>,
    /// How many of them the last line had.
    applied: usize,
}

impl Decorations {
    /// A line without what stood before those above it.
    pub(super) fn taken_off(&mut self, text: String) -> String {
        self.applied = 0;
        if self.kinds.is_empty() || text.trim_start().is_empty() {
            return text;
        }
        let mut text = text;
        for kind in &mut self.kinds {
            let Some(rest) = kind.taken_off(&text) else { break };
            text = rest;
            self.applied += 1;
        }
        // What looks like many a line ends where it is not.
        let applied = self.applied;
        if self.kinds.get(applied).is_some_and(Decoration::is_common) {
            self.kinds.truncate(applied);
        }
        text
    }

    /// A command line, which is one with spaces before it, too: what it printed may have as many.
    pub(super) fn begin_below(&mut self, command: &str) {
        let width = indent(command);
        if width > 0 && self.kinds.is_empty() {
            self.kinds.push(Decoration::Indent(width));
        }
    }

    /// Looks whether a line, of which what stood before those above it is taken off, has something else before
    /// it, and is better known without than it is `before`. `known` tells how well.
    pub(super) fn find(
        &mut self,
        text: &str,
        before: Sureness,
        known: &dyn Fn(&str) -> Sureness,
    ) -> Option<String> {
        if before == Sureness::Certain {
            return None;
        }
        // The same is left in several ways, and it takes long to ask.
        let asked = RefCell::new(Vec::<(String, Sureness)>::new());
        let known = |text: &str| {
            let before =
                asked.borrow().iter().find(|(other, _)| other == text).map(|(_, sureness)| *sureness);
            before.unwrap_or_else(|| {
                let sureness = known(text);
                asked.borrow_mut().push((text.to_owned(), sureness));
                sureness
            })
        };
        let how = Search { before, known: &known, is_common: false, depth: NESTED_MAX };
        let (found, rest) = search(text, how)?;
        self.kinds.truncate(self.applied);
        self.kinds.extend(found);
        self.kinds.truncate(DEPTH_MAX);
        self.applied = self.kinds.len();
        Some(rest)
    }
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Search<'a> {
    /// How well the line is known as it stands.
    before: Sureness,
    known: &'a dyn Fn(&str) -> Sureness,
    /// Whether one of those around is common.
    is_common: bool,
    /// How many of them, one upon another.
    depth: usize,
}

/// What stands before a line that is better known without, the outermost first, and what is left of it.
fn search(text: &str, how: Search<'_>) -> Option<(Vec<Decoration>, String)> {
    let is_common = |kind: &Decoration| how.is_common || kind.is_common();
    // Columns of a table that may begin here would lose their places.
    let may_stand = |kind: &Decoration| how.before == Sureness::Unknown || !is_common(kind);
    let is_better = |(kind, rest): &&(Decoration, String)| {
        let sureness = (how.known)(rest.trim_start());
        if is_common(kind) { sureness == Sureness::Certain } else { sureness > how.before }
    };
    let candidates: Vec<_> = candidates(text).into_iter().filter(|(kind, _)| may_stand(kind)).collect();
    if let Some((kind, rest)) = candidates.iter().find(is_better) {
        return Some((vec![kind.clone()], rest.clone()));
    }
    let depth = how.depth.checked_sub(1).filter(|depth| *depth > 0)?;
    candidates.iter().find_map(|(kind, rest)| {
        let inside = Search { is_common: is_common(kind), depth, ..how };
        let (mut kinds, rest) = search(rest, inside)?;
        kinds.insert(0, kind.clone());
        Some((kinds, rest))
    })
}

/// What may stand before a line, with what is left of it. The shortest come first.
fn candidates(text: &str) -> Vec<(Decoration, String)> {
    let mut kinds: Vec<Decoration> = marks(text).into_iter().map(Decoration::Same).collect();
    kinds.extend(long_mark(text).map(|mark| Decoration::Same(mark.to_owned())));
    kinds.extend(name_of_container(text).map(Decoration::Same));
    if let Some(found) = moment::behind(text) {
        let forms = [LogForm::Syslog, LogForm::Container, LogForm::Level, LogForm::Plain];
        kinds.extend(forms.map(|form| Decoration::Moment { form, has_date: found.has_date }));
    }
    kinds.push(Decoration::Bracket);
    if let Some(name) = name_of_file(text) {
        kinds.push(Decoration::NumberedFile(name.to_owned()));
        kinds.push(Decoration::Same(format!("{name}:")));
    }
    kinds.push(Decoration::JsonString);
    if let Some((next, rest)) = number(text) {
        let marked = rest.trim_start().strip_prefix([':', '|', '.', ')']).unwrap_or(rest);
        let separator = rest.len() - marked.trim_start().len();
        let separator = rest.get(..separator).unwrap_or_default().to_owned();
        kinds.push(Decoration::Number { next, separator });
    }
    let width = indent(text);
    if width > 0 {
        kinds.push(Decoration::Indent(width));
    }
    let with_rest = |mut kind: Decoration| {
        let rest = kind.taken_off(text).filter(|rest| !rest.trim_start().is_empty())?;
        Some((kind, rest))
    };
    kinds.into_iter().filter_map(with_rest).collect()
}

/// The marks at the beginning of a line, with the space behind them: `> > x` may begin with `> ` and `> > `.
fn marks(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut end = 0;
    for letter in text.chars() {
        if !MARKS.contains(&letter) && letter != ' ' || all.len() > DEPTH_MAX {
            break;
        }
        end += letter.len_utf8();
        if letter != ' ' {
            let has_space = text.get(end..).is_some_and(|rest| rest.starts_with(' '));
            all.extend(text.get(..end + usize::from(has_space)).map(str::to_owned));
        }
    }
    all
}

/// A mark of several letters, or of a list, at the beginning of a line, with the spaces around it.
fn long_mark(text: &str) -> Option<&str> {
    let width = indent(text);
    let inner = text.get(width..)?;
    let is_one = |mark: &&&str| inner.strip_prefix(**mark).is_some_and(|rest| rest.starts_with(' '));
    let mark = LONG_MARKS.iter().find(is_one)?;
    text.get(..width + mark.len() + 1)
}

/// What is behind a level and what parts it from the line.
fn behind_level(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(']').unwrap_or(text);
    let is_empty = || rest.trim_matches(['|', '-', ':', ' ']).is_empty();
    let behind = BEHIND_LEVEL.iter().find_map(|mark| rest.strip_prefix(*mark));
    behind.or_else(|| is_empty().then_some(""))
}

/// What is behind the same characters: of a row of a table, without the mark at its end. White space at the
/// end of a line is gone already, and an empty line has only what was before it.
fn behind_same<'a>(marks: &str, text: &'a str) -> Option<&'a str> {
    let short = marks.trim_end();
    let rest = text.strip_prefix(marks).or_else(|| text.strip_prefix(short).filter(|_| !short.is_empty()))?;
    let is_row = marks.starts_with(['|', '\u{2502}']);
    Some(if is_row { rest.strip_suffix(['|', '\u{2502}']).unwrap_or(rest).trim_end() } else { rest })
}

/// `bench-1  | ` at the beginning of a line of `docker compose logs`.
fn name_of_container(text: &str) -> Option<String> {
    let at = text.find('|')?;
    let name = text.get(..at)?.trim_end();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let is_name = !name.is_empty() && name.len() <= NAME_MAX && name.chars().all(is_part);
    let has_space = text.get(at + 1..).is_some_and(|rest| rest.starts_with(' '));
    let prefix = text.get(..at + 1 + usize::from(has_space));
    prefix.filter(|_| is_name).map(str::to_owned)
}

/// The name of a file, with a colon or a dash behind it, as grep writes it.
fn name_of_file(text: &str) -> Option<&str> {
    let name = |(at, mark): (usize, &str)| {
        let (name, rest) = (text.get(..at)?, text.get(at + 1..)?);
        let is_file = name.contains(['.', '/']) && name.contains(|c: char| c.is_ascii_alphabetic());
        let is_end = mark == ":" || rest.starts_with(|c: char| c.is_ascii_digit());
        (is_file && is_end && !name.contains(char::is_whitespace)).then_some(name)
    };
    text.match_indices([':', '-']).take_while(|(at, _)| *at <= NAME_MAX).find_map(name)
}

/// What is behind a moment, a level or a path in brackets.
fn behind_bracket(text: &str) -> Option<&str> {
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    let has_digit = inside.contains(|c: char| c.is_ascii_digit());
    let is_one =
        LEVELS.contains(&inside.trim()) || inside.contains('/') || has_digit && inside.contains([':', '.']);
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    (is_one && inside.len() <= NAME_MAX).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// A line that stands as a string in JSON, as Ansible prints them.
fn json_string(text: &str) -> Option<String> {
    let text = text.trim();
    let string = text.strip_suffix(',').unwrap_or(text);
    if string.len() < 2 || !string.starts_with('"') || !string.ends_with('"') {
        return None;
    }
    let line: String = serde_json::from_str(string).ok()?;
    // Notebooks keep the end of each line.
    let line = line.trim_end_matches(['\r', '\n']);
    (!line.contains('\n')).then(|| super::terminal::shown(line))
}

/// How many spaces a line begins with.
fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// A number at the beginning of a line, and what is behind it.
fn number(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines without what stands before them, where `64+0` is certain and `128` likely.
    fn taken_off(lines: &[&str]) -> Vec<String> {
        let known = |text: &str| match text {
            text if text.starts_with("64+0") => Sureness::Certain,
            text if text.starts_with("128") => Sureness::Likely,
            _ => Sureness::Unknown,
        };
        let mut decorations = Decorations::default();
        let one = |line: &&str| {
            let text = decorations.taken_off((*line).to_owned());
            decorations.find(&text, known(&text), &known).unwrap_or(text)
        };
        lines.iter().map(one).collect()
    }

    #[test]
    fn what_mails_logs_and_lists_put_before_lines_is_taken_off() {
        for [first, second] in [
            ["> 64+0", ">   b"],
            ["> > 64+0", "> >   b"],
            [">64+0", ">  b"],
            ["# 64+0", "#   b"],
            ["| 64+0 |", "|   b  |"],
            ["    64+0", "      b"],
            ["2026-11-27T22:19:59.123Z 64+0", "2026-11-27T22:20:00.000Z   b"],
            ["2026-11-27 22:19:59 64+0", "2026-11-27 22:20:00   b"],
            ["[2026-11-27 22:19:59] 64+0", "[2026-11-27 22:20:00]   b"],
            ["[   12.345678] 64+0", "[   12.345679]   b"],
            ["[2026-11-27 22:19:59] [INFO] 64+0", "[2026-11-27 22:20:00] [INFO]   b"],
            ["22:19:59 64+0", "22:20:00   b"],
            ["Nov  7 22:19:59 64+0", "Nov  7 22:20:00   b"],
            ["Nov 27 22:19:59 host bench[12]: 64+0", "Nov 27 22:20:00 host bench[12]:   b"],
            ["2026-11-27T22:19:59Z stdout F 64+0", "2026-11-27T22:19:59Z stdout F   b"],
            ["// 64+0", "//   b"],
            ["-- 64+0", "--   b"],
            ["    - 64+0", "    -   b"],
            ["22:19:59 DEBUG| [stdout] 64+0", "22:20:00 DEBUG| [stdout]   b"],
            ["2026-11-27 22:19:59,123 - INFO - 64+0", "2026-11-27 22:20:00,123 - INFO -   b"],
            ["2026-11-27 22:19:59 [WARNING] 64+0", "2026-11-27 22:20:00 [WARNING]   b"],
            ["bench-1  | 64+0", "bench-1  |   b"],
            ["[pod/fio-1/fio] 64+0", "[pod/fio-1/fio]   b"],
            ["   7  64+0", "   8    b"],
            ["9: 64+0", "10:   b"],
            ["r.txt:12:64+0", "r.txt:13:  b"],
            ["r.txt:64+0", "r.txt:  b"],
            ["   \"64+0\",", "   \"  b\""],
            ["> 2026-11-27T22:19:59Z 64+0", "> 2026-11-27T22:20:00Z   b"],
        ] {
            assert_eq!(taken_off(&[first, second]), ["64+0", "  b"], "{first}");
        }
        assert_eq!(taken_off(&["> 64+0", ">", "> x", "prose", "> y"]), ["64+0", "", "x", "prose", "y"]);
        assert_eq!(taken_off(&["22:19:59 INFO: 64+0", "22:19:59 INFO:"]), ["64+0", ""]);
    }

    #[test]
    fn what_is_known_as_it_stands_or_unknown_without_is_left() {
        for line in
            ["64+0 > 64+0", "> x", "# 128", "    128", "3 128", "12:30:00 128", "[  5] 64+0", "[SUM] 64+0"]
        {
            assert_eq!(taken_off(&[line]), [line]);
        }
        assert_eq!(taken_off(&["> 128"]), ["128"]);
        assert_eq!(taken_off(&["    64+0", "b", "    c"]), ["64+0", "b", "    c"], "an indent ends");
        assert_eq!(taken_off(&["1 64+0", "3 b"]), ["64+0", "3 b"], "lines are counted");
    }
}
