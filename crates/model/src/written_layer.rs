//! One layer of a stack as it was written, and where its parts stand in the text.

use std::ops::Range;

use crate::scalar::ScalarError;
use crate::stack::{EXAMPLE, LayerSpec};
use crate::value::Parameters;

/// A letter, and where it was written.
type NamedLetter = (char, Range<usize>);

/// One layer as it was written.
pub(crate) struct Written {
    pub(crate) spec: &'static LayerSpec,
    /// Where its name stands.
    pub(crate) name: Range<usize>,
    /// The letters of its devices, and where they stand.
    pub(crate) members: Option<(Vec<char>, Range<usize>)>,
    /// The letter of the device beside them, and where it stands.
    beside: Option<(char, Range<usize>)>,
    pub(crate) options: Parameters,
}

impl Written {
    pub(crate) fn read(
        text: &str,
        piece: Range<usize>,
        kinds: &'static [LayerSpec],
    ) -> Result<Self, ScalarError> {
        let open = text[piece.clone()].find('(').map(|at| piece.start + at);
        let name = trim(text, piece.start..open.unwrap_or(piece.end));
        let word = &text[name.clone()];
        let spec = kinds.iter().find(|kind| kind.name == word).ok_or_else(|| {
            let known: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
            let place = if name.is_empty() { piece.clone() } else { name.clone() };
            wrong(format!("there is no layer `{word}`"), format!("one of {}", known.join(", ")), place)
        })?;
        let mut written = Self { spec, name, members: None, beside: None, options: Parameters::default() };
        let Some(open) = open else { return Ok(written) };
        if !text[piece.clone()].ends_with(')') {
            return Err(wrong("a `>` is missing here", format!("write layers {EXAMPLE}"), piece));
        }
        for item in split(text, open + 1..piece.end - 1, ';')? {
            match text[item.clone()].find('=') {
                Some(at) => written.put_option(text, item.clone(), item.start + at)?,
                None => written.put_members(text, item)?,
            }
        }
        Ok(written)
    }

    fn put_members(&mut self, text: &str, item: Range<usize>) -> Result<(), ScalarError> {
        if self.members.is_some() {
            return Err(wrong("the devices are given twice", "give them once, as a+b+c", item));
        }
        let mut letters = Vec::new();
        for part in split(text, item.clone(), '+')? {
            let mut characters = text[part.clone()].chars();
            match (characters.next(), characters.next()) {
                (Some(letter @ 'a'..='z'), None) if !letters.contains(&letter) => letters.push(letter),
                (Some('a'..='z'), None) => {
                    return Err(wrong("this device is given twice", "give each once", part));
                }
                _ => {
                    let help = "a letter stands for a part of the target, `a` for the first; an option is NAME=VALUE";
                    return Err(wrong(format!("`{}` is no device", &text[part.clone()]), help, part));
                }
            }
        }
        self.members = Some((letters, item));
        Ok(())
    }

    /// The device beside those on which this layer stands, which is number `place` from the ground, and where it was
    /// named; of a layer further up a letter alone names it.
    pub(crate) fn beside(mut self, place: usize) -> Result<(Option<NamedLetter>, Self), ScalarError> {
        let Some(beside) = self.spec.beside else { return Ok((None, self)) };
        let mut found = self.beside.take();
        if place > 0
            && beside.required
            && let Some((letters, at)) = self.members.take()
        {
            match letters[..] {
                [letter] if found.is_none() => found = Some((letter, at)),
                _ => {
                    let message = format!("`{}` uses one device beside the one it stands on", self.spec.name);
                    return Err(wrong(message, format!("name it alone, as {}(b)", self.spec.name), at));
                }
            }
        }
        if found.is_none() && beside.required {
            let name = self.spec.name;
            let help = match place {
                0 => format!("name it, as {name}(a; {}=b)", beside.name),
                _ => format!("name it, as {name}(b)"),
            };
            let message = format!("`{name}` uses one device beside the one it stands on, and none is named");
            return Err(wrong(message, help, self.name));
        }
        Ok((found, self))
    }

    /// The letter of the device beside those on which it stands.
    fn put_beside(&mut self, text: &str, value: Range<usize>, name: Range<usize>) -> Result<(), ScalarError> {
        if self.beside.is_some() {
            return Err(wrong(format!("`{}` is given twice", &text[name.clone()]), "give it once", name));
        }
        let mut characters = text[value.clone()].chars();
        match (characters.next(), characters.next()) {
            (Some(letter @ 'a'..='z'), None) => {
                self.beside = Some((letter, value));
                Ok(())
            }
            _ => {
                let help = "a letter stands for a part of the target, `a` for the first";
                Err(wrong(format!("`{}` is no device", &text[value.clone()]), help, value))
            }
        }
    }

