//! `smt`: whether sibling hardware threads are on (`/sys/devices/system/cpu/smt/control`,
//! `Documentation/ABI/testing/sysfs-devices-system-cpu`, `kernel/cpu.c`).
//!
//! The kernel takes the siblings offline, and whoever kept to one of them is moved. What that changes
//! and can be read is in `smt_state`, and is put back when the CPUs are there again. Which CPUs were
//! online is written down with the switch: it brings back also those that somebody had taken offline
//! alone.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use model::resource::cpu_list;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError, find, kernel_file, smt_state};
use crate::Host;
use crate::host::parse_cpu_list;

const CPUS: &str = "/sys/devices/system/cpu";
const CONTROL: &str = "smt/control";
const ON: &str = "on";
const OFF: &str = "off";
const ONLINE: &str = "online";
const OFFLINE: &str = "offline";

/// What lies with the CPUs that go, and is set anew or not there meanwhile.
const APART: &[&str] = &["irq-affinity", "governor", "frequency-max", "turbo"];
/// Of these what each policy has (`cpufreq_offline` in `drivers/cpufreq/cpufreq.c`: a policy that
/// loses its last CPU keeps its governor and its limits, but not what the governor was told).
const OF_POLICIES: &[&str] = &["governor", "frequency-max"];

pub(super) struct Smt;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        model::setting::SMT,
        Kind::Flag,
        "Whether the cores of the processor run several hardware threads each (SMT, Hyper-Threading). Without it, the \
         kernel takes all but the first thread of each core offline (/sys/devices/system/cpu/smt/control), so that \
         every core has one CPU. It is refused where the processor or the kernel has no such switch, where it was \
         switched off until the next boot (forceoff), where several but not all threads of a core are on, and while a \
         thread of a program, or a control group with processes, may use only CPUs that would go offline. CPUs are put \
         back online as they were, and after them the lists that the kernel changed: of interrupts, of control groups \
         with their own CPUs (version 1), of transmit queues (XPS), of resctrl; and governor and frequency-max of each \
         policy. **What programs bound to a CPU that goes offline cannot be read, and is not put back**: perf \
         counters, and before Linux 6.2 the CPUs of threads in a control group with its own CPUs; nor which of its \
         CPUs handles an interrupt now, nor governor parameters that each policy has for itself. It belongs to the \
         whole machine, with a peer to both.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "whether cores run several hardware threads",
};

/// The switch, and the CPUs that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SmtState {
    /// `on`, `off`, or how many threads of each core are on.
    control: String,
    online: Vec<u32>,
    offline: Vec<u32>,
}

impl Setting for Smt {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn not_beside(&self) -> &'static [&'static str] {
        APART
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(CPUS), resource)
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(shown(&state(Path::new(CPUS), resource)?))
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        match (parsed(now), parsed(before)) {
            (Some(now), Some(before)) => is_as_before(&now, &before),
            _ => false,
        }
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let cpus = Path::new(CPUS);
        let Value::Bool(is_on) = value else { return write(cpus, resource, value) };
        let going = if *is_on { Vec::new() } else { smt_state::going(&Host::this()).map_err(refused)? };
        let mut expected = state(cpus, resource)?.online;
        expected.retain(|cpu| !going.contains(cpu));
        write(cpus, resource, value)?;
        let online = state(cpus, resource)?.online;
        // What was written down was for those.
        if *is_on || online == expected {
            return Ok(());
        }
        Err(refused(format!(
            "CPU {} should stay online, the first of each core, but the kernel left {} online",
            cpu_list(&expected),
            cpu_list(&online)
        )))
    }

    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        if self.read(resource)? == *value {
            return Ok(Vec::new());
        }
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let host = Host::this();
        let mut going = Vec::new();
        if *value == Value::Bool(false) {
            going = smt_state::going(&host).map_err(refused)?;
            if going.is_empty() {
                return Err(refused("no core has a second thread that is online".to_owned()));
            }
            if let Some(reason) = smt_state::bound(&host, &going) {
                return Err(refused(reason));
            }
        }
        let mut effects = smt_state::lists(&host, &going).map_err(refused)?;
        let of_policies = |name: &&str| {
            let before = find(name)?.read_each(resource).ok()?;
            Some(SideEffect { setting: (*name).to_owned(), resource: resource.clone(), before })
        };
        effects.extend(OF_POLICIES.iter().filter_map(of_policies));
        Ok(effects)
    }
}

