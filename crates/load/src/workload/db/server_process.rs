//! The processes of a server that is under our kernel, and the CPU time that they used. They are found by a connection:
//! who listens at a Unix socket (`SO_PEERCRED`, unix(7)); of TCP, whose program has the other end of it by
//! `/proc/PID/net/tcp` (proc_pid_net(5)), whatever network namespace it is in. What is behind a proxy is not found.

use std::fs;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use model::database::fact as facts;
use model::{FactName, Value};
use rustix::net::sockopt;

use crate::workload::db::group_quota;
use crate::workload::db::url::DatabaseSystem;

/// Why nobody can say which processes it is.
const UNSEEN: &str = "no process of a server is seen at the other end: it may be behind a proxy";

/// Where a server runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) enum ServerPlace {
    /// Under another kernel, as far as can be seen.
    Elsewhere,
    /// Here, in these processes.
    Here(FirstProcess),
    /// Here, and nobody can say in which processes.
    Hidden(&'static str),
}

/// The first process of a server: it is the one that there is, or the parent of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct FirstProcess {
    id: u32,
    /// When it was started, in ticks since the machine was: another one may get its number.
    started_ticks: u64,
    /// How many CPUs it may use.
    cpus: Option<u64>,
    /// CPU time that its control groups let it have in each second, microseconds.
    quota_us: Option<u64>,
}

impl ServerPlace {
    /// Where the server of this system is to which `socket` is connected.
    pub(in crate::workload) fn of(system: DatabaseSystem, socket: BorrowedFd<'_>) -> Self {
        let Some((own, peer)) = addresses(socket) else { return Self::of_unix(system, socket) };
        let programs: Vec<ProcessStat> =
            processes().into_iter().filter(|process| is_program(system, process)).collect();
        // In the network namespace of this thread, or in one that a server is in.
        let entry = other_end("thread-self", own, peer)
            .or_else(|| programs.iter().find_map(|process| other_end(&process.id.to_string(), own, peer)));
        let Some(entry) = entry else { return Self::Elsewhere };
        let candidates: Vec<&ProcessStat> =
            programs.iter().filter(|process| user_of(process.id) == Some(entry.user)).collect();
        let is_first = |process: &&ProcessStat| candidates.iter().all(|other| other.id != process.parent);
        let first: Vec<&ProcessStat> = candidates.iter().copied().filter(is_first).collect();
        let owns = |process: &ProcessStat| has_socket(process.id, entry.inode);
        if let Some(owner) = candidates.iter().find(|process| owns(process) == Some(true)) {
            let is_of = |process: &&&ProcessStat| [owner.id, owner.parent].contains(&process.id);
            return first.iter().find(is_of).map_or(Self::Hidden(UNSEEN), |process| Self::here(process));
        }
        // Those of other users do not let everybody look at what they have open.
        match first.as_slice() {
            [one] if candidates.iter().any(|process| owns(process).is_none()) => Self::here(one),
            [] | [_] => Self::Hidden(UNSEEN),
            _ => Self::Hidden("several servers run here, and it cannot be seen whose the other end is"),
        }
    }

    fn of_unix(system: DatabaseSystem, socket: BorrowedFd<'_>) -> Self {
        let listener = sockopt::socket_peercred(socket).ok().and_then(|peer| {
            // One that is not seen from here has the number 0.
            u32::try_from(peer.pid.as_raw_pid()).ok().filter(|id| *id > 0)
        });
        let found = listener.and_then(ProcessStat::read).filter(|process| is_program(system, process));
        found.map_or(
            Self::Hidden("no process of a server is seen at the other end of its socket"),
            |process| Self::here(&process),
        )
    }

    fn here(process: &ProcessStat) -> Self {
        Self::Here(FirstProcess {
            id: process.id,
            started_ticks: process.started_ticks,
            cpus: cpus_allowed(process.id),
            quota_us: group_quota::of_process(process.id),
        })
    }

    /// CPU seconds that its processes used so far, those that ended among them.
    pub(in crate::workload) fn cpu_s(&self) -> Option<f64> {
        match self {
            Self::Here(process) => process.cpu_s(),
            Self::Elsewhere | Self::Hidden(_) => None,
        }
    }

    /// Whether it is here, and in what.
    pub(in crate::workload) fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = vec![(facts::SERVER_IS_HERE, Value::Bool(*self != Self::Elsewhere))];
        match self {
            Self::Elsewhere => {}
            Self::Hidden(why) => {
                facts.push((FactName::new("server_cpu_missing"), Value::Text((*why).to_owned())));
            }
            Self::Here(process) => {
                facts.extend(process.cpus.map(|cpus| (facts::SERVER_CPUS, Value::Integer(cpus))));
                let quota = process.quota_us.map(|quota_us| Value::Number(quota_us as f64 / 1e6));
                facts.extend(quota.map(|cpus| (facts::SERVER_CPU_QUOTA, cpus)));
            }
        }
        facts
    }
}

