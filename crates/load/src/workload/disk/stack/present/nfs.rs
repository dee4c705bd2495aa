//! NFS 4.2: the kernel's own server (knfsd) in a network namespace, which exports the file system below to the one
//! address of this machine on that network, and its mount here.
//!
//! No program of nfs-utils is needed and none of its files is written: the kernel keeps what is exported in caches for each
//! network namespace, which are filled here as exportfs(8) does it (`fs/nfsd/export.c`, `net/sunrpc/svcauth_unix.c`);
//! version 4 needs neither rpcbind nor mountd. The server lives as long as its nfsd file system is mounted
//! (`fs/nfsd/nfsctl.c`), so that what a killed run leaves is a server that still answers.

use std::fs::{File, OpenOptions, read_to_string};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;
use rustix::mount::MountFlags;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::{KernelPart, MODPROBE};
use crate::workload::disk::stack::mount::{self, MOUNT, UMOUNT};
use crate::workload::disk::stack::present::namespace::{apart, cover, enter_network, own_mounts};
use crate::workload::disk::stack::present::network::{IP, LayerNetwork};
use crate::workload::disk::stack::present::{NETWORK, TARGET, load, rate};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind, text};
use crate::workload::named;

const PORT: u16 = 2049;
/// Threads of the server where nobody says (nfs.conf(5)).
const THREADS: u64 = 8;
const THREADS_MOST: u64 = 1024;
/// A server that has just started waits so long for clients that it had before, s: the least that the kernel takes.
const GRACE: u32 = 10;
/// What that step is called.
const GRACE_PERIOD: &str = "nfs-grace-period";
const GRACE_WITHIN: Duration = Duration::from_secs(60);
/// How long the server may take to answer all that is written when its mount is taken down.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);
/// What is written into the caches is of use for longer than any run, s.
const LASTS: u64 = 365 * 86_400;
/// Of an export: it has the number 0, which is the root of version 4, and no check of subtrees; written is what the
/// client has said to be, and root is root (`include/uapi/linux/nfsd/export.h`).
const EXPORT_FLAGS: u32 = NFSEXP_FSID | NFSEXP_NOSUBTREECHECK;
const NFSEXP_NOSUBTREECHECK: u32 = 0x0400;
const NFSEXP_FSID: u32 = 0x2000;
/// Nobody.
const NOBODY: u32 = 65_534;
/// Whether the client reads and writes the files of a server on the same machine without asking it
/// (`Documentation/filesystems/nfs/localio.rst`, Linux 6.12).
const LOCALIO: &str = "/sys/module/nfs/parameters/localio_enabled";

/// The modules.
const KERNEL: &[KernelPart] = &[
    KernelPart::Module("veth"),
    KernelPart::Module("nfsd"),
    KernelPart::Module("nfs"),
    KernelPart::Module("nfsv4"),
];

pub(in crate::workload::disk) const SPEC: LayerSpec = LayerSpec {
    name: "nfs",
    role: LayerRole::Share,
    devices: (1, 1),
    beside: None,
    options: &[
        ParameterSpec::new("threads", Kind::Count, "Threads of the server, at most 1024.").default("8"),
        rate::BIT_RATE,
    ],
    doc: "the file system as an NFS 4.2 server (knfsd) presents it, through a network namespace",
};

/// The kind.
#[derive(Debug)]
pub(in crate::workload::disk::stack) struct Nfs;