/// How it stands.
fn state(cpus: &Path, resource: &Resource) -> Result<SmtState, SettingError> {
    let unreadable = |reason: String| SettingError::unreadable(&SPEC, resource, reason);
    let path = cpus.join(CONTROL);
    let text = fs::read_to_string(&path).map_err(|error| {
        unreadable(match error.kind() {
            ErrorKind::NotFound => "this kernel has no switch for it (CONFIG_HOTPLUG_SMT)".to_owned(),
            _ => format!("{}: {error}", path.display()),
        })
    })?;
    let control = match text.trim() {
        word @ (ON | OFF) => word.to_owned(),
        "forceoff" => {
            return Err(unreadable("it was switched off until the next boot (forceoff)".to_owned()));
        }
        "notsupported" => {
            return Err(unreadable("the processor shows one thread of each core only".to_owned()));
        }
        "notimplemented" => {
            return Err(unreadable("this kernel cannot switch it (notimplemented)".to_owned()));
        }
        number if number.parse::<u32>().is_ok() => number.to_owned(),
        other => return Err(unreadable(format!("{}: `{other}` is no such state", path.display()))),
    };
    let list = |leaf: &str| {
        let path = cpus.join(leaf);
        let text = fs::read_to_string(&path).map_err(|e| unreadable(format!("{}: {e}", path.display())))?;
        parse_cpu_list(&text)
            .ok_or_else(|| unreadable(format!("{}: `{}` is no list", path.display(), text.trim())))
    };
    let (online, mut offline) = (list(ONLINE)?, list("present")?);
    offline.retain(|cpu| !online.contains(cpu));
    Ok(SmtState { control, online, offline })
}

fn read(cpus: &Path, resource: &Resource) -> Result<Value, SettingError> {
    match state(cpus, resource)?.control.as_str() {
        ON => Ok(Value::Bool(true)),
        OFF => Ok(Value::Bool(false)),
        number => Err(SettingError::unreadable(
            &SPEC,
            resource,
            format!("{number} threads of each core are on, which is neither all nor one"),
        )),
    }
}

/// What is written down: `on`, `online:0-3`, `offline:4`.
fn shown(state: &SmtState) -> Value {
    let list = |name: &str, cpus: &[u32]| Value::Text(format!("{name}:{}", cpu_list(cpus)));
    Value::List(vec![
        Value::Text(state.control.clone()),
        list(ONLINE, &state.online),
        list(OFFLINE, &state.offline),
    ])
}

fn parsed(value: &Value) -> Option<SmtState> {
    let Value::List(parts) = value else { return None };
    let [Value::Text(control), Value::Text(online), Value::Text(offline)] = &parts[..] else { return None };
    let list = |text: &str, name: &str| parse_cpu_list(text.strip_prefix(name)?.strip_prefix(':')?);
    Some(SmtState {
        control: control.clone(),
        online: list(online, ONLINE)?,
        offline: list(offline, OFFLINE)?,
    })
}

/// Whether those CPUs that are still there are as they were, and the switch.
fn is_as_before(now: &SmtState, before: &SmtState) -> bool {
    now.control == before.control
        && !before.online.iter().any(|cpu| now.offline.contains(cpu))
        && !before.offline.iter().any(|cpu| now.online.contains(cpu))
}