    /// An option whose `=` stands at `equals`.
    fn put_option(&mut self, text: &str, item: Range<usize>, equals: usize) -> Result<(), ScalarError> {
        let name = trim(text, item.start..equals);
        let value = unquoted(text, trim(text, equals + 1..item.end));
        let word = &text[name.clone()];
        if self.spec.beside.is_some_and(|beside| beside.name == word) {
            return self.put_beside(text, value, name);
        }
        let Some(option) = self.spec.options.iter().find(|option| option.name.as_str() == word) else {
            let options = self.spec.options.iter().map(|option| option.name.as_str());
            let known: Vec<&str> = options.chain(self.spec.beside.map(|beside| beside.name)).collect();
            let help = if known.is_empty() {
                "it has none".to_owned()
            } else {
                format!("one of {}", known.join(", "))
            };
            return Err(wrong(format!("`{}` has no option `{word}`", self.spec.name), help, name));
        };
        if self.options.get(option.name).is_some() {
            return Err(wrong(format!("`{word}` is given twice"), "give it once", name));
        }
        if let Some(at) = text[value.clone()].find('"') {
            let at = value.start + at;
            return Err(wrong("a value has no double quote in it", "leave it out", at..at + 1));
        }
        let read = option.parse(&text[value.clone()]).map_err(|error| ScalarError {
            span: value.start + error.span.start..value.start + error.span.end,
            message: format!("{word}: {}", error.message),
            help: error.help,
        })?;
        self.options.set(option.name, read);
        Ok(())
    }
}

pub(crate) fn wrong(message: impl Into<String>, help: impl Into<String>, span: Range<usize>) -> ScalarError {
    ScalarError { message: message.into(), help: help.into(), span }
}

/// The trimmed parts of `range` between separators that stand in no quotes and in no parentheses; none may be empty.
pub(crate) fn split(
    text: &str,
    range: Range<usize>,
    separator: char,
) -> Result<Vec<Range<usize>>, ScalarError> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    let mut quote: Option<(char, usize)> = None;
    let mut open: Vec<usize> = Vec::new();
    for (offset, c) in text[range.clone()].char_indices() {
        let at = range.start + offset;
        match quote {
            Some((mark, _)) if mark == c => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some((c, at)),
            None if c == '(' && !open.is_empty() => {
                let help = "letters and options stand in parentheses; layers stand behind one another";
                return Err(wrong("a stack within a stack is not read", help, at..at + 1));
            }
            None if c == '(' => open.push(at),
            None if c == ')' && open.pop().is_none() => {
                return Err(wrong("this parenthesis closes nothing", "leave it out", at..at + 1));
            }
            None if c == separator && open.is_empty() => {
                pieces.push(start..at);
                start = at + c.len_utf8();
            }
            None => {}
        }
    }
    if let Some((_, at)) = quote {
        return Err(wrong("this quote is not closed", "", at..range.end));
    }
    if let Some(at) = open.first() {
        let help = "close it; a value with a comma in it stands in quotes";
        return Err(wrong("this parenthesis is not closed", help, *at..range.end));
    }
    pieces.push(start..range.end);
    let pieces: Vec<Range<usize>> = pieces.into_iter().map(|piece| trim(text, piece)).collect();
    match pieces.iter().find(|piece| piece.is_empty()) {
        Some(piece) => {
            let here = piece.start.saturating_sub(1)..(piece.end + 1).min(text.len());
            let here = if text.get(here.clone()).is_some() { here } else { piece.clone() };
            let (what, help) = match separator {
                '>' => ("a layer", format!("write layers {EXAMPLE}")),
                '+' => ("a device", "write devices as a+b+c".to_owned()),
                _ => ("an option", "write devices or NAME=VALUE between two `;`".to_owned()),
            };
            Err(wrong(format!("{what} is missing here"), help, here))
        }
        None => Ok(pieces),
    }
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

fn unquoted(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = text[range.clone()].as_bytes();
    match (piece.first(), piece.last()) {
        (Some(a @ (b'"' | b'\'')), Some(b)) if a == b && piece.len() >= 2 => range.start + 1..range.end - 1,
        _ => range,
    }
}
