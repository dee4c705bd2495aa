//! A storage stack as people write it, its layers from the ground up: `raid6(a+b+c+d) > luks > lvm > xfs`.
//!
//! What stands in parentheses behind a layer are the devices on which the lowest layer stands, `a` for the first
//! part of the target, and options: `raid6(a+b+c+d; chunk=64k) > ext4(journal=no)`. A layer that uses one more device
//! beside those it stands on names that, too: `raid5(a+b+c; journal=d)`, or `loop(a) > cache(b)` where it cannot do
//! without. The kinds of layers are a table of whoever makes them; here is how they are read and written. `>` and
//! `( )` are grammar of this value alone.

use std::borrow::Cow;
use std::fmt;
use std::iter::once;
use std::ops::Range;

use serde::Serialize;

use crate::name::ParameterName;
use crate::parameter::ParameterSpec;
use crate::scalar::{self, ScalarError};
use crate::value::{Parameters, Value};
use crate::written_layer::{Written, split, wrong};

/// The most layers of one stack.
pub const LAYERS_MAX: usize = 12;

/// What the devices on which a stack stands are called together, where it does not say which kind they are.
pub const MEMBERS: &str = "members";

/// What stands for each layer of a stack where one is to be named.
pub const ALL: &str = "all";

/// What stands for no network between a load and its stack, where one is to be named.
pub const LOCAL: &str = "none";

/// The folder, in that of states, where stacks are written down and mounted.
pub const FOLDER: &str = "stacks";

/// An example, for messages.
pub(crate) const EXAMPLE: &str = "such as raid6(a+b+c+d) > luks > lvm > xfs";

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

impl LayerRole {
    /// Whether such a layer is mounted, so that a load drives a folder there and no device.
    #[must_use]
    pub fn is_mounted(self) -> bool {
        matches!(self, Self::FileSystem | Self::Share)
    }
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
    /// The one device more that it uses, beside those it stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<BesideDevice>,
    /// What may be said of it.
    pub options: &'static [ParameterSpec],
    /// What it is, without a full stop.
    pub doc: &'static str,
}

/// What a kind of layer uses a device for that it does not stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BesideDevice {
    /// What it is called where it is given: `journal` of `journal=d`.
    pub name: &'static str,
    /// Whether the kind cannot do without: then a letter alone names it, above the lowest layer.
    pub required: bool,
}

/// One layer of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct StackLayer {
    /// Its kind.
    pub spec: &'static LayerSpec,
    /// The letter of the device beside those it stands on, where it uses one.
    pub beside: Option<char>,
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
            let written = Written::read(text, piece, kinds)?;
            let (beside, written) = written.beside(place)?;
            let Written { spec, name, members, options, .. } = written;
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
            if let Some((letter, at)) = &beside
                && stack.letters().contains(letter)
            {
                return Err(wrong("this device is given twice", "give each once", at.clone()));
            }
            let layer = StackLayer { spec, beside: beside.map(|(letter, _)| letter), options };
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

    /// The letters of all devices: those on which it stands, and behind them those that layers use beside.
    #[must_use]
    pub fn letters(&self) -> Vec<char> {
        self.members.iter().copied().chain(self.layers.iter().filter_map(|layer| layer.beside)).collect()
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
            if let (Some(letter), Some(beside)) = (layer.beside, layer.spec.beside) {
                let is_alone = place > 0 && beside.required;
                items.push(if is_alone { letter.to_string() } else { format!("{}={letter}", beside.name) });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Kind;
    use proptest::prelude::*;

    const fn spec(name: &'static str, role: LayerRole, devices: (usize, usize)) -> LayerSpec {
        LayerSpec { name, role, devices, beside: None, options: &[], doc: "a layer" }
    }

    const OPTIONS: &[ParameterSpec] = &[
        ParameterSpec::new("chunk", Kind::Size, "").default("512k"),
        ParameterSpec::new("mount", Kind::Text, ""),
    ];

    const JOURNAL: Option<BesideDevice> = Some(BesideDevice { name: "journal", required: false });
    const FAST: Option<BesideDevice> = Some(BesideDevice { name: "fast", required: true });

    const KINDS: &[LayerSpec] = &[
        spec("loop", LayerRole::Ground, (1, 26)),
        LayerSpec { options: OPTIONS, beside: JOURNAL, ..spec("raid6", LayerRole::Device, (4, 26)) },
        spec("luks", LayerRole::Device, (1, 1)),
        LayerSpec { options: OPTIONS, beside: FAST, ..spec("cache", LayerRole::Device, (1, 1)) },
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
            ("loop>cache(b)", "loop > cache(b)"),
            ("loop > cache(fast=\"c\"; chunk=64k)", "loop > cache(c; chunk=64KiB)"),
            ("cache(fast=b) > xfs", "cache(fast=b) > xfs"),
            ("cache(b; fast=a)", "cache(b; fast=a)"),
            ("raid6(a+b+c+d; journal=e)", "raid6(a+b+c+d; journal=e)"),
            ("loop(a+b+c+d) > raid6(journal=f)", "loop(a+b+c+d) > raid6(journal=f)"),
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
    fn devices_beside_a_stack_come_behind_those_on_which_it_stands() {
        let stack = read("loop(d+c+b+a) > raid6(journal=g) > cache(e) > xfs").unwrap();
        assert_eq!(stack.letters(), ['d', 'c', 'b', 'a', 'g', 'e']);
        let besides: Vec<Option<char>> = stack.layers.iter().map(|layer| layer.beside).collect();
        assert_eq!(besides, [Some('g'), Some('e'), None]);
        assert_eq!(stack.members.len(), 4);
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
            ("loop > cache", "cache", "none is named"),
            ("cache", "cache", "none is named"),
            ("loop > cache(b+c)", "b+c", "uses one device beside"),
            ("loop > cache(b; fast=c)", "b", "uses one device beside"),
            ("loop > cache(a)", "a", "given twice"),
            ("loop > cache(b) > cache(b)", "b", "given twice"),
            ("cache(a; fast=sdb)", "sdb", "`sdb` is no device"),
            ("cache(a; fast=b; fast=c)", "fast", "given twice"),
            ("cache(a+b; fast=c)", "cache", "stands on one device, and here are 2"),
            ("loop(a+b+c+d) > raid6(e)", "e", "only the lowest layer"),
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
        fn any_text_is_read_or_refused_at_a_place_in_it(text in "[a-c()>;+='\" äx]{0,24}|(loop|raid6|luks|cache|fast|xfs|[()>;+=a-d ]){0,16}") {
            match read(&text) {
                Ok(stack) => prop_assert_eq!(read(&stack.to_string()), Ok(stack)),
                Err(error) => prop_assert!(text.get(error.span.clone()).is_some(), "{}: {:?}", text, error),
            }
        }
    }
}
