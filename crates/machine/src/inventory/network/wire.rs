//! Netlink messages as they go over the socket (netlink(7),
//! `include/uapi/linux/netlink.h`): an object or a dump is asked for and taken
//! apart. By
//! hand, as what is needed of it is small and the queueing disciplines that hold
//! a rate are not in the crates for it.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

/// Heads of a message and of an attribute, in bytes.
const MESSAGE_HEAD: usize = 16;
const ATTRIBUTE_HEAD: usize = 4;
/// `NLM_F_REQUEST | NLM_F_DUMP`.
const FLAGS_DUMP: u16 = 0x1 | 0x300;
/// `NLM_F_REQUEST`: one object.
pub(crate) const FLAGS_ONE: u16 = 0x1;
/// `NLM_F_REQUEST | NLM_F_ACK`: a change, which is answered by an error message of
/// its own, number 0 where there is none.
pub(crate) const FLAGS_CHANGE: u16 = 0x1 | 0x4;
/// The same with `NLM_F_CREATE | NLM_F_EXCL`: `EEXIST` where there is one already.
pub(crate) const FLAGS_CREATE: u16 = FLAGS_CHANGE | 0x400 | 0x200;
const MESSAGE_ERROR: u16 = 2;
const MESSAGE_DONE: u16 = 3;
/// What an attribute's type is without its two flags (`NLA_TYPE_MASK`).
const TYPE_MASK: u16 = 0x3fff;
/// The kernel puts no more than 32 KiB in one part of a dump
/// (`netlink_dump` in `net/netlink/af_netlink.c`).
const PART_BYTES: usize = 64 << 10;
/// What is asked for, and the bytes of what each message begins with: `struct ifinfomsg`, `struct rtmsg`,
/// `struct tcmsg`.
pub(crate) const GET_LINK: u16 = 18;
pub(crate) const GET_ROUTE: u16 = 26;
pub(crate) const NEW_QDISC: u16 = 36;
pub(crate) const DELETE_QDISC: u16 = 37;
pub(crate) const GET_QDISC: u16 = 38;
pub(crate) const GET_FILTER: u16 = 46;
pub(crate) const LINK_HEAD: usize = 16;
pub(crate) const ROUTE_HEAD: usize = 12;
pub(crate) const TC_HEAD: usize = 20;
pub(crate) const AF_INET6: u8 = 10;
pub(crate) const IFLA_IFNAME: u16 = 3;
pub(crate) const IFLA_MTU: u16 = 4;
pub(crate) const IFLA_QDISC: u16 = 6;
pub(crate) const IFLA_LINKINFO: u16 = 18;
pub(crate) const IFLA_INFO_KIND: u16 = 1;
pub(crate) const IFLA_MAX_MTU: u16 = 51;
pub(crate) const RTA_DST: u16 = 1;
pub(crate) const RTA_OIF: u16 = 4;
pub(crate) const RTA_METRICS: u16 = 8;
pub(crate) const RTAX_MTU: u16 = 2;
/// The parent of what is at the root (`TC_H_ROOT`).
pub(crate) const ROOT: u32 = u32::MAX;
/// A dump that is larger is given up.
const DUMP_BYTES: usize = 64 << 20;
/// The kernel answers at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// All messages of a dump of rtnetlink(7), without their heads.
///
/// # Errors
/// Why there are none.
pub(crate) fn dump(kind: u16, payload: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let text = |e: rustix::io::Errno| e.to_string();
    let socket = socket_with_request(&request(kind, FLAGS_DUMP, payload)).map_err(text)?;
    let mut found = Vec::new();
    let mut part = vec![0; PART_BYTES];
    let mut total = 0;
    loop {
        let (_, length) = recv(&socket, &mut part[..], RecvFlags::TRUNC).map_err(text)?;
        total += length;
        let whole = part.get(..length).filter(|p| !p.is_empty() && total <= DUMP_BYTES);
        for (kind, payload) in messages(whole.ok_or("the answer is too large")?) {
            match kind {
                MESSAGE_DONE => return Ok(found),
                MESSAGE_ERROR => return Err(refusal(payload)),
                _ => found.push(payload.to_vec()),
            }
        }
    }
}

/// The one object that a request of rtnetlink(7) is about, without the head of
/// its message.
///
/// # Errors
/// Why there is none, in the kernel's words.
pub(crate) fn ask(kind: u16, payload: &[u8]) -> Result<Vec<u8>, String> {
    let text = |e: rustix::io::Errno| e.to_string();
    let socket = socket_with_request(&request(kind, FLAGS_ONE, payload)).map_err(text)?;
    let mut part = vec![0; PART_BYTES];
    let (_, length) = recv(&socket, &mut part[..], RecvFlags::TRUNC).map_err(text)?;
    answer(part.get(..length).ok_or("the answer is too large")?)
}

/// The first message of what came back, without its head.
///
/// # Errors
/// Why there is none, in the kernel's words.
pub(crate) fn answer(whole: &[u8]) -> Result<Vec<u8>, String> {
    match messages(whole).next() {
        Some((MESSAGE_ERROR, payload)) => Err(refusal(payload)),
        Some((_, payload)) => Ok(payload.to_vec()),
        None => Err("the answer is empty".to_owned()),
    }
}

