//! What the labels of version 0.1 say. Its documents have a label as text only, which
//! is read here, with the parameters, settings and workloads of that version, so that
//! nobody else has to.

use model::label::{Label, LabelPart, LoadLabel};
use model::{Kind, Parameters, Value, WorkloadName, scalar};

/// The settings of version 0.1 by what values they take.
const SETTINGS: &[(&str, Kind)] =
    &[("mtu", Kind::Count), ("tx-queue-length", Kind::Count), ("socket-buffer-max", Kind::Size)];

/// What values a parameter takes: each name had one kind in all workloads.
fn kind_of_parameter(name: &str) -> Option<Kind> {
    super::TABLE.iter().find_map(|known| Some(super::DEFINITIONS.parameter(known.name, name)?.kind))
}

/// `disk pattern=randread mtu=9000 with null rate=1k/s`, word by word. A word that
/// begins nothing belongs to the level before it, for a path may have spaces.
///
/// The loads are those of the case, the main one first.
#[must_use]
pub fn read(text: &str, loads: &[(WorkloadName, &Parameters)]) -> Label {
    let none = Parameters::default();
    let (main, main_parameters) = loads.first().copied().unwrap_or((WorkloadName::default(), &none));
    let mut label = Label { loads: vec![load(main)], settings: Vec::new() };
    let rest = text.strip_prefix(main.as_str()).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let Some(rest) = rest else { return unread(text) };
    let own = rest.strip_prefix(' ').unwrap_or(rest);
    let mut parameters = main_parameters;
    let mut words = own.split(' ').filter(|_| !own.is_empty()).peekable();
    let mut parts: Vec<Part<'_>> = Vec::new();
    while let Some(word) = words.next() {
        let begun = words.peek().and_then(|next| super::known_name(next)).filter(|_| word == "with");
        if let Some(workload) = begun {
            words.next();
            keep(&mut label, parts.split_off(0), parameters);
            parameters = loads.get(label.loads.len()).map_or(main_parameters, |(_, own)| own);
            label.loads.push(load(workload));
            continue;
        }
        match (Part::begun_by(word), parts.last_mut()) {
            (None, Some(part)) => part.level = format!("{} {word}", part.level),
            (None, None) => {
                let level = word.to_owned();
                parts.push(Part { name: "", kind: Kind::Text, level, is_setting: false });
            }
            (Some(part), _) => parts.push(part),
        }
    }
    keep(&mut label, parts, parameters);
    label
}

/// A label that does not begin with its workload: all of it is one nameless part.
fn unread(text: &str) -> Label {
    let value = Value::Text(text.to_owned());
    let part = LabelPart { name: String::new(), kind: Kind::Text, value };
    let main = LoadLabel { workload: WorkloadName::default(), parameters: vec![part] };
    Label { loads: vec![main], settings: Vec::new() }
}

fn load(workload: WorkloadName) -> LoadLabel {
    LoadLabel { workload, parameters: Vec::new() }
}

/// A parameter or a setting as it is written.
struct Part<'a> {
    name: &'a str,
    kind: Kind,
    level: String,
    is_setting: bool,
}

impl<'a> Part<'a> {
    /// The part whose first word, or only one, this is.
    fn begun_by(word: &'a str) -> Option<Self> {
        let (name, level) = word.split_once('=')?;
        let bare = name.split('@').next().unwrap_or(name);
        let setting = SETTINGS.iter().find(|(known, _)| *known == bare).map(|(_, kind)| *kind);
        let kind = setting.or_else(|| kind_of_parameter(name))?;
        Some(Self { name, kind, level: level.to_owned(), is_setting: setting.is_some() })
    }
}

