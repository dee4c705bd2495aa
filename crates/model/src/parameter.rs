//! What a parameter is: its name, kind, default and documentation. The command
//! line, the checks of a study file, its JSON Schema, `headroom workloads` and
//! the reference pages are all made from these.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aspect::Aspect;
pub use crate::name::ParameterName;
use crate::scalar::{self, ScalarError};
use crate::stack::{LayerSpec, LayerStack};
use crate::value::{Parameters, Value};

/// A value that may be written as a word beside the ordinary form, such as
/// `all` for a number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Word {
    /// The word.
    pub word: &'static str,
    /// What it stands for.
    pub doc: &'static str,
}

/// The word with which a parameter of concurrency is searched: it grows until the load gives
/// no more.
pub const AUTO: Word = Word {
    word: "auto",
    doc: "as many as give the most, which is searched; the least that give 95 % of it are too",
};

/// The word with which operations of an open loop arrive at random.
pub const POISSON: Word = Word { word: "poisson", doc: "at random, as independent users do" };

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Bytes: `4k`, `4KiB` and `4096` are the same, `4KB` is 4000.
    Size,
    /// A whole number of at least 1.
    Count,
    /// Events per second: `20k/s` is 20,000.
    Rate,
    /// Seconds: `500ms`, `30s`, `5m`, `1h`.
    Duration,
    /// `yes` or `no`.
    Flag,
    /// One of a few words.
    Choice,
    /// A path of the file system.
    Path,
    /// A share of a whole: `60%` is 0.6.
    Share,
    /// A plain number above zero, such as an exponent: `1.2`.
    Number,
    /// A latency to be held by a share of the operations: `1ms@99%`.
    LatencyTarget,
    /// A storage stack, its layers from the ground up: `raid6(a+b+c+d) > luks > xfs`.
    Stack,
    /// A name or an address, of which only who uses it knows what it can be; also what
    /// this version does not know.
    #[serde(other)]
    Text,
}

impl Kind {
    /// What a message says a person may write.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Kind::Size => "a size such as 4k, 1MiB or 4096 (binary; 4KB is 4000)",
            Kind::Count => "a whole number of at least 1",
            Kind::Rate => "a rate such as 500/s or 20k/s (decimal)",
            Kind::Duration => "a duration such as 500ms, 30s or 5m",
            Kind::Flag => "yes or no",
            Kind::Choice => "one of its choices",
            Kind::Path => "a path",
            Kind::Text => "a name",
            Kind::Share => "a share from 0% to 100%",
            Kind::Number => "a number such as 1.2",
            Kind::LatencyTarget => "a latency and the share of operations that keep it, such as 1ms@99%",
            Kind::Stack => "layers from the ground up, such as raid6(a+b+c+d) > luks > lvm > xfs",
        }
    }

    /// Whether values have an order, so that ranges make sense.
    #[must_use]
    pub fn ordered(self) -> bool {
        matches!(self, Kind::Size | Kind::Count | Kind::Rate | Kind::Duration | Kind::Share | Kind::Number)
    }
}

/// Whether one level may have several parts, joined with `+`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parts {
    /// One value.
    Single,
    /// Several, driven at once: `a+b`.
    Joined,
    /// Several, driven at once, each with the name of what goes there: `sda=a+sdb=b`.
    Named,
    /// Several, each with its share of the operations: `4k:70%+64k:30%`.
    Weighted,
}

/// When the description of a case gives the value of a parameter that is not in the case's
/// label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Telling {
    /// Always.
    Always,
    /// If the value is a word that has a text of its own, and not the default.
    Changed,
    /// If it is such a word, `random read` of `randread`; also what this version does not know.
    #[serde(other)]
    Usual,
}

impl ParameterName {
    /// Of which of the compared runs a case is: a parameter that no workload has.
    pub const SIDE: Self = Self::new("(side)");
}

