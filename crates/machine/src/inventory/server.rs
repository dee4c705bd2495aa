//! Servers whose storage this machine has through a network: by the table of mounts, where a file system is mounted from
//! one (`addr=` of nfs(5) and mount.cifs(8), the monitors of mount.ceph(8), `trans=tcp` of 9p), and by sysfs, where a
//! disk is one of iSCSI or of NVMe over fabrics.

use std::net::{IpAddr, SocketAddr};

use super::block::mount::Line;
use crate::Host;

/// A server of a file system or of a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageServer {
    /// What it was called when it was asked for; absent where that was an address.
    pub host: Option<String>,
    /// Its addresses, as the kernel has them. Of Ceph those of its monitors: data are had from others, which only the
    /// monitors name.
    pub addresses: Vec<IpAddr>,
    /// Whether data are had from others than these addresses, so that nobody knows which way they come.
    pub is_elsewhere: bool,
}

impl StorageServer {
    /// As a path calls it: `nas (10.0.0.3)`, `10.0.0.3`; absent where nothing is known of it.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let addresses: Vec<String> = self.addresses.iter().map(IpAddr::to_string).collect();
        match (&self.host, addresses.is_empty()) {
            (Some(host), true) => Some(host.clone()),
            (Some(host), false) => Some(format!("{host} ({})", addresses.join(", "))),
            (None, false) => Some(addresses.join(", ")),
            (None, true) => None,
        }
    }

    fn new(host: &str, addresses: Vec<IpAddr>) -> Option<Self> {
        let host = Some(host).filter(|host| !host.is_empty() && address(host).is_none()).map(str::to_owned);
        Some(Self { host, addresses, is_elsewhere: false }).filter(|server| server.name().is_some())
    }
}

/// Whose file system a line of the table of mounts is; none where it is this machine's own, or nobody knows.
pub(crate) fn of_mount(line: &Line) -> Option<StorageServer> {
    let option = |name: &str| {
        let values = line.system.split(',').filter_map(|option| option.split_once('='));
        values.filter(|(found, _)| *found == name).map(|(_, value)| value).next_back()
    };
    let own = || option("addr").and_then(address);
    match line.kind.as_str() {
        "nfs" | "nfs4" => {
            let host = line.source.split_once(":/").map_or("", |(host, _)| host);
            let address = own().or_else(|| address(host));
            StorageServer::new(host, address.into_iter().collect())
        }
        "cifs" | "smb3" => {
            let host = line.source.trim_start_matches(['/', '\\']).split(['/', '\\']).next()?;
            StorageServer::new(host, own().or_else(|| address(host)).into_iter().collect())
        }
        "ceph" => {
            // The old form of the source has the monitors before the path, the new one names a cluster.
            let listed = option("mon_addr").map(|all| all.replace('/', ","));
            let listed = listed.or_else(|| Some(line.source.rsplit_once(":/")?.0.to_owned()))?;
            let addresses: Vec<IpAddr> = listed.split(',').filter_map(address).collect();
            StorageServer::new("", addresses).map(|monitors| StorageServer { is_elsewhere: true, ..monitors })
        }
        "9p" if option("trans") == Some("tcp") => {
            StorageServer::new(&line.source, address(&line.source).into_iter().collect())
        }
        _ => None,
    }
}

/// Whose disk a whole block device is, by the kernel's name; none where it is of this machine.
#[must_use]
pub fn of_device(host: &Host, name: &str) -> Option<StorageServer> {
    let addresses = match name.starts_with("nvme") {
        true => fabrics(host, name),
        false => session(host, name),
    };
    StorageServer::new("", addresses)
}

/// The number of the session of iSCSI that a disk hangs on.
fn session_number(host: &Host, name: &str) -> Option<String> {
    let place = host.resolve(format!("/sys/block/{name}"))?;
    place.split('/').find_map(|part| {
        let number = part.strip_prefix("session")?;
        number.bytes().all(|b| b.is_ascii_digit()).then(|| number.to_owned())
    })
}

