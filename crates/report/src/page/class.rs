//! Figures beside what is usual for the class of the part: on the page of a run, and as the report of
//! `headroom compare --class`.

use analysis::class::{
    self, ClassFigure, ClassReference, ClassSource, ClassStanding, NoReference, OwnFigures, PartClass,
};
use model::run::{CaseResult, CaseRole};
use model::{MetricName, Run, Unit, Value};

use super::{Subject, View};
use crate::document::{Against, Answer, Block, Document, Section, Text};
use crate::format::Rates;
use crate::{label, load};

/// So many figures stand below the question on the page of a run.
const MOST: usize = 6;

/// So many stand in the report about them.
const LISTED: usize = 60;

/// What the report of a run's figures beside those of its class is made from.
pub struct ClassSubject<'a> {
    /// The run.
    pub run: &'a Run,
    /// Figures of other runs.
    pub own: &'a OwnFigures,
    /// The only class that is asked for; absent where each part has its own.
    pub only: Option<&'static PartClass>,
    /// The words.
    pub words: &'static language::Words,
}

/// Whether the figures are usual; none where no part has a class.
pub(super) fn answer(view: &View<'_>) -> Option<Answer> {
    let groups = view.groups();
    let line = |(case, found): &(&CaseResult, ClassReference<'_>)| {
        let group = groups.iter().find(|group| group.name == case.loads.main.workload);
        let name = view.name(case);
        let head = match group {
            Some(group) => Text::default().link(group.id(), name),
            None => name.into(),
        };
        beside(view, head, case, found)
    };
    let known = references(view);
    Some(below(view, "class-question", known.iter().take(MOST).map(line).collect(), known.len()))
}

/// What a case's figure stands to, where its part has a class.
pub(super) fn against(view: &View<'_>, case: &CaseResult) -> Option<Against> {
    let found = class::reference(view.run, case).ok()?;
    let good = match found.standing {
        ClassStanding::Less => Some(false),
        ClassStanding::Usual | ClassStanding::More => Some(true),
        ClassStanding::CannotTell => None,
    };
    Some(Against { label: standing(view, case, &found), share: None, good })
}

/// Where the ranges are from that stand on the page: each figure once.
pub(super) fn sources(view: &View<'_>) -> Vec<Text> {
    sources_of(view, None)
}

/// The same of one class, where one is asked for.
fn sources_of(view: &View<'_>, only: Option<&PartClass>) -> Vec<Text> {
    let mut told: Vec<(&CaseResult, ClassReference<'_>)> = Vec::new();
    for (case, found) in references(view) {
        let is_told = told.iter().any(|(_, other)| std::ptr::eq(other.range, found.range));
        if !is_told && !is_other(only, Some(found.class)) {
            told.push((case, found));
        }
    }
    let of_range = |(case, found): &(&CaseResult, ClassReference<'_>)| -> Vec<Text> {
        let rates = load::rates(case);
        found.range.figures.iter().map(|figure| source(view, rates, found, figure)).collect()
    };
    told.iter().flat_map(of_range).collect()
}

/// Whether a class, or none, is another one than the one that is asked for.
fn is_other(only: Option<&PartClass>, class: Option<&PartClass>) -> bool {
    only.is_some_and(|only| class.is_none_or(|class| class.name != only.name))
}

/// The cases whose parts have a class, with what is usual for it.
fn references<'a>(view: &View<'a>) -> Vec<(&'a CaseResult, ClassReference<'a>)> {
    let run = view.run;
    asked(view).into_iter().filter_map(|case| Some((case, class::reference(run, case).ok()?))).collect()
}

/// The cases that the study asks for and that have figures.
fn asked<'a>(view: &View<'a>) -> Vec<&'a CaseResult> {
    let has_figures =
        |case: &&CaseResult| case.role == CaseRole::Asked && !case.loads.main.estimates.is_empty();
    view.cases().filter(has_figures).collect()
}

/// Lines below a question, and how many of `count` have none.
fn below(view: &View<'_>, question: &str, mut lines: Vec<Text>, count: usize) -> Answer {
    let more = count.saturating_sub(lines.len());
    if more > 0 {
        lines.push(view.count("and-more", more).into());
    }
    Answer { question: view.say(question), lines, elsewhere: Vec::new() }
}

/// `disk: 9.000 k IOPS, usual for a SATA SSD (its class: 7.500 k to 13.00 k)`
fn beside(view: &View<'_>, head: Text, case: &CaseResult, found: &ClassReference<'_>) -> Text {
    let figure = view.with_metric(load::rates(case), found.range.metric, found.estimate);
    head.plain(": ").strong(figure).plain(format!(", {}", standing(view, case, found)))
}

/// `usual for a SATA SSD (its class: 7.500 k to 13.00 k)`
fn standing(view: &View<'_>, case: &CaseResult, found: &ClassReference<'_>) -> String {
    let key = match found.standing {
        ClassStanding::Usual => "class-usual",
        ClassStanding::Less => "class-less",
        ClassStanding::More => "class-more",
        ClassStanding::CannotTell => "class-cannot-tell",
    };
    let range = found.range;
    let range = between(view, load::rates(case), (range.least, range.most), (range.metric, range.unit));
    view.tell(key, &[("class", &called(view, found.class)), ("range", &range)])
}

