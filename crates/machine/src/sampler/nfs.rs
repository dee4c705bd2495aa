//! What the servers of NFS mounts answered: `/proc/self/mountstats`, which has a part for each mount (`nfs_show_stats` in
//! `fs/nfs/super.c`, `rpc_clnt_show_stats` in `net/sunrpc/stats.c`). Of reads and writes it says how many there were, and how
//! long all of them waited in the client until they were sent, and then for their answers.

use model::{Resource, ResourceKind, Unit};

use crate::inventory::block::mount::table;
use crate::sampler::file::{OpenFile, lines, number, split_word};
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};

const FILE: &str = "/proc/self/mountstats";

/// The columns of each mount. The first two are of the line `bytes`, then there are six of each operation.
const COLUMNS: [(&str, Unit, f64); 14] = [
    ("server_read_bytes", Unit::Bytes, 1.0),
    ("server_written_bytes", Unit::Bytes, 1.0),
    ("reads", Unit::One, 1.0),
    ("reads_repeated", Unit::One, 1.0),
    ("read_timeouts", Unit::One, 1.0),
    ("read_queue_ms", Unit::Seconds, 1e-3),
    ("read_answer_ms", Unit::Seconds, 1e-3),
    ("read_ms", Unit::Seconds, 1e-3),
    ("writes", Unit::One, 1.0),
    ("writes_repeated", Unit::One, 1.0),
    ("write_timeouts", Unit::One, 1.0),
    ("write_queue_ms", Unit::Seconds, 1e-3),
    ("write_answer_ms", Unit::Seconds, 1e-3),
    ("write_ms", Unit::Seconds, 1e-3),
];
/// Where those of each operation begin.
const OPERATIONS: [(&[u8], usize); 2] = [(b"READ:", 2), (b"WRITE:", 8)];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "nfs",
    doc: "reads and writes that the server of each NFS mount answered, their bytes, and how long they waited to be sent and for their answers; mounts of one file system have the same numbers",
    open: |host, _| {
        let mut mounts = table(host);
        mounts.retain(|line| matches!(line.kind.as_str(), "nfs" | "nfs4"));
        if mounts.is_empty() {
            return Vec::new();
        }
        let Some(mut file) = OpenFile::open(host, FILE) else { return Vec::new() };
        let columns = mounts.iter().flat_map(|line| {
            let name = format!("{} ({})", line.point, line.kind);
            let resource = Resource::of(ResourceKind::FileSystem, name);
            COLUMNS.map(|(name, unit, scale)| SamplerColumn::counter(resource.clone(), name, unit, scale))
        });
        let columns = columns.collect();
        // As the file calls them.
        let points: Vec<Vec<u8>> = mounts.iter().map(|line| escaped(&line.point)).collect();
        reader(FILE, Pace::Slow, columns, move |values| {
            if let Some(bytes) = file.read() {
                put(bytes, &points, values);
            }
        })
    },
};

/// A mount point with octal numbers for what would end a word (`seq_path` in `fs/seq_file.c`).
fn escaped(point: &str) -> Vec<u8> {
    let mut all = Vec::with_capacity(point.len());
    for byte in point.bytes() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => all.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            _ => all.push(byte),
        }
    }
    all
}

/// Puts what is said of the mounts at these points where their columns are.
fn put(bytes: &[u8], points: &[Vec<u8>], values: &mut [u64]) {
    let mut own = None;
    for line in lines(bytes) {
        let (first, rest) = split_word(line);
        if first == b"device" {
            own = place(rest, points).map(|place| place * COLUMNS.len());
            continue;
        }
        let Some(values) = own.and_then(|begin| values.get_mut(begin..begin + COLUMNS.len())) else {
            continue;
        };
        if first == b"bytes:" {
            // Read, written, the same by direct I/O, and then from and to the server.
            let [_, _, _, _, read, written] = numbers(rest);
            values[..2].copy_from_slice(&[read, written]);
        }
        let Some((_, begin)) = OPERATIONS.iter().find(|(name, _)| *name == first) else { continue };
        // Operations, transmissions, timeouts, bytes each way, queue, answer, and all of it.
        let [operations, sent, timeouts, _, _, queue, answer, all] = numbers(rest);
        let repeated = if sent == ABSENT { ABSENT } else { sent.saturating_sub(operations) };
        let found = [operations, repeated, timeouts, queue, answer, all];
        values[*begin..begin + found.len()].copy_from_slice(&found);
    }
}