/// The addresses of a disk of iSCSI: of the connections of the session that it hangs on.
fn session(host: &Host, name: &str) -> Vec<IpAddr> {
    let Some(number) = session_number(host, name) else { return Vec::new() };
    let class = "/sys/class/iscsi_connection";
    let is_its = |connection: &String| {
        connection.strip_prefix("connection").and_then(|rest| rest.split(':').next()) == Some(&*number)
    };
    let connections = host.names(class).into_iter().filter(is_its);
    let text = |connection: String| {
        let folder = format!("{class}/{connection}");
        host.word(format!("{folder}/address")).or_else(|| host.word(format!("{folder}/persistent_address")))
    };
    distinct(connections.filter_map(text).filter_map(|text| address(&text)))
}

/// The addresses of a namespace of NVMe over TCP or RDMA: of the controllers through which it is had.
fn fabrics(host: &Host, name: &str) -> Vec<IpAddr> {
    let device = format!("/sys/block/{name}/device");
    // With several paths it hangs on a subsystem, which has its controllers; otherwise on the controller.
    let is_controller = |name: &String| {
        name.strip_prefix("nvme").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let controllers = host.names(&device).into_iter().filter(is_controller);
    let mut folders: Vec<String> = controllers.map(|name| format!("/sys/class/nvme/{name}")).collect();
    folders.push(device);
    let of = |folder: String| {
        let transport = host.word(format!("{folder}/transport"))?;
        let text = host.word(format!("{folder}/address"))?;
        let words = text.split(',').filter_map(|word| word.trim().split_once('='));
        let of_network = matches!(transport.as_str(), "tcp" | "rdma");
        let found = words.filter(|(key, _)| *key == "traddr").find_map(|(_, value)| address(value));
        found.filter(|_| of_network)
    };
    distinct(folders.into_iter().filter_map(of))
}

/// The block devices of this machine that it presents to itself as the disk `name`, by the kernel's names: those of a
/// target of its own, which configfs tells (LIO and nvmet). None where another machine presents it.
#[must_use]
pub fn presented_by_itself(host: &Host, name: &str) -> Vec<String> {
    match name.starts_with("nvme") {
        true => of_nvmet(host, name),
        false => of_lio(host, name),
    }
}

fn of_lio(host: &Host, name: &str) -> Vec<String> {
    let target = session_number(host, name)
        .and_then(|number| host.word(format!("/sys/class/iscsi_session/session{number}/targetname")));
    let Some(target) = target else { return Vec::new() };
    let root = format!("/sys/kernel/config/target/iscsi/{target}");
    let below = |folder: String, prefix: &'static str| -> Vec<String> {
        let names = host.names(&folder).into_iter().filter(|name| name.starts_with(prefix));
        names.map(|name| format!("{folder}/{name}")).collect()
    };
    let units = below(root, "tpgt_").into_iter().flat_map(|group| below(format!("{group}/lun"), "lun_"));
    // What a unit links to is its backing store, which says what it is in `info`.
    let stores = units.flat_map(|unit| below(unit, ""));
    let device = |store: String| {
        let info = host.text(format!("{store}/info"))?;
        let (_, rest) = info.split_once("iBlock device: ")?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    stores.filter_map(device).collect()
}

fn of_nvmet(host: &Host, name: &str) -> Vec<String> {
    let block = format!("/sys/block/{name}");
    let Some(subsystem) = host.word(format!("{block}/device/subsysnqn")) else { return Vec::new() };
    let folder = format!("/sys/kernel/config/nvmet/subsystems/{subsystem}/namespaces");
    let uuid = host.word(format!("{block}/uuid"));
    let is_it = |number: &String| host.word(format!("{folder}/{number}/device_uuid")) == uuid;
    let device = |number: String| {
        let path = host.word(format!("{folder}/{number}/device_path"))?;
        // Other names are links to the kernel's.
        let real = host.resolve(&path).unwrap_or(path);
        real.strip_prefix("/dev/").map(str::to_owned)
    };
    host.names(&folder).into_iter().filter(is_it).filter_map(device).collect()
}

fn distinct(addresses: impl Iterator<Item = IpAddr>) -> Vec<IpAddr> {
    let mut all: Vec<IpAddr> = Vec::new();
    for address in addresses {
        if !all.contains(&address) {
            all.push(address);
        }
    }
    all
}

/// An address with or without a port, brackets and a zone.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    if let Ok(socket) = text.parse::<SocketAddr>() {
        return Some(socket.ip());
    }
    let bare = text.trim_start_matches('[').split([']', '%']).next()?;
    bare.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::block::mount;

    /// Lines of mountinfo: of Debian 12's kernel, of mount.cifs(8), and of mount.ceph(8) in both forms.
    const MOUNTS: &str = "\
44 28 0:34 / /mnt/c rw,relatime - nfs4 198.18.3.2:/ rw,vers=4.2,rsize=262144,wsize=262144,namlen=255,hard,proto=tcp,\
timeo=600,retrans=2,sec=sys,clientaddr=198.18.3.1,local_lock=none,addr=198.18.3.2
45 28 0:35 / /mnt/n rw,relatime shared:5 - nfs nas.example:/export/a rw,vers=3,rsize=1048576,wsize=1048576,namlen=255,hard,\
proto=tcp,timeo=600,retrans=2,sec=sys,mountaddr=10.0.0.3,mountvers=3,mountport=20048,mountproto=udp,local_lock=none,\
addr=10.0.0.3
46 28 0:36 / /mnt/6 rw,relatime - nfs4 [fd00::3]:/ rw,vers=4.2,proto=tcp6,addr=fd00::3
47 28 0:37 / /mnt/s rw,relatime - cifs //filer/share rw,vers=3.1.1,cache=strict,username=a,uid=0,noforceuid,gid=0,\
noforcegid,addr=10.0.0.4,file_mode=0755,dir_mode=0755,soft,nounix,serverino,mapposix
48 28 0:38 / /mnt/o rw,relatime - ceph 10.0.0.5:6789,10.0.0.6:6789:/ rw,name=admin,secret=<hidden>,acl
49 28 0:39 / /mnt/p rw,relatime - ceph admin@b3acfc0d-575f-41d3-9c91-0e7ed3dbb3fa.fs=/ rw,name=admin,secret=<hidden>,acl,\
mon_addr=10.0.0.7:6789/10.0.0.8:6789
50 28 0:40 / /mnt/9 rw,relatime - 9p 10.0.0.9 rw,access=user,trans=tcp
51 28 0:41 / /mnt/v rw,relatime - 9p host rw,access=client,msize=512000,trans=virtio
52 28 8:1 / / rw,relatime - ext4 /dev/sda1 rw,addr=10.0.0.10
53 28 0:42 / /mnt/x rw,relatime - nfs4 rw
";

    #[test]
    fn only_of_ceph_the_data_are_elsewhere() {
        for line in mount::parse(MOUNTS) {
            let is_elsewhere = of_mount(&line).is_some_and(|server| server.is_elsewhere);
            assert_eq!(is_elsewhere, line.kind == "ceph", "{}", line.source);
        }
    }

    #[test]
    fn a_mount_names_its_server() {
        let names: Vec<Option<String>> =
            mount::parse(MOUNTS).iter().map(|line| of_mount(line).and_then(|server| server.name())).collect();
        let expected = [
            Some("198.18.3.2"),
            Some("nas.example (10.0.0.3)"),
            Some("fd00::3"),
            Some("filer (10.0.0.4)"),
            Some("10.0.0.5, 10.0.0.6"),
            Some("10.0.0.7, 10.0.0.8"),
            Some("10.0.0.9"),
            None,
            None,
            None,
        ];
        assert_eq!(names, expected.map(|name| name.map(str::to_owned)));
    }

    /// From the guest, with a disk of each kind, and a controller of PCI beside.
    #[test]
    fn a_disk_names_its_server() {
        let host = Host::parse(
            "==> /sys/block/sda -> ../devices/platform/host0/session1/target0:0:0/0:0:0:0/block/sda\n\
             ==> /sys/devices/platform/host0/session1/target0:0:0/0:0:0:0/block/sda/size\n8\n\
             ==> /sys/block/sdb -> ../devices/pci0/host1/target1:0:0/1:0:0:0/block/sdb\n\
             ==> /sys/devices/pci0/host1/target1:0:0/1:0:0:0/block/sdb/size\n8\n\
             ==> /sys/class/iscsi_connection/connection1:0/address\n198.18.3.2\n\
             ==> /sys/class/iscsi_connection/connection11:0/address\n198.18.3.6\n\
             ==> /sys/block/nvme0n1 -> ../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/size\n8\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/device -> ../../nvme-subsys0\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0/transport\ntcp\n\
             ==> /sys/class/nvme/nvme0/transport\ntcp\n\
             ==> /sys/class/nvme/nvme0/address\ntraddr=198.18.3.10,trsvcid=4420,src_addr=198.18.3.9\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys0/subsysnqn\nnqn.a\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/uuid\nu-1\n\
             ==> /sys/kernel/config/nvmet/subsystems/nqn.a/namespaces/1/device_uuid\nu-1\n\
             ==> /sys/kernel/config/nvmet/subsystems/nqn.a/namespaces/1/device_path\n/dev/ram0\n\
             ==> /sys/kernel/config/nvmet/subsystems/nqn.a/namespaces/2/device_uuid\nu-2\n\
             ==> /sys/kernel/config/nvmet/subsystems/nqn.a/namespaces/2/device_path\n/dev/ram9\n\
             ==> /sys/class/iscsi_session/session1/targetname\niqn.a\n\
             ==> /sys/kernel/config/target/iscsi/iqn.a/tpgt_1/enable\n1\n\
             ==> /sys/kernel/config/target/iscsi/iqn.a/tpgt_1/lun/lun_0/x -> ../../../../../core/iblock_7/x\n\
             ==> /sys/kernel/config/target/core/iblock_7/x/info\nStatus: ACTIVATED  Max Queue Depth: 0\n\
             \x20       iBlock device: ram1  UDEV PATH: /dev/ram1  readonly: 0\n\
             ==> /sys/block/nvme1n1/device/transport\npcie\n\
             ==> /sys/block/nvme1n1/device/address\n0000:01:00.0\n",
        );
        let name = |disk: &str| of_device(&host, disk).and_then(|server| server.name());
        assert_eq!(name("sda").as_deref(), Some("198.18.3.2"));
        assert_eq!(name("nvme0n1").as_deref(), Some("198.18.3.10"));
        assert_eq!((name("sdb"), name("nvme1n1"), name("vda")), (None, None, None));
        assert_eq!(presented_by_itself(&host, "sda"), ["ram1"]);
        assert_eq!(presented_by_itself(&host, "nvme0n1"), ["ram0"]);
        assert!(["sdb", "nvme1n1", "vda"].iter().all(|disk| presented_by_itself(&host, disk).is_empty()));
    }

    #[test]
    fn addresses_have_ports_brackets_and_zones() {
        for (text, found) in [
            ("10.0.0.1:6789", Some("10.0.0.1")),
            ("[fd00::1]:6789", Some("fd00::1")),
            ("[fd00::1]", Some("fd00::1")),
            ("fe80::1%eth0", Some("fe80::1")),
            ("nas", None),
            ("", None),
        ] {
            assert_eq!(address(text).map(|found| found.to_string()).as_deref(), found, "{text}");
        }
    }
}
