//! A storage stack as people write it, its layers from the ground up: `raid6(a+b+c+d) > luks > lvm > xfs`.
//!
//! What stands in parentheses behind a layer are the devices on which the lowest layer stands, `a` for the first
//! part of the target, and options: `raid6(a+b+c+d; chunk=64k) > ext4(journal=no)`. The kinds of layers are a table
//! of whoever makes them; here is how they are read and written. `>` and `( )` are grammar of this value alone.

use std::borrow::Cow;
use std::fmt;
use std::iter::once;
use std::ops::Range;

use serde::Serialize;

use crate::name::ParameterName;
use crate::parameter::ParameterSpec;
use crate::scalar::{self, ScalarError};
use crate::value::{Parameters, Value};

/// The most layers of one stack.
pub const LAYERS_MAX: usize = 12;

/// What the devices on which a stack stands are called together, where it does not say which kind they are.
pub const MEMBERS: &str = "members";

/// What stands for each layer of a stack where one is to be named.
pub const ALL: &str = "all";

/// What stands for no network between a load and its stack, where one is to be named.
pub const LOCAL: &str = "none";

/// An example, for messages.
const EXAMPLE: &str = "such as raid6(a+b+c+d) > luks > lvm > xfs";

/// Where a kind of layer may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerRole {
    /// At the bottom only: it makes devices of something else.
    Ground,
    /// On devices, and it is one.
    Device,
    /// Nothing but a share of it stands on it: it is mounted.
    FileSystem,
    /// At the top only, on a mounted file system: it is that file system as another machine mounts it.
    Share,
}

/// A kind of layer, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LayerSpec {
    /// Its name.
    pub name: &'static str,
    /// Where it may stand.
    pub role: LayerRole,
    /// On how many devices it may stand, the fewest and the most.
    pub devices: (usize, usize),
    /// What may be said of it.
    pub options: &'static [ParameterSpec],
    /// What it is, without a full stop.
    pub doc: &'static str,
}

/// One layer of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct StackLayer {
    /// Its kind.
    pub spec: &'static LayerSpec,
    /// What was said of it.
    pub options: Parameters,
}

impl StackLayer {
    /// What was said of one of its options, or the default.
    #[must_use]
    pub fn option(&self, name: ParameterName) -> Option<Value> {
        let default = || self.spec.options.iter().find(|option| option.name == name)?.default_value();
        self.options.get(name).cloned().or_else(default)
    }
}

/// A stack that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerStack {
    /// The letters of the devices on which it stands: `a` is the first.
    pub members: Vec<char>,
    /// What makes those devices, where the stack says so.
    pub ground: Option<StackLayer>,
    /// The layers above, the lowest first.
    pub layers: Vec<StackLayer>,
}

impl LayerStack {
    /// Reads a stack of these kinds of layers.
    ///
    /// # Errors
    /// What cannot be read, or cannot stand where it does, with its place in the text.
    pub fn parse(text: &str, kinds: &'static [LayerSpec]) -> Result<Self, ScalarError> {
        let pieces = split(text, 0..text.len(), '>')?;
        if pieces.len() > LAYERS_MAX {
            return Err(wrong(
                format!("this stack has more than {LAYERS_MAX} layers"),
                "give fewer",
                0..text.len(),
            ));
        }
        let mut stack = Self { members: Vec::new(), ground: None, layers: Vec::new() };
        let mut below: Option<(&LayerSpec, Range<usize>)> = None;
        for (place, piece) in pieces.into_iter().enumerate() {
            let Written { spec, name, members, options } = Written::read(text, piece, kinds)?;
            check_place(spec, &name, below)?;
            below = Some((spec, name.clone()));
            match members {
                Some((_, at)) if place > 0 => {
                    return Err(wrong(
                        "only the lowest layer says on which devices it stands",
                        "a layer further up stands on the one before it",
                        at,
                    ));
                }
                Some((letters, _)) => stack.members = letters,
                None if place == 0 => stack.members = vec!['a'],
                None => {}
            }
            let devices = if stack.layers.is_empty() { stack.members.len() } else { 1 };
            check_devices(spec, devices, name)?;
            let layer = StackLayer { spec, options };
            if spec.role == LayerRole::Ground {
                stack.ground = Some(layer);
            } else {
                stack.layers.push(layer);
            }
        }
        Ok(stack)
    }

