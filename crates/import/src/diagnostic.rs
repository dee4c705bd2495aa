//! What is wrong with a study, where in its text, and what would be right.

use std::ops::Range;
use std::sync::Arc;

use model::ScalarError;

/// A text that a person wrote: a study file, or one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is called: the file's path, `command line`.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// Something that is wrong in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    /// The text.
    pub source_text: Arc<Source>,
    /// The bytes at fault.
    pub span: Range<usize>,
}

/// A place in a text.
#[derive(Clone, Debug)]
pub struct SourceRange {
    /// The text.
    pub source: Arc<Source>,
    /// The bytes.
    pub span: Range<usize>,
}

impl SourceRange {
    /// All of a text.
    #[must_use]
    pub fn whole(source: Arc<Source>) -> Self {
        let span = 0..source.text.len();
        Self { source, span }
    }

    /// A diagnostic here.
    #[must_use]
    pub fn diagnostic(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let help = Some(help.into()).filter(|h| !h.is_empty());
        Diagnostic {
            message: message.into(),
            help,
            source_text: Arc::clone(&self.source),
            span: self.span.clone(),
        }
    }

    /// That there is no `what` called `name`, with the nearest of those that there are.
    #[must_use]
    pub fn unknown<'a>(
        &self,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Diagnostic {
        self.diagnostic(format!("there is no {what} `{name}`"), suggest(name, known))
    }

    /// About the value that stands here and cannot be read.
    #[must_use]
    pub fn unread(&self, error: ScalarError) -> Diagnostic {
        let place = self.part(error.span);
        // A comma makes levels, and elsewhere decimals.
        let help = match place.decimals() {
            Some(meant) => format!("did you mean `{meant}`? A comma stands between levels; {}", error.help),
            None => error.help,
        };
        place.diagnostic(error.message, help)
    }

    /// This number with the digits behind its comma, where it was most likely written with a decimal comma: `1.5s` for
    /// the `1` of `1,5s`.
    fn decimals(&self) -> Option<String> {
        let text = &self.source.text;
        let (whole, rest) = (text.get(self.span.clone())?, text.get(self.span.end..)?.strip_prefix(',')?);
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let part = rest.split([',', '+', ' ', '"', '\n']).next().unwrap_or_default();
        let unit = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_decimal = is_digits(whole) && unit.starts_with(|c: char| c.is_ascii_alphabetic() || c == '%');
        (is_decimal && unit.len() < part.len()).then(|| format!("{whole}.{part}"))
    }

    /// A part of this place, by bytes from its start.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let end = self.span.end;
        let span = (self.span.start + range.start).min(end)..(self.span.start + range.end).min(end);
        Self { source: Arc::clone(&self.source), span }
    }
}

/// Longer than anything that there is a name for.
const WORD_MAX: usize = 100;

/// "Did you mean" with the candidate that `word` was most likely meant to be, if any is near; otherwise
/// what there is.
#[must_use]
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(word, candidates.clone()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("there are: {}", candidates.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

/// A shorter word is a part of too many.
const PART_MIN: usize = 3;

/// The candidate that `word` was most likely meant to be, if any is near: one that is spelled nearly so, or else one of
/// whose parts `word` is, as `depth` of `queue-depth`. Slips seldom change the first letter, so that a word that begins
/// otherwise has to be nearer.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // To compare takes room and time for each pair of characters.
    if word.len() > WORD_MAX {
        return None;
    }
    let lower = word.to_lowercase();
    let (mut near, mut part) = (None, None);
    for candidate in candidates {
        let distance = strsim::damerau_levenshtein(&lower, candidate);
        let length = candidate.len().max(word.len());
        let begins_alike = lower.chars().next() == candidate.chars().next();
        let most = if begins_alike { length / 3 + 1 } else { (length / 4).max(1) };
        if distance <= most && near.is_none_or(|(least, _)| distance < least) {
            near = Some((distance, candidate));
        }
        let is_part = || candidate.split(['-', '_', '.']).any(|part| part == lower);
        if part.is_none() && lower.len() >= PART_MIN && is_part() {
            part = Some(candidate);
        }
    }
    near.map(|(_, candidate)| candidate).or(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_comma_is_told() {
        let help = |text: &str, span: Range<usize>| {
            let source = Arc::new(Source { name: "command line".to_owned(), text: text.to_owned() });
            let error = model::scalar::parse(model::Kind::Duration, &text[span.clone()]).unwrap_err();
            SourceRange { source, span }.unread(error).help.unwrap()
        };
        assert!(help("--duration 1,5s", 11..12).starts_with("did you mean `1.5s`? A comma "));
        assert!(help("--duration 1,5", 11..12).starts_with("did you mean `1s`? "));
        assert!(help("--duration 1", 11..12).starts_with("did you mean `1s`? "));
    }

    #[test]
    fn what_was_meant_is_spelled_nearly_so_or_has_it_as_a_part() {
        let all = ["duration", "queue-depth", "threads", "trials", "block-size", "latency_p99", "rnd"];
        for (word, meant) in [
            ("duraton", Some("duration")),
            ("thread", Some("threads")),
            ("hreads", Some("threads")),
            ("queuedepth", Some("queue-depth")),
            ("depth", Some("queue-depth")),
            ("Block_Size", Some("block-size")),
            ("p99", Some("latency_p99")),
            ("rdn", Some("rnd")),
            // Regression: it was taken for `duration`.
            ("operation", None),
            ("xyz", None),
        ] {
            assert_eq!(nearest(word, all), meant, "{word}");
        }
    }
}
