//! Too little memory free.

use model::Severity;
use model::scalar::binary;

use super::{Check, condition};

const CODE: &str = "little-memory";
/// Below this share of all memory a load and its page cache push others out.
const SHARE: u64 = 10;

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "less than a tenth of memory is available",
    look: |patient| {
        let memory = &patient.inventory.memory;
        if memory.total_bytes == 0 || memory.available_bytes >= memory.total_bytes / SHARE {
            return Vec::new();
        }
        let text = format!(
            "{} of {} of memory are available",
            binary(memory.available_bytes),
            binary(memory.total_bytes)
        );
        vec![
            condition(CODE, Severity::Warning, text)
                .on("memory")
                .advise("end what holds memory, or measure with sizes that fit"),
        ]
    },
};
