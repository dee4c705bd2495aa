//! Whether a device may be asked: one that the kernel has put to sleep would be
//! woken by the question, and one that is gone would not answer for as long as
//! its driver waits (NVMe: 60 s).

use crate::Host;

/// Whether the kernel has put the device at `folder` to sleep
/// (`Documentation/ABI/testing/sysfs-devices-power`, runtime_status).
pub(crate) fn sleeps(host: &Host, folder: &str) -> bool {
    host.text(format!("{folder}/power/runtime_status")).is_some_and(|state| state.trim() == "suspended")
}

/// Why the drive at `folder`, an NVMe controller or a SCSI device, is not to be
/// asked; its state is `live` (`drivers/nvme/host/sysfs.c`) or `running`
/// (`drivers/scsi/scsi_sysfs.c`) if it may be.
pub(crate) fn refuses(host: &Host, folder: &str) -> Option<String> {
    if sleeps(host, folder) {
        return Some("the drive is asleep".to_owned());
    }
    let state = host.text(format!("{folder}/state"))?;
    match state.trim() {
        "" | "live" | "running" => None,
        "quiesce" | "blocked" | "transport-offline" | "offline" | "resetting" | "connecting" | "dead"
        | "deleting" | "deleting (no IO)" | "new" | "cancel" | "deleted" | "created" | "created-blocked" => {
            Some(format!("the drive is {}", state.trim()))
        }
        // Of other devices that word may mean anything.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_sleeps_or_is_gone_is_not_asked() {
        let host = |text: &str| Host::parse(&format!("==> /sys/x/{text}\n"));
        for may in ["power/runtime_status\nactive", "state\nlive", "state\nrunning", "size\n1"] {
            assert_eq!(refuses(&host(may), "/sys/x"), None, "{may}");
        }
        for (not, reason) in [
            ("power/runtime_status\nsuspended", "the drive is asleep"),
            ("state\noffline", "the drive is offline"),
            ("state\nconnecting", "the drive is connecting"),
        ] {
            assert_eq!(refuses(&host(not), "/sys/x").as_deref(), Some(reason), "{not}");
        }
    }
}
