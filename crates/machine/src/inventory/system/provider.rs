//! Who rents this machine out, and as what: by the firmware's words, and by what
//! cloud-init kept of the provider's own data (`/run/cloud-init/instance-data.json`,
//! "Instance metadata" in its documentation). No service is asked. That the identifier
//! which Xen gave a machine begins with `ec2` says nothing: one in 2048 of all does.
//!
//! Of a provider whose guests are not told their type (Google), the file
//! `/etc/headroom/instance-type` may tell it: `n2-standard-4`.

use std::path::Path;

use model::machine::Provider;
use serde::{Deserialize, Serialize};

use super::dmi;
use crate::Host;
use crate::file::{self, Bounds};
use crate::inventory::line;

const EC2: &str = Provider::EC2;
const GCE: &str = Provider::GCE;

/// What cloud-init calls the clouds of these providers (`v1.cloud_name`). Its
/// `v1.platform` is `ec2` for others too that answer as Amazon does.
const CLOUDS: &[(&str, &str)] = &[("aws", EC2), ("gce", GCE)];

const CLOUD_INIT: &str = "/run/cloud-init/instance-data.json";
const OWN: &str = "/etc/headroom/instance-type";
/// What cloud-init keeps is some kilobytes, with all that a user handed over.
const BYTES_MAX: u64 = 4 << 20;

/// Where cloud-init has the type, newer versions first.
const TYPE_PLACES: &[&str] = &[
    "/ds/meta_data/instance_type",
    "/ds/meta_data/instance-type",
    "/ds/meta-data/instance-type",
    "/ds/dynamic/instance_identity/document/instanceType",
    "/ds/dynamic/instance-identity/document/instanceType",
];

/// What files tell beside the firmware's words. The answer to a probe, as those files
/// hold what identifies a machine and its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Told {
    /// What cloud-init calls the cloud, if it is one of [`CLOUDS`].
    cloud: Option<String>,
    /// The type that cloud-init kept of it.
    cloud_type: Option<String>,
    /// The type that the file of our own tells.
    own_type: Option<String>,
}

impl Told {
    /// The provider whose cloud it is.
    fn provider(&self) -> Option<&'static str> {
        let cloud = self.cloud.as_deref()?;
        CLOUDS.iter().find(|(own, _)| *own == cloud).map(|(_, name)| *name)
    }
}

/// Who rents this machine out; absent where nobody is known to.
pub(super) fn of(host: &Host) -> Option<Provider> {
    let told: Told = host.probe("provider", || Ok(ask())).unwrap_or_default();
    let (name, known_from) = named(host, &told)?;
    // On Nitro the product is the type; under Xen it is `HVM domU`.
    let product = dmi(host, "product_name").filter(|_| name == EC2);
    let kept = told.cloud_type.clone().filter(|_| told.provider() == Some(name));
    let types = [product, kept, told.own_type];
    let instance_type = types.into_iter().flatten().find_map(|text| instance_type(&text));
    Some(Provider { name: name.to_owned(), instance_type, known_from: known_from.to_owned() })
}

/// The provider, and what tells it.
fn named(host: &Host, told: &Told) -> Option<(&'static str, &'static str)> {
    let [vendor, product, version] =
        ["sys_vendor", "product_name", "bios_version"].map(|leaf| dmi(host, leaf).unwrap_or_default());
    // Of machines under Xen the firmware's version ends so: `4.2.amazon`.
    if vendor == "Amazon EC2" || version.ends_with(".amazon") {
        return Some((EC2, "firmware"));
    }
    // A laptop of this maker has another product.
    if vendor == "Google" && product == "Google Compute Engine" {
        return Some((GCE, "firmware"));
    }
    Some((told.provider()?, "cloud-init"))
}

/// A type as providers write them: `m5.large`, `n2-standard-4`; the last part of
/// `projects/1/machineTypes/n2-standard-4`.
fn instance_type(text: &str) -> Option<String> {
    let word = text.trim().rsplit('/').next()?;
    let is_type = (3..=48).contains(&word.len())
        && word.contains(['.', '-'])
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.' || b == b'-');
    is_type.then(|| word.to_owned())
}