impl LayerKind for Nfs {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[IP, MODPROBE, MOUNT, UMOUNT]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        KERNEL
    }

    fn programs_of(&self, layer: &StackLayer) -> &'static [Program] {
        rate::programs_of(layer)
    }

    fn kernel_of(&self, layer: &StackLayer) -> &'static [KernelPart] {
        rate::kernel_of(layer)
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum()
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        let threads = threads(layer);
        let too_many =
            (threads > THREADS_MOST).then(|| format!("threads={threads} is more than {THREADS_MOST}"));
        too_many.or_else(|| rate::refuses(layer))
    }

    fn refuses_here(&self) -> Option<(String, String)> {
        let is_around = read_to_string(LOCALIO).is_ok_and(|text| text.trim() == "Y");
        let why = "the NFS client of this kernel goes around the network to a server on the same machine";
        is_around.then(|| (why.to_owned(), format!("write N to {LOCALIO} for the time of the run")))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let folder = PathBuf::from(site.device()?);
        let network = LayerNetwork::of(site.record)?;
        let place = mount::place_of(site.record)?.to_owned();
        let server = Server { name: site.record.name.clone(), control: control_of(&place) };
        let threads = threads(site.layer);
        let bit_rate = rate::bit_rate(site.layer);
        let commands = &mut *site.commands;
        load(KERNEL, commands)?;
        load(rate::kernel_of(site.layer), commands)?;
        // The module may have been loaded only now.
        if let Some((why, help)) = self.refuses_here() {
            return Err(Fault::Other(format!("{why}: {help}")));
        }
        commands.as_one(NETWORK, |commands| network.make(bit_rate, commands))?;
        mount::make_folder(&server.control)?;
        commands.as_one(TARGET, |_| {
            apart(|| server.export(&folder, &network))?;
            apart(|| server.start(threads))
        })?;
        commands.as_one(GRACE_PERIOD, |commands| server.wait(commands))?;
        mount::make_folder(&place)?;
        let (address, source) = (network.server, source(&network));
        let options = format!("vers=4.2,proto=tcp,port={PORT},sec=sys,addr={address}");
        let words = ["-i", "-t", "nfs", "-o", &options, &source, text(&place)?];
        commands.run(&MOUNT, &words)?;
        Ok(place)
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let network = LayerNetwork::of(record)?;
        let place = mount::place_of(record)?;
        let control = control_of(place);
        let mut was_there = false;
        let has_server = is_ours(&control, &record.name)?;
        if is_ours(place, &source(&network))? {
            // Without a server nothing would ever be answered.
            let words: &[&str] = match has_server && is_answered(place)? {
                true => &["-i"],
                false => &["-i", "-f", "-l"],
            };
            if is_ours(place, &source(&network))? {
                mount::release(place, words, commands)?;
            }
            was_there = true;
        }
        mount::remove_folder(place)?;
        if has_server {
            // With it goes the server, and what it has open of the file system below.
            mount::release(&control, &["-i"], commands)?;
            was_there = true;
        }
        mount::remove_folder(&control)?;
        Ok(network.take_down(commands)? || was_there)
    }
}

/// Unmounts what a server answers for; false if that did not end in time, for which the server must answer.
fn is_answered(place: &Path) -> Result<bool, Fault> {
    let (begin, words) = (Instant::now(), ["-i", text(place)?]);
    let mut always = || true;
    // Why it cannot be unmounted is told by who tries it again.
    let done = Commands::new(&mut always).within(ANSWERS_WITHIN).run(&UMOUNT, &words);
    Ok(done.is_ok() || begin.elapsed() < ANSWERS_WITHIN)
}

fn threads(layer: &StackLayer) -> u64 {
    match layer.option(named("threads")) {
        Some(Value::Integer(threads)) => threads,
        _ => THREADS,
    }
}

/// What is mounted, as the table of mounts calls it.
fn source(network: &LayerNetwork) -> String {
    format!("{}:/", network.server)
}

/// Where the files are by which the server is told what to do: beside its mount.
fn control_of(place: &Path) -> PathBuf {
    let mut path = place.as_os_str().to_owned();
    path.push("-nfsd");
    PathBuf::from(path)
}

/// Whether what is mounted at `place` is what was mounted there; none if nothing is.
///
/// # Errors
/// If it is something else.
fn is_ours(place: &Path, source: &str) -> Result<bool, Fault> {
    match mount::source_at(place)? {
        Some(found) if found == source => Ok(true),
        Some(found) => Err(Fault::Other(format!(
            "{found} is mounted at {}, and {source} was: it is left alone",
            place.display()
        ))),
        None => Ok(false),
    }
}

/// A server of one file system.
struct Server {
    /// What the client is called in the caches, and what the table of mounts calls the server's files.
    name: String,
    control: PathBuf,
}