    /// What its layers are called, the lowest first: by their kinds, and a number where a kind is there twice.
    #[must_use]
    pub fn layer_names(&self) -> Vec<String> {
        let ground = self.ground.as_ref().map_or(MEMBERS, |layer| layer.spec.name);
        let kinds: Vec<&str> = once(ground).chain(self.layers.iter().map(|layer| layer.spec.name)).collect();
        let name = |(place, kind): (usize, &&str)| match kinds[..place].iter().filter(|k| *k == kind).count()
        {
            0 => (*kind).to_owned(),
            before => format!("{kind}-{}", before + 1),
        };
        kinds.iter().enumerate().map(name).collect()
    }

    /// How many layers are below the one of this name; none if there is no such layer.
    #[must_use]
    pub fn height_of(&self, name: &str) -> Option<usize> {
        self.layer_names().iter().position(|layer| layer == name)
    }

    /// How many layers are below the top.
    #[must_use]
    pub fn height(&self) -> usize {
        self.layers.len()
    }
}

/// The text of `stack` with what presents its top through a network as its last layer; of that alone where there is no
/// stack. None where there is neither.
#[must_use]
pub fn presented<'a>(stack: Option<&'a str>, by: Option<&'a str>) -> Option<Cow<'a, str>> {
    match (stack, by.filter(|by| *by != LOCAL)) {
        (Some(stack), Some(by)) => Some(Cow::Owned(format!("{stack} > {by}"))),
        (text, by) => text.or(by).map(Cow::Borrowed),
    }
}

impl fmt::Display for LayerStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, layer) in self.ground.iter().chain(&self.layers).enumerate() {
            if place > 0 {
                f.write_str(" > ")?;
            }
            f.write_str(layer.spec.name)?;
            let mut items = Vec::new();
            if place == 0 && self.members != ['a'] {
                items.push(self.members.iter().map(char::to_string).collect::<Vec<_>>().join("+"));
            }
            for (name, value) in layer.options.iter() {
                let kind = layer.spec.options.iter().find(|option| option.name == name).map(|o| o.kind);
                let value = kind.map_or_else(|| value.to_string(), |kind| scalar::show(kind, value));
                items.push(format!("{name}={}", quoted(value)));
            }
            if !items.is_empty() {
                write!(f, "({})", items.join("; "))?;
            }
        }
        Ok(())
    }
}

/// A value as it may stand in parentheses.
fn quoted(value: String) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:%".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value;
    }
    format!("\"{value}\"")
}

/// Whether a layer of a kind can stand on the one `below` it.
fn check_place(
    spec: &LayerSpec,
    place: &Range<usize>,
    below: Option<(&LayerSpec, Range<usize>)>,
) -> Result<(), ScalarError> {
    let name = spec.name;
    let role = below.as_ref().map(|(below, _)| below.role);
    match (spec.role, role, below) {
        (LayerRole::Ground, Some(_), _) => {
            let message = format!("`{name}` stands on no other layer");
            Err(wrong(message, "write it first", place.clone()))
        }
        (LayerRole::Share, Some(LayerRole::FileSystem), _) => Ok(()),
        (LayerRole::Share, ..) => {
            let message = format!("`{name}` presents a mounted file system, and below it is none");
            let help = format!("put one between, such as > ext4 > {name}");
            Err(wrong(message, help, place.clone()))
        }
        (_, Some(LayerRole::FileSystem | LayerRole::Share), Some((below, at))) => {
            let message = format!("nothing can stand on `{}`, which is mounted", below.name);
            Err(wrong(message, "write it last", at))
        }
        _ => Ok(()),
    }
}

/// Whether a layer of a kind can stand on so many devices.
fn check_devices(spec: &LayerSpec, devices: usize, place: Range<usize>) -> Result<(), ScalarError> {
    let (fewest, most) = spec.devices;
    if (fewest..=most).contains(&devices) {
        return Ok(());
    }
    let name = spec.name;
    let (message, help) = if devices < fewest {
        let letters: Vec<String> = ('a'..='z').take(fewest).map(String::from).collect();
        let help = format!("name them, as {name}({})", letters.join("+"));
        (format!("`{name}` needs at least {fewest} devices, and stands on {devices}"), help)
    } else {
        let help = "put a layer between that makes one of several, such as raid0".to_owned();
        let most = if most == 1 { "one device".to_owned() } else { format!("at most {most} devices") };
        (format!("`{name}` stands on {most}, and here are {devices}"), help)
    };
    Err(wrong(message, help, place))
}

