//! The kernel's own filters (`Documentation/trace/events.rst`, "Event filtering"): what is not
//! of the devices in question costs the kernel a comparison, and our buffers nothing.

use trace::Device;

use super::error::TraceError;

/// The kernel refuses what is a page long or longer; pages are at least this long.
const BYTES_MAX: usize = 4096;

/// A filter for events of these devices; for those that say where a bio came from
/// (`has_origin`) also for what came from one of them.
///
/// # Errors
/// If it would be too long.
pub(super) fn by_device(devices: &[Device], has_origin: bool) -> Result<String, TraceError> {
    let fields: &[&str] = if has_origin { &["dev", "old_dev"] } else { &["dev"] };
    let mut parts = Vec::new();
    for number in devices.iter().map(|device| device.to_kernel()) {
        parts.extend(fields.iter().map(|field| format!("{field} == {number}")));
    }
    joined(parts, devices.len())
}

/// A filter for pages of the backing devices with these names.
///
/// # Errors
/// If it would be too long.
pub(super) fn by_backing(names: &[String]) -> Result<String, TraceError> {
    joined(names.iter().map(|name| format!("name == \"{name}\"")).collect(), names.len())
}

/// A filter for these system calls.
pub(super) fn by_call(calls: &[(u64, &'static str)]) -> String {
    calls.iter().map(|(number, _)| format!("id == {number}")).collect::<Vec<_>>().join(" || ")
}

fn joined(parts: Vec<String>, devices: usize) -> Result<String, TraceError> {
    let filter = parts.join(" || ");
    if filter.len() < BYTES_MAX { Ok(filter) } else { Err(TraceError::TooManyDevices { devices }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_in_the_words_of_the_kernel() {
        let devices = [Device { major: 8, minor: 0 }, Device { major: 254, minor: 16 }];
        assert_eq!(by_device(&devices, false).unwrap(), "dev == 8388608 || dev == 266338320");
        assert_eq!(by_device(&devices[..1], true).unwrap(), "dev == 8388608 || old_dev == 8388608");
        let names = ["8:0".to_owned(), "btrfs-1".to_owned()];
        assert_eq!(by_backing(&names).unwrap(), "name == \"8:0\" || name == \"btrfs-1\"");
        assert_eq!(by_call(&[(74, "fsync"), (75, "fdatasync")]), "id == 74 || id == 75");
        let many = [devices[0]; 300];
        assert_eq!(by_device(&many, false), Err(TraceError::TooManyDevices { devices: 300 }));
    }
}
