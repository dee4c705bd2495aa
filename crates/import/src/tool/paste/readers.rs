//! Which importers are asked about a line. Each tells what stands in all lines that it knows; these texts are looked for
//! in one pass over the line, for to ask every importer about every line would take most of the time that a text takes.

use crate::tool::block::ToolLine;
use crate::tool::command_line::{CommandLine, program};
use crate::tool::reader::{Beginning, ToolReader};

/// The most importers.
const READERS_MAX: usize = 256;

const WORD: usize = u64::BITS as usize;

/// Some of the importers, by their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReaderSet([u64; READERS_MAX / WORD]);

impl ReaderSet {
    fn insert(&mut self, place: usize) {
        if let Some(word) = self.0.get_mut(place / WORD) {
            *word |= 1 << (place % WORD);
        }
    }

    fn add(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    /// Their places, in order.
    fn places(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(at, word)| {
            let next = |left: &u64| Some(*left & left.wrapping_sub(1)).filter(|left| *left != 0);
            let all = std::iter::successors(Some(word).filter(|word| *word != 0), next);
            all.map(move |left| at * WORD + left.trailing_zeros() as usize)
        })
    }
}

/// A text that stands in lines of some importers.
#[derive(Debug)]
struct Mark {
    text: &'static [u8],
    readers: ReaderSet,
}

/// The importers with their marks.
pub(super) struct Readers {
    all: Vec<&'static dyn ToolReader>,
    /// Those that are asked about every line.
    unmarked: ReaderSet,
    /// Those that know lines that begin with a number.
    of_numbers: ReaderSet,
    /// Those with marks of one byte, by that byte.
    of_byte: Vec<ReaderSet>,
    /// The bytes of these.
    bytes: Vec<u8>,
    /// By the first two bytes of a mark the place of its group behind 1, or 0.
    groups_of: Vec<u16>,
    groups: Vec<Vec<Mark>>,
    /// What the programs of all of them are called, in order, each with those that read it.
    programs: Vec<(&'static str, ReaderSet)>,
}

impl Readers {
    /// Puts their marks in order.
    pub(super) fn new(all: impl IntoIterator<Item = &'static dyn ToolReader>) -> Self {
        let all: Vec<_> = all.into_iter().collect();
        let mut readers = Self {
            unmarked: ReaderSet::default(),
            of_numbers: ReaderSet::default(),
            of_byte: vec![ReaderSet::default(); 1 << 8],
            bytes: Vec::new(),
            groups_of: vec![0; 1 << 16],
            groups: Vec::new(),
            programs: Vec::new(),
            all: Vec::new(),
        };
        for (place, reader) in all.iter().enumerate() {
            let marks = reader.marks();
            match marks.texts {
                None => readers.unmarked.insert(place),
                Some(texts) => texts.iter().copied().flatten().for_each(|text| readers.mark(text, place)),
            }
            if marks.is_number {
                readers.of_numbers.insert(place);
            }
            for program in reader.programs() {
                readers.runs(program, place);
            }
        }
        readers.all = all;
        readers
    }

    fn runs(&mut self, program: &'static str, place: usize) {
        let at = match self.programs.binary_search_by_key(&program, |(name, _)| *name) {
            Ok(at) => at,
            Err(at) => {
                self.programs.insert(at, (program, ReaderSet::default()));
                at
            }
        };
        if let Some((_, readers)) = self.programs.get_mut(at) {
            readers.insert(place);
        }
    }

    fn mark(&mut self, text: &'static str, place: usize) {
        let text = text.as_bytes();
        let (first, second) = match text {
            [] => return self.unmarked.insert(place),
            [only] => {
                if !self.bytes.contains(only) {
                    self.bytes.push(*only);
                }
                if let Some(readers) = self.of_byte.get_mut(usize::from(*only)) {
                    readers.insert(place);
                }
                return;
            }
            [first, second, ..] => (*first, *second),
        };
        let Some(group) = self.groups_of.get_mut(pair(first, second)) else { return };
        if *group == 0 {
            self.groups.push(Vec::new());
            *group = u16::try_from(self.groups.len()).unwrap_or(0);
        }
        let Some(marks) = usize::from(*group).checked_sub(1).and_then(|at| self.groups.get_mut(at)) else {
            return;
        };
        let known = marks.iter().position(|mark| mark.text == text);
        let at = known.unwrap_or(marks.len());
        if known.is_none() {
            marks.push(Mark { text, readers: ReaderSet::default() });
        }
        if let Some(mark) = marks.get_mut(at) {
            mark.readers.insert(place);
        }
    }

    /// All of them, in documentation order.
    pub(super) fn all(&self) -> impl Iterator<Item = &'static dyn ToolReader> + '_ {
        self.all.iter().copied()
    }

    /// Those that read what a program of this name prints.
    fn of_program(&self, name: &str) -> Option<&ReaderSet> {
        let at = self.programs.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        self.programs.get(at).map(|(_, readers)| readers)
    }

    /// The command on a line, if it is one.
    pub(super) fn command(&self, line: &ToolLine) -> Option<CommandLine> {
        CommandLine::of_known(line, &|name| self.of_program(name).is_some())
    }