/// One layer as it was written.
struct Written {
    spec: &'static LayerSpec,
    /// Where its name stands.
    name: Range<usize>,
    /// The letters of its devices, and where they stand.
    members: Option<(Vec<char>, Range<usize>)>,
    options: Parameters,
}

impl Written {
    fn read(text: &str, piece: Range<usize>, kinds: &'static [LayerSpec]) -> Result<Self, ScalarError> {
        let open = text[piece.clone()].find('(').map(|at| piece.start + at);
        let name = trim(text, piece.start..open.unwrap_or(piece.end));
        let word = &text[name.clone()];
        let spec = kinds.iter().find(|kind| kind.name == word).ok_or_else(|| {
            let known: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
            let place = if name.is_empty() { piece.clone() } else { name.clone() };
            wrong(format!("there is no layer `{word}`"), format!("one of {}", known.join(", ")), place)
        })?;
        let mut written = Self { spec, name, members: None, options: Parameters::default() };
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

    /// An option whose `=` stands at `equals`.
    fn put_option(&mut self, text: &str, item: Range<usize>, equals: usize) -> Result<(), ScalarError> {
        let name = trim(text, item.start..equals);
        let value = unquoted(text, trim(text, equals + 1..item.end));
        let word = &text[name.clone()];
        let Some(option) = self.spec.options.iter().find(|option| option.name.as_str() == word) else {
            let known: Vec<&str> = self.spec.options.iter().map(|option| option.name.as_str()).collect();
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

fn wrong(message: impl Into<String>, help: impl Into<String>, span: Range<usize>) -> ScalarError {
    ScalarError { message: message.into(), help: help.into(), span }
}

/// The trimmed parts of `range` between separators that stand in no quotes and in no parentheses; none may be empty.
fn split(text: &str, range: Range<usize>, separator: char) -> Result<Vec<Range<usize>>, ScalarError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Kind;
    use proptest::prelude::*;

    const fn spec(name: &'static str, role: LayerRole, devices: (usize, usize)) -> LayerSpec {
        LayerSpec { name, role, devices, options: &[], doc: "a layer" }
    }

    const OPTIONS: &[ParameterSpec] = &[
        ParameterSpec::new("chunk", Kind::Size, "").default("512k"),
        ParameterSpec::new("mount", Kind::Text, ""),
    ];

    const KINDS: &[LayerSpec] = &[
        spec("loop", LayerRole::Ground, (1, 26)),
        LayerSpec { options: OPTIONS, ..spec("raid6", LayerRole::Device, (4, 26)) },
        spec("luks", LayerRole::Device, (1, 1)),
        LayerSpec { options: OPTIONS, ..spec("xfs", LayerRole::FileSystem, (1, 1)) },
        spec("nfs", LayerRole::Share, (1, 1)),
    ];

    fn read(text: &str) -> Result<LayerStack, ScalarError> {
        LayerStack::parse(text, KINDS)
    }

    #[test]
    fn a_stack_is_written_as_it_is_read() {
        for (text, again) in [
            ("raid6(a+b+c+d) > luks > xfs", "raid6(a+b+c+d) > luks > xfs"),
            (" loop>xfs ", "loop > xfs"),
            ("loop(a)", "loop"),
            ("loop ( a + b + c + d )>raid6", "loop(a+b+c+d) > raid6"),
            ("raid6(a+b+c+d; chunk=64k)", "raid6(a+b+c+d; chunk=64KiB)"),
            ("xfs(mount='noatime,x>y;(z)')", "xfs(mount=\"noatime,x>y;(z)\")"),
        ] {
            let stack = read(text).unwrap();
            assert_eq!(stack.to_string(), again, "{text}");
            assert_eq!(read(again), Ok(stack), "{again}");
        }
    }

    #[test]
    fn layers_have_names_and_heights() {
        let stack = read("loop(a+b+c+d) > raid6 > luks > luks > xfs").unwrap();
        assert_eq!(stack.layer_names(), ["loop", "raid6", "luks", "luks-2", "xfs"]);
        assert_eq!((stack.height_of("luks-2"), stack.height_of("lvm"), stack.height()), (Some(3), None, 4));
        assert_eq!(read("raid6(a+b+c+d)").unwrap().layer_names(), [MEMBERS, "raid6"]);
    }

    #[test]
    fn what_presents_a_stack_is_its_last_layer() {
        for (stack, by, text) in [
            (Some("loop > xfs"), Some("nfs"), Some("loop > xfs > nfs")),
            (Some("loop"), Some(LOCAL), Some("loop")),
            (Some("loop"), None, Some("loop")),
            (None, Some("luks"), Some("luks")),
            (None, Some(LOCAL), None),
            (None, None, None),
        ] {
            assert_eq!(presented(stack, by).as_deref(), text, "{stack:?} {by:?}");
        }
        assert_eq!(read("loop > xfs > nfs").unwrap().layer_names(), ["loop", "xfs", "nfs"]);
    }

    #[test]
    fn an_option_that_was_not_given_has_its_default() {
        let of = |text: &str| read(text).unwrap().layers[0].option(ParameterName::new("chunk"));
        assert_eq!(of("raid6(a+b+c+d)"), Some(Value::Integer(512 << 10)));
        assert_eq!(of("raid6(chunk=4k; a+b+c+d)"), Some(Value::Integer(4096)));
        assert_eq!(read("luks").unwrap().layers[0].option(ParameterName::new("chunk")), None);
    }

    #[test]
    fn mistakes_are_pointed_at() {
        for (text, at, message) in [
            ("", "", "a layer is missing"),
            ("loop >  > xfs", " >", "a layer is missing"),
            ("loop > lux", "lux", "no layer `lux`"),
            ("luks > loop", "loop", "stands on no other layer"),
            ("xfs > luks", "xfs", "nothing can stand on `xfs`"),
            ("loop > nfs", "nfs", "presents a mounted file system"),
            ("nfs", "nfs", "presents a mounted file system"),
            ("xfs > nfs > luks", "nfs", "nothing can stand on `nfs`"),
            ("xfs > nfs > nfs", "nfs", "presents a mounted file system"),
            ("raid6(a+b+c)", "raid6", "at least 4 devices, and stands on 3"),
            ("loop(a+b) > xfs", "xfs", "stands on one device, and here are 2"),
            ("loop > luks(a)", "a", "only the lowest layer"),
            ("loop(a+a)", "a", "given twice"),
            ("loop(a+sdb)", "sdb", "`sdb` is no device"),
            ("loop(a+)", "+)", "a device is missing"),
            ("loop(a; b)", "b", "given twice"),
            ("raid6(a+b+c+d; chunks=4k)", "chunks", "no option `chunks`"),
            ("raid6(a+b+c+d; chunk=4q)", "q", "chunk: "),
            ("luks(x=1)", "x", "no option `x`"),
            ("raid6(a+b+c+d; chunk=4k; chunk=8k)", "chunk", "given twice"),
            ("raid6(a+b+c+d", "(a+b+c+d", "not closed"),
            ("loop) > xfs", ")", "closes nothing"),
            ("loop(raid6(a)) > xfs", "(", "within a stack"),
            ("loop(a) xfs", "loop(a) xfs", "a `>` is missing"),
            ("xfs(mount='x)", "'x)", "not closed"),
            ("xfs(mount='\"')", "\"", "no double quote"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {error}");
            assert_eq!(text.get(error.span.clone()), Some(at), "{text}: {error}");
        }
        let long = vec!["luks"; LAYERS_MAX + 1].join(" > ");
        assert!(read(&long).unwrap_err().message.contains("more than 12 layers"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_at_a_place_in_it(text in "[a-c()>;+='\" äx]{0,24}|(loop|raid6|luks|xfs|[()>;+=a-d ]){0,16}") {
            match read(&text) {
                Ok(stack) => prop_assert_eq!(read(&stack.to_string()), Ok(stack)),
                Err(error) => prop_assert!(text.get(error.span.clone()).is_some(), "{}: {:?}", text, error),
            }
        }
    }
}
