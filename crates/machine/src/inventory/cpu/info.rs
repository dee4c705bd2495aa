//! What `/proc/cpuinfo` says of the processors; its keys differ by
//! architecture (`arch/*/kernel/cpu/proc.c`, `setup.c`, `cpuinfo.c`).

use model::machine::CoreKind;

use super::arm;
use crate::Host;
use crate::inventory::{distinct, line};

/// Keys that name the model: x86 and 32-bit ARM, LoongArch, MIPS, RISC-V,
/// POWER, and the chip where an old ARM kernel says no more.
const MODEL_KEYS: &[&str] = &["model name", "Model Name", "cpu model", "uarch", "cpu", "Hardware"];
/// Instruction sets instead of models, as 32-bit ARM kernels write them
/// (`ARMv7 Processor rev 3 (v7l)`).
const NOT_MODELS: &[&str] = &["ARMv", "AArch64 Processor", "unknown"];

/// The text of `/proc/cpuinfo`.
#[derive(Clone, Debug, Default)]
pub(in crate::inventory) struct CpuInfo {
    text: String,
    cores: Vec<(arm::Core, Vec<u32>)>,
}

impl CpuInfo {
    pub(in crate::inventory) fn read(host: &Host) -> Self {
        let text = host.text("/proc/cpuinfo").unwrap_or_default();
        let cores = arm::cores(&text);
        Self { text, cores }
    }

    /// The first value of `key` that is not empty.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        pairs(&self.text).find(|(name, value)| *name == key && !value.is_empty()).map(|(_, value)| value)
    }

    /// The model's name. ARM's 64-bit kernels give numbers only.
    pub(super) fn model(&self) -> Option<String> {
        let named = MODEL_KEYS.iter().find_map(|key| self.value(key));
        let told = named.filter(|name| !NOT_MODELS.iter().any(|not| name.starts_with(not)));
        told.and_then(line).or_else(|| arm::model(&self.cores)).or_else(|| named.and_then(line))
    }

    pub(super) fn vendor(&self) -> Option<String> {
        self.value("vendor_id").and_then(line).or_else(|| arm::vendor(&self.cores))
    }

    /// The numbers behind the name.
    pub(super) fn signature(&self) -> Option<String> {
        let keys = [("cpu family", "family"), ("model", "model"), ("stepping", "stepping")];
        let numbers: Option<Vec<String>> = keys
            .iter()
            .map(|(key, name)| Some(format!("{name} {}", self.value(key)?.parse::<u32>().ok()?)))
            .collect();
        numbers.map(|all| all.join(", ")).or_else(|| arm::signature(&self.cores))
    }

    /// The kinds of cores, where there are several.
    pub(super) fn core_kinds(&self, online: &[u32]) -> Vec<CoreKind> {
        arm::kinds(&self.cores, online)
    }

    /// The instruction sets and features of the first CPU: `flags` on x86,
    /// `Features` on ARM.
    pub(super) fn features(&self) -> Vec<&str> {
        let all = self.value("flags").or_else(|| self.value("Features"));
        all.unwrap_or_default().split_whitespace().collect()
    }

    /// Whether an x86 processor says that a hypervisor is below it; absent on
    /// others.
    pub(in crate::inventory) fn says_guest(&self) -> Option<bool> {
        let flags = self.value("flags")?;
        Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
    }

    /// CPUs that have an entry: those that are online.
    pub(super) fn cpus(&self) -> Vec<u32> {
        let entries = pairs(&self.text).filter(|(name, _)| *name == "processor");
        distinct(entries.filter_map(|(_, number)| number.parse::<u32>().ok()))
    }
}

/// The lines of `text` as keys and values.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.split_once(':')).map(|(key, value)| (key.trim(), value.trim()))
}
