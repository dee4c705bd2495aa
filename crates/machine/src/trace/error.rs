//! Why nothing can be traced, and what can be had without.

use trace::ring::LayoutError;

/// Why the kernel's events cannot be traced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The kernel does not let us.
    #[error(
        "the kernel's trace events cannot be read here: {path}: permission denied; this needs root (CAP_SYS_ADMIN), \
         outside of a container, and a kernel that is not locked down"
    )]
    Permission {
        /// What was refused.
        path: String,
    },
    /// There is no tracefs.
    #[error("the kernel's trace events cannot be read here: {reason}")]
    NoTracefs {
        /// Why not.
        reason: String,
    },
    /// The kernel has tracefs, but not these events.
    #[error("this kernel has no event {event}, without which the path of a request cannot be followed")]
    NoEvent {
        /// Which.
        event: String,
    },
    /// An event's format is another than we know.
    #[error("this kernel's events cannot be read: {0}")]
    Format(#[from] LayoutError),
    /// A file of tracefs did not do what it should.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// There is no memory for the buffers.
    #[error("the kernel has no memory for trace buffers of {} for each of {cpus} CPUs", shown(.bytes))]
    Buffers {
        /// How much was asked for, for each CPU.
        bytes: u64,
        /// How many CPUs.
        cpus: usize,
    },
    /// A path does not lead to a block device.
    #[error("{path}: {reason}")]
    Device {
        /// The path.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A filter for so many devices would be longer than the kernel accepts.
    #[error("{devices} devices are more than the kernel filters by at once: name fewer")]
    TooManyDevices {
        /// How many were asked for.
        devices: usize,
    },
}

impl TraceError {
    /// What can be had without the kernel's events; nothing where they are not what is missing.
    #[must_use]
    pub const fn possible_without(&self) -> Option<&'static str> {
        match self {
            Self::Permission { .. } | Self::NoTracefs { .. } | Self::NoEvent { .. } | Self::Format(_) => {
                Some(
                    "without them there are still the kernel's counters: of each device its operations, bytes and \
                 time (/proc/diskstats), of each of your processes its bytes (/proc/PID/io); not which \
                 request, its size, its place or its latency",
                )
            }
            Self::File { .. } | Self::Buffers { .. } | Self::Device { .. } | Self::TooManyDevices { .. } => {
                None
            }
        }
    }

    /// That `path` could not be read, written or made.
    pub(super) fn at(path: &std::path::Path, error: &std::io::Error) -> Self {
        let path = path.display().to_string();
        match error.kind() {
            std::io::ErrorKind::PermissionDenied => Self::Permission { path },
            std::io::ErrorKind::ReadOnlyFilesystem => Self::NoTracefs {
                reason: format!("{path}: tracefs is mounted read-only, as in many containers"),
            },
            _ => Self::File { path, reason: error.to_string() },
        }
    }
}

fn shown(bytes: &u64) -> String {
    model::scalar::binary(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    #[test]
    fn what_is_possible_without_is_said_where_that_helps() {
        let refused =
            TraceError::at(Path::new("/sys/kernel/tracing"), &Error::from(ErrorKind::PermissionDenied));
        assert!(refused.to_string().contains("/sys/kernel/tracing: permission denied"), "{refused}");
        assert!(refused.possible_without().is_some_and(|text| text.contains("/proc/diskstats")));
        let read_only =
            TraceError::at(Path::new("/sys/kernel/tracing"), &Error::from(ErrorKind::ReadOnlyFilesystem));
        assert!(read_only.to_string().contains("mounted read-only"), "{read_only}");
        assert!(read_only.possible_without().is_some());
        let full = TraceError::Buffers { bytes: 16 << 20, cpus: 2 };
        assert_eq!(full.possible_without(), None);
        assert!(full.to_string().contains("16 MiB for each of 2 CPUs"), "{full}");
    }
}
