//! Numbers of a network interface that are read and changed by ioctl
//! (netdevice(7), `include/uapi/linux/sockios.h`). An ioctl acts in the network
//! namespace of this process; a sysfs that was mounted in another one would not.

use model::setting::SettingSpec;
use model::{Resource, ResourceKind, Value};
use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use super::SettingError;
use crate::inventory::network::ethtool_socket::EthtoolSocket;

/// `SIOCGIFFLAGS`.
const GET_FLAGS: Opcode = 0x8913;
/// `IFF_RUNNING` of `include/uapi/linux/if.h`: a carrier is seen.
const RUNNING: i32 = 1 << 6;

/// What an interface is called as a resource.
pub(super) fn resource(name: &str) -> Resource {
    let written = Resource::from(name);
    if written.is_named(ResourceKind::Nic) { written } else { Resource::of(ResourceKind::Nic, name) }
}

/// The interface's name.
pub(super) fn name(resource: &Resource) -> &str {
    resource.named(ResourceKind::Nic).unwrap_or(resource.as_str())
}

/// `struct ifreq` with a number, not smaller than the kernel's.
#[repr(C)]
struct Request {
    name: [u8; 16],
    number: i32,
    rest: [u8; 20],
}

/// One of an interface's numbers.
pub(super) struct Number<const GET: Opcode, const SET: Opcode> {
    pub(super) spec: &'static SettingSpec,
}

impl<const GET: Opcode, const SET: Opcode> Number<GET, SET> {
    pub(super) fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let number = call::<GET>(name(resource), 0).map_err(|e| self.unreadable(resource, e))?;
        u64::try_from(number)
            .map(Value::Integer)
            .map_err(|_| SettingError::unreadable(self.spec, resource, format!("the kernel says {number}")))
    }

    fn unreadable(&self, resource: &Resource, error: Errno) -> SettingError {
        match error {
            Errno::NODEV => SettingError::gone(self.spec, resource),
            other => SettingError::unreadable(self.spec, resource, other.to_string()),
        }
    }

    /// Writes it; `takes` says what would be taken, for who asked for too much.
    pub(super) fn write(
        &self,
        resource: &Resource,
        value: &Value,
        takes: impl Fn() -> Option<String>,
    ) -> Result<(), SettingError> {
        let number = match value {
            Value::Integer(number) => i32::try_from(*number).ok(),
            _ => None,
        };
        let said = |reason: String| match takes() {
            Some(takes) => format!("{reason}; {takes}"),
            None => reason,
        };
        let refused = |reason| Err(SettingError::refused(self.spec, resource, value, reason));
        let Some(number) = number else {
            return refused(said("it is no number that the kernel can hold".to_owned()));
        };
        match call::<SET>(name(resource), number) {
            Ok(_) => Ok(()),
            Err(Errno::NODEV) => Err(SettingError::gone(self.spec, resource)),
            Err(error @ (Errno::PERM | Errno::ACCESS)) => {
                refused(format!("{error}; run Headroom as root, or with CAP_NET_ADMIN"))
            }
            Err(error) => refused(said(error.to_string())),
        }
    }
}

/// By which the driver of the interface is asked, and told.
pub(super) fn ethtool(spec: &SettingSpec, resource: &Resource) -> Result<EthtoolSocket, SettingError> {
    let opened = EthtoolSocket::open(name(resource));
    opened.map_err(|error| SettingError::unreadable(spec, resource, error.to_string()))
}

/// Why the driver did not answer; `none` is what it means that it has no such thing.
pub(super) fn unanswered(spec: &SettingSpec, resource: &Resource, error: Errno, none: &str) -> SettingError {
    match error {
        Errno::NODEV => SettingError::gone(spec, resource),
        Errno::OPNOTSUPP => SettingError::unreadable(spec, resource, none.to_owned()),
        other => SettingError::unreadable(spec, resource, other.to_string()),
    }
}

/// Why the driver was not changed; `takes` is what it would take, where that is known.
pub(super) fn unchanged(
    spec: &SettingSpec,
    resource: &Resource,
    value: &Value,
    error: Errno,
    takes: &str,
) -> SettingError {
    let why = match error {
        Errno::NODEV => return SettingError::gone(spec, resource),
        Errno::PERM | Errno::ACCESS => "run Headroom as root, or with CAP_NET_ADMIN",
        Errno::OPNOTSUPP => "its driver does not let it be changed",
        Errno::INVAL | Errno::RANGE => "its driver does not take this value",
        _ => "",
    };
    let said = [error.to_string(), why.to_owned(), takes.to_owned()];
    let said: Vec<String> = said.into_iter().filter(|part| !part.is_empty()).collect();
    SettingError::refused(spec, resource, value, said.join("; "))
}

/// Whether the interface sees a carrier.
pub(super) fn has_link(resource: &Resource) -> bool {
    // The flags are the lower half of the number (`ifr_flags` is a short).
    call::<GET_FLAGS>(name(resource), 0).is_ok_and(|number| low_half(number) & RUNNING != 0)
}

/// The short at the beginning of a number.
fn low_half(number: i32) -> i32 {
    let [a, b, ..] = number.to_ne_bytes();
    i32::from(i16::from_ne_bytes([a, b]))
}

/// One call; the number is what the kernel wrote.
fn call<const CODE: Opcode>(interface: &str, number: i32) -> Result<i32, Errno> {
    let mut request = Request { name: [0; 16], number, rest: [0; 20] };
    let name = interface.as_bytes();
    // The last byte ends the name; a longer one is nobody's.
    request.name[..15].get_mut(..name.len()).ok_or(Errno::NODEV)?.copy_from_slice(name);
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: each code used here takes a `struct ifreq`, of which the kernel
    // reads and writes no more than the 40 bytes that `Request` has; the request
    // outlives the call.
    unsafe { ioctl(&socket, Updater::<CODE, Request>::new(&mut request))? };
    Ok(request.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_can_be_asked_and_a_stranger_is_not_there() {
        assert!(call::<GET_FLAGS>("lo", 0).is_ok());
        assert_eq!(call::<GET_FLAGS>("hr-none", 0), Err(Errno::NODEV));
        assert_eq!(call::<GET_FLAGS>("a-name-that-is-too-long", 0), Err(Errno::NODEV));
        assert_eq!(
            (name(&Resource::from("nic:eth0")), resource("eth0")),
            ("eth0", Resource::from("nic:eth0"))
        );
        assert_eq!(resource("nic:eth0").as_str(), "nic:eth0");
    }
}
