//! The whole model of a SATA drive. What SCSI leaves of it is 16 characters
//! (SPC-4, "PRODUCT IDENTIFICATION"): `Samsung SSD 860` may be a PRO or an EVO.
//! udev asks the drive itself (`ata_id`) and keeps all 40 of ATA's.

use std::collections::BTreeMap;

use super::FoundDevice;
use crate::Host;

/// What SCSI leaves of a model.
const SCSI_LENGTH: usize = 16;

/// Puts to each drive its whole model, where it was cut and udev knows it.
pub(super) fn add(host: &Host, found: &mut [FoundDevice]) {
    let cut = |f: &FoundDevice| {
        f.device.transport.as_deref() == Some("sata")
            && f.device.model.as_ref().is_some_and(|m| m.len() + 1 >= SCSI_LENGTH)
    };
    if !found.iter().any(cut) {
        return;
    }
    let ask = || {
        let known = found
            .iter()
            .filter(|f| cut(f))
            .filter_map(|f| Some((f.device.name.clone(), udev_model(f.udev()?)?)));
        Ok(known.collect())
    };
    let known: BTreeMap<String, String> = host.probe("ata-models", ask).unwrap_or_default();
    for FoundDevice { device, .. } in found {
        // Another drive may have come to its name meanwhile.
        let whole = known
            .get(&device.name)
            .filter(|whole| device.model.as_ref().is_some_and(|short| whole.starts_with(short.trim_end())));
        if let Some(whole) = whole {
            device.model = Some(whole.clone());
        }
    }
}

/// The model in udev's database: `E:ID_MODEL_ENC=`, with bytes as `\x20`.
fn udev_model(text: &str) -> Option<String> {
    let encoded = text.lines().find_map(|line| line.strip_prefix("E:ID_MODEL_ENC="))?;
    let mut model = String::new();
    let mut rest = encoded;
    while let Some(at) = rest.find("\\x") {
        let byte = rest.get(at + 2..at + 4).and_then(|hex| u8::from_str_radix(hex, 16).ok())?;
        model.push_str(&rest[..at]);
        model.push(char::from(byte));
        rest = &rest[at + 4..];
    }
    model.push_str(rest);
    let model = model.trim().to_owned();
    (!model.is_empty() && model.len() <= 40).then_some(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::machine::BlockDevice;

    #[test]
    fn udev_knows_the_whole_name() {
        let text = "E:ID_MODEL=Samsung_SSD_860_PRO_256GB\n\
                    E:ID_MODEL_ENC=Samsung\\x20SSD\\x20860\\x20PRO\\x20256GB\\x20\\x20\\x20\n";
        assert_eq!(udev_model(text).as_deref(), Some("Samsung SSD 860 PRO 256GB"));
        for garbled in ["", "E:ID_MODEL_ENC=", "E:ID_MODEL_ENC=a\\x2", "E:ID_MODEL_ENC=\\xzz"] {
            assert_eq!(udev_model(garbled), None, "{garbled}");
        }
    }

    #[test]
    fn only_a_name_that_goes_on_from_the_short_one_is_taken() {
        let model = |short: &str| {
            let device = BlockDevice {
                name: "sda".to_owned(),
                transport: Some("sata".to_owned()),
                model: Some(short.to_owned()),
                ..BlockDevice::default()
            };
            let host = Host::parse("==> /probe/ata-models\n{\"sda\": \"Samsung SSD 860 PRO 256GB\"}\n");
            let mut found = [FoundDevice::new(&host, device, String::new())];
            add(&host, &mut found);
            found[0].device.model.clone().unwrap()
        };
        assert_eq!(model("Samsung SSD 860 "), "Samsung SSD 860 PRO 256GB");
        assert_eq!(model("WDC WD10EZEX-08M"), "WDC WD10EZEX-08M");
        assert_eq!(model("INTEL SSD"), "INTEL SSD");
    }
}