impl Server {
    /// Mounts the server's files, and says what it exports to whom. It is done in the network namespace, and with our
    /// mounts, so that the file system below is held as long as the server lives.
    fn export(&self, folder: &Path, network: &LayerNetwork) -> Result<(), Fault> {
        enter_network(&network.namespace)?;
        let control = &self.control;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        rustix::mount::mount(self.name.as_str(), control, "nfsd", flags, None::<&std::ffi::CStr>)
            .map_err(|e| Fault::system(format!("mounting nfsd at {}", control.display()), e))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let end = now.as_secs().saturating_add(LASTS);
        let (name, client, path) = (&self.name, network.client, escaped(folder));
        for (cache, line) in [
            ("auth.unix.ip", format!("nfsd {client} {end} {name}\n")),
            ("nfsd.export", format!("{name} {path} {end} {EXPORT_FLAGS} {NOBODY} {NOBODY} 0\n")),
            // Kind 1 is the number of an export.
            ("nfsd.fh", format!("{name} 1 \\x00000000 {end} {path}\n")),
        ] {
            // /proc/net would be that of our first thread.
            let channel = Path::new("/proc/thread-self/net/rpc").join(cache).join("channel");
            let opened = OpenOptions::new().write(true).open(&channel);
            opened
                .and_then(|mut file| file.write_all(line.as_bytes()))
                .map_err(|e| Fault::system(format!("writing {}", channel.display()), e))?;
        }
        Ok(())
    }

    /// Starts it. The kernel tells rpcbind of a server, which it would find in /run: that of the machine, which may know
    /// another server.
    fn start(&self, threads: u64) -> Result<(), Fault> {
        let fault = |file: &str, e| Fault::system(format!("writing {file} of nfsd"), e);
        let open = |file: &'static str| -> Result<(&'static str, File), Fault> {
            let opened = OpenOptions::new().write(true).open(self.control.join(file));
            opened.map(|opened| (file, opened)).map_err(|e| fault(file, e))
        };
        let files = ["nfsv4gracetime", "versions", "portlist", "threads"].map(open);
        own_mounts()?;
        cover("/run")?;
        if !Path::new("/var/run").is_symlink() && Path::new("/var/run").is_dir() {
            cover("/var/run")?;
        }
        let texts = [
            format!("{GRACE}\n"),
            "-2 -3 +4 +4.1 +4.2\n".to_owned(),
            format!("tcp {PORT}\n"),
            format!("{threads}\n"),
        ];
        for (opened, text) in files.into_iter().zip(texts) {
            let (file, mut opened) = opened?;
            opened.write_all(text.as_bytes()).map_err(|e| fault(file, e))?;
        }
        Ok(())
    }

    /// Waits until it lets clients open files.
    fn wait(&self, commands: &mut Commands<'_>) -> Result<(), Fault> {
        let path = self.control.join("v4_end_grace");
        let is_over = || read_to_string(&path).is_ok_and(|text| text.trim() == "Y");
        match commands.wait_until(GRACE_WITHIN, is_over)? {
            true => Ok(()),
            false => Err(Fault::Other(format!(
                "the NFS server still waits for clients that it had before, after {} s",
                GRACE_WITHIN.as_secs()
            ))),
        }
    }
}

/// A path as the kernel's caches have it: what would end a word as octal numbers (`qword_get` in `net/sunrpc/cache.c`).
fn escaped(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    let bytes = path.as_os_str().as_bytes().iter();
    bytes
        .map(|byte| if plain(*byte) { char::from(*byte).to_string() } else { format!("\\{byte:03o}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    #[test]
    fn paths_are_words_of_the_caches() {
        assert_eq!(escaped(Path::new("/data/a-b_1")), "/data/a-b_1");
        assert_eq!(escaped(Path::new("/my data\\x\n")), "/my\\040data\\134x\\012");
        assert_eq!(escaped(Path::new("/ä")), "/\\303\\244");
        assert_eq!(control_of(Path::new("/s/headroom_1.2")), Path::new("/s/headroom_1.2-nfsd"));
        assert_eq!(EXPORT_FLAGS, 9216);
    }

    #[test]
    fn threads_are_bounded() {
        let with = |threads: u64| {
            let mut options = Parameters::default();
            options.set(named("threads"), threads);
            StackLayer { spec: &SPEC, beside: None, options }
        };
        assert_eq!(
            threads(&StackLayer { spec: &SPEC, beside: None, options: Parameters::default() }),
            THREADS
        );
        assert_eq!((Nfs.refuses(&with(1024)), threads(&with(3))), (None, 3));
        assert!(Nfs.refuses(&with(1025)).unwrap().contains("more than 1024"));
    }

    #[test]
    fn what_is_not_mounted_is_not_ours_and_what_others_mounted_stays() {
        assert!(!is_ours(Path::new("/no/such/place"), "x").unwrap());
        assert!(is_ours(Path::new("/proc"), "198.18.0.2:/").unwrap_err().to_string().contains("left alone"));
    }
}
