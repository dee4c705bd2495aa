//! Programs that the lab runs itself, and what the kernel says of processes.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Runs a program that must succeed, and gives what it printed.
pub(crate) fn tool(program: &str, words: &[&str]) -> Result<String, String> {
    let typed = || format!("`{program} {}`", words.join(" "));
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("{}: {e}", typed()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", typed(), String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Reads a file of the kernel's.
pub(crate) fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))
}

/// Asks a child to end, kills it if it does not, and waits for it.
pub(crate) fn end(child: &mut Child, patience: Duration) {
    // One that has ended, and was waited for, has no process any more.
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    let until = Instant::now() + patience;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= until {
            let _ = child.kill();
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.wait();
}

/// Seconds of CPU that a process and those of its children that it waited for had: in
/// programs, and altogether (proc_pid_stat(5)).
pub(crate) fn cpu_s(process: &str) -> Option<(f64, f64)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    // utime, stime, cutime and cstime are the fields 14 to 17; the state is the third.
    let ticks: Vec<f64> =
        rest.split_whitespace().skip(11).take(4).filter_map(|word| word.parse().ok()).collect();
    let [user, system, user_of_children, system_of_children]: [f64; 4] = ticks.try_into().ok()?;
    let each = rustix::param::clock_ticks_per_second() as f64;
    let user = user + user_of_children;
    Some((user / each, (user + system + system_of_children) / each))
}

/// Bytes that a process, and those of its children that it waited for, had devices move
/// (proc_pid_io(5)).
pub(crate) fn device_bytes(process: &str) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
    Some(of("read_bytes:")? + of("write_bytes:")?)
}

/// Nanoseconds of CLOCK_MONOTONIC, in which windows are told.
pub(crate) fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    (now.tv_sec as u64) * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_time_grows() {
        let (user, all) = cpu_s("self").unwrap();
        assert!(user >= 0.0 && all >= user, "{user} {all}");
        assert!(device_bytes("self").is_none_or(|bytes| bytes >= 0.0));
        assert!(cpu_s("0").is_none() && device_bytes("0").is_none());
        assert!(now_ns() > 0);
    }

    #[test]
    fn a_child_that_stays_is_ended() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        end(&mut child, Duration::from_secs(5));
        assert!(child.try_wait().unwrap().is_some());
        end(&mut child, Duration::from_secs(5));
    }

    #[test]
    fn a_tool_that_fails_says_why() {
        assert_eq!(tool("echo", &["a", "b"]).unwrap(), "a b");
        assert!(tool("cat", &["/no/such/file"]).unwrap_err().contains("/no/such/file"));
    }
}
