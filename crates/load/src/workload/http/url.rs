//! What a URL says (RFC 3986; RFC 9110, section 4.2).

use http::Uri;
use model::plan::Problem;

/// Where a server is, and what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct Url {
    /// Whether it is spoken to over TLS.
    pub(in crate::workload) is_secure: bool,
    /// A name or an address; one of IPv6 without its brackets.
    pub(in crate::workload) host: String,
    /// Its port.
    pub(in crate::workload) port: u16,
    /// Host and port as the header `Host` has them.
    pub(in crate::workload) authority: String,
    /// Path and query.
    pub(in crate::workload) path: String,
}

impl Url {
    /// What `text` says.
    ///
    /// # Errors
    /// If it is no URL of HTTP.
    pub(in crate::workload) fn parse(text: &str) -> Result<Self, Problem> {
        Self::read(text, text)
    }

    /// What `text` says, which messages give as `shown`.
    fn read(text: &str, shown: &str) -> Result<Self, Problem> {
        // Before anything repeats the text.
        let behind = text.split_once("://").map_or(text, |(_, behind)| behind);
        if behind.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@')) {
            return Err(Problem::invalid(
                "the url has a user name or a password, which every report would show",
                "leave it out, and give a file with the header `Authorization: ...` as headers",
            ));
        }
        let example = "write it as http://host:port/path or https://host/path";
        let wrong = |why: String| Problem::invalid(format!("`{shown}` is no URL of HTTP: {why}"), example);
        if !text.contains("://") {
            return Err(wrong("it does not begin with http:// or https://".to_owned()));
        }
        let uri: Uri = text.parse().map_err(|e: http::uri::InvalidUri| wrong(e.to_string()))?;
        let is_secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(other) => return Err(wrong(format!("its scheme is {other}"))),
            None => return Err(wrong("it does not begin with http:// or https://".to_owned())),
        };
        let authority = uri.authority().ok_or_else(|| wrong("it names no host".to_owned()))?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(wrong("it names no host".to_owned()));
        }
        let usual = if is_secure { 443 } else { 80 };
        Ok(Self {
            is_secure,
            host,
            port: authority.port_u16().unwrap_or(usual),
            authority: authority.as_str().to_owned(),
            path: match uri.path_and_query().map_or("/", |path| path.as_str()) {
                path if path.starts_with('/') => path.to_owned(),
                query => format!("/{query}"),
            },
        })
    }

    /// Whether both are of one server, spoken to in the same way.
    pub(in crate::workload) fn is_of_same_server(&self, other: &Self) -> bool {
        let of = |url: &Self| (url.is_secure, url.host.to_ascii_lowercase(), url.port);
        of(self) == of(other)
    }

    /// The whole of it.
    pub(in crate::workload) fn text(&self) -> String {
        format!("{}://{}{}", self.scheme(), self.authority, self.path)
    }

    /// The same for messages: without the query, in which a url that somebody else gave may have a signature
    /// (`X-Amz-Signature`).
    pub(in crate::workload) fn shown(&self) -> String {
        hidden(&self.text())
    }

    /// Its path for messages.
    pub(in crate::workload) fn shown_path(&self) -> String {
        hidden(&self.path)
    }

    /// Where `location` leads from here (RFC 3986, section 5.2, without the dots of relative paths,
    /// which servers resolve themselves).
    ///
    /// # Errors
    /// If it is no place of HTTP.
    pub(in crate::workload) fn joined(&self, location: &str) -> Result<Self, Problem> {
        let location = location.split('#').next().unwrap_or_default();
        let is_scheme = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
        if location.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) {
            return Self::read(location, &hidden(location));
        }
        if let Some(elsewhere) = location.strip_prefix("//") {
            let there = format!("{}://{elsewhere}", self.scheme());
            return Self::read(&there, &hidden(&there));
        }
        let own = self.path.split('?').next().unwrap_or_default();
        let path = match location.chars().next() {
            Some('/') => location.to_owned(),
            Some('?') => format!("{own}{location}"),
            None => self.path.clone(),
            Some(_) => format!("{}/{location}", own.rsplit_once('/').map_or("", |(folder, _)| folder)),
        };
        let there = format!("{}://{}{path}", self.scheme(), self.authority);
        Self::read(&there, &hidden(&there))
    }

    fn scheme(&self) -> &'static str {
        if self.is_secure { "https" } else { "http" }
    }
}

/// A url or a path without what its query says.
pub(in crate::workload) fn hidden(text: &str) -> String {
    match text.split_once('?') {
        Some((front, _)) => format!("{front}?…"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_read() {
        let url = Url::parse("http://example.org").unwrap();
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("example.org", 80, "/"));
        let url = Url::parse("https://[::1]:8443/a/b?c=d#e").unwrap();
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("::1", 8443, "/a/b?c=d"));
        assert_eq!(url.authority, "[::1]:8443");
        assert!(url.is_secure);
        assert_eq!(url.text(), "https://[::1]:8443/a/b?c=d");
    }

    #[test]
    fn what_is_no_url_of_http_is_refused_with_the_reason() {
        for (text, why) in [
            ("example.org/x", "does not begin with"),
            ("ftp://example.org/x", "its scheme is ftp"),
            ("http://me:secret@example.org/", "password"),
            ("me:secret@example.org/", "password"),
            ("ftp://me:secret@exa mple", "password"),
            ("http:///x", "is no URL"),
            ("http://exa mple/", "is no URL"),
            ("", "does not begin with"),
        ] {
            let problem = Url::parse(text).unwrap_err();
            assert!(problem.message.contains(why), "{text}: {problem:?}");
            assert!(!problem.message.contains("secret"), "{problem:?}");
        }
    }

    #[test]
    fn places_are_found_from_here() {
        let here = Url::parse("http://a.example:81/one/two?x=1").unwrap();
        for (location, there) in [
            ("/three", "http://a.example:81/three"),
            ("three?y", "http://a.example:81/one/three?y"),
            ("?y=2", "http://a.example:81/one/two?y=2"),
            ("https://b.example/", "https://b.example/"),
            ("//c.example/d", "http://c.example/d"),
            ("/login?to=https://b.example/c", "http://a.example:81/login?to=https://b.example/c"),
            ("http://b.example?q", "http://b.example/?q"),
            ("#part", "http://a.example:81/one/two?x=1"),
        ] {
            assert_eq!(here.joined(location).unwrap().text(), there, "{location}");
        }
        assert!(here.joined("mailto://x").is_err());
    }

    #[test]
    fn regression_messages_have_no_query_of_a_redirect() {
        let here = Url::parse("http://a.example/one").unwrap();
        let there = here.joined("https://b.example/c?X-Amz-Signature=hunter2").unwrap();
        assert_eq!((there.shown().as_str(), there.shown_path().as_str()), ("https://b.example/c?…", "/c?…"));
        assert_eq!(here.shown(), "http://a.example/one");
        for location in ["ftp://b.example/c?X=hunter2", "/a b?X=hunter2", "//b c/?X=hunter2", "?a b=hunter2"]
        {
            let problem = here.joined(location).unwrap_err();
            assert!(problem.message.contains("?…") && !problem.message.contains("hunter2"), "{problem:?}");
        }
    }
}
