//! The tools that can be held against Headroom: one file each, and one line in [`TOOLS`].

mod dd;
mod fio;
mod hdparm;
mod ioping;
mod iperf;
mod iperf3;
mod mysqlslap;
mod netperf;
mod nuttcp;
mod pgbench;
mod sysbench;
mod wrk;

use std::path::Path;

use load::host::HostInfo;
use load::workload::db::server::StartedDatabase;
use model::plan::Problem;

/// What is asked of both sides, and where.
#[derive(Clone, Debug, Default)]
pub(super) struct VerifyPlan {
    /// How long each time.
    pub(super) seconds: u32,
    /// A folder for files, or a device; empty where neither is used.
    pub(super) target: String,
    /// A folder of ours for what a server that is started needs.
    pub(super) folder: String,
    /// Ports of the loopback interface that nobody has.
    pub(super) ports: [u16; 2],
    /// The socket of a database that was started, or the folder of it, as its clients are told; empty without one.
    pub(super) socket: String,
    /// The user of that database.
    pub(super) user: String,
}

/// One tool.
pub(super) struct VerifiedTool {
    /// Its program.
    pub(super) program: &'static str,
    /// Debian's package with it.
    pub(super) package: &'static str,
    /// What is compared, in a few words.
    pub(super) doc: &'static str,
    /// The oldest version whose options these are; none where it does not tell its version.
    pub(super) oldest: Option<OldestVersion>,
    /// What it works on.
    pub(super) target: TargetKind,
    /// Its command.
    pub(super) command: fn(&VerifyPlan) -> Vec<String>,
    /// What it has to do before the first time: it makes what is read.
    pub(super) before: Option<fn(&VerifyPlan) -> Vec<String>>,
    /// What has to run meanwhile.
    pub(super) server: VerifyServer,
    /// In what it is known to do other work, or to count otherwise, in a sentence.
    pub(super) differs: Option<&'static str>,
}

/// What a tool works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    /// Nothing that is named.
    Nothing,
    /// Files of its own, in a folder.
    Folder,
    /// A block device, which is only read.
    Device,
}

/// The oldest version of a tool that is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct OldestVersion {
    /// The option that has it tell its version.
    pub(super) option: &'static str,
    /// The first two numbers of the version.
    pub(super) numbers: (u32, u32),
}

/// What runs beside a tool.
pub(super) enum VerifyServer {
    /// Nothing.
    Nobody,
    /// A program.
    Program(ServerProgram),
    /// A server of databases of ours, which both sides use.
    Database(StartsDatabase),
}

/// Starts a server of databases: in this folder, with room for so many bytes of tables.
pub(super) type StartsDatabase =
    fn(&Path, u64, &HostInfo, &mut dyn FnMut() -> bool) -> Result<StartedDatabase, Problem>;

/// A program that is started to serve a tool.
pub(super) struct ServerProgram {
    /// Its name.
    pub(super) program: &'static str,
    /// Debian's package with it.
    pub(super) package: &'static str,
    /// Its command. It listens at the first port, and stays in the foreground.
    pub(super) command: fn(&VerifyPlan) -> Vec<String>,
    /// Files in the folder of the plan that it needs, by their names.
    pub(super) files: fn(&VerifyPlan) -> Vec<(&'static str, String)>,
    /// Where it runs, and how long.
    pub(super) place: ServerPlace,
}

/// Where a program runs that serves, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerPlace {
    /// It listens at the loopback interface, and ends with its first client: it is started for each.
    OneClient,
    /// It listens at the loopback interface, all the time.
    Loopback,
    /// It would listen at every address, so that it runs in a network namespace of its own, and so do both sides.
    Namespace,
}

/// Every tool, in documentation order.
pub(super) const TOOLS: &[VerifiedTool] = &[
    fio::FIO,
    ioping::IOPING,
    dd::DD,
    hdparm::HDPARM,
    sysbench::SYSBENCH,
    iperf3::IPERF3,
    iperf::IPERF,
    netperf::NETPERF,
    nuttcp::NUTTCP,
    wrk::WRK,
    pgbench::PGBENCH,
    mysqlslap::MYSQLSLAP,
];

/// Words between spaces.
fn split(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// What a server needs that needs no files.
fn no_files(_: &VerifyPlan) -> Vec<(&'static str, String)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use import::tool;

    use super::*;

    /// A plan with a value for everything.
    pub(super) fn plan() -> VerifyPlan {
        VerifyPlan {
            seconds: 2,
            target: "/data/x".to_owned(),
            folder: "/tmp/y".to_owned(),
            ports: [5201, 5202],
            socket: "/tmp/z".to_owned(),
            user: "me".to_owned(),
        }
    }

    /// The workload that does the same as the tool's command, whose output is this, by the tool's reader.
    pub(super) fn same_work(verified: &VerifiedTool, printed: &str) -> Option<String> {
        let command = (verified.command)(&plan()).join(" ");
        let output = tool::read("", format!("$ {command}\n{printed}").as_bytes()).unwrap();
        let [result] = output.results.as_slice() else {
            panic!("{} results of {command}", output.results.len())
        };
        let workload = result.workload?;
        let each: Vec<String> =
            result.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(format!("{workload} {}", each.join(" ")))
    }

    #[test]
    fn the_command_of_each_tool_is_read_as_its_own() {
        for verified in TOOLS {
            let command = (verified.command)(&plan());
            assert_eq!(command[0], verified.program);
            assert!(!verified.doc.is_empty() && !verified.package.is_empty());
            let reader = tool::readers().find(|reader| reader.programs().contains(&verified.program));
            assert!(reader.is_some(), "nobody reads {}", verified.program);
            let has_target = |words: &[String]| words.iter().any(|word| word.contains("/data/x"));
            assert_eq!(has_target(&command), verified.target != TargetKind::Nothing, "{command:?}");
            let before = verified.before.map(|before| before(&plan())).unwrap_or_default();
            assert!(before.first().is_none_or(|program| program == verified.program), "{before:?}");
        }
    }

    #[test]
    fn every_server_is_started_where_its_tool_looks_for_it_and_nowhere_else() {
        for verified in TOOLS {
            let words = (verified.command)(&plan()).join(" ");
            match &verified.server {
                VerifyServer::Nobody => {}
                VerifyServer::Database(_) => {
                    assert!(words.contains("/tmp/z") && words.contains("me"), "{words}")
                }
                VerifyServer::Program(server) => {
                    let command = (server.command)(&plan());
                    let mut told = command.join(" ");
                    for (name, text) in (server.files)(&plan()) {
                        assert!(!name.starts_with('/') && !name.contains(".."), "{name}");
                        told.push_str(&text);
                    }
                    assert_eq!(command[0], server.program);
                    assert!(told.contains("5201") && words.contains("5201"), "{told}: {words}");
                    let is_apart = server.place == ServerPlace::Namespace;
                    assert!(is_apart || told.contains("127.0.0.1"), "it listens everywhere: {told}");
                }
            }
        }
    }
}
