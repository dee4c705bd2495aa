//! A study from TOML. Every key is known or an error: a misspelt one would be a
//! setting that silently does nothing.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use import::checked::{each_part_once, only_typed, parameter, put, searched_once, workload};
use import::diagnostic::{Diagnostic, Source, SourceRange, suggest};
use model::parameter::Parts;
use model::study::{Level, StudyVerdict, StudyWorkload};
use model::workload::Catalogue;
use model::{Kind, ParameterSpec, Study};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::arguments::Typed;
use super::controls::contradiction;
use super::endurance::{self, ENDURANCE};
use super::goal::{self, BoundKind};
use super::{CONTROLS, expect, inputs, observe, settings, stack, verdict};
use crate::grammar;

/// Top-level keys beside `[[workload]]` and `[trials]`, with what they set.
type TextKey = (&'static str, fn(&mut Study, String));
const TEXT_KEYS: &[TextKey] = &[
    ("title", |s, t| s.title = Some(t)),
    ("question", |s, t| s.question = Some(t)),
    ("author", |s, t| s.author = Some(t)),
    ("purpose", |s, t| s.purpose = Some(t)),
    ("price", |s, t| s.price = Some(t)),
];

/// The others.
const OTHER_KEYS: &[&str] = &[
    "references",
    ENDURANCE,
    "impossible",
    inputs::KEY,
    "workload",
    "trials",
    "expect",
    "peers",
    "settings",
    "verdict",
];

/// Reads a study file.
pub fn from_toml(catalogue: &Catalogue, name: &str, path: &str, text: &str) -> Result<Study, Diagnostic> {
    from_toml_with(catalogue, name, path, text, &[])
}

/// Reads a study file with what was typed for its inputs.
///
/// # Errors
/// If the text is no study, or what was typed is for no input of it.
pub fn from_toml_with(
    catalogue: &Catalogue,
    name: &str,
    path: &str,
    text: &str,
    typed: &[Typed],
) -> Result<Study, Diagnostic> {
    let filled = inputs::fill(path, text, typed)?;
    let source = Arc::new(Source { name: path.to_owned(), text: filled.text });
    let reader = Reader { catalogue, source: Arc::clone(&source), inputs: filled.values };
    let table = DeTable::parse(&source.text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        reader.at(span).diagnostic(error.message().to_owned(), "see docs/reference/study.md")
    })?;
    reader.study(name, table.get_ref())
}