/// What checks of other tools' results ask of the work that they did.
impl ParameterName {
    /// Bytes of an operation.
    pub const BLOCK_SIZE: Self = Self::new("block-size");
    /// Operations that each thread has in flight.
    pub const QUEUE_DEPTH: Self = Self::new("queue-depth");
    /// Workers.
    pub const THREADS: Self = Self::new("threads");
    /// Clients at once.
    pub const CLIENTS: Self = Self::new("clients");
    /// Connections.
    pub const CONNECTIONS: Self = Self::new("connections");
    /// What is done, and in which order.
    pub const PATTERN: Self = Self::new("pattern");
    /// Bytes of the files.
    pub const SIZE: Self = Self::new("size");
    /// How long it runs.
    pub const DURATION: Self = Self::new("duration");
    /// How many bytes it moves.
    pub const BYTES: Self = Self::new("bytes");
    /// How many requests it makes.
    pub const REQUESTS: Self = Self::new("requests");
}

/// One parameter of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ParameterSpec {
    /// Its name.
    pub name: ParameterName,
    /// What values it takes.
    pub kind: Kind,
    /// The default as a person would write it; `None` where the parameter is
    /// simply absent unless given.
    pub default: Option<&'static str>,
    /// For [`Kind::Choice`] the choices; for other kinds the words that may
    /// stand in place of an ordinary value.
    pub words: &'static [Word],
    /// A word behind which a size may stand: `file` of `file:4GiB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sized: Option<Word>,
    /// A word behind which the digits of a digest may stand: `sha256` of `sha256:9f86...`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Word>,
    /// For [`Kind::Stack`] the kinds of layers.
    #[serde(skip)]
    pub layers: &'static [LayerSpec],
    /// Whether changing it between trials is so expensive that it is varied in
    /// outer blocks (design, section 6.1).
    pub costly: bool,
    /// Whether it makes the work another, so that results with different
    /// values may not be compared as the same work. How long and where are not:
    /// `duration` and `target` are no part of the work.
    pub work: bool,
    /// Whether it says when a trial ends. One given on the command line replaces all that a
    /// study gives.
    #[serde(skip)]
    pub ends_trial: bool,
    /// Whether one level may have several parts.
    pub parts: Parts,
    /// Whether a size or a count may be 0.
    pub zero: bool,
    /// Whether a path is always a folder, in which the load works.
    #[serde(skip)]
    pub folder: bool,
    /// The most that another machine may ask for; no bound where absent.
    pub remote_max: Option<u64>,
    /// When a reader has to be told its value.
    pub telling: Telling,
    /// What it says of its load, where others ask for that.
    pub says: Option<Aspect>,
    /// Another parameter and its values with which this one has a meaning; with
    /// any where there is none.
    pub with: Option<(ParameterName, &'static [&'static str])>,
    /// One or two sentences.
    pub doc: &'static str,
}