/// One of the parts of a class.
fn called(view: &View<'_>, class: &PartClass) -> String {
    view.words.or(&format!("class-of-{}", class.name), &class.title)
}

/// `7.500 k to 13.00 k`
fn between(
    view: &View<'_>,
    rates: Rates,
    (least, most): (f64, f64),
    (metric, unit): (MetricName, Unit),
) -> String {
    let [least, most] = [least, most].map(|value| rates.under_title(value, unit, &label::title(metric)));
    view.tell("limit-usual", &[("least", &least), ("most", &most)])
}

/// One published figure, with its address.
fn source(view: &View<'_>, rates: Rates, found: &ClassReference<'_>, figure: &ClassFigure) -> Text {
    let ClassSource { title, url, date, how, is_measured } = &figure.source;
    let publication = [Some(title), date.as_ref(), Some(url)];
    let publication: Vec<&str> = publication.into_iter().flatten().map(String::as_str).collect();
    let (class, publication) = (called(view, found.class), publication.join(", "));
    let value = rates.under_title(figure.value, found.range.unit, &label::title(found.range.metric));
    let kind = view.say(if *is_measured { "class-measured" } else { "class-promised" });
    let texts: [(&str, &str); 6] = [
        ("class", &class),
        ("of", &figure.of),
        ("value", &value),
        ("kind", &kind),
        ("how", how),
        ("publication", &publication),
    ];
    view.tell("class-source", &texts).into()
}

/// The report as a document, which has no format yet.
#[must_use]
pub fn document(subject: &ClassSubject<'_>) -> Document {
    let view = View::new(&Subject { run: subject.run, words: subject.words });
    let sections = [figures(&view, subject), cited(&view, subject)];
    Document {
        words: subject.words,
        title: view.tell("class-title", &[("run", &subject.run.id)]),
        byline: super::byline(&view),
        purpose: Vec::new(),
        sections: sections.into_iter().filter(|section| !section.is_empty()).collect(),
        footer: view.tell("class-footer", &[("version", env!("CARGO_PKG_VERSION"))]).into(),
    }
}

/// Each case's figure beside its class and beside other runs; and why others have no reference.
fn figures(view: &View<'_>, subject: &ClassSubject<'_>) -> Section {
    let (mut known, mut none) = (Vec::new(), Vec::new());
    for case in asked(view) {
        match class::reference(subject.run, case) {
            Ok(found) if !is_other(subject.only, Some(found.class)) => known.push((case, found)),
            Ok(_) => none.push((case, None)),
            Err(why) => none.push((case, Some(why).filter(|why| !is_other(subject.only, why.class())))),
        }
    }
    let held = |(case, found): &(&CaseResult, ClassReference<'_>)| {
        let text = beside(view, view.name(case).into(), case, found);
        with_own(text, own(view, subject, case, Some(found.range.metric)))
    };
    let refused = |(case, why): &(&CaseResult, Option<NoReference>)| {
        let text = unheld(view, view.name(case).into(), case).plain(refusal(view, subject, *why));
        with_own(text, own(view, subject, case, None))
    };
    let held = known.iter().take(LISTED).map(held).collect();
    let refused = none.iter().take(LISTED).map(refused).collect();
    let mut section = Section::new("answer", view.say("answer-title"));
    section.answer([
        Some(below(view, "class-question", held, known.len())),
        Some(below(view, "class-none", refused, none.len())),
    ]);
    section.push(Block::Paragraph(view.say("class-method").into()));
    section
}

/// `disk: 9.000 k IOPS, `
fn unheld(view: &View<'_>, head: Text, case: &CaseResult) -> Text {
    match analysis::headline(case) {
        Some((metric, estimate)) => {
            head.plain(": ").strong(view.with_metric(load::rates(case), metric, estimate)).plain(", ")
        }
        None => head.plain(": "),
    }
}

/// Why a case has no reference; of none, it is of another class than the one that is asked for.
fn refusal(view: &View<'_>, subject: &ClassSubject<'_>, why: Option<NoReference>) -> String {
    let key = match why {
        None => "class-none-other-class",
        Some(NoReference::NoPart) => "class-none-no-part",
        Some(NoReference::Several) => "class-none-several",
        Some(NoReference::Guest) => "class-none-guest",
        Some(NoReference::Unknown) => "class-none-unknown",
        Some(NoReference::OtherWork(_)) => "class-none-other-work",
        Some(NoReference::NoFigure(_)) => "class-none-no-figure",
        Some(NoReference::Doubted(_)) => "class-none-doubted",
    };
    let name = match why {
        None => subject.only.map(|only| only.name.to_owned()),
        Some(why) => why.class().map(|class| called(view, class)),
    };
    view.tell(key, &[("class", name.as_deref().unwrap_or_default())])
}

