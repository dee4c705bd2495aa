//! What the kernel starts with: a static busybox, the few modules that reach the
//! host's root, and `init.sh`, which goes there. All other modules are loaded
//! from the unpacked package by modprobe, when they are wanted.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use super::kernel::{Kernel, output};
use crate::error::Error;
use crate::tools;

/// Modules without which the host's root cannot be seen.
const MODULES: &[&str] = &["virtio_pci", "9pnet_virtio", "9p", "overlay"];

/// Makes the archive in a folder that exists, and says where it is.
pub(super) fn make(kernel: &Kernel, folder: &Path) -> Result<PathBuf, Error> {
    let tree = folder.join("initramfs");
    for path in ["bin", "modules"] {
        let path = tree.join(path);
        fs::create_dir_all(&path).map_err(Error::file("make", &path))?;
    }
    copy(&busybox()?, &tree.join("bin/busybox"))?;
    let modules = modules(kernel)?;
    for module in &modules {
        copy(module, &tree.join("modules").join(name(module)))?;
    }
    let order: Vec<_> = modules.iter().map(|module| format!("{}\n", name(module))).collect();
    let write = |file: &str, text: &str| {
        let path = tree.join(file);
        fs::write(&path, text).map_err(Error::file("write", &path))
    };
    write("modules/order", &order.concat())?;
    write("init", include_str!("init.sh"))?;
    let init = tree.join("init");
    fs::set_permissions(&init, Permissions::from_mode(0o755)).map_err(Error::file("write", &init))?;
    let archive = folder.join("initramfs.cpio");
    // The kernel reads this format, and needs no compression.
    let script = r#"cd "$0" && find . | cpio --quiet -o -H newc > "$1""#;
    output(Process::new("sh").args(["-c", script]).arg(&tree).arg(&archive))?;
    Ok(archive)
}

/// The files of the modules, each after those that it depends on.
fn modules(kernel: &Kernel) -> Result<Vec<PathBuf>, Error> {
    let mut files: Vec<PathBuf> = Vec::new();
    for module in MODULES {
        let mut modprobe = Process::new("modprobe");
        modprobe.arg("-d").arg(&kernel.root).args(["-S", &kernel.release, "--show-depends", module]);
        for file in insmod(&output(&mut modprobe)?) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// The files in the lines `insmod FILE`; what the kernel has built in needs none.
fn insmod(text: &str) -> impl Iterator<Item = PathBuf> {
    text.lines().filter_map(|line| line.strip_prefix("insmod ")).map(|file| PathBuf::from(file.trim()))
}

fn name(module: &Path) -> String {
    module.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::copy(from, to).map(drop).map_err(Error::file("copy", from))
}

/// A busybox that needs no library.
fn busybox() -> Result<PathBuf, Error> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = tools::find("busybox", &path).ok_or_else(|| Error::Guest("busybox is missing".to_owned()))?;
    let bytes = fs::read(&file).map_err(Error::file("read", &file))?;
    if is_static(&bytes) {
        return Ok(file);
    }
    Err(Error::Guest(format!(
        "`{}` needs libraries, which the guest lacks when it starts: \
         run `apt-get install busybox-static` as root",
        file.display()
    )))
}

/// Whether an executable names no interpreter: its table of sections then has no
/// `.interp` (ELF specification, special sections).
fn is_static(executable: &[u8]) -> bool {
    !executable.windows(8).any(|bytes| bytes == b"\0.interp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_listed_in_the_order_to_load_them() {
        let text = "insmod /k/virtio.ko \ninsmod /k/virtio_pci.ko \nbuiltin xhci\n";
        let files: Vec<_> = insmod(text).collect();
        assert_eq!(files, [Path::new("/k/virtio.ko"), Path::new("/k/virtio_pci.ko")]);
        assert_eq!(name(&files[1]), "virtio_pci.ko");
    }

    #[test]
    fn a_program_with_libraries_is_not_static() {
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(!is_static(&own));
        assert!(is_static(b"\x7fELF without sections"));
    }
}
