//! What cases and workloads are called: in words that a reader of the page
//! knows, not as they are typed.

use language::Words;
use model::definition::ParameterDefinition;
use model::label::LabelPart;
use model::parameter::Telling;
use model::profile::Aspect;
use model::run::CaseResult;
use model::stack_top::without_options;
use model::{Kind, Label, ParameterName, Unit, Value, scalar};

use super::View;
use crate::format;
use crate::label::companions;

/// The title of a workload: `Memory bandwidth`; its name where it has none.
pub(super) fn workload(view: &View<'_>, name: &str) -> String {
    view.words.or(&format!("workload-title-{name}"), name)
}

/// What sets a case apart from others of its workload: `random read, 4 KiB,
/// queue depth 32`. Absent where nothing does.
pub(crate) fn own(view: &View<'_>, case: &CaseResult) -> Option<String> {
    in_words(view, &case.label)
}

/// What sets a case apart from others of its workload beside these parameters.
pub(crate) fn without(view: &View<'_>, case: &CaseResult, parameters: &[ParameterName]) -> Option<String> {
    let without = |label: Label, name: &ParameterName| label.without(name.as_str());
    in_words(view, &parameters.iter().fold(case.label.clone(), without))
}

/// What a case is, to one who has not read what the cases have in common.
pub(super) fn whole(view: &View<'_>, case: &CaseResult) -> Option<String> {
    let definition = view.run.definitions.workload(case.loads.main.workload);
    let Some(definition) = definition else { return own(view, case) };
    let mut label = case.label.clone();
    let Some(main) = label.loads.first_mut() else { return own(view, case) };
    let shown = |parameter: &ParameterDefinition| {
        if let Some(part) = main.parameters.iter().find(|part| part.name == parameter.name.as_str()) {
            return Some(part.clone());
        }
        let value = case.loads.main.parameters.get(parameter.name)?.clone();
        let part = LabelPart { name: parameter.name.to_string(), kind: parameter.kind, value };
        let level = part.level();
        let is_changed = parameter.default.as_ref() != Some(&part.value);
        let is_word = || level_in_words(view.words, parameter.name.as_str(), &level).is_some();
        let tells = match parameter.telling {
            Telling::Always => true,
            Telling::Usual => is_word(),
            Telling::Changed => is_changed && is_word(),
        };
        tells.then_some(part)
    };
    main.parameters = definition.parameters.iter().filter_map(shown).collect();
    in_words(view, &label)
}

/// How a parameter is called in a sentence or on an axis.
pub(crate) fn title(words: &Words, name: &str) -> String {
    if name == ParameterName::SIDE.as_str() {
        return words.say("figure-side");
    }
    // A setting of a resource that was named: `mtu@eth0`.
    if let Some((setting, resource)) = name.split_once('@') {
        return format!("{} ({resource})", title(words, setting));
    }
    words.or(&format!("parameter-title-{name}"), &name.replace('-', " "))
}

/// What a word that stands for a value means: `random read` of `randread`.
pub(crate) fn level_in_words(words: &Words, name: &str, value: &str) -> Option<String> {
    Some(words.or(&format!("level-{name}-{value}"), "")).filter(|said| !said.is_empty())
}

/// Several targets that are driven at once: their names would fill a page.
pub(crate) fn together(words: &Words, count: usize) -> String {
    words.tell("figure-together", &[("count", Value::from(count as u64))])
}

/// A label with every parameter in words.
fn in_words(view: &View<'_>, label: &Label) -> Option<String> {
    let parameters = label.parameters();
    let is_only_size = parameters.iter().filter(|part| part.kind == Kind::Size).count() == 1;
    let mut parts: Vec<String> = parameters.iter().map(|part| level(view, part, is_only_size)).collect();
    parts.extend(label.settings.iter().map(|part| titled(view, part)));
    let with: Vec<String> = companions(label).collect();
    parts.extend(Some(with.join(" ")).filter(|with| !with.is_empty()));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// One level, with the parameter's name where it does not speak for itself.
pub(crate) fn level(view: &View<'_>, part: &LabelPart, is_only_size: bool) -> String {
    if let Some(said) = level_in_words(view.words, &part.name, &part.level()) {
        return said;
    }
    let counted = format!("level-count-{}", part.name);
    match (part.kind, &part.value) {
        (_, Value::List(targets)) => together(view.words, targets.len()),
        (_, Value::Integer(count)) if view.words.has(&counted) => view.count(&counted, *count as usize),
        (Kind::Choice, _) => part.level(),
        (Kind::Stack, Value::Text(stack)) => {
            format!("{} {}", title(view.words, &part.name), stack_in_short(view, stack))
        }
        (Kind::Size, _) if is_only_size => spaced(view.words, part),
        _ if part.name.is_empty() => part.level(),
        _ => titled(view, part),
    }
}

/// A stack without what stands in parentheses, unless another one of the run would read the same.
fn stack_in_short(view: &View<'_>, stack: &str) -> String {
    let short = without_options(stack);
    let of_case = |case: &CaseResult| {
        let main = &case.loads.main;
        Some(main.parameters.get(main.profile.parameter(Aspect::Stack)?)?.to_string())
    };
    let mut others = view.run.cases.iter().filter_map(of_case).filter(|other| other != stack);
    if others.any(|other| without_options(&other) == short) { stack.to_owned() } else { short }
}

/// As [`stack_in_short`], of all levels of a factor.
pub(crate) fn stacks_in_short<'a>(levels: impl Iterator<Item = &'a mut String>) {
    let levels: Vec<&mut String> = levels.collect();
    let short: Vec<String> = levels.iter().map(|level| without_options(level)).collect();
    for (level, text) in levels.into_iter().zip(&short) {
        if short.iter().filter(|other| *other == text).count() == 1 {
            level.clone_from(text);
        }
    }
}