/// Makes a change by rtnetlink(7), with [`FLAGS_CHANGE`] or [`FLAGS_CREATE`], and
/// waits until the kernel has made it.
///
/// # Errors
/// Why the kernel did not.
pub(crate) fn change(kind: u16, flags: u16, payload: &[u8]) -> rustix::io::Result<()> {
    let socket = socket_with_request(&request(kind, flags, payload))?;
    let mut part = vec![0; PART_BYTES];
    let (_, length) = recv(&socket, &mut part[..], RecvFlags::TRUNC)?;
    let mut answers = messages(part.get(..length).unwrap_or_default());
    let error = answers.find(|(kind, _)| *kind == MESSAGE_ERROR).map(|(_, payload)| code(payload));
    match error {
        Some(0) => Ok(()),
        Some(negative) => Err(Errno::from_raw_os_error(negative.saturating_neg())),
        None => Err(Errno::PROTO),
    }
}

/// A socket to the kernel over which this was asked.
fn socket_with_request(request: &[u8]) -> rustix::io::Result<OwnedFd> {
    // No protocol is 0, which is `NETLINK_ROUTE`.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    // Connected to the kernel, so that nobody else can answer.
    rustix::net::connect(&socket, &SocketAddrNetlink::new(0, 0))?;
    set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
    send(&socket, request, SendFlags::empty())?;
    Ok(socket)
}

/// Adds an attribute, filled up to a multiple of four bytes.
pub(crate) fn push_attribute(to: &mut Vec<u8>, kind: u16, payload: &[u8]) {
    let length = u16::try_from(ATTRIBUTE_HEAD + payload.len()).unwrap_or(u16::MAX);
    to.extend(length.to_ne_bytes());
    to.extend(kind.to_ne_bytes());
    to.extend(payload);
    to.resize(to.len().next_multiple_of(4), 0);
}

/// What an error message says: a negative error number.
fn refusal(payload: &[u8]) -> String {
    std::io::Error::from_raw_os_error(code(payload).saturating_neg()).to_string()
}

/// The negative error number that an error message begins with, 0 where nothing failed.
fn code(payload: &[u8]) -> i32 {
    payload.first_chunk().map_or(0, |b| i32::from_ne_bytes(*b))
}

/// A message that asks for something.
pub(crate) fn request(kind: u16, flags: u16, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(MESSAGE_HEAD + payload.len()).unwrap_or(u32::MAX);
    let mut message = length.to_ne_bytes().to_vec();
    message.extend(kind.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    // Sequence and port: there is one request on a socket.
    message.extend([0; 8]);
    message.extend(payload);
    message
}

/// The messages in `bytes`, up to the first that is garbled.
pub(crate) fn messages(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = usize::try_from(u32::from_ne_bytes(*rest.first_chunk()?)).ok()?;
        let kind = u16::from_ne_bytes(*rest.get(4..)?.first_chunk()?);
        let payload = rest.get(MESSAGE_HEAD..length)?;
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, payload))
    })
}

/// The attributes in `bytes`, up to the first that is garbled.
pub(crate) fn attributes(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*rest.first_chunk()?));
        let kind = u16::from_ne_bytes(*rest.get(2..)?.first_chunk()?) & TYPE_MASK;
        let payload = rest.get(ATTRIBUTE_HEAD..length)?;
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, payload))
    })
}

/// The first attribute of a type.
pub(crate) fn attribute(bytes: &[u8], kind: u16) -> Option<&[u8]> {
    attributes(bytes).find(|(k, _)| *k == kind).map(|(_, payload)| payload)
}

/// A number at an offset.
pub(crate) fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_ne_bytes(*b))
}

/// A number of 64 bits that fills an attribute.
pub(crate) fn long(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|b| u64::from_ne_bytes(*b))
}

/// A text that ends with a zero.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    std::str::from_utf8(&bytes[..end]).ok().filter(|t| !t.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_attributes_that_are_cut_short_end_the_list() {
        let mut bytes = request(18, FLAGS_DUMP, &[1, 2, 3]);
        bytes.push(0);
        bytes.extend(request(36, FLAGS_ONE, &[4, 5, 6, 7]));
        let found: Vec<_> = messages(&bytes).collect();
        assert_eq!(found, [(18, &[1, 2, 3][..]), (36, &[4, 5, 6, 7][..])]);
        for length in 0..bytes.len() {
            assert!(messages(&bytes[..length]).count() <= 1, "{length}");
        }
        // A length of 0, or shorter than the head, would not lead on.
        assert_eq!(messages(&[0; 64]).count(), 0);
        assert_eq!(attributes(&[0; 64]).count(), 0);
        assert_eq!(attributes(&[3, 0, 1, 0, 9, 9]).count(), 0);
        let nested = [5, 0, 1, 0x80, 7, 0, 0, 0, 4, 0, 2, 0];
        assert_eq!(attributes(&nested).collect::<Vec<_>>(), [(1, &[7][..]), (2, &[][..])]);
    }

    #[test]
    fn an_unknown_request_is_refused_in_words() {
        assert!(dump(0xfff0, &[0; 16]).is_err_and(|reason| !reason.is_empty()));
        assert!(change(0xfff0, FLAGS_CHANGE, &[0; 16]).is_err());
        assert_eq!(refusal(&(-1_i32).to_ne_bytes()), std::io::Error::from_raw_os_error(1).to_string());
        assert!(!refusal(&[]).is_empty() && !refusal(&i32::MIN.to_ne_bytes()).is_empty());
    }
}
