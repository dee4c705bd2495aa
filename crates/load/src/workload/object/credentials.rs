//! Keys of a store: from the environment, or from a file in the format that the tools of AWS share.

use std::path::Path;

use model::plan::Problem;

/// A file of keys may have so many bytes.
const FILE_MOST: u64 = 64 << 10;

/// The variables of the environment (AWS SDKs and Tools Reference Guide, "Environment variables").
const KEY_ID: &str = "AWS_ACCESS_KEY_ID";
const SECRET: &str = "AWS_SECRET_ACCESS_KEY";
const TOKEN: &str = "AWS_SESSION_TOKEN";

/// So many characters of a key one after the other are a piece of it; fewer stand in other texts by chance.
const PIECE: usize = 8;

/// The profile that is read of a file.
const PROFILE: &str = "default";

/// A key and its secret. No message and no report has any of it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) key_id: String,
    pub(super) secret: String,
    /// Of a session that ends.
    pub(super) token: Option<String>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(..)")
    }
}

impl Credentials {
    /// Those of the file `path`, or of the environment.
    ///
    /// # Errors
    /// If there are none.
    pub(super) fn find(path: Option<&Path>) -> Result<Self, Problem> {
        let found = match path {
            Some(path) => Self::read(path),
            None => Self::of(|name| std::env::var(name).ok()).ok_or_else(|| {
                Problem::refused(
                    format!("there are no keys for the store: {KEY_ID} and {SECRET} are not both set"),
                    "export them, or name a file of keys as credentials (the format of ~/.aws/credentials)",
                )
            }),
        };
        found?.checked()
    }

    /// Whether a text has a piece of them, in large or small letters: what others say is not repeated then.
    pub(super) fn are_in(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        let all = [Some(&self.key_id), Some(&self.secret), self.token.as_ref()];
        all.into_iter().flatten().any(|own| {
            let own = own.to_ascii_lowercase().into_bytes();
            let length = own.len().min(PIECE);
            length > 0
                && own.windows(length).any(|piece| text.as_bytes().windows(length).any(|at| at == piece))
        })
    }

    fn of(value: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let value = |name| value(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(Self { key_id: value(KEY_ID)?, secret: value(SECRET)?, token: value(TOKEN) })
    }

    fn read(path: &Path) -> Result<Self, Problem> {
        let shown = path.display();
        let failed = |e: std::io::Error| {
            Problem::invalid(format!("the keys in {shown} cannot be read: {e}"), "name a file that can be")
        };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if !metadata.is_file() || metadata.len() > FILE_MOST {
            return Err(Problem::invalid(
                format!("{shown} is no file of keys: not a file, or more than {} KiB", FILE_MOST >> 10),
                "name one in the format of ~/.aws/credentials",
            ));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        Self::of(|name| setting(&text, &name.to_ascii_lowercase())).ok_or_else(|| {
            Problem::invalid(
                format!(
                    "{shown} has no profile [{PROFILE}] with aws_access_key_id and aws_secret_access_key"
                ),
                "add it: a line [default], and below it a line `name = value` for each",
            )
        })
    }

    /// What goes into a header is one word.
    fn checked(self) -> Result<Self, Problem> {
        let is_word = |text: &str| text.chars().all(|c| c.is_ascii_graphic());
        if is_word(&self.key_id) && self.token.as_deref().is_none_or(is_word) {
            return Ok(self);
        }
        Err(Problem::invalid(
            "the key of the store, or its token, has a character that no key has",
            "look whether quotes or blanks came with it",
        ))
    }
}

/// What the profile says of `name`.
fn setting(text: &str, name: &str) -> Option<String> {
    let mut is_ours = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_ours = section.trim_end_matches(']').trim() == PROFILE;
        } else if is_ours
            && !line.starts_with(['#', ';'])
            && let Some((own, value)) = line.split_once('=')
            && own.trim().eq_ignore_ascii_case(name)
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(text: &str) -> Result<Credentials, Problem> {
        let mut file = tempfile::NamedTempFile::new_in(".").unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Credentials::find(Some(file.path()))
    }

    #[test]
    fn the_default_profile_of_a_file_is_read() {
        let found = read(
            "[other]\naws_access_key_id = wrong\naws_secret_access_key = wrong\n\n# ours\n[default]\n\
             aws_access_key_id=AKID\n; note = x\naws_secret_access_key = a/b+c=d\nregion = eu-west-1\n",
        )
        .unwrap();
        assert_eq!(
            (found.key_id.as_str(), found.secret.as_str(), found.token.as_deref()),
            ("AKID", "a/b+c=d", None)
        );
        let session = "[default]\naws_access_key_id=A\naws_secret_access_key=B\naws_session_token = tok==\n";
        assert_eq!(read(session).unwrap().token.as_deref(), Some("tok=="));
        assert_eq!(format!("{found:?}"), "Credentials(..)");
    }

    #[test]
    fn what_has_no_keys_is_told_without_what_it_has() {
        for text in [
            "",
            "hunter2",
            "[default]\naws_access_key_id = hunter2\n",
            "[x]\naws_access_key_id=hunter2\naws_secret_access_key=hunter2\n",
        ] {
            let problem = read(text).unwrap_err();
            assert!(problem.message.contains("no profile [default]"), "{problem:?}");
            assert!(!format!("{problem:?}").contains("hunter2"), "{problem:?}");
        }
        let odd = "[default]\naws_access_key_id = hunter2 more\naws_secret_access_key = hunter2\n";
        let problem = read(odd).unwrap_err();
        assert!(problem.message.contains("no key has"), "{problem:?}");
        assert!(!format!("{problem:?}").contains("hunter2"), "{problem:?}");
        assert!(Credentials::find(Some(Path::new("/"))).unwrap_err().message.contains("no file of keys"));
        assert!(
            Credentials::find(Some(Path::new("/nowhere"))).unwrap_err().message.contains("cannot be read")
        );
    }

    #[test]
    fn a_piece_of_a_key_is_found_in_a_text() {
        let text = |text: &str| text.to_owned();
        let keys =
            Credentials { key_id: text("AKIDEXAMPLE"), secret: text("a/b+c=d123"), token: Some(text("tok")) };
        for has in ["no akidexam here", "=a/b+c=d1=", "my tok", "XKIDEXAMPLE"] {
            assert!(keys.are_in(has), "{has}");
        }
        for has in ["", "AKIDEXA", "the store asks for fewer requests", "a/b+c=d"] {
            assert!(!keys.are_in(has), "{has}");
        }
        let none = Credentials { token: Some(String::new()), ..keys };
        assert!(!none.are_in("no"));
    }

    #[test]
    fn both_words_of_the_environment_are_needed() {
        let with = |names: &'static [&'static str]| {
            Credentials::of(|name| names.contains(&name).then(|| format!(" {name} ")))
        };
        assert_eq!(with(&[KEY_ID]), None);
        assert_eq!(with(&[SECRET, TOKEN]), None);
        let all = with(&[KEY_ID, SECRET, TOKEN]).unwrap();
        assert_eq!((all.key_id.as_str(), all.token.as_deref()), (KEY_ID, Some(TOKEN)));
    }
}
