//! Real loop devices that come to mean something else between the survey and
//! the claim: as when a drive is pulled and another one gets its name.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use load::fixture::FixtureStore;
use load::workload;
use machine::Host;
use model::machine::Inventory;
use model::plan::{LoadSpec, Ownership, Survey};
use model::{ParameterName, WorkloadName};

use super::{host_info, survey};

const BYTES: u64 = 8 << 20;

fn tool(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|e| e.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A loop device, detached however the test ends.
struct Loop(String);

impl Loop {
    /// None, said on the way, where there are no loop devices for us.
    fn on(file: &Path) -> Option<Self> {
        match tool("losetup", &["--find", "--show", &file.to_string_lossy()]) {
            Ok(device) => Some(Self(device)),
            Err(why) => {
                assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {why}");
                println!("skipped: no loop device can be made: {why}");
                None
            }
        }
    }

    /// Attaches the same device to another file.
    fn attach_again(&self, file: &Path) {
        tool("losetup", &["--detach", &self.0]).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        // Whoever looks at it at that moment holds it a little longer.
        while let Err(why) = tool("losetup", &[&self.0, &file.to_string_lossy()]) {
            assert!(Instant::now() < end, "{why}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = tool("losetup", &["--detach", &self.0]);
    }
}

/// A file of bytes that no file system made.
fn image(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, vec![7; BYTES as usize]).unwrap();
    path
}

/// A file that is an ext4 with something in it.
fn ext4(folder: &Path, name: &str) -> PathBuf {
    let content = folder.join(format!("content of {name}"));
    std::fs::create_dir(&content).unwrap();
    std::fs::write(content.join("letter"), name).unwrap();
    let path = folder.join(name);
    File::create(&path).unwrap().set_len(BYTES).unwrap();
    tool("mkfs.ext4", &["-q", "-d", &content.to_string_lossy(), &path.to_string_lossy()]).unwrap();
    path
}

/// The survey of a load that writes all of `device` before it begins; everything
/// on it is given up.
fn surveyed(device: &str, pattern: &str) -> Survey {
    let mut inventory = Inventory::default();
    inventory.cpu.allowed = vec![0];
    inventory.memory.available_bytes = 1 << 30;
    let host_info = host_info(&inventory, &[device.to_owned()], &["ext4".to_owned()]);
    let mut load = LoadSpec::new(WorkloadName::new("disk"), model::Parameters::default());
    let state = if pattern == "write" { "fill" } else { "none" };
    let words = [("target", device), ("pattern", pattern), ("precondition", state), ("engine", "sync")];
    words.into_iter().for_each(|(name, value)| load.parameters.set(ParameterName::new(name), value));
    let survey = survey(vec![load], &inventory, (&host_info, &FixtureStore::default()), &Host::this());
    assert_eq!(survey.problem, None);
    survey
}

/// As an agent makes what is wanted that has nothing yet.
fn made(survey: &Survey) -> Result<FixtureStore, String> {
    let mut fixtures = FixtureStore::new(workload::FIXTURES);
    let host_info = host_info(&Inventory::default(), &[], &[]);
    let mut made = survey.fixtures.iter().map(|key| fixtures.make(key, &host_info, &mut |_| true));
    made.try_for_each(|made| made).map_err(|fault| fault.to_string())?;
    Ok(fixtures)
}

#[test]
fn a_loop_device_that_was_attached_to_another_file_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    for make in [image, ext4] {
        let (given_up, precious) = (make(folder.path(), "given up"), make(folder.path(), "precious"));
        let before = std::fs::read(&precious).unwrap();
        let Some(disk) = Loop::on(&given_up) else { return };
        let survey = surveyed(&disk.0, "write");
        assert_eq!(survey.fixtures[0].ownership, Ownership::Surrendered);
        disk.attach_again(&precious);
        let told = made(&survey).unwrap_err();
        assert!(told.contains("the loop device was attached to another file"), "{told}");
        // Looked at once more it is read, for one.
        made(&surveyed(&disk.0, "read")).unwrap();
        // The same file again is not what was looked at either: it was away.
        disk.attach_again(&given_up);
        let told = made(&survey).unwrap_err();
        assert!(told.contains("attached again"), "{told}");
        drop(disk);
        assert!(std::fs::read(&precious).unwrap() == before, "it was overwritten");
        for file in [given_up, precious] {
            std::fs::remove_file(file).unwrap();
        }
        let _ = std::fs::remove_dir_all(folder.path().join("content of given up"));
        let _ = std::fs::remove_dir_all(folder.path().join("content of precious"));
    }
}

#[test]
fn an_agent_after_one_that_died_overwrites_only_what_was_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (given_up, precious) = (image(folder.path(), "given up"), image(folder.path(), "precious"));
    let before = std::fs::read(&precious).unwrap();
    let Some(disk) = Loop::on(&given_up) else { return };
    let survey = surveyed(&disk.0, "write");
    // One agent after the other; what they wrote does not make it another device.
    for _ in 0..2 {
        made(&survey).unwrap();
    }
    assert!(std::fs::read(&given_up).unwrap() != before, "nothing was written");
    disk.attach_again(&precious);
    let told = made(&survey).unwrap_err();
    assert!(told.contains("nothing is written to") && told.contains("another file"), "{told}");
    drop(disk);
    assert!(std::fs::read(&precious).unwrap() == before, "it was overwritten");
}

#[test]
fn a_device_that_is_read_is_the_one_that_was_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (image(folder.path(), "one"), image(folder.path(), "other"));
    let Some(disk) = Loop::on(&one) else { return };
    let survey = surveyed(&disk.0, "read");
    made(&survey).unwrap();
    disk.attach_again(&other);
    let told = made(&survey).unwrap_err();
    assert!(told.contains("nothing is read from") && told.contains("another file"), "{told}");
}
