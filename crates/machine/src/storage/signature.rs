//! What a device holds, by all signatures on it and on its partitions: the real
//! `wipefs` is asked (util-linux), which knows some ninety formats. `blkid`
//! would tell only the one it takes for valid, but whoever writes destroys all.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

/// How long `wipefs` may take: a disk that sleeps needs some ten seconds.
const PATIENCE: Duration = Duration::from_secs(40);
/// Where formats keep their signatures: all that libblkid knows lie within so
/// much of the start (VMFS at 2 MiB is the farthest) or of the end (ZFS's last
/// label is 512 KiB before it).
const START: u64 = 4 << 20;
const END: u64 = 1 << 20;

/// Whether they are on the device asked about or on a partition of it, and the
/// names, each once, as `wipefs` says them.
pub(super) fn of(path: &str) -> Result<Vec<String>, String> {
    let program =
        program().ok_or("wipefs (of util-linux), which tells what a device holds, is not installed")?;
    let output = run(&program, path)?;
    // It takes what it cannot read for empty.
    readable(path).map_err(|e| format!("{path} cannot be read where signatures are: {e}"))?;
    parse(&output).ok_or_else(|| format!("what wipefs says of {path} cannot be understood"))
}

/// The program, by PATH or where administrators' programs are: PATH lacks those
/// folders for ordinary users.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join("wipefs")).find(|file| file.is_file())
}

/// What `wipefs` says of the device at `path`; nothing is written.
fn run(program: &Path, path: &str) -> Result<String, String> {
    let mut child = Command::new(program)
        .args([OsStr::new("--no-act"), "--json".as_ref(), "--".as_ref(), path.as_ref()])
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{} cannot be run: {e}", program.display()))?;
    let status = wait(&mut child).map_err(|e| format!("wipefs of {path}: {e}"))?;
    // What it says is far smaller than a pipe, so it did not wait for us.
    let text = |pipe: Option<&mut dyn Read>| {
        let mut text = Vec::new();
        if let Some(pipe) = pipe {
            let _ = pipe.take(1 << 20).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    };
    let said = text(child.stdout.as_mut().map(|p| p as &mut dyn Read));
    if status.success() {
        return Ok(said);
    }
    let why = text(child.stderr.as_mut().map(|p| p as &mut dyn Read));
    Err(why.lines().next().map_or_else(|| format!("wipefs of {path} failed"), str::to_owned))
}

/// Waits for the end, and not for ever: a device may never answer.
fn wait(child: &mut Child) -> io::Result<std::process::ExitStatus> {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > deadline {
            // Who is stuck in the kernel dies later, or never.
            let _ = child.kill();
            return Err(io::Error::other(format!("no answer within {} s", PATIENCE.as_secs())));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Reads all places where signatures may be.
fn readable(path: &str) -> io::Result<()> {
    let file = File::open(path)?;
    let bytes = rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0))?;
    let mut buffer = vec![0; 1 << 20];
    let mut read = |from: u64, to: u64| {
        let mut at = from;
        while at < to {
            let length = (to - at).min(buffer.len() as u64) as usize;
            file.read_exact_at(&mut buffer[..length], at)?;
            at += length as u64;
        }
        io::Result::Ok(())
    };
    let start = START.min(bytes);
    read(0, start)?;
    read(bytes.saturating_sub(END).max(start), bytes)
}

#[derive(Deserialize)]
struct SignatureList {
    signatures: Vec<Signature>,
}

#[derive(Deserialize)]
struct Signature {
    #[serde(rename = "type")]
    kind: String,
}

/// The names in what `wipefs` said, each once.
fn parse(said: &str) -> Option<Vec<String>> {
    if said.trim().is_empty() {
        return Some(Vec::new());
    }
    let said: SignatureList = serde_json::from_str(said).ok()?;
    let mut names: Vec<String> = Vec::new();
    for Signature { kind } in said.signatures {
        if !names.contains(&kind) {
            names.push(kind);
        }
    }
    // GPT's guard against programs that do not know it is a part of it (UEFI
    // specification, 5.2.3).
    if names.iter().any(|name| name == "gpt") {
        names.retain(|name| name != "PMBR");
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_told_once_and_what_is_garbled_is_not_nothing() {
        let said = |types: &[&str]| {
            let each = types
                .iter()
                .map(|t| format!(r#"{{"device":"sdb","offset":"0x0","type":"{t}","label":null}}"#));
            format!(r#"{{"signatures": [{}]}}"#, each.collect::<Vec<_>>().join(","))
        };
        let names = |types: &[&str]| parse(&said(types)).unwrap();
        assert_eq!(names(&["crypto_LUKS", "ext4", "crypto_LUKS"]), ["crypto_LUKS", "ext4"]);
        assert_eq!(names(&["gpt", "gpt", "PMBR"]), ["gpt"]);
        assert_eq!(names(&["PMBR"]), ["PMBR"]);
        assert!(names(&[]).is_empty() && parse("\n").unwrap().is_empty());
        for garbled in ["{", "{}", "[]", "signatures: ext4", r#"{"signatures": [{"offset": "0x0"}]}"#] {
            assert_eq!(parse(garbled), None, "{garbled}");
        }
    }

    #[test]
    fn a_program_that_fails_says_why() {
        let said = run(Path::new("/usr/bin/false"), "/dev/x").unwrap_err();
        assert_eq!(said, "wipefs of /dev/x failed");
        assert!(run(Path::new("/no/such"), "/dev/x").unwrap_err().contains("cannot be run"));
    }
}