    /// Those whose programs a command runs: they are asked about every line below it.
    pub(super) fn below(&self, command: &CommandLine) -> ReaderSet {
        let mut set = ReaderSet::default();
        for readers in command.words.iter().filter_map(|word| self.of_program(program(word))) {
            set.add(readers);
        }
        set
    }

    /// What the programs of these are called.
    pub(super) fn programs_of(&self, set: ReaderSet) -> impl Iterator<Item = &'static [&'static str]> + '_ {
        self.of_places(set).map(|reader| reader.programs())
    }

    /// Those that may know a line.
    fn asked(&self, text: &str) -> ReaderSet {
        let bytes = text.as_bytes();
        let mut set = self.unmarked;
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.');
        if text.trim_start().starts_with(is_number) {
            set.add(&self.of_numbers);
        }
        let mut has = [false; 1 << 8];
        let mut last = 0;
        for (at, byte) in bytes.iter().copied().enumerate() {
            has[usize::from(byte)] = true;
            let group = self.groups_of.get(pair(last, byte)).copied().unwrap_or(0);
            // Most pairs begin no mark.
            if let Some(group) = usize::from(group).checked_sub(1).and_then(|group| self.groups.get(group)) {
                let rest = bytes.get(at.saturating_sub(1)..).unwrap_or_default();
                for mark in group.iter().filter(|mark| rest.starts_with(mark.text)) {
                    set.add(&mark.readers);
                }
            }
            last = byte;
        }
        for byte in self.bytes.iter().map(|byte| usize::from(*byte)).filter(|byte| has[*byte]) {
            set.add(&self.of_byte[byte]);
        }
        set
    }

    /// Who may begin with a line, in documentation order.
    pub(super) fn beginnings<'a>(
        &'a self,
        line: &'a ToolLine,
    ) -> impl Iterator<Item = (&'static dyn ToolReader, Beginning)> + 'a {
        self.of_places(self.asked(&line.text)).filter_map(|reader| Some((reader, reader.begins(line)?)))
    }

    /// The same of a line below a command, with those whose programs it runs.
    pub(super) fn beginnings_below<'a>(
        &'a self,
        line: &'a ToolLine,
        command: Option<&'a CommandLine>,
        below: &ReaderSet,
    ) -> impl Iterator<Item = (&'static dyn ToolReader, Beginning)> + 'a {
        let mut set = self.asked(&line.text);
        set.add(below);
        self.of_places(set).filter_map(move |reader| Some((reader, reader.begins_below(line, command)?)))
    }

    fn of_places(&self, set: ReaderSet) -> impl Iterator<Item = &'static dyn ToolReader> + '_ {
        set.places().filter_map(|place| self.all.get(place).copied())
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(u16::from_be_bytes([first, second]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of those that know a line, whatever their marks.
    fn knowing(readers: &Readers, text: &str) -> Vec<usize> {
        let line = ToolLine { number: 1, text: text.to_owned() };
        let all = readers.all.iter().enumerate();
        all.filter(|(_, reader)| reader.begins(&line).is_some()).map(|(place, _)| place).collect()
    }

    #[test]
    fn who_knows_a_line_is_asked_about_it() {
        let readers = Readers::new(crate::tool::readers());
        for line in crate::tool::captures::lines() {
            let asked: Vec<usize> = readers.asked(&line).places().collect();
            for place in knowing(&readers, &line) {
                assert!(asked.contains(&place), "{} is not asked about: {line}", readers.all[place].name());
            }
        }
    }

    /// Were a mark only by chance in the captures, a line without it would be known still.
    #[test]
    #[ignore = "long: cargo xtask test --long"]
    fn without_its_marks_nobody_knows_a_line() {
        let readers = Readers::new(crate::tool::readers());
        for line in crate::tool::captures::lines() {
            for place in knowing(&readers, &line) {
                let reader = readers.all[place];
                let marks = reader.marks();
                let texts = marks.texts.into_iter().flatten().copied().flatten();
                let without = texts.fold(line.clone(), |line, mark| {
                    let other: String =
                        mark.chars().map(|c| if c == ' ' { ' ' } else { '\u{3b1}' }).collect();
                    line.replace(mark, if other.trim().is_empty() { "\u{3b1}" } else { &other })
                });
                let is_asked = readers.asked(&without).places().any(|asked| asked == place);
                let knows = knowing(&readers, &without).contains(&place);
                assert!(is_asked || !knows, "{} knows without being asked: {without}", reader.name());
            }
        }
    }

    #[test]
    fn marks_are_found_wherever_they_stand() {
        let readers = Readers::new(crate::tool::readers());
        let names = |text: &str| -> Vec<&str> {
            readers.asked(text).places().map(|place| readers.all[place].name()).collect()
        };
        assert!(names("gid   |stat|avg speed  |path/URI").contains(&"aria2"));
        assert!(names("x gid   |stat|avg speed  |path/URI y").contains(&"aria2"));
        assert!(!names("gid   |stat|avg speed  |path/UR").contains(&"aria2"));
        assert!(names("").len() < 10 && names("Words of somebody").len() < 10, "{:?}", names(""));
    }

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let mut set = ReaderSet::default();
        for place in [0, 63, 64, 200, 255, READERS_MAX] {
            set.insert(place);
        }
        assert_eq!(set.places().collect::<Vec<_>>(), [0, 63, 64, 200, 255]);
        assert!(crate::tool::readers().count() < READERS_MAX);
    }
}
