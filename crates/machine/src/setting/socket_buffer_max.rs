//! `socket-buffer-max`: the most that a program may ask for as the send and the
//! receive buffer of a socket (`net.core.rmem_max` and `wmem_max`,
//! `Documentation/admin-guide/sysctl/net.rst`).
//!
//! Both belong to the machine: other network namespaces than the first can only
//! read them.

use std::path::{Path, PathBuf};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError};

const FOLDER: &str = "/proc/sys/net/core";
/// The receiver's first.
const FILES: [&str; 2] = ["rmem_max", "wmem_max"];

pub(super) struct SocketBufferMax;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "socket-buffer-max",
        Kind::Size,
        "The largest send and receive buffer that a program may ask for (net.core.rmem_max and wmem_max together). A \
         window beyond it is cut to it without a word, which is why Headroom shows windows as asked and as granted. It \
         belongs to the whole machine, with a peer to both; a network namespace of its own cannot change it. Nothing else \
         changes with it, and what sockets have been granted they keep until they are closed.",
    ),
    unit: Unit::Bytes,
    binds: None,
    holds: None,
    summary: "the largest socket buffer that a program may ask for",
};

impl Setting for SocketBufferMax {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    // It is the machine's, but the first namespace alone can put it back.
    fn is_of_namespace(&self) -> bool {
        true
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(FOLDER), resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        write(Path::new(FOLDER), resource, value)
    }

    // Two numbers that the kernel reads when a socket asks for a buffer
    // (`sk_setsockopt` in `net/core/sock.c`); it changes nothing with them.
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

/// One number where both are the same, both otherwise.
fn read(folder: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let unreadable = |path: &PathBuf, reason: String| {
        SettingError::unreadable(&SPEC, resource, format!("{}: {reason}", path.display()))
    };
    let number = |file: &str| {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).map_err(|e| unreadable(&path, e.to_string()))?;
        text.trim().parse::<u64>().map_err(|_| unreadable(&path, format!("`{}` is no number", text.trim())))
    };
    let (receive, send) = (number(FILES[0])?, number(FILES[1])?);
    Ok(if receive == send {
        Value::Integer(receive)
    } else {
        Value::List(vec![Value::Integer(receive), Value::Integer(send)])
    })
}

fn write(folder: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let both = match value {
        Value::Integer(both) => [*both; 2],
        Value::List(parts) => match parts[..] {
            [Value::Integer(receive), Value::Integer(send)] => [receive, send],
            _ => return Err(refused("it is no size".to_owned())),
        },
        _ => return Err(refused("it is no size".to_owned())),
    };
    for (file, bytes) in FILES.iter().zip(both) {
        let path = folder.join(file);
        if let Err(error) = std::fs::write(&path, format!("{bytes}\n")) {
            let why = match error.kind() {
                std::io::ErrorKind::PermissionDenied => {
                    "; it needs root, in the first network namespace of the machine"
                }
                _ => "",
            };
            return Err(refused(format!("{}: {error}{why}", path.display())));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_are_put_back_even_where_they_differ() {
        let folder = tempfile::tempdir().unwrap();
        for (file, bytes) in FILES.iter().zip(["212992\n", "4194304\n"]) {
            std::fs::write(folder.path().join(file), bytes).unwrap();
        }
        let before = read(folder.path(), &Resource::MACHINE).unwrap();
        assert_eq!(before, Value::List(vec![Value::Integer(212_992), Value::Integer(4_194_304)]));
        write(folder.path(), &Resource::MACHINE, &Value::Integer(32 << 20)).unwrap();
        assert_eq!(read(folder.path(), &Resource::MACHINE).unwrap(), Value::Integer(32 << 20));
        write(folder.path(), &Resource::MACHINE, &before).unwrap();
        assert_eq!(read(folder.path(), &Resource::MACHINE).unwrap(), before);
    }

    #[test]
    fn what_cannot_be_read_or_written_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILES[0]), "garbage").unwrap();
        let error = read(folder.path(), &Resource::MACHINE).unwrap_err().to_string();
        assert!(error.contains("rmem_max") && error.contains("garbage"), "{error}");
        let error = write(Path::new("/proc/hr-none"), &Resource::MACHINE, &Value::Integer(1))
            .unwrap_err()
            .to_string();
        assert!(error.contains("rmem_max"), "{error}");
    }
}