impl FirstProcess {
    fn cpu_s(&self) -> Option<f64> {
        // Children first: one that ends meanwhile is counted twice rather than not at all.
        let of_children: u64 =
            children(self.id).into_iter().filter_map(ProcessStat::read).map(|child| child.own_ticks).sum();
        let first =
            ProcessStat::read(self.id).filter(|process| process.started_ticks == self.started_ticks)?;
        let ticks = first.own_ticks + first.ended_ticks + of_children;
        Some(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }
}

/// What `/proc/PID/stat` says of a process (proc_pid_stat(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProcessStat {
    id: u32,
    /// Up to 15 bytes of the name of its program.
    name: String,
    parent: u32,
    /// `utime` and `stime`; those of its children that ended.
    own_ticks: u64,
    ended_ticks: u64,
    started_ticks: u64,
}

impl ProcessStat {
    fn read(id: u32) -> Option<Self> {
        Self::parse(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    fn parse(id: u32, text: &str) -> Option<Self> {
        // A name may have brackets and spaces in it.
        let (head, tail) = text.rsplit_once(") ")?;
        let (_, name) = head.split_once('(')?;
        let fields: Vec<&str> = tail.split_whitespace().collect();
        // The first of these is the third field of the line.
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Self {
            id,
            name: name.to_owned(),
            parent: u32::try_from(number(4)?).ok()?,
            own_ticks: number(14)? + number(15)?,
            ended_ticks: number(16)? + number(17)?,
            started_ticks: number(22)?,
        })
    }
}

/// Whether this is a server of the system, by the name of its program.
fn is_program(system: DatabaseSystem, process: &ProcessStat) -> bool {
    let names: &[&str] = match system {
        DatabaseSystem::MySql => &["mariadbd", "mysqld"],
        DatabaseSystem::Postgres => &["postgres"],
        DatabaseSystem::Sqlite => &[],
    };
    names.contains(&process.name.as_str())
}

/// All processes that are seen here.
fn processes() -> Vec<ProcessStat> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter_map(ProcessStat::read).collect()
}

/// The children of a process.
fn children(id: u32) -> Vec<u32> {
    match fs::read_to_string(format!("/proc/{id}/task/{id}/children")) {
        Ok(text) => text.split_whitespace().filter_map(|child| child.parse().ok()).collect(),
        // A kernel without CONFIG_PROC_CHILDREN.
        Err(_) => {
            let is_child = |process: &ProcessStat| process.parent == id;
            processes().into_iter().filter(is_child).map(|process| process.id).collect()
        }
    }
}

/// A line of `/proc/PID/status`, without its name.
fn status(id: u32, name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

/// The user whose rights a process has.
fn user_of(id: u32) -> Option<u32> {
    status(id, "Uid")?.split_whitespace().nth(1)?.parse().ok()
}

/// How many CPUs a process may use.
fn cpus_allowed(id: u32) -> Option<u64> {
    cpus_in(&status(id, "Cpus_allowed_list")?)
}

/// How many CPUs a list as `0-3,8` has.
fn cpus_in(list: &str) -> Option<u64> {
    list.split(',').try_fold(0, |all: u64, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        all.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// Whether a process has the socket of this inode open; none where it does not let us look.
fn has_socket(id: u32, inode: u64) -> Option<bool> {
    let link = format!("socket:[{inode}]");
    let open = fs::read_dir(format!("/proc/{id}/fd")).ok()?;
    let mut links = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    Some(links.any(|to| to == Path::new(&link)))
}

/// Our own address and the server's; none of what is no connection of TCP.
fn addresses(socket: impl AsFd) -> Option<(SocketAddr, SocketAddr)> {
    let own = rustix::net::getsockname(&socket).ok()?;
    let peer = rustix::net::getpeername(&socket).ok()??;
    Some((SocketAddr::try_from(own).ok()?, SocketAddr::try_from(peer).ok()?))
}

/// What the kernel says of the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SocketEntry {
    user: u32,
    inode: u64,
}

/// The end at `peer` of the connection with `own`, if it is in the network namespace of `process`, as `/proc` calls it.
fn other_end(process: &str, own: SocketAddr, peer: SocketAddr) -> Option<SocketEntry> {
    ["tcp", "tcp6"].into_iter().find_map(|table| {
        let text = fs::read_to_string(format!("/proc/{process}/net/{table}")).ok()?;
        entry(&text, &[written(peer, table), written(own, table)])
    })
}

/// The line of a table of sockets that has these two addresses.
fn entry(table: &str, addresses: &[String; 2]) -> Option<SocketEntry> {
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.get(1..3)? != addresses.as_slice() {
            return None;
        }
        Some(SocketEntry { user: fields.get(7)?.parse().ok()?, inode: fields.get(9)?.parse().ok()? })
    })
}