struct Reader<'a> {
    catalogue: &'a Catalogue,
    source: Arc<Source>,
    /// The values of the inputs, which stand in the source.
    inputs: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn at(&self, span: Range<usize>) -> SourceRange {
        SourceRange { source: Arc::clone(&self.source), span }
    }

    fn study(&self, name: &str, table: &DeTable<'_>) -> Result<Study, Diagnostic> {
        let mut study = Study { name: name.to_owned(), inputs: self.inputs.clone(), ..Study::default() };
        let mut control_places = Vec::new();
        let (mut verdict, mut expected) = (None, None);
        for (key, value) in table {
            let place = self.at(key.span());
            let key = key.get_ref().as_ref();
            only_typed(key, &place)?;
            if let Some((_, set)) = TEXT_KEYS.iter().find(|(name, _)| *name == key) {
                set(&mut study, self.string(value)?.to_owned());
                continue;
            }
            match key {
                "references" => {
                    let references = self.array(value)?.iter().map(|v| self.string(v).map(str::to_owned));
                    study.references = references.collect::<Result<_, _>>()?;
                }
                ENDURANCE => {
                    let written = self.string(value)?;
                    let read = endurance::parse(written);
                    study.endurance_bytes =
                        Some(read.map_err(|why| self.at(value.span()).diagnostic(why, ""))?);
                }
                "impossible" => match self.string(value)? {
                    "skip" => study.skip_impossible = true,
                    "refuse" => study.skip_impossible = false,
                    _ => return Err(self.at(value.span()).diagnostic("this is neither skip nor refuse", "")),
                },
                "workload" => {
                    for item in self.array(value)?.iter() {
                        study.workloads.push(self.workload(item, false)?);
                    }
                }
                "trials" => self.controls(&mut study, value, &mut control_places)?,
                // They are read before all else, since they stand in it.
                inputs::KEY => {}
                "expect" => expected = Some(value),
                "settings" => self.settings(&mut study.settings, value)?,
                "verdict" => verdict = Some(value),
                "peers" => {
                    for (name, join) in self.table("peers", value)? {
                        let join = self.string(join)?.to_owned();
                        study.peers.insert(name.get_ref().as_ref().to_owned(), join);
                    }
                }
                _ => {
                    let known = TEXT_KEYS.iter().map(|(name, _)| *name);
                    let known: Vec<&str> = known.chain(OTHER_KEYS.iter().copied()).collect();
                    return Err(
                        place.diagnostic(format!("there is no key `{key}` here"), suggest(key, known))
                    );
                }
            }
        }
        if study.workloads.is_empty() {
            return Err(self.at(0..0).diagnostic("this study has no [[workload]]", "add one, with a kind"));
        }
        if let Some((name, message, help)) = contradiction(&study.controls) {
            let span = control_places.iter().find(|(n, _)| n == name).map_or(0..0, |(_, span)| span.clone());
            return Err(self.at(span).diagnostic(message, help));
        }
        // They name workloads of the study, their metrics and settings, which stand in any order.
        if let Some(value) = expected {
            self.expect(&mut study, value)?;
        }
        study.verdict = verdict.map(|value| self.verdict(&study, value)).transpose()?;
        Ok(study)
    }

    /// What the question comes to.
    fn verdict(&self, study: &Study, value: &Spanned<DeValue<'_>>) -> Result<StudyVerdict, Diagnostic> {
        let mut entries = Vec::new();
        for (key, value) in self.table("verdict", value)? {
            let (name, key_place) = (key.get_ref().as_ref(), self.at(key.span()));
            let (text, place) = (self.string(value)?, self.at(value.span()));
            entries.push(verdict::Entry { name, key_place, text, place });
        }
        verdict::read(study, &entries, &self.at(value.span()))
    }

    fn controls(
        &self,
        study: &mut Study,
        value: &Spanned<DeValue<'_>>,
        places: &mut Vec<(String, Range<usize>)>,
    ) -> Result<(), Diagnostic> {
        for (key, value) in self.table("trials", value)? {
            let name = key.get_ref().as_ref();
            only_typed(name, &self.at(key.span()))?;
            let Some(control) = CONTROLS.iter().find(|c| c.name == name) else {
                return Err(self.at(key.span()).unknown("control", name, CONTROLS.iter().map(|c| c.name)));
            };
            let (text, place) = self.scalar_text(value)?;
            (control.set)(&mut study.controls, &text).map_err(|e| place.unread(e))?;
            places.push((name.to_owned(), value.span()));
        }
        Ok(())
    }

    /// What the user was promised, and what the results are held to.
    fn expect(&self, study: &mut Study, value: &Spanned<DeValue<'_>>) -> Result<(), Diagnostic> {
        for (key, value) in self.table("expect", value)? {
            let name = key.get_ref().as_ref();
            if name == expect::DATASHEET {
                let sheet = self.string(value)?;
                study.expect.datasheet = Some(expect::datasheet(sheet, &self.at(value.span()))?);
                continue;
            }
            let bound = match name {
                goal::GOALS => Some(BoundKind::Goal),
                goal::ABORT_WHEN => Some(BoundKind::AbortCondition),
                _ => None,
            };
            if let Some(kind) = bound {
                self.bounds(study, kind, value)?;
                continue;
            }
            let (text, place) = self.scalar_text(value)?;
            let promise = expect::promise(self.catalogue, (name, &self.at(key.span())), (&text, &place))?;
            study.expect.promises.push(promise);
        }
        Ok(())
    }

    /// Goals or conditions: one, or a list.
    fn bounds(
        &self,
        study: &mut Study,
        kind: BoundKind,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Diagnostic> {
        let mut put = |value: &Spanned<DeValue<'_>>| {
            let (text, place) = self.scalar_text(value)?;
            goal::put(self.catalogue, study, kind, (&text, &place))
        };
        match value.get_ref() {
            DeValue::Array(all) => all.iter().try_for_each(put),
            _ => put(value),
        }
    }

    /// The states of the machine that are changed.
    fn settings(
        &self,
        all: &mut BTreeMap<String, Vec<Level>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Diagnostic> {
        for (key, value) in self.table("settings", value)? {
            let place = self.at(key.span());
            let spec = settings::spec(key.get_ref(), &place)?;
            let levels = self.levels(&spec.value, value)?;
            settings::put(all, key.get_ref(), levels, &place)?;
        }
        Ok(())
    }

    fn table<'v, 'i>(
        &self,
        name: &str,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<&'v DeTable<'i>, Diagnostic> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.at(value.span()).diagnostic(
                format!("`{name}` is a table here"),
                format!("write [{name}] and its keys below"),
            )),
        }
    }

    fn workload(&self, item: &Spanned<DeValue<'_>>, with: bool) -> Result<StudyWorkload, Diagnostic> {
        let DeValue::Table(table) = item.get_ref() else {
            return Err(self
                .at(item.span())
                .diagnostic("a workload is a table", "write [[workload]] and its keys below"));
        };
        let kind = table.iter().find(|(key, _)| key.get_ref().as_ref() == "kind");
        let Some((_, kind)) = kind else {
            let help = "add kind = \"disk\"; `headroom workloads` lists them";
            return Err(self.at(item.span()).diagnostic("this workload has no kind", help));
        };
        let name = self.string(kind)?;
        let spec = workload(self.catalogue, name, &self.at(kind.span()))?;
        let mut load = StudyWorkload { kind: spec.name, ..StudyWorkload::default() };
        for (key, value) in table {
            let place = self.at(key.span());
            match key.get_ref().as_ref() {
                "kind" => {}
                "with" if !with => {
                    for item in self.array(value)?.iter() {
                        load.with.push(self.workload(item, true)?);
                    }
                }
                "settings" if !with => self.settings(&mut load.settings, value)?,
                "settings" => {
                    return Err(place.diagnostic(
                        "settings hold for all loads that run together",
                        "write them in [workload.settings]",
                    ));
                }
                "observe" if !with => match value.get_ref() {
                    DeValue::Array(array) => {
                        for item in array.iter() {
                            observe::put(&mut load, spec, self.string(item)?, &self.at(item.span()))?;
                        }
                    }
                    _ => observe::put(&mut load, spec, self.string(value)?, &self.at(value.span()))?,
                },
                "observe" => {
                    return Err(place.diagnostic(
                        "observers watch all loads that run together",
                        "write `observe` in the [[workload]] itself",
                    ));
                }
                name => {
                    let found = parameter(self.catalogue, spec, name, with, &place)?;
                    let levels = self.levels(found, value)?;
                    put(&mut load, found, levels, &place)?;
                    searched_once(self.catalogue, &load, with, &self.at(value.span()))?;
                }
            }
        }
        Ok(load)
    }

    /// One value is a constant, a list is a factor.
    fn levels(&self, spec: &ParameterSpec, value: &Spanned<DeValue<'_>>) -> Result<Vec<Level>, Diagnostic> {
        let DeValue::Array(array) = value.get_ref() else { return self.text_levels(spec, value) };
        if spec.kind == Kind::Stack && stack::is_one(array) {
            return Ok(vec![self.stack(spec, value, array)?]);
        }
        if array.is_empty() {
            return Err(self.at(value.span()).diagnostic("this list is empty", "give at least one value"));
        }
        let mut levels = Vec::new();
        for item in array.iter() {
            match item.get_ref() {
                DeValue::Array(layers) if spec.kind == Kind::Stack => {
                    levels.push(self.stack(spec, item, layers)?);
                }
                DeValue::Array(parts) => levels.push(self.parts(spec, item, parts)?),
                _ => levels.extend(self.text_levels(spec, item)?),
            }
        }
        grammar::each_once(spec, &levels, &self.at(value.span()))?;
        Ok(levels)
    }

    /// A stack as a list of tables, one for each layer.
    fn stack(
        &self,
        spec: &ParameterSpec,
        item: &Spanned<DeValue<'_>>,
        layers: &DeArray<'_>,
    ) -> Result<Level, Diagnostic> {
        let text = stack::text(layers, &|span| self.at(span))?;
        let read = spec.parse(&text).map_err(|e| self.at(item.span()).diagnostic(e.message, e.help))?;
        Ok(vec![read])
    }

    /// A list in a list: the parts of one level.
    fn parts(
        &self,
        spec: &ParameterSpec,
        item: &Spanned<DeValue<'_>>,
        parts: &DeArray<'_>,
    ) -> Result<Level, Diagnostic> {
        let at = self.at(item.span());
        if spec.parts == Parts::Single {
            return Err(at.diagnostic(
                format!(
                    "`{}` takes one value at a time; a list in a list are parts, which it does not have",
                    spec.name
                ),
                "write the values in one list",
            ));
        }
        let mut level = Level::new();
        for part in parts.iter() {
            let (text, place) = self.scalar_text(part)?;
            level.push(spec.parse(&text).map_err(|e| place.unread(e))?);
        }
        if level.is_empty() {
            return Err(at.diagnostic("this list is empty", "give at least one part"));
        }
        each_part_once(spec, &level, &at)?;
        Ok(level)
    }

    fn text_levels(
        &self,
        spec: &ParameterSpec,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<Level>, Diagnostic> {
        let (text, place) = self.scalar_text(value)?;
        if spec.kind == Kind::Path {
            // A string of TOML is quoted already.
            let one = spec.parse(&text).map_err(|e| place.unread(e))?;
            return Ok(vec![vec![one]]);
        }
        grammar::levels(spec, &text, &place)
    }

    /// A scalar as a person would have typed it, and where it stands.
    fn scalar_text(&self, value: &Spanned<DeValue<'_>>) -> Result<(String, SourceRange), Diagnostic> {
        let span = value.span();
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Boolean(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => return Err(self.at(span).diagnostic("a single value is wanted here", "")),
        };
        // Inside quotes the bytes are the same unless something is escaped.
        let inner = span.start + 1..span.end.saturating_sub(1);
        let place = if self.source.text.get(inner.clone()) == Some(text.as_str()) { inner } else { span };
        Ok((text, self.at(place)))
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, Diagnostic> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.as_ref()),
            _ => Err(self.at(value.span()).diagnostic("text in quotes is wanted here", "")),
        }
    }

    fn array<'v, 'i>(&self, value: &'v Spanned<DeValue<'i>>) -> Result<&'v DeArray<'i>, Diagnostic> {
        match value.get_ref() {
            DeValue::Array(array) => Ok(array),
            _ => Err(self
                .at(value.span())
                .diagnostic("a list is wanted here", "tables in a list are written [[like this]]")),
        }
    }
}