impl ParameterSpec {
    /// A parameter with no default and no words that is cheap to vary and part
    /// of the work.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self {
            name: ParameterName::new(name),
            kind,
            default: None,
            words: &[],
            sized: None,
            digest: None,
            layers: &[],
            costly: false,
            work: true,
            ends_trial: false,
            parts: Parts::Single,
            zero: false,
            folder: false,
            remote_max: None,
            telling: Telling::Usual,
            says: None,
            with: None,
            doc,
        }
    }

    /// With a default, as a person would write it.
    #[must_use]
    pub const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// With choices, or words beside the ordinary values.
    #[must_use]
    pub const fn words(mut self, words: &'static [Word]) -> Self {
        self.words = words;
        self
    }

    /// With a word behind which a size may stand.
    #[must_use]
    pub const fn sized(mut self, word: Word) -> Self {
        self.sized = Some(word);
        self
    }

    /// With a word behind which 64 hexadecimal digits may stand.
    #[must_use]
    pub const fn digest(mut self, word: Word) -> Self {
        self.digest = Some(word);
        self
    }

    /// With the kinds of layers of which a stack may be.
    #[must_use]
    pub const fn layers(mut self, layers: &'static [LayerSpec]) -> Self {
        self.layers = layers;
        self
    }

    /// Varied in outer blocks only.
    #[must_use]
    pub const fn costly(mut self) -> Self {
        self.costly = true;
        self
    }

    /// Not part of what makes two cases the same work.
    #[must_use]
    pub const fn not_work(mut self) -> Self {
        self.work = false;
        self
    }

    /// Says when a trial ends, which is no part of the work.
    #[must_use]
    pub const fn ends_trial(mut self) -> Self {
        self.ends_trial = true;
        self.not_work()
    }

    /// With levels of several parts.
    #[must_use]
    pub const fn parts(mut self, parts: Parts) -> Self {
        self.parts = parts;
        self
    }

    /// With 0 among its values.
    #[must_use]
    pub const fn or_zero(mut self) -> Self {
        self.zero = true;
        self
    }

    /// With paths that are always folders.
    #[must_use]
    pub const fn folder(mut self) -> Self {
        self.folder = true;
        self
    }

    /// What it says of its load.
    #[must_use]
    pub const fn says(mut self, aspect: Aspect) -> Self {
        self.says = Some(aspect);
        self
    }

    /// With a value that is always shown, because a figure means little without it.
    #[must_use]
    pub const fn always_told(mut self) -> Self {
        self.telling = Telling::Always;
        self
    }

    /// With words that are shown only where they are not the default: nobody expects writes
    /// to be verified.
    #[must_use]
    pub const fn silent_by_default(mut self) -> Self {
        self.telling = Telling::Changed;
        self
    }

    /// With the most that another machine may ask for.
    #[must_use]
    pub const fn remote_max(mut self, most: u64) -> Self {
        self.remote_max = Some(most);
        self
    }

    /// With a meaning only where `parameter` has one of `values`.
    #[must_use]
    pub const fn only_with(mut self, parameter: &'static str, values: &'static [&'static str]) -> Self {
        self.with = Some((ParameterName::new(parameter), values));
        self
    }

    /// The default as a value.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        self.parse(self.default?).ok()
    }

    /// Whether it says how much is under way at once, so that [`AUTO`] may stand for its value.
    #[must_use]
    pub fn is_concurrency(&self) -> bool {
        self.kind == Kind::Count && self.says.is_some_and(Aspect::is_concurrency)
    }

    /// All words that may stand for its value.
    pub fn all_words(&self) -> impl Iterator<Item = Word> {
        self.words.iter().copied().chain(self.is_concurrency().then_some(AUTO))
    }

    /// All that may be written beside an ordinary value, and what it stands for: `off`, `file:SIZE`,
    /// `sha256:DIGITS`.
    pub fn forms(&self) -> impl Iterator<Item = (String, &'static str)> {
        let words = self.all_words().map(|word| (word.word.to_owned(), word.doc));
        let layers = self.layers.iter().map(|layer| (layer.name.to_owned(), layer.doc));
        let words = words.chain(layers);
        let sized = self.sized.map(|word| (scalar::sized_form(word), word.doc));
        words.chain(sized).chain(self.digest.map(|word| (scalar::digest_form(word), word.doc)))
    }

    /// Whether it has a meaning beside these.
    #[must_use]
    pub fn applies(&self, beside: &Parameters) -> bool {
        let Some((name, values)) = self.with else { return true };
        match beside.get(name) {
            Some(Value::Text(word)) => values.contains(&word.as_str()),
            Some(flag @ Value::Bool(_)) => values.contains(&flag.to_string().as_str()),
            _ => false,
        }
    }

    /// What a message says a person may write for it, beside its words.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self.kind {
            Kind::Count if self.zero => "a whole number, 0 too",
            kind => kind.hint(),
        }
    }

    /// Reads one value as a person writes it; of a weighted part, `4k:70%`.
    pub fn parse(&self, text: &str) -> Result<Value, ScalarError> {
        if self.parts == Parts::Weighted && text.contains(':') {
            return scalar::weighted(self.kind, text);
        }
        if self.kind == Kind::Stack {
            return LayerStack::parse(text, self.layers).map(|stack| Value::Text(stack.to_string()));
        }
        if self.zero && matches!(self.kind, Kind::Size | Kind::Count) && text == "0" {
            return Ok(Value::Integer(0));
        }
        if self.all_words().any(|w| w.word == text) {
            return Ok(Value::Text(text.to_owned()));
        }
        if let Some(word) = self.sized
            && let Some(size) = text.strip_prefix(word.word).and_then(|rest| rest.strip_prefix(':'))
        {
            return scalar::sized(word, size);
        }
        if let Some(word) = self.digest
            && let Some(digits) = text.strip_prefix(word.word).and_then(|rest| rest.strip_prefix(':'))
        {
            return scalar::digest(word, digits);
        }
        if self.kind == Kind::Choice {
            return Err(scalar::not_a_choice(text, self.forms().map(|(form, _)| form)));
        }
        if text == AUTO.word && self.kind.ordered() {
            return Err(scalar::not_searched(text, self.hint()).or_words(self.words));
        }
        let words: Vec<Word> = self.all_words().collect();
        scalar::parse(self.kind, text).map_err(|e| e.or_words(&words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_stands_for_a_concurrency_only() {
        let depth = ParameterSpec::new("depth", Kind::Count, "").says(Aspect::Depth);
        assert_eq!(depth.parse("auto"), Ok(Value::Text("auto".to_owned())));
        assert!(depth.parse("autp").unwrap_err().help.contains("auto"));
        let other = ParameterSpec::new("max-prime", Kind::Count, "").parse("auto").unwrap_err();
        assert!(other.message.contains("searches how much"), "{other}");
        assert!(!other.help.contains("auto"), "{}", other.help);
        assert!(ParameterSpec::new("target", Kind::Path, "").parse("auto").is_ok());
    }

    #[test]
    fn a_size_behind_a_word_is_written_in_one_way_and_pointed_at() {
        let words = &[Word { word: "off", doc: "none" }];
        let spec = ParameterSpec::new("swap", Kind::Choice, "")
            .words(words)
            .sized(Word { word: "file", doc: "one" });
        for text in ["file:4g", "file:4GiB", "file:4096MiB"] {
            assert_eq!(spec.parse(text), Ok(Value::from("file:4GiB")), "{text}");
        }
        let error = spec.parse("file:4q").unwrap_err();
        assert_eq!(&"file:4q"[error.span.clone()], "q", "{error}");
        assert_eq!(spec.parse("file:").unwrap_err().span, 5..5);
        for text in ["file", "file:SIZE", "files:4g"] {
            assert!(spec.parse(text).is_err(), "{text}");
        }
        assert_eq!(spec.parse("on").unwrap_err().help, "one of off, file:SIZE");
        let forms: Vec<_> = spec.forms().collect();
        assert_eq!(forms, [("off".to_owned(), "none"), ("file:SIZE".to_owned(), "one")]);
    }

    #[test]
    fn a_digest_behind_a_word_has_64_digits() {
        let words = &[Word { word: "none", doc: "nothing" }];
        let spec = ParameterSpec::new("verify", Kind::Choice, "")
            .words(words)
            .digest(Word { word: "sha256", doc: "that of the content" });
        let digits = "0aF".repeat(21) + "9";
        let read = spec.parse(&format!("sha256:{digits}"));
        assert_eq!(read, Ok(Value::from(format!("sha256:{}", digits.to_lowercase()).as_str())));
        for digits in ["", "0f", &"0g".repeat(32), &"é".repeat(32), &"0f".repeat(33)] {
            let error = spec.parse(&format!("sha256:{digits}")).unwrap_err();
            assert!(error.help.contains("sha256sum") && error.span.start == 7, "{digits}: {error:?}");
        }
        assert_eq!(spec.parse("md5:0f").unwrap_err().help, "one of none, sha256:DIGITS");
    }

    #[test]
    fn a_parameter_goes_with_a_flag_as_with_a_word() {
        let by = ParameterSpec::new("by", Kind::Choice, "").only_with("flag", &["yes"]);
        let mut beside = Parameters::default();
        assert!(!by.applies(&beside));
        for (value, applies) in [(Value::Bool(true), true), (Value::Bool(false), false), ("yes".into(), true)]
        {
            beside.set(ParameterName::new("flag"), value);
            assert_eq!(by.applies(&beside), applies);
        }
    }

    #[test]
    fn zero_is_said_where_it_is_taken() {
        let count = ParameterSpec::new("depth", Kind::Count, "");
        assert_eq!(count.hint(), Kind::Count.hint());
        assert!(count.parse("0").is_err());
        let zero = count.or_zero();
        assert!(zero.hint().contains('0') && !zero.hint().contains("at least 1"), "{}", zero.hint());
        assert_eq!(zero.parse("0"), Ok(Value::Integer(0)));
    }
}
