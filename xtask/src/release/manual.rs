//! What the program writes of itself for packages: manual pages, and completions of shells. They are the same for
//! every processor, so a program that runs here writes them.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command as Process;

use super::command::run;
use super::tree::{self, PackagedFile};
use crate::error::Error;

/// Shells, each with the name of its file. Where that lies depends on the distribution for one of them.
const SHELLS: [(Shell, &str); 3] = [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")];

/// A shell that is completed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// What a program wrote of itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Manual {
    /// Compressed pages by the names of their files.
    pages: Vec<(String, Vec<u8>)>,
    completions: Vec<(Shell, String)>,
}

impl Manual {
    /// Has a program write it, by way of a folder that does not exist.
    ///
    /// # Errors
    /// If the program does not run here, or writes no page.
    pub(super) fn of(program: &Path, work: &Path) -> Result<Self, Error> {
        tree::make_folder(work)?;
        run(Process::new(program).args(["man", "--dir"]).arg(work))?;
        let mut pages = Vec::new();
        for name in super::names(work)? {
            let page = tree::read(&tree::gzip(&work.join(&name))?)?;
            pages.push((format!("{name}.gz"), page));
        }
        if pages.is_empty() {
            return Err(Error::Release(format!("`{}` wrote no manual page", program.display())));
        }
        // By its bare name the lines call whichever program PATH has, and not this one.
        let lines = |name: &str| run(Process::new(program).arg0("headroom").args(["completions", name]));
        let completions = SHELLS
            .into_iter()
            .map(|(shell, name)| Ok((shell, lines(name)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(Self { pages, completions })
    }

    /// The files of a package. `zsh` is the folder where the distribution looks for functions of zsh that packages bring.
    pub(super) fn files(&self, zsh: &str) -> Vec<PackagedFile> {
        let pages = self
            .pages
            .iter()
            .map(|(name, page)| PackagedFile::text(&format!("usr/share/man/man1/{name}"), page.as_slice()));
        let completions = self.completions.iter().map(|(shell, lines)| {
            let path = match shell {
                Shell::Bash => "usr/share/bash-completion/completions/headroom".to_owned(),
                Shell::Zsh => format!("{zsh}/_headroom"),
                Shell::Fish => "usr/share/fish/vendor_completions.d/headroom.fish".to_owned(),
            };
            PackagedFile::text(&path, lines.as_str())
        });
        pages.chain(completions).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What a program of tests wrote: one page, and a line for each shell.
    pub(in crate::release) fn manual() -> Manual {
        Manual {
            pages: vec![("headroom.1.gz".to_owned(), b"compressed".to_vec())],
            completions: SHELLS.map(|(shell, name)| (shell, format!("# lines for {name}\n"))).to_vec(),
        }
    }

    #[test]
    fn pages_are_compressed_and_completions_lie_where_shells_look() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("program");
        let script =
            "#!/bin/sh\nif [ \"$1\" = man ]; then echo page > \"$3/headroom.1\"; else echo \"$1 $2\"; fi\n";
        // By another process: what this one writes stays open in what other tests start, and cannot be run then.
        let write = r#"printf '%s' "$1" > "$0" && chmod +x "$0""#;
        run(Process::new("sh").args(["-c", write]).arg(&program).arg(script)).unwrap();
        let manual = Manual::of(&program, &place.path().join("work")).unwrap();
        let files = manual.files("usr/share/zsh/vendor-completions");
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let expected = [
            "usr/share/man/man1/headroom.1.gz",
            "usr/share/bash-completion/completions/headroom",
            "usr/share/zsh/vendor-completions/_headroom",
            "usr/share/fish/vendor_completions.d/headroom.fish",
        ];
        assert_eq!(paths, expected);
        assert!(files[0].content.starts_with(b"\x1f\x8b"));
        assert_eq!(files[2].content, b"completions zsh\n");
    }

    #[test]
    fn a_program_that_writes_no_page_is_not_packed() {
        let place = tempfile::tempdir().unwrap();
        let error = Manual::of(Path::new("/bin/true"), &place.path().join("work")).unwrap_err();
        assert!(error.to_string().contains("wrote no manual page"), "{error}");
    }
}