/// An address as a table of sockets has it: words of the machine's own byte order, in hexadecimal.
fn written(address: SocketAddr, table: &str) -> String {
    let octets = match address {
        SocketAddr::V4(v4) if table == "tcp" => v4.ip().octets().to_vec(),
        // A server that listens at both has those of IPv4 as mapped ones.
        SocketAddr::V4(v4) => v4.ip().to_ipv6_mapped().octets().to_vec(),
        SocketAddr::V6(v6) => v6.ip().octets().to_vec(),
    };
    let words = octets.as_chunks::<4>().0.iter().map(|word| format!("{:08X}", u32::from_ne_bytes(*word)));
    format!("{}:{:04X}", words.collect::<String>(), address.port())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_program_is_called() {
        let line = "42 (post gres) x) S 7 42 42 0 -1 4194304 1 2 3 4 100 20 5 6 20 0 1 0 999 1000 10";
        let stat = ProcessStat::parse(42, line).unwrap();
        assert_eq!((stat.name.as_str(), stat.parent, stat.own_ticks), ("post gres) x", 7, 120));
        assert_eq!((stat.ended_ticks, stat.started_ticks), (11, 999));
        assert_eq!(ProcessStat::parse(42, "42 (x) S 7"), None);
        let own = ProcessStat::read(std::process::id()).unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
    }

    #[test]
    fn lists_of_cpus_are_counted() {
        assert_eq!(
            [cpus_in("0-3,8"), cpus_in("5"), cpus_in("3-1"), cpus_in("")],
            [Some(5), Some(1), None, None]
        );
    }

    #[test]
    fn the_cpu_time_of_a_process_is_that_of_its_children_too() {
        let own = ProcessStat::read(std::process::id()).unwrap();
        let process =
            FirstProcess { id: own.id, started_ticks: own.started_ticks, cpus: None, quota_us: None };
        let before_s = process.cpu_s().unwrap();
        let ended = std::process::Command::new("/bin/sh")
            .args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])
            .status()
            .unwrap();
        assert!(ended.success());
        assert!(process.cpu_s().unwrap() > before_s);
        let other = FirstProcess { started_ticks: own.started_ticks + 1, ..process };
        assert_eq!(other.cpu_s(), None, "another process has its number");
    }

    /// The process at the other end is this one, which is no server.
    #[test]
    fn the_other_end_of_a_connection_is_found_and_has_to_be_a_server() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (served, _) = listener.accept().unwrap();
        let (own, peer) = addresses(&client).unwrap();
        let entry = other_end("thread-self", own, peer).unwrap();
        assert_eq!(other_end(&std::process::id().to_string(), own, peer), Some(entry));
        assert_eq!(Some(entry.user), user_of(std::process::id()));
        assert_eq!(has_socket(std::process::id(), entry.inode), Some(true), "{entry:?}");
        assert_eq!(has_socket(std::process::id(), 0), Some(false));
        assert!(matches!(ServerPlace::of(DatabaseSystem::MySql, client.as_fd()), ServerPlace::Hidden(_)));
        drop((listener, served));
        let elsewhere = "192.0.2.1:5432".parse().unwrap();
        assert_eq!(other_end("thread-self", own, elsewhere), None);
        assert_eq!(ServerPlace::Elsewhere.facts(), [(facts::SERVER_IS_HERE, Value::Bool(false))]);
    }

    #[test]
    fn who_listens_at_a_unix_socket_has_to_be_a_server() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let path = folder.path().join("s");
        let _listener = UnixListener::bind(&path).unwrap();
        let client = UnixStream::connect(&path).unwrap();
        assert_eq!(addresses(&client), None);
        let place = ServerPlace::of(DatabaseSystem::Postgres, client.as_fd());
        assert!(matches!(place, ServerPlace::Hidden(_)), "{place:?}");
        let facts = place.facts();
        assert_eq!(facts[0], (facts::SERVER_IS_HERE, Value::Bool(true)));
        assert_eq!(facts[1].0.as_str(), "server_cpu_missing");
    }

    #[test]
    fn addresses_are_written_as_the_kernel_writes_them() {
        let v4: SocketAddr = "127.0.0.1:3306".parse().unwrap();
        if cfg!(target_endian = "little") {
            assert_eq!(written(v4, "tcp"), "0100007F:0CEA");
            assert_eq!(written(v4, "tcp6"), "0000000000000000FFFF00000100007F:0CEA");
        }
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
                     1: A:1 B:2 01 00000000:00000000 00:00000000 00000000   104        0 4711 1 x\n";
        let of = |a: &str, b: &str| entry(table, &[a.to_owned(), b.to_owned()]);
        assert_eq!(of("A:1", "B:2"), Some(SocketEntry { user: 104, inode: 4711 }));
        assert_eq!(of("B:2", "A:1"), None);
    }
}
