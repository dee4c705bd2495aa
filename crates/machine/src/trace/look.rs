//! Whether a trace could be begun, as far as that shows without beginning one. What the kernel refuses only
//! when it is asked (memory for buffers, a locked tracer) does not show here.

use rustix::fs::{Access, access};
use trace::ring::{EVENTS, EventClass};

use super::error::TraceError;
use super::filter;
use super::instance::INSTANCES;
use super::options::CaptureOptions;
use super::tracefs::Tracefs;

/// Looks whether this process may use tracefs and make an instance there, and whether the kernel has the
/// events of block devices. Nothing is made or changed; a tracefs that is not mounted is opened at no place.
///
/// # Errors
/// What is missing.
pub fn look(options: &CaptureOptions) -> Result<(), TraceError> {
    let tracefs = Tracefs::open()?;
    let instances = tracefs.path(INSTANCES);
    if !instances.is_dir() {
        return Err(TraceError::NoTracefs { reason: "this kernel's tracefs has no instances".to_owned() });
    }
    access(&instances, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|errno| TraceError::at(&instances, &errno.into()))?;
    let needed = EVENTS.iter().filter(|event| event.is_required && event.class == EventClass::Block);
    for event in needed {
        let format = tracefs.path(&format!("events/{}/{}/format", event.system, event.name));
        if !format.exists() {
            return Err(TraceError::NoEvent { event: event.name.to_owned() });
        }
    }
    // The longest filter, of those events that say where a bio came from.
    filter::by_device(&options.devices, true).map(|_| ())
}

#[cfg(test)]
mod tests {
    use trace::Device;

    use super::*;
    use crate::trace::instance::InstanceOwner;

    #[test]
    fn a_look_makes_nothing_and_refuses_what_cannot_be_opened() {
        let options = CaptureOptions { devices: vec![Device { major: 7, minor: 0 }], ..Default::default() };
        let looked = look(&options);
        let tracefs = match Tracefs::open() {
            Ok(tracefs) => tracefs,
            Err(error) => return assert_eq!(looked, Err(error)),
        };
        let entries = std::fs::read_dir(tracefs.path(INSTANCES)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let ours: Vec<String> =
            names.filter(|name| InstanceOwner::of(name) == Some(InstanceOwner::this())).collect();
        assert_eq!(ours, Vec::<String>::new(), "{looked:?}");
    }

    #[test]
    fn devices_that_no_filter_holds_are_refused() {
        if let Err(error) = look(&CaptureOptions::default()) {
            println!("skipped: {error}");
            return;
        }
        let devices = (0..1000).map(|minor| Device { major: 259, minor }).collect();
        let refused = look(&CaptureOptions { devices, ..CaptureOptions::default() });
        assert_eq!(refused, Err(TraceError::TooManyDevices { devices: 1000 }));
    }
}