/// Adds parts to the last load of a label, or to its settings.
fn keep(label: &mut Label, parts: Vec<Part<'_>>, parameters: &Parameters) {
    for Part { name, kind, level, is_setting } in parts {
        let value = value(
            kind,
            level,
            parameters.iter().find(|(own, _)| own.as_str() == name).map(|(_, value)| value),
        );
        let part = LabelPart { name: name.to_owned(), kind, value };
        match label.loads.last_mut() {
            Some(load) if !is_setting => load.parameters.push(part),
            _ => label.settings.push(part),
        }
    }
}

/// The level that is written so. The case's own value may be another one: a word, such
/// as `all`, became a number there, and a relative path an absolute one.
fn value(kind: Kind, level: String, own: Option<&Value>) -> Value {
    let is_it = |value: &Value| scalar::show(kind, value) == level;
    let split = || match own {
        Some(Value::List(parts)) if level.split('+').count() == parts.len() => {
            Some(Value::List(level.split('+').map(Value::from).collect()))
        }
        _ => None,
    };
    let read = || scalar::parse(kind, &level).ok();
    let own = own.filter(|value| is_it(value)).cloned();
    own.or_else(split).or_else(read).filter(is_it).unwrap_or(Value::Text(level))
}

#[cfg(test)]
mod tests {
    use model::{ParameterName, WorkloadName};

    use super::*;

    fn label(text: &str, parameters: &[(&str, Value)]) -> Label {
        let mut set = Parameters::default();
        parameters
            .iter()
            .for_each(|(name, value)| set.set(ParameterName::intern(name).unwrap(), value.clone()));
        let mut beside = Parameters::default();
        beside.set(ParameterName::new("rate"), 1000.0);
        read(text, &[(WorkloadName::new("disk"), &set), (WorkloadName::new("null"), &beside)])
    }

    fn values(parts: &[LabelPart]) -> Vec<(&str, Kind, Value)> {
        parts.iter().map(|p| (p.name.as_str(), p.kind, p.value.clone())).collect()
    }

    #[test]
    fn a_label_of_version_0_1_is_read_with_all_it_says() {
        let text =
            "disk target=/my disk/a b=c+/d block-size=4KiB threads=all mtu@eth0=9000 with null rate=1k/s";
        let targets = Value::List(vec!["/my disk/a b=c".into(), "/d".into()]);
        let read = label(text, &[("target", targets.clone()), ("threads", 2u64.into())]);
        assert_eq!(read.to_string(), text);
        let own = [
            ("target", Kind::Path, targets),
            ("block-size", Kind::Size, 4096u64.into()),
            ("threads", Kind::Count, "all".into()),
        ];
        assert_eq!(values(read.parameters()), own);
        assert_eq!(values(&read.settings), [("mtu@eth0", Kind::Count, 9000u64.into())]);
        assert_eq!(values(&read.with()[0].parameters), [("rate", Kind::Rate, 1000.0.into())]);
    }

    #[test]
    fn relative_targets_are_as_many_as_the_case_has() {
        let own = Value::List(vec!["/data/a".into(), "/data/b".into()]);
        let read = label("disk target=a+b", &[("target", own)]);
        assert_eq!(read.parameters()[0].value, Value::List(vec!["a".into(), "b".into()]));
        let one = label("disk target=a+b", &[("target", "/data/a+b".into())]);
        assert_eq!(one.parameters()[0].value, "a+b".into());
    }

    #[test]
    fn a_name_that_only_begins_with_the_workload_is_kept_whole() {
        for text in ["diskx", "diskx size=1MiB", "other pattern=read"] {
            let read = label(text, &[]);
            assert_eq!((read.to_string().as_str(), read.loads.len()), (text, 1));
            assert_eq!(values(read.parameters()), [("", Kind::Text, text.into())]);
        }
        assert_eq!(label("disk x", &[]).loads[0].workload, WorkloadName::new("disk"));
    }

    #[test]
    fn what_version_0_1_did_not_write_stays_as_it_is() {
        for text in
            ["disk", "disk something else", "disk hue=red with paint pattern=read", "disk  size=1MiB "]
        {
            assert_eq!(label(text, &[]).to_string(), text);
        }
    }
}
