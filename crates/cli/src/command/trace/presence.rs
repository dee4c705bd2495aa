//! Whether a device that is traced is still what it was when the trace began. A device may go though its name stays: a
//! loop device that is detached, a zram that is reset and a drive without its medium are there and hold nothing, and
//! soon the name may mean something else.

use std::path::PathBuf;

use machine::trace::TracedDevice;

/// What a device was when the trace began.
#[derive(Debug)]
pub(super) struct DevicePresence {
    pub(super) name: String,
    /// Its folder in sysfs.
    folder: PathBuf,
    has_held: bool,
    /// The kernel's count of attached devices and changed media; absent before Linux 5.15.
    sequence: Option<String>,
}

impl DevicePresence {
    pub(super) fn of(device: &TracedDevice) -> Self {
        let folder = PathBuf::from(format!("/sys/dev/block/{}", device.device));
        Self::at(folder, device.name.clone())
    }

    fn at(folder: PathBuf, name: String) -> Self {
        let mut this = Self { name, folder, has_held: false, sequence: None };
        this.has_held = this.text("size").is_some_and(|sectors| sectors != "0");
        this.sequence = this.text("diskseq");
        this
    }

    fn text(&self, file: &str) -> Option<String> {
        Some(std::fs::read_to_string(self.folder.join(file)).ok()?.trim().to_owned())
    }

    /// Whether the kernel has it no more.
    pub(super) fn is_removed(&self) -> bool {
        !self.folder.exists()
    }

    /// Whether there is nothing in it any more.
    pub(super) fn is_emptied(&self) -> bool {
        self.is_removed() || self.has_held && self.text("size").is_some_and(|sectors| sectors == "0")
    }

    /// Whether it is emptied, or was, and is something else now.
    pub(super) fn is_another(&self) -> bool {
        self.is_emptied() || self.has_held && self.text("diskseq") != self.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_detached_attached_again_or_removed_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("loop0");
        std::fs::create_dir(&place).unwrap();
        let write = |file: &str, text: &str| std::fs::write(place.join(file), text).unwrap();
        let told = |device: &DevicePresence| [device.is_removed(), device.is_emptied(), device.is_another()];
        write("size", "0\n");
        write("diskseq", "7\n");
        // One that never held anything may get something.
        let empty = DevicePresence::at(place.clone(), "loop0".to_owned());
        assert_eq!(told(&empty), [false; 3]);
        write("size", "2048\n");
        write("diskseq", "8\n");
        assert_eq!(told(&empty), [false; 3]);
        let device = DevicePresence::at(place.clone(), "loop0".to_owned());
        assert_eq!(told(&device), [false; 3]);
        write("size", "0\n");
        assert_eq!(told(&device), [false, true, true]);
        write("size", "2048\n");
        write("diskseq", "9\n");
        assert_eq!(told(&device), [false, false, true]);
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(told(&device), [true; 3]);
    }
}