fn write(cpus: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let put = |leaf: &str, text: &str| put(&cpus.join(leaf), text).map_err(refused);
    if let Value::Bool(is_on) = value {
        return put(CONTROL, if *is_on { ON } else { OFF });
    }
    let before = parsed(value).ok_or_else(|| refused("it is neither yes nor no".to_owned()))?;
    let now = state(cpus, resource)?;
    // A switch that stuck half-way is moved on by the same word.
    if !is_as_before(&now, &before) {
        put(CONTROL, &before.control)?;
    }
    let now = state(cpus, resource)?;
    let up = before.online.iter().filter(|cpu| now.offline.contains(cpu)).map(|cpu| (cpu, "1"));
    let down = before.offline.iter().filter(|cpu| now.online.contains(cpu)).map(|cpu| (cpu, "0"));
    // One that is refused keeps no other from its own.
    let mut first = None;
    for (cpu, text) in up.chain(down) {
        if let Err(error) = put(&format!("cpu{cpu}/{ONLINE}"), text) {
            first.get_or_insert(error);
        }
    }
    first.map_or(Ok(()), Err)
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    kernel_file::write(path, text).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::PermissionDenied => "; it needs root of the machine itself",
            ErrorKind::ResourceBusy => {
                "; a CPU cannot be taken offline now (a deadline task, a real-time partition?)"
            }
            _ => "",
        };
        format!("{}: {error}{why}", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: Resource = Resource::MACHINE;

    /// CPUs 0 to 3 and 4, which is offline.
    fn tree(control: &str, online: &str) -> tempfile::TempDir {
        let cpus = tempfile::tempdir().unwrap();
        fs::create_dir(cpus.path().join("smt")).unwrap();
        for cpu in 0..5 {
            fs::create_dir(cpus.path().join(format!("cpu{cpu}"))).unwrap();
            fs::write(cpus.path().join(format!("cpu{cpu}/online")), "").unwrap();
        }
        set(cpus.path(), control, online);
        fs::write(cpus.path().join("present"), "0-4\n").unwrap();
        cpus
    }

    fn set(cpus: &Path, control: &str, online: &str) {
        fs::write(cpus.join(CONTROL), format!("{control}\n")).unwrap();
        fs::write(cpus.join("online"), format!("{online}\n")).unwrap();
    }

    #[test]
    fn the_switch_is_read_and_written() {
        let cpus = tree("on", "0-3");
        for is_on in [false, true] {
            write(cpus.path(), &MACHINE, &Value::Bool(is_on)).unwrap();
            assert_eq!(read(cpus.path(), &MACHINE), Ok(Value::Bool(is_on)));
        }
        assert!(write(cpus.path(), &MACHINE, &"on".into()).is_err());
        for (control, says) in [
            ("forceoff", "until the next boot"),
            ("notsupported", "one thread"),
            ("notimplemented", "cannot switch"),
            ("2", "neither all nor one"),
            ("?", "no such state"),
        ] {
            set(cpus.path(), control, "0-3");
            let error = read(cpus.path(), &MACHINE).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let none = tempfile::tempdir().unwrap();
        let error = read(none.path(), &MACHINE).unwrap_err().to_string();
        assert!(error.contains("CONFIG_HOTPLUG_SMT"), "{error}");
    }

    #[test]
    fn cpus_are_put_back_as_they_were_also_those_that_were_offline_alone() {
        let cpus = tree("on", "0-3");
        let now = || state(cpus.path(), &MACHINE).unwrap();
        let before = shown(&now());
        assert_eq!(before.to_string(), "on+online:0-3+offline:4");
        assert_eq!(parsed(&before), Some(now()));
        // The kernel took the siblings.
        set(cpus.path(), "off", "0-1");
        assert!(!is_as_before(&now(), &parsed(&before).unwrap()));
        // It stuck, or brought them back but for one, and one more.
        set(cpus.path(), "off", "0-2,4");
        write(cpus.path(), &MACHINE, &before).unwrap();
        let text = |leaf: &str| fs::read_to_string(cpus.path().join(leaf)).unwrap();
        assert_eq!(text(CONTROL), "on");
        let written: Vec<String> = (0..5).map(|cpu| text(&format!("cpu{cpu}/online"))).collect();
        assert_eq!(written, ["", "", "", "1", "0"]);
        set(cpus.path(), "on", "0-3");
        assert!(is_as_before(&now(), &parsed(&before).unwrap()));
        // One more came, and one went for good: those are not ours.
        set(cpus.path(), "on", "0-2,5");
        fs::write(cpus.path().join("present"), "0-2,4-5\n").unwrap();
        assert!(is_as_before(&now(), &parsed(&before).unwrap()));
    }

    #[test]
    fn a_cpu_that_cannot_be_brought_back_keeps_no_other_from_it() {
        let cpus = tree("off", "0");
        let before = Value::List(vec!["off".into(), "online:0,2-3".into(), "offline:".into()]);
        fs::remove_file(cpus.path().join("cpu2/online")).unwrap();
        let error = write(cpus.path(), &MACHINE, &before).unwrap_err().to_string();
        assert!(error.contains("cpu2/online"), "{error}");
        assert_eq!(fs::read_to_string(cpus.path().join("cpu3/online")).unwrap(), "1");
    }

    #[test]
    fn what_is_written_down_has_one_form() {
        for garbled in [
            Value::Bool(true),
            Value::List(Vec::new()),
            Value::List(vec!["on".into(), "online:x".into(), "offline:".into()]),
            Value::List(vec!["on".into(), "offline:1".into(), "online:0".into()]),
        ] {
            assert_eq!(parsed(&garbled), None, "{garbled}");
        }
    }
}
