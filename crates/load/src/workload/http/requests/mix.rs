//! Requests of a file, a line each, as a load mixes them: how often, by what method, of what, with what
//! body.
//!
//! `/a?b=c`, `GET /a`, `3 POST /b {"c": 1}`, `POST /d @body.json`, `PUT /e random:4k`, `# a comment`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::Value;
use model::parameter::Kind;
use model::plan::Problem;
use model::scalar;

/// Methods that a line may have, and whether a request by them says how long its body is though it has none.
const METHODS: &[(&str, bool)] = &[
    ("GET", false),
    ("HEAD", false),
    ("POST", true),
    ("PUT", true),
    ("PATCH", true),
    ("DELETE", false),
    ("OPTIONS", false),
];

/// The most lines of a file, and the largest weight of one.
const LINES_MOST: usize = 100_000;
const WEIGHT_MOST: u64 = 1_000_000;

/// What a body that stands in a file begins with, and what one of random bytes does.
const FILE: char = '@';
const RANDOM: &str = "random:";

/// What follows the head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// What stands in the line.
    Text(String),
    /// The content of a file that has so many bytes.
    File(PathBuf, u64),
    /// So many random bytes.
    Random(u64),
}

impl Body {
    /// How many bytes it has.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::File(_, bytes) | Self::Random(bytes) => *bytes,
        }
    }
}

/// One kind of request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestLine {
    /// How often it is chosen, against the weights of the others.
    pub(super) weight: u64,
    /// None where the line does not say: that of the load, with its body.
    pub(super) method: Option<&'static str>,
    /// Path and query.
    pub(super) path: String,
    pub(super) body: Option<Body>,
}

impl RequestLine {
    /// What `line` says; names of files are of `folder`.
    fn parse(line: &str, folder: &Path) -> Result<Self, String> {
        let (weight, line) = match split(line) {
            (word, rest) if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                let weight = word.parse::<u64>().ok().filter(|weight| (1..=WEIGHT_MOST).contains(weight));
                (weight.ok_or_else(|| format!("its weight is not a number from 1 to {WEIGHT_MOST}"))?, rest)
            }
            _ => (1, line),
        };
        let (method, line) = match split(line) {
            ("", _) => return Err("it has no path".to_owned()),
            (word, rest) if word.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                let known = METHODS.iter().find(|(method, _)| method.eq_ignore_ascii_case(word));
                let known = known.ok_or_else(|| {
                    let all: Vec<&str> = METHODS.iter().map(|(method, _)| *method).collect();
                    format!("`{word}` is not a method; there are {}", all.join(", "))
                })?;
                (Some(*known), rest)
            }
            _ => (None, line),
        };
        let (path, body) = split(line);
        let is_path = path.starts_with('/') && !path.contains('#');
        if !is_path || path.parse::<http::uri::PathAndQuery>().is_err() {
            return Err("what stands where its path should be is no path of a URL, such as /a?b=c".to_owned());
        }
        let body =
            Some(body).filter(|body| !body.is_empty()).map(|body| read_body(body, folder)).transpose()?;
        if method.is_none() && body.is_some() {
            return Err("it has a body and no method: write POST or PUT before the path".to_owned());
        }
        let empty = method.filter(|(_, says_length)| *says_length).map(|_| Body::Random(0));
        let method = method.map(|(method, _)| method);
        Ok(Self { weight, method, path: path.to_owned(), body: body.or(empty) })
    }
}

/// The first word of a line, and what follows it.
fn split(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim_start()))
}

fn read_body(text: &str, folder: &Path) -> Result<Body, String> {
    if let Some(name) = text.strip_prefix(FILE) {
        let path = folder.join(name);
        let failed = |why: String| format!("its body in {} cannot be read: {why}", path.display());
        let metadata = std::fs::metadata(&path).map_err(|e| failed(e.to_string()))?;
        if !metadata.is_file() {
            return Err(failed("it is not a file".to_owned()));
        }
        return Ok(Body::File(path, metadata.len()));
    }
    let Some(size) = text.strip_prefix(RANDOM) else { return Ok(Body::Text(text.to_owned())) };
    match scalar::parse(Kind::Size, size) {
        Ok(Value::Integer(bytes)) => Ok(Body::Random(bytes)),
        Ok(_) => Err(format!("`{size}` is not a size")),
        Err(e) => Err(format!("the size of its body: {e}")),
    }
}

/// The bytes of a body in a file, as many as it had when the file of lines was read.
pub(super) fn content_of(path: &Path, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut content = vec![0; bytes as usize];
    File::open(path)?.read_exact(&mut content)?;
    Ok(content)
}

/// The requests in a file.
///
/// # Errors
/// If it cannot be read, or has none, or a line that is none.
pub(super) fn read(path: &Path) -> Result<Vec<RequestLine>, Problem> {
    let shown = path.display();
    let wrong = |why: String| {
        Problem::invalid(why, "give each line a request, such as /a?b=c or 3 POST /d @body.json")
    };
    if !path.is_file() {
        return Err(wrong(format!("{shown}, which is to have the requests, is no file that can be read")));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| wrong(format!("the requests in {shown} cannot be read: {e}")))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let lines = parse(&text, folder).map_err(|(line, why)| wrong(format!("{shown}, line {line}: {why}")))?;
    if lines.is_empty() || lines.len() > LINES_MOST {
        return Err(wrong(format!("{shown} has {} requests, and may have 1 to {LINES_MOST}", lines.len())));
    }
    Ok(lines)
}

