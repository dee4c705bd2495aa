//! Names and UUIDs that nobody else has: what bears them was made here.

use engine::fault::Fault;

/// Random bytes of the kernel.
pub(super) fn bytes<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|e| Fault::system("getting random bytes", e))?;
    if got == N { Ok(bytes) } else { Err(Fault::Other("the kernel gave too few random bytes".to_owned())) }
}

/// Bytes as hexadecimal digits.
pub(super) fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of a stack: `headroom_0123456789abcdef`.
pub(super) fn stack_name() -> Result<String, Fault> {
    Ok(format!("{PREFIX}{}", digits(&bytes::<8>()?)))
}

/// What names of stacks begin with.
const PREFIX: &str = "headroom_";

/// Whether it is the name of a stack.
pub(super) fn is_stack_name(name: &str) -> bool {
    digits_of_stack(name).is_some()
}

/// The 16 hexadecimal digits in the name of a stack; none if it is no such name.
pub(super) fn digits_of_stack(name: &str) -> Option<&str> {
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    name.strip_prefix(PREFIX).filter(|digits| digits.len() == 16 && digits.bytes().all(is_digit))
}

/// A random UUID (RFC 9562, version 4).
pub(super) fn uuid() -> Result<String, Fault> {
    let mut bytes = bytes::<16>()?;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let all = digits(&bytes);
    Ok([&all[..8], &all[8..12], &all[12..16], &all[16..20], &all[20..]].join("-"))
}

/// The digits of a UUID alone.
pub(super) fn bare(uuid: &str) -> String {
    uuid.chars().filter(|c| *c != '-').collect()
}
