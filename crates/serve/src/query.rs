//! What stands behind the `?` of an address, or in a form: names and values.

/// Names with their values, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

/// More than any page asks for.
const PAIRS: usize = 256;

impl Query {
    /// What a text says (URL Standard, "application/x-www-form-urlencoded parsing"). What is no UTF-8 is replaced, and what
    /// is beyond all bounds passed over.
    pub(crate) fn of(text: &str) -> Self {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name), decoded(value))
        };
        Self(text.split('&').filter(|part| !part.is_empty()).take(PAIRS).map(pair).collect())
    }

    /// The first value of this name that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of this name that are not empty.
    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let own = self.0.iter().filter(move |(known, value)| known == name && !value.trim().is_empty());
        own.map(|(_, value)| value.trim())
    }

    /// The same with another value of this name in place of all, or without the name.
    pub(crate) fn with(&self, name: &str, value: Option<&str>) -> Self {
        let mut pairs: Vec<_> = self.0.iter().filter(|(known, _)| known != name).cloned().collect();
        pairs.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        Self(pairs)
    }

    /// As it stands in an address behind a path, without what is empty; nothing where nothing is left.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.0.iter().filter(|(_, value)| !value.trim().is_empty()) {
            text.push(if text.is_empty() { '?' } else { '&' });
            encode(&mut text, name);
            text.push('=');
            encode(&mut text, value);
        }
        text
    }
}

/// A text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    encode(&mut out, text);
    out
}

fn encode(out: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b',' | b':' => {
                out.push(char::from(byte))
            }
            _ => {
                out.push('%');
                out.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]].map(char::from));
            }
        }
    }
}

fn decoded(text: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|b| char::from(*b).to_digit(16));
    let (bytes, mut out) = (text.as_bytes(), Vec::with_capacity(text.len()));
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match (byte, digit(bytes.get(at)), digit(bytes.get(at + 1))) {
            (b'+', ..) => out.push(b' '),
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 2;
            }
            _ => out.push(*byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read_as_forms_write_them() {
        let query = Query::of("q=a+b%26c&run=1&run=2&empty=&flag&%C3%A4=%E4%B8%AD&bad=%zz%4");
        assert_eq!(query.get("q"), Some("a b&c"));
        assert_eq!(query.all("run").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((query.get("empty"), query.get("flag"), query.get("none")), (None, None, None));
        assert_eq!(query.get("ä"), Some("中"));
        assert_eq!(query.get("bad"), Some("%zz%4"));
        assert_eq!(Query::of("%ff=1").get("\u{fffd}"), Some("1"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let query = Query::default().with("q", Some("a b&c=\"<ä>\"")).with("page", Some("3"));
        assert_eq!(query.text(), "?q=a%20b%26c%3D%22%3C%C3%A4%3E%22&page=3");
        assert_eq!(Query::of(&query.text()[1..]), query);
        assert_eq!(query.with("q", None).text(), "?page=3");
        assert_eq!(query.with("page", Some("4")).get("page"), Some("4"));
        assert_eq!(Query::default().text(), "");
    }

    #[test]
    fn there_is_a_bound() {
        assert_eq!(Query::of(&"a=1&".repeat(10_000)).all("a").count(), PAIRS);
    }
}