fn titled(view: &View<'_>, part: &LabelPart) -> String {
    format!("{} {}", title(view.words, &part.name), spaced(view.words, part))
}

/// A level with its unit apart from the number: `4 KiB`, `65 %`, `99 % within 1 ms`.
fn spaced(words: &Words, part: &LabelPart) -> String {
    let text = part.level();
    let target = (part.kind == Kind::LatencyTarget).then(|| scalar::latency_target(&text).ok()).flatten();
    if let Some((seconds, share)) = target {
        let (share, latency) = (format::fine_percent(share), format::setting(seconds, Unit::Seconds));
        return words.tell_texts("latency-target-level", &[("share", &share), ("latency", &latency)]);
    }
    match (part.kind, text.find(|c: char| !c.is_ascii_digit() && c != '.')) {
        (Kind::Size | Kind::Duration | Kind::Share, Some(unit)) if unit > 0 => {
            format!("{} {}", &text[..unit], &text[unit..])
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    #[test]
    fn stacks_are_short_where_that_tells_them_apart() {
        let short = |levels: &[&str]| {
            let mut levels: Vec<String> = levels.iter().map(|level| (*level).to_owned()).collect();
            stacks_in_short(levels.iter_mut());
            levels
        };
        let raid5 = "raid5(a+b+c) > ext4";
        let (small, large) = ("raid6(a+b+c+d; chunk=4KiB) > xfs", "raid6(a+b+c+d; chunk=1MiB) > xfs");
        assert_eq!(short(&[raid5, small]), ["raid5 > ext4", "raid6 > xfs"]);
        assert_eq!(short(&[raid5, small, large]), ["raid5 > ext4", small, large]);
    }

    #[test]
    fn regression_the_label_of_a_case_had_all_options_of_its_stack() {
        let stack = ParameterName::new("stack");
        let of = |text: &str| {
            let mut case = crate::tests::run().cases.remove(0);
            case.loads.main.parameters.set(stack, text);
            case.loads.main.profile.aspects.insert(stack, Aspect::Stack);
            case.label.loads.truncate(1);
            let part = LabelPart { name: stack.to_string(), kind: Kind::Stack, value: Value::from(text) };
            case.label.loads[0].parameters = vec![part];
            case
        };
        let called = |texts: &[&str]| {
            let mut run = crate::tests::run();
            run.cases = texts.iter().map(|text| of(text)).collect();
            let view = View::new(&crate::page::Subject { run: &run, words: Language::English.words() });
            own(&view, &run.cases[0]).unwrap_or_default()
        };
        let (small, large) = ("raid6(a+b+c+d; chunk=4KiB) > xfs", "raid6(a+b+c+d; chunk=1MiB) > xfs");
        assert!(called(&[small, "loop > ext4"]).ends_with(" raid6 > xfs"), "{}", called(&[small]));
        assert!(called(&[small, large]).contains("chunk=4KiB"), "{}", called(&[small, large]));
    }

    #[test]
    fn units_stand_apart_from_numbers() {
        for (kind, value, read) in [
            (Kind::Size, Value::from(4096u64), "4 KiB"),
            (Kind::Duration, Value::from(2.0), "2 s"),
            (Kind::Count, Value::from(32u64), "32"),
            (Kind::Path, Value::from("2nd"), "2nd"),
            (Kind::Size, Value::from("l2"), "l2"),
            (Kind::Share, Value::from(0.65), "65 %"),
            (Kind::LatencyTarget, Value::from("1ms@99.9%"), "99.9 % within 1 ms"),
            (Kind::LatencyTarget, Value::from("soon"), "soon"),
        ] {
            let words = language::Language::English.words();
            assert_eq!(spaced(words, &LabelPart { name: String::new(), kind, value }), read);
        }
    }
}