/// What other runs have of a case's metric, or of the one that it shows first.
fn own(
    view: &View<'_>,
    subject: &ClassSubject<'_>,
    case: &CaseResult,
    metric: Option<MetricName>,
) -> Option<String> {
    let own = subject.own.of(subject.run, case, metric)?;
    let metric = metric.or_else(|| analysis::headline(case).map(|(name, _)| name))?;
    let unit = case.loads.main.estimates.get(&metric)?.unit;
    let range = between(view, load::rates(case), (own.least, own.most), (metric, unit));
    let arguments = [("range", Value::Text(range)), ("runs", Value::Integer(own.runs as u64))];
    Some(view.words.tell("class-own", &arguments))
}

fn with_own(text: Text, own: Option<String>) -> Text {
    match own {
        Some(own) => text.plain(format!("; {own}")),
        None => text,
    }
}

/// Where the ranges are from.
fn cited(view: &View<'_>, subject: &ClassSubject<'_>) -> Section {
    let mut section = Section::new("sources", view.say("class-sources-title"));
    let lines = sources_of(view, subject.only);
    if !lines.is_empty() {
        section.push(Block::List(lines));
    }
    section
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};
    use model::machine::BlockDevice;
    use model::resource::PathStep;
    use model::run::Estimate;
    use model::{Better, Machine, ParameterName, Resource, ResourceKind, metric};

    use super::*;
    use crate::document::markdown;

    /// A run of random reads on a SATA SSD: the first one at a time, the second four at a time.
    fn run(iops: f64) -> Run {
        let disk = BlockDevice {
            name: "sda".to_owned(),
            transport: Some("sata".to_owned()),
            rotational: Some(false),
            link_bits: Some(6_000_000_000),
            ..BlockDevice::default()
        };
        let mut machine = Machine::default();
        machine.inventory.block = vec![disk];
        let case = |depth: u64| {
            let mut case = crate::tests::run().cases.remove(0);
            case.loads.main.parameters.set(ParameterName::new("pattern"), "randread");
            case.loads.main.parameters.set(ParameterName::new("block-size"), 4096u64);
            case.loads.main.parameters.set(ParameterName::new("queue-depth"), depth);
            crate::tests::named(&mut case, &format!("disk queue-depth={depth}"));
            crate::tests::profiled(&mut case);
            case.work_id = case.label.to_string();
            let resource = Resource::of(ResourceKind::Block, "sda");
            case.path = vec![PathStep { resource, amplification: 1.0 }];
            let estimate = Estimate {
                n: 5,
                median: iops,
                low: Some(iops * 0.99),
                high: Some(iops * 1.01),
                confidence: Some(0.95),
                method: None,
                unit: Unit::PerSecond,
                better: Better::Higher,
            };
            case.loads.main.estimates.insert(metric::IOPS, estimate);
            case
        };
        Run { machines: vec![machine], cases: vec![case(1), case(4)], ..crate::tests::run() }
    }

    fn lines(run: &Run, language: Language) -> Vec<String> {
        let view = View::new(&Subject { run, words: language.words() });
        answer(&view).unwrap().lines.iter().map(Text::words).collect()
    }

    #[test]
    fn a_figure_stands_beside_what_is_usual_for_its_class() {
        let usual = lines(&run(9000.0), Language::English);
        assert_eq!(usual.len(), 1, "four at a time are other work: {usual:?}");
        assert!(usual[0].contains("usual for a SATA SSD (its class: 7.5"), "{usual:?}");
        let less = lines(&run(3000.0), Language::English);
        assert!(less[0].contains("less than is usual for a SATA SSD"), "{less:?}");
        let run = run(9000.0);
        let view = View::new(&Subject { run: &run, words: Language::English.words() });
        assert_eq!(against(&view, &run.cases[0]).unwrap().good, Some(true));
        assert!(against(&view, &run.cases[1]).is_none());
        let sources: Vec<String> = sources(&view).iter().map(Text::words).collect();
        assert!(sources.iter().any(|line| line.contains("https://pastebin.com/i2kDyjWx")), "{sources:?}");
    }

    #[test]
    fn every_class_has_its_name_in_every_language() {
        for class in class::all() {
            for language in LANGUAGES.iter().filter(|language| **language != Language::English) {
                assert!(language.words().has(&format!("class-of-{}", class.name)), "{}", class.name);
            }
        }
    }

    #[test]
    fn the_report_says_why_there_is_no_reference() {
        let run = run(9000.0);
        let mut own = OwnFigures::default();
        own.add(&run);
        for language in LANGUAGES {
            let told = |only: Option<&'static PartClass>| {
                let subject = ClassSubject { run: &run, own: &own, only, words: language.words() };
                markdown::write(&document(&subject))
            };
            let all = told(None);
            assert!(all.contains("6xQsKqvi"), "{all}");
            // No key of a text is left.
            assert!(!all.contains("class-"), "{all}");
            let other = told(class::named("nvme-gen3"));
            assert!(other.contains("nvme-gen3") && !other.contains("pastebin"), "{other}");
        }
        let subject = ClassSubject { run: &run, own: &own, only: None, words: Language::English.words() };
        let text = markdown::write(&document(&subject));
        assert!(text.contains("no figures of such work are kept for a SATA SSD"), "{text}");
        assert!(text.contains("1 kept run of such work on a like machine"), "{text}");
    }
}