/// Which of these points a line is of: `SOURCE mounted on POINT with fstype nfs4 ...`. Sources have no blanks in them.
fn place(line: &[u8], points: &[Vec<u8>]) -> Option<usize> {
    let (_source, rest) = split_word(line);
    let (mounted, rest) = split_word(rest);
    let (on, rest) = split_word(rest);
    let (point, rest) = split_word(rest);
    let (with, rest) = split_word(rest);
    let (fstype, rest) = split_word(rest);
    let (kind, _) = split_word(rest);
    let is_one = [mounted, on, with, fstype] == [&b"mounted"[..], b"on", b"with", b"fstype"];
    let is_nfs = kind == b"nfs" || kind == b"nfs4";
    points.iter().position(|own| own == point).filter(|_| is_one && is_nfs)
}

/// The numbers at the start of a line; what is not there is absent.
fn numbers<const N: usize>(mut line: &[u8]) -> [u64; N] {
    [(); N].map(|()| {
        let (word, rest) = split_word(line);
        line = rest;
        number(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;
    use crate::sampler::Scope;

    /// Of a mount of a server in a network namespace (Linux 6.1), after 64 writes and reads of 64 KiB by direct I/O,
    /// without the operations that there were none of.
    const STATS: &str = "\
device tmpfs mounted on /run with fstype tmpfs
device 198.18.3.2:/ mounted on /mnt/c\\040d with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=262144,wsize=262144,namlen=255,acregmin=3,acregmax=60,acdirmin=30,acdirmax=60,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=198.18.3.1,local_lock=none
\tage:\t1
\timpl_id:\tname='',domain='',date='0,0'
\tcaps:\tcaps=0xfffbc0bf,wtmult=512,dtsize=262144,bsize=0,namlen=255
\tnfsv4:\tbm0=0xfdffbfff,bm1=0x40fdbe3e,bm2=0x60803,acl=0x3,sessions,pnfs=not configured,lease_time=90,lease_expired=0
\tsec:\tflavor=1,pseudoflavor=1
\tevents:\t0 0 0 1 0 0 5 0 0 0 0 0 0 0 4 0 0 2 0 0 0 0 0 0 0 0 0\x20
\tbytes:\t0 0 4259840 4194304 4194304 4194304 0 0\x20
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\ttcp 0 0 2 0 0 147 147 0 147 0 2 0 0
\tper-op statistics
\t        NULL: 1 1 0 44 24 4 4 9 0
\t        READ: 65 65 0 11440 4201064 14 330 354 0
\t       WRITE: 64 66 1 4205824 7168 17 644 672 0
\t      COMMIT: 0 0 0 0 0 0 0 0 0

device /dev/ram2 mounted on /mnt/x with fstype ext4
";

    fn host() -> Host {
        Host::parse(&format!(
            "==> /proc/self/mountinfo\n44 28 0:34 / /mnt/c\\040d rw,relatime - nfs4 198.18.3.2:/ rw,addr=198.18.3.2\n\
             45 28 1:2 / /mnt/x rw - ext4 /dev/ram2 rw\n==> {FILE}\n{STATS}"
        ))
    }

    #[test]
    fn reads_and_writes_of_a_mount_are_counted_with_their_times() {
        let mut samplers = (KIND.open)(&host(), &Scope::default());
        assert_eq!(samplers.len(), 1);
        let sampler = &mut samplers[0];
        assert_eq!(sampler.columns().len(), COLUMNS.len());
        assert!(sampler.columns().iter().all(|c| c.resource.as_str() == "filesystem:/mnt/c d (nfs4)"));
        let mut values = [0; COLUMNS.len()];
        sampler.read(&mut values);
        assert_eq!(values, [4_194_304, 4_194_304, 65, 0, 0, 14, 330, 354, 64, 2, 1, 17, 644, 672]);
        assert!((KIND.open)(&Host::parse(""), &Scope::default()).is_empty());
    }

    #[test]
    fn what_is_cut_or_of_another_mount_says_nothing() {
        let points = [escaped("/mnt/c d")];
        for length in 0..STATS.len() {
            let mut values = [ABSENT; COLUMNS.len()];
            put(&STATS.as_bytes()[..length], &points, &mut values);
        }
        let mut values = [ABSENT; COLUMNS.len()];
        put(STATS.as_bytes(), &[escaped("/mnt/x"), escaped("/run")][..1], &mut values);
        assert_eq!(values, [ABSENT; COLUMNS.len()], "it is no NFS");
    }
}
