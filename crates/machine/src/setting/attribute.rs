//! A setting that is the text of one file of the kernel's: an attribute of sysfs, a number of
//! sysctl. What is special about one is in its own file.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use model::setting::SettingSpec;
use model::{Resource, ResourceKind, Value};

use super::journal::SideEffect;
use super::offered::{self, Successors};
use super::{Setting, SettingError, block, find, kernel_file};
use crate::Host;

/// One.
pub(super) struct Attribute {
    /// What it is, as data.
    pub(super) spec: &'static SettingSpec,
    /// The file of a resource.
    pub(super) file: fn(&Resource) -> PathBuf,
    /// What stands in it.
    pub(super) form: Form,
    /// What it means that a resource has no such file, or that it cannot be read.
    pub(super) absent: &'static str,
    /// Which words it may be, where the kernel lists them.
    pub(super) words: Option<Words>,
    /// Settings of the same resource that the kernel sets anew with it.
    pub(super) resets: &'static [&'static str],
    /// Whether each network namespace has its own.
    pub(super) is_of_namespace: bool,
}

/// The words that a setting may be.
pub(super) struct Words {
    /// The file with all of them; none where it is the setting's own.
    pub(super) list: Option<&'static str>,
    /// What the module is called that would bring one that is not there.
    pub(super) module: Option<fn(&str) -> String>,
    /// Words that older kernels had.
    pub(super) successors: Successors,
}

/// How a value stands in a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// A number of so many of the setting's unit.
    Number(u64),
    /// The first word where it is on, the second where it is off.
    Flag(&'static str, &'static str),
    /// One of several words, in brackets: `none [mq-deadline] kyber`. One alone stands bare.
    Selected,
    /// A word.
    Word,
}

impl Form {
    /// The value that stands in `text`.
    fn read(self, text: &str) -> Option<Value> {
        let text = text.trim();
        match self {
            Form::Number(of) => text.parse::<u64>().ok()?.checked_mul(of).map(Value::Integer),
            Form::Flag(on, off) => (text == on || text == off).then(|| Value::Bool(text == on)),
            Form::Selected => {
                let words: Vec<&str> = text.split_whitespace().collect();
                let inside = |word: &&str| word.strip_prefix('[')?.strip_suffix(']').map(str::to_owned);
                let alone = || (words.len() == 1).then(|| text.to_owned());
                words.iter().find_map(inside).or_else(alone).map(Value::Text)
            }
            Form::Word => (!text.is_empty()).then(|| Value::from(text)),
        }
    }

    /// What is written for `value`, or why nothing is.
    fn written(self, value: &Value) -> Result<String, String> {
        Ok(match (self, value) {
            (Form::Number(of), Value::Integer(number)) if number.is_multiple_of(of) => {
                (number / of).to_string()
            }
            (Form::Number(of), Value::Integer(_)) => {
                return Err(format!("the kernel counts in steps of {of}"));
            }
            (Form::Flag(on, off), Value::Bool(is_on)) => if *is_on { on } else { off }.to_owned(),
            (Form::Selected | Form::Word, Value::Text(word)) => word.clone(),
            _ => return Err("it is no such value".to_owned()),
        })
    }

    /// What else could be there, for a message.
    fn choices(self, text: &str) -> Option<String> {
        let words = listed(text);
        (matches!(self, Form::Selected) && !words.is_empty())
            .then(|| format!("there are {}", words.join(", ")))
    }
}

/// The words of a list, of which one may be in brackets.
fn listed(text: &str) -> Vec<&str> {
    text.split_whitespace().map(|word| word.trim_matches(['[', ']'])).collect()
}

impl Attribute {
    /// Why it cannot be read or is not there.
    fn unreadable(&self, resource: &Resource, error: &std::io::Error) -> SettingError {
        let is_disk = resource.named(ResourceKind::Block);
        if error.kind() == ErrorKind::NotFound && is_disk.is_some_and(|name| !block::is_there(name)) {
            return SettingError::gone(self.spec, resource);
        }
        let path = (self.file)(resource);
        SettingError::unreadable(self.spec, resource, format!("{}: {error}; {}", path.display(), self.absent))
    }
}

