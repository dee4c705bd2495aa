//! Runs the programs that build and pack: those of the distribution (`tar`, `dpkg-deb`, `rpmbuild`), which
//! define the formats that they write.

use std::process::{Command as Process, Stdio};

use crate::error::Error;

/// Runs a program to its end and returns what it printed.
pub(super) fn run(process: &mut Process) -> Result<String, Error> {
    let name = process.get_program().to_string_lossy().into_owned();
    let done = process
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Error::Release(format!("`{name}` cannot be run: {e}")))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let words: Vec<_> = process.get_args().map(|word| word.to_string_lossy()).collect();
    let says = String::from_utf8_lossy(&done.stderr);
    Err(Error::Release(format!("`{name} {}` failed ({}): {}", words.join(" "), done.status, says.trim())))
}

/// A time in seconds since 1970 as date(1) writes it in this form, in UTC and in English.
pub(super) fn date(epoch: u64, form: &str) -> Result<String, Error> {
    let text = run(Process::new("date").arg(format!("--date=@{epoch}")).args(["--utc", form]))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_in_every_form_that_packages_want() {
        assert_eq!(date(86_400, "+%Y-%m-%dT%H:%M:%SZ").unwrap(), "1970-01-02T00:00:00Z");
        assert_eq!(date(86_400, "--rfc-email").unwrap(), "Fri, 02 Jan 1970 00:00:00 +0000");
        assert_eq!(date(86_400, "+%a %b %d %Y").unwrap(), "Fri Jan 02 1970");
    }

    #[test]
    fn a_program_that_fails_is_quoted_with_its_words() {
        assert_eq!(run(Process::new("echo").arg("a b")).unwrap(), "a b\n");
        let text = run(Process::new("sh").args(["-c", "echo full >&2; exit 3"])).unwrap_err().to_string();
        assert!(text.contains("full") && text.contains("exit status: 3") && text.contains("sh -c"), "{text}");
        assert!(
            run(&mut Process::new("/no/such/program")).unwrap_err().to_string().contains("cannot be run")
        );
    }
}
