//! What a kernel must have for a layer: built in, loaded, or as a module that modprobe(8) finds.

use std::fs::read_to_string;
use std::path::Path;

use crate::workload::disk::stack::command::Program;
use crate::workload::disk::stack::zram;

/// A part of the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum KernelPart {
    /// A file system, by its name, which is its module's, too.
    FileSystem(&'static str),
    /// A level of md: as `/proc/mdstat` calls it, and its module.
    Array(&'static str, &'static str),
    /// A target of the device mapper, by its module.
    Mapping(&'static str),
    /// Anything else, by its module.
    Module(&'static str),
    /// Loop devices.
    Loop,
    /// zram devices.
    Zram,
}

pub(super) const MODPROBE: Program = Program { name: "modprobe", package: "kmod", version: &["--version"] };

impl KernelPart {
    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::FileSystem(name) | Self::Array(name, _) => name,
            Self::Mapping(module) | Self::Module(module) => module,
            Self::Loop => "loop",
            Self::Zram => "zram",
        }
    }

    /// The same for messages, with its module where that is called otherwise.
    pub(super) fn told(self) -> String {
        match (self.name(), self.module()) {
            (name, module) if name == module => format!("`{name}`"),
            (name, module) => format!("`{name}` (the module {module})"),
        }
    }

    /// Its module.
    pub(super) fn module(self) -> &'static str {
        match self {
            Self::FileSystem(name) => name,
            Self::Array(_, module) | Self::Mapping(module) | Self::Module(module) => module,
            Self::Loop => "loop",
            Self::Zram => "zram",
        }
    }

    /// Whether the running kernel has it, or can load it. Nothing is loaded.
    pub(super) fn is_there(self) -> bool {
        self.is_ready() || self.can_be_loaded()
    }

    /// Whether the running kernel has it, as far as it tells: of what is built in it does not always.
    pub(super) fn is_ready(self) -> bool {
        match self {
            Self::FileSystem(name) => read_to_string("/proc/filesystems")
                .is_ok_and(|all| all.lines().any(|line| line.split_whitespace().last() == Some(name))),
            Self::Array(level, _) => read_to_string("/proc/mdstat").is_ok_and(|all| {
                let known = all.lines().find(|line| line.starts_with("Personalities"));
                known.is_some_and(|line| line.contains(&format!("[{level}]")))
            }),
            Self::Mapping(module) | Self::Module(module) => {
                Path::new("/sys/module").join(module.replace('-', "_")).exists()
            }
            Self::Loop => Path::new("/dev/loop-control").exists(),
            Self::Zram => zram::is_ready(),
        }
    }

    fn can_be_loaded(self) -> bool {
        let Some(modprobe) = MODPROBE.find() else { return false };
        let mut command = std::process::Command::new(modprobe);
        command.args(["--dry-run", "--quiet", self.module()]);
        let nothing = std::process::Stdio::null;
        command.stdin(nothing()).stdout(nothing()).stderr(nothing());
        command.status().is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_told_with_its_module_where_that_is_called_otherwise() {
        assert_eq!(KernelPart::Array("raid6", "raid456").told(), "`raid6` (the module raid456)");
        for (part, told) in [(KernelPart::FileSystem("xfs"), "`xfs`"), (KernelPart::Loop, "`loop`")] {
            assert_eq!(part.told(), told);
        }
    }
}