impl Setting for Attribute {
    fn spec(&self) -> &'static SettingSpec {
        self.spec
    }

    fn is_of_namespace(&self) -> bool {
        self.is_of_namespace
    }

    fn resets(&self) -> &'static [&'static str] {
        self.resets
    }

    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        match bound.named(ResourceKind::Block) {
            Some(_) => block::disk(host, self.spec, bound),
            None => Ok(bound),
        }
    }

    fn lacks(&self, resource: &Resource, value: &Value) -> Option<String> {
        let (words, Value::Text(word)) = (self.words.as_ref()?, value) else { return None };
        let list = words.list.map_or_else(|| (self.file)(resource), PathBuf::from);
        let text = fs::read_to_string(list).ok()?;
        // A word alone, without brackets, is that of a resource that can have no other.
        let has_others = words.list.is_some() || text.contains('[');
        let module = words.module.filter(|_| has_others).map(|module| module(word));
        offered::lacks(word, &listed(&text), module.as_deref(), words.successors)
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let text = fs::read_to_string((self.file)(resource)).map_err(|e| self.unreadable(resource, &e))?;
        self.form.read(&text).ok_or_else(|| {
            let reason = format!("{}: `{}` is no such value", (self.file)(resource).display(), text.trim());
            SettingError::unreadable(self.spec, resource, reason)
        })
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(self.spec, resource, value, reason);
        let path = (self.file)(resource);
        let text = self.form.written(value).map_err(&refused)?;
        let mut file = kernel_file::open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => self.unreadable(resource, &error),
            _ => refused(format!(
                "{}: {error}; it needs root of the machine itself, and /sys and /proc/sys writable",
                path.display()
            )),
        })?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|error| match error.kind() {
            ErrorKind::NotFound => refused(format!("{}: the kernel knows none of this name", path.display())),
            ErrorKind::PermissionDenied => {
                refused(format!("{}: {error}; it needs root of the machine itself", path.display()))
            }
            _ => {
                let there = fs::read_to_string(&path).ok();
                let choices = there.and_then(|text| self.form.choices(&text));
                let choices = choices.map(|choices| format!("; {choices}")).unwrap_or_default();
                refused(format!("{}: {error}{choices}", path.display()))
            }
        })
    }

    fn side_effects(&self, resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        // What cannot be read there is not there.
        let effect = |name: &&str| {
            let before = find(name)?.read(resource).ok()?;
            Some(SideEffect { setting: (*name).to_owned(), resource: resource.clone(), before })
        };
        Ok(self.resets.iter().filter_map(effect).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_file_is_read_and_written_again() {
        for (form, text, value, written) in [
            (Form::Number(1), "256\n", Value::Integer(256), "256"),
            (Form::Number(1024), "128\n", Value::Integer(131_072), "128"),
            (Form::Flag("1", "0"), "0\n", Value::Bool(false), "0"),
            (Form::Flag("write back", "write through"), "write back\n", Value::Bool(true), "write back"),
            (Form::Selected, "none [mq-deadline] kyber\n", "mq-deadline".into(), "mq-deadline"),
            (Form::Selected, "[none]\n", "none".into(), "none"),
            (Form::Selected, "none\n", "none".into(), "none"),
            (Form::Word, "cubic\n", "cubic".into(), "cubic"),
        ] {
            assert_eq!(form.read(text), Some(value.clone()), "{text}");
            assert_eq!(form.written(&value), Ok(written.to_owned()), "{text}");
        }
        for (form, text) in [
            (Form::Number(1), "x"),
            (Form::Number(1024), "18446744073709551615"),
            (Form::Flag("1", "0"), "2"),
            (Form::Selected, "a b"),
            (Form::Selected, ""),
            (Form::Word, "\n"),
        ] {
            assert_eq!(form.read(text), None, "{text}");
        }
        assert!(Form::Number(1024).written(&Value::Integer(1000)).unwrap_err().contains("1024"));
        assert!(Form::Number(1).written(&Value::Bool(true)).is_err());
    }

    /// Bug: a dry run said nothing of `scheduler=noop`, which no kernel has any more.
    #[test]
    fn regression_a_word_that_the_kernel_does_not_list_passed_a_dry_run() {
        use crate::setting::scheduler;
        let folder = tempfile::tempdir().unwrap();
        let setting = Attribute { file: |resource| PathBuf::from(resource.name()), ..scheduler::SETTING };
        let disk = |text: &str| {
            let path = folder.path().join("scheduler");
            fs::write(&path, text).unwrap();
            Resource::of(ResourceKind::Block, path.to_str().unwrap())
        };
        let queue = disk("none [mq-deadline] kyber\n");
        let lacks = setting.lacks(&queue, &"noop".into()).unwrap();
        assert_eq!(lacks, "there are none, mq-deadline, kyber; what was `noop` is `none` now");
        assert_eq!(setting.lacks(&queue, &"kyber".into()), None);
        let bare = disk("none\n");
        assert_eq!(setting.lacks(&bare, &"kyber".into()).unwrap(), "there are none");
        assert_eq!(setting.lacks(&bare, &"none".into()), None);
    }

    #[test]
    fn what_is_not_there_and_what_is_refused_says_why() {
        use crate::setting::scheduler;
        let none = Resource::of(ResourceKind::Block, "hr-none");
        assert!(matches!(scheduler::SETTING.read(&none), Err(SettingError::Gone { .. })));
        assert!(matches!(scheduler::SETTING.write(&none, &"none".into()), Err(SettingError::Gone { .. })));
        assert_eq!(scheduler::SETTING.lacks(&none, &"none".into()), None);
        assert_eq!(scheduler::SETTING.side_effects(&none, &"none".into()), Ok(Vec::new()));
    }
}