/// Asks the files of this machine.
fn ask() -> Told {
    let read = |path: &str| {
        let bytes = file::read(Path::new(path), Bounds::of_file(BYTES_MAX)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let kept = read(CLOUD_INIT).map(|text| kept(&text)).unwrap_or_default();
    let own_type = read(OWN).and_then(|text| instance_type(&line(&text)?));
    Told { own_type, ..kept }
}

/// What cloud-init kept; nothing of a cloud that has no file in `specs/providers/`.
fn kept(text: &str) -> Told {
    let Ok(data) = serde_json::from_str::<serde_json::Value>(text) else { return Told::default() };
    let word = |place: &str| data.pointer(place)?.as_str().and_then(line);
    let told = Told {
        cloud: word("/v1/cloud_name").or_else(|| word("/v1/cloud-name")),
        cloud_type: TYPE_PLACES.iter().find_map(|place| instance_type(&word(place)?)),
        ..Told::default()
    };
    if told.provider().is_some() { told } else { Told::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The provider, its type and what tells it.
    fn found(text: &str) -> Option<(String, Option<String>, String)> {
        of(&Host::parse(text)).map(|p| (p.name, p.instance_type, p.known_from))
    }

    fn dmi_files(vendor: &str, product: &str, version: &str) -> String {
        format!(
            "==> /sys/class/dmi/id/sys_vendor\n{vendor}\n==> /sys/class/dmi/id/product_name\n{product}\n\
             ==> /sys/class/dmi/id/bios_version\n{version}\n"
        )
    }

    fn told(json: &str) -> String {
        format!("==> /probe/provider\n{json}\n")
    }

    fn provider(name: &str, kind: Option<&str>, from: &str) -> Option<(String, Option<String>, String)> {
        Some((name.to_owned(), kind.map(str::to_owned), from.to_owned()))
    }

    #[test]
    fn the_firmware_names_the_provider_and_amazons_the_type() {
        let nitro = dmi_files("Amazon EC2", "m5.large", "1.0");
        assert_eq!(found(&nitro), provider(EC2, Some("m5.large"), "firmware"));
        let metal = dmi_files("Amazon EC2", "m7g.metal-48xl", "1.0");
        assert_eq!(found(&metal), provider(EC2, Some("m7g.metal-48xl"), "firmware"));
        let google = dmi_files("Google", "Google Compute Engine", "Google");
        assert_eq!(found(&google), provider(GCE, None, "firmware"));
        for (vendor, product, version) in [
            ("Google", "Eve", "Google_Eve.9584.230.0"),
            ("QEMU", "Standard PC (Q35 + ICH9, 2009)", "1.16.2"),
            ("Supermicro", "X11SSL-F", "2.2"),
        ] {
            assert_eq!(found(&dmi_files(vendor, product, version)), None, "{vendor}");
        }
    }

    #[test]
    fn under_xen_the_version_tells_and_cloud_init_the_type() {
        let xen = dmi_files("Xen", "HVM domU", "4.2.amazon");
        assert_eq!(found(&xen), provider(EC2, None, "firmware"));
        let typed = xen + &told("{\"cloud\": \"aws\", \"cloud_type\": \"t2.micro\"}");
        assert_eq!(found(&typed), provider(EC2, Some("t2.micro"), "firmware"));
    }

    /// Bug: one in 2048 of all machines under Xen was taken for Amazon's.
    #[test]
    fn an_identifier_that_begins_with_ec2_is_not_enough() {
        let uuid = "==> /sys/hypervisor/uuid\nec2e1916-9099-7caf-fd21-012345abcdef\n";
        let private = dmi_files("Xen", "HVM domU", "4.17") + uuid;
        assert_eq!(found(&private), None);
        let kept = private + &told("{\"cloud\": \"aws\", \"cloud_type\": \"t2.micro\"}");
        assert_eq!(found(&kept), provider(EC2, Some("t2.micro"), "cloud-init"));
    }

    #[test]
    fn a_type_is_that_of_the_cloud_that_it_was_kept_of() {
        let google = dmi_files("Google", "Google Compute Engine", "Google");
        let typed = |cloud: &str| {
            let kept = format!("{{\"cloud\": \"{cloud}\", \"cloud_type\": \"n2-standard-4\"}}");
            found(&(google.clone() + &told(&kept)))
        };
        assert_eq!(typed("gce"), provider(GCE, Some("n2-standard-4"), "firmware"));
        assert_eq!(typed("aws"), provider(GCE, None, "firmware"));
        assert_eq!(typed("nocloud"), provider(GCE, None, "firmware"));
    }

    #[test]
    fn a_type_that_only_our_own_file_tells_is_taken() {
        let google = dmi_files("Google", "Google Compute Engine", "Google");
        let typed = google + &told("{\"cloud\": \"gce\", \"own_type\": \"n2-standard-4\"}");
        assert_eq!(found(&typed), provider(GCE, Some("n2-standard-4"), "firmware"));
        let alone = told("{\"cloud\": \"gce\", \"own_type\": \"projects/1/machineTypes/e2-small\"}");
        assert_eq!(found(&alone), provider(GCE, Some("e2-small"), "cloud-init"));
        // Nobody's cloud.
        assert_eq!(found(&told("{\"cloud\": \"nocloud\", \"own_type\": \"e2-small\"}")), None);
    }

    #[test]
    fn of_what_cloud_init_keeps_the_cloud_and_the_type_are_taken() {
        let data = r#"{"ds": {"meta_data": {"instance_id": "i-0", "instance_type": "t2.micro"}},
            "v1": {"cloud_name": "aws", "platform": "ec2", "local_hostname": "x"}}"#;
        let expected =
            Told { cloud: Some("aws".into()), cloud_type: Some("t2.micro".into()), ..Told::default() };
        assert_eq!(kept(data), expected);
        let older = r#"{"ds": {"meta-data": {"instance-type": "t2.micro"}}, "v1": {"cloud-name": "aws"}}"#;
        assert_eq!(kept(older), expected);
        // The name of somebody's own cloud is nobody's business.
        let other = data.replace("aws", "acme-lab-7");
        for text in ["", "[]", "{\"v1\": 7}", "{\"v1\": {\"cloud_name\": 7}}", &other] {
            assert_eq!(kept(text), Told::default(), "{text}");
        }
    }

    #[test]
    fn only_words_like_types_are_types() {
        for text in ["m5.large", "u-6tb1.112xlarge", "n2d-standard-224"] {
            assert_eq!(instance_type(text).as_deref(), Some(text));
        }
        for text in ["", "HVM domU", "Google Compute Engine", "m5", "../..", ".5", "M5.large"] {
            assert_eq!(instance_type(text), None, "{text}");
        }
    }
}
