//! Namespaces of a process that ends with the round: network and mounts in them
//! are gone with it, whatever happens.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::{Running, tool_of};
use crate::round::{Round, Trouble};

/// A network namespace and a mount namespace of their own.
pub(crate) struct Namespaces {
    holder: Running,
}

/// Holds the namespaces. Its end is bound to ours, even by SIGKILL; the kernel's
/// switches are those of its own network, and its control groups the machine's, which a new
/// sysfs would hide.
const HOLD: &str = "
    mount -t tmpfs none /mnt && mkdir /mnt/groups && mount --rbind /sys/fs/cgroup /mnt/groups &&
    mount -t sysfs sysfs /sys && mount --rbind /mnt/groups /sys/fs/cgroup && umount -R -l /mnt &&
    echo ready && exec sleep 1d";

impl Namespaces {
    pub(crate) fn new() -> Result<Self, Trouble> {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "unshare", "--net", "--mount", "sh", "-c", HOLD]);
        let mut holder = Running::start(command)?;
        let until = Instant::now() + Duration::from_secs(10);
        while !holder.printed().contains("ready") {
            if holder.has_ended() || Instant::now() >= until {
                return Err(Trouble::Untried(format!("no namespaces: {}", holder.said())));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(Self { holder })
    }

    /// `program` with these arguments, inside, in the round's folder and with its
    /// variables. It is one process, whose id is that of the program.
    fn within(&self, round: &Round, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.holder.id().to_string(), "--net", "--mount"]);
        // A mount namespace is entered at its root.
        command
            .args(["sh", "-c", "cd \"$0\" && exec \"$@\""])
            .arg(round.folder())
            .arg(program)
            .args(arguments);
        for (name, value) in round.variables() {
            command.env(name, value);
        }
        command
    }

    /// `headroom` inside.
    pub(crate) fn headroom(&self, round: &Round, arguments: &[&str]) -> Command {
        self.within(round, &round.program(), arguments)
    }

    /// Runs a tool inside; gives what it printed.
    pub(crate) fn tool(&self, round: &Round, program: &str, arguments: &[&str]) -> Result<String, Trouble> {
        tool_of(self.within(round, program, arguments))
    }

    /// Runs lines of a shell inside.
    pub(crate) fn shell(&self, round: &Round, lines: &str) -> Result<String, Trouble> {
        self.tool(round, "sh", &["-e", "-c", lines])
    }
}
