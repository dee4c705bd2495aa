//! Frames: a length of four bytes, little endian, then so many bytes of JSON.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest frame: many times the largest trial, far below what would harm.
pub const FRAME_MAX: usize = 256 << 20;

/// One frame.
pub fn frame<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let length = u32::try_from(frame.len() - 4)
        .ok()
        .filter(|l| *l as usize <= FRAME_MAX)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a message is too long"))?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

/// Writes one frame.
pub fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    // At once: another thread may send a short frame of its own.
    to.write_all(&frame(message)?)?;
    to.flush()
}

/// Reads one frame; `None` at the end of the stream.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    if !fill(from, &mut length)? {
        return Ok(None);
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame claims {length} bytes")));
    }
    let mut body = vec![0; length];
    // Where the other side ended in the middle of a word it is gone.
    if fill(from, &mut body)? { Ok(Some(serde_json::from_slice(&body)?)) } else { Ok(None) }
}

/// Whether there were bytes enough before the end of the stream.
fn fill(from: &mut impl Read, room: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(room) {
        Ok(()) => Ok(true),
        Err(e) if matches!(e.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            Ok(false)
        }
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_bad_ones_are_errors() {
        let mut bytes = Vec::new();
        send(&mut bytes, &vec![1, 2, 3]).unwrap();
        let whole = bytes.clone();
        assert_eq!(receive::<Vec<i32>>(&mut whole.as_slice()).unwrap(), Some(vec![1, 2, 3]));
        assert_eq!(receive::<Vec<i32>>(&mut &whole[..6]).unwrap(), None);
        assert!(receive::<Vec<i32>>(&mut &[255u8; 8][..]).is_err());
        assert!(receive::<String>(&mut whole.as_slice()).is_err());
    }
}