/// The same of their text; the number of the line that is wrong, and why.
fn parse(text: &str, folder: &Path) -> Result<Vec<RequestLine>, (usize, String)> {
    let says = |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines = text.lines().enumerate().filter(says);
    lines.map(|(at, line)| RequestLine::parse(line, folder).map_err(|why| (at + 1, why))).collect()
}

/// How a worker chooses among requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// There is one.
    Only,
    /// Among so many of the same weight.
    Equal(u64),
    /// By the sums of weights up to each.
    Weighted(Vec<u64>),
}

impl Choice {
    /// Among requests with these weights.
    pub(super) fn of(weights: &[u64]) -> Self {
        match weights {
            [] | [_] => Self::Only,
            [first, rest @ ..] if rest.iter().all(|weight| weight == first) => {
                Self::Equal(weights.len() as u64)
            }
            weights => {
                let sum = |sum: &mut u64, weight: &u64| {
                    *sum += weight;
                    Some(*sum)
                };
                Self::Weighted(weights.iter().scan(0, sum).collect())
            }
        }
    }

    /// The place of the one that a random word chooses.
    #[inline]
    pub(super) fn place(&self, word: impl FnOnce() -> u64) -> usize {
        match self {
            Self::Only => 0,
            Self::Equal(many) => (word() % many) as usize,
            Self::Weighted(sums) => {
                let at = word() % sums.last().copied().unwrap_or(1).max(1);
                sums.partition_point(|sum| *sum <= at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_often_how_and_what() {
        let folder = tempfile::tempdir_in(".").unwrap();
        std::fs::write(folder.path().join("body.json"), b"{}\n").unwrap();
        let text = "# of the test\n/a?b=c\n\n  GET /a\n3 POST /b {\"c\": 1} \n10 /d\npost /e @body.json\n\
                    PUT /f random:4k\nDELETE /g\nPOST /h\n";
        let lines = parse(text, folder.path()).unwrap();
        let line =
            |weight, method, path: &str, body| RequestLine { weight, method, path: path.to_owned(), body };
        assert_eq!(
            lines,
            [
                line(1, None, "/a?b=c", None),
                line(1, Some("GET"), "/a", None),
                line(3, Some("POST"), "/b", Some(Body::Text("{\"c\": 1}".to_owned()))),
                line(10, None, "/d", None),
                line(1, Some("POST"), "/e", Some(Body::File(folder.path().join("body.json"), 3))),
                line(1, Some("PUT"), "/f", Some(Body::Random(4096))),
                line(1, Some("DELETE"), "/g", None),
                line(1, Some("POST"), "/h", Some(Body::Random(0))),
            ]
        );
        assert_eq!(content_of(&folder.path().join("body.json"), 3).unwrap(), b"{}\n");
        assert!(content_of(&folder.path().join("body.json"), 4).is_err(), "it became shorter");
    }

    #[test]
    fn a_line_that_is_no_request_is_told_with_its_number() {
        for (text, line, told) in [
            ("/a\nb", 2, "`b` is not a method; there are GET, HEAD, POST"),
            ("/a\n\n# c\n0 /d", 4, "its weight is not a number from 1 to 1000000"),
            ("99999999999999999999 /d", 1, "its weight"),
            ("GET a/b", 1, "no path of a URL"),
            ("GET /a#b", 1, "no path of a URL"),
            ("-1 /a", 1, "no path of a URL"),
            ("GET http://a.example/", 1, "no path of a URL"),
            ("3 POST", 1, "no path"),
            ("7", 1, "it has no path"),
            ("/a secret", 1, "a body and no method"),
            ("POST /a random:secret", 1, "the size of its body"),
            ("POST /a @nowhere", 1, "cannot be read"),
            ("POST /a @.", 1, "it is not a file"),
        ] {
            let (at, why) = parse(text, Path::new(".")).unwrap_err();
            assert!(at == line && why.contains(told), "{text}: line {at}: {why}");
        }
    }

    /// Over all words, each is chosen exactly as often as its weight says.
    #[test]
    fn requests_are_chosen_by_their_weights() {
        let count = |weights: &[u64], words: u64| {
            let choice = Choice::of(weights);
            let mut counts = vec![0_u64; weights.len()];
            (0..words).for_each(|word| counts[choice.place(|| word)] += 1);
            counts
        };
        assert_eq!(count(&[5], 30), [30]);
        assert_eq!(count(&[4, 4, 4], 30), [10, 10, 10]);
        assert_eq!(count(&[3, 1, 6], 30), [9, 3, 18]);
        assert_eq!(Choice::of(&[7]), Choice::Only);
        assert_eq!(Choice::of(&[2, 2]), Choice::Equal(2));
        assert_eq!(Choice::of(&[1, 2]), Choice::Weighted(vec![1, 3]));
    }
}
