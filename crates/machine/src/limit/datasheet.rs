//! What makers promise of their drives: the files of `specs/`, compiled in.
//!
//! A drive is added by one file in `specs/` and one line in [`SHEETS`]. The file
//! names the series, the models as the kernel shows them (`*` any text, `?` one
//! character, upper and lower case alike), where the figures were published, and
//! one `[[capacity]]` for each size:
//!
//! ```toml
//! title = "Maker Series"
//! source = "Series product specification, order number 1, Maker, 2020"
//! models = ["MAKER ABC?123*"]
//!
//! [[capacity]]
//! size = "256GB"                    # as sold; the device's bytes choose the row
//! read = "560MB/s"                  # sequential
//! write = "530MB/s"
//! random-read = { 4k = "100k/s" }   # operations of this size
//! random-write = { 4k = "90k/s" }
//! cache = "512MiB"                  # memory on the drive
//! endurance = "300TB"               # bytes that may be written
//! bytes = 256060514304              # as the kernel counts the device
//! ```
//!
//! Of a SATA drive the kernel shows 16 characters of its model, what SCSI has
//! room for: `Samsung SSD 860` may be a PRO, an EVO or a QVO. Where these differ
//! in their exact bytes, `scsi = "Samsung SSD 860"` beside `models` lets a row
//! with `bytes` be found by both.
//!
//! All figures are optional: what the datasheet does not say is left out. A
//! datasheet's name is the file's with the size: `samsung-860-pro-256gb`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::limit::{Access, Direction, LimitKind};
use model::machine::{BlockDevice, BlockKind, Inventory};
use model::study::Promise;
use model::{Kind, Limit, Unit, Value, metric, scalar};
use serde::Deserialize;

use super::promise;

/// Every file of `specs/`: its name and text.
const SHEETS: &[(&str, &str)] = &[
    ("intel-dc-p3700", include_str!("../../../../specs/intel-dc-p3700.toml")),
    ("intel-ssd-520", include_str!("../../../../specs/intel-ssd-520.toml")),
    ("samsung-860-pro", include_str!("../../../../specs/samsung-860-pro.toml")),
];

/// How far a device's bytes may be from the size as sold: a drive of "1 TB" may
/// have 1,024 GB, and the sizes of one series are further apart than that.
const SIZE_TOLERANCE: f64 = 0.03;

/// What is promised of a drive of one series and size.
#[derive(Clone, Debug, PartialEq)]
pub struct Datasheet {
    /// Its name here: `samsung-860-pro-256gb`.
    pub name: String,
    /// The series and size, for people.
    pub title: String,
    /// Where the figures were published.
    pub source: String,
    /// The size as sold, in bytes.
    pub bytes: u64,
    /// Memory on the drive, in bytes.
    pub cache_bytes: Option<u64>,
    /// Bytes that may be written to it in its life.
    pub endurance_bytes: Option<u64>,
    /// The rates.
    pub promises: Vec<Promise>,
    models: Vec<String>,
    /// What SCSI leaves of the model, and the bytes that it needs beside it.
    cut: Option<(String, u64)>,
}

/// A file of `specs/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    title: String,
    source: String,
    models: Vec<String>,
    scsi: Option<String>,
    capacity: Vec<Capacity>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Capacity {
    size: String,
    read: Option<String>,
    write: Option<String>,
    #[serde(default)]
    random_read: BTreeMap<String, String>,
    #[serde(default)]
    random_write: BTreeMap<String, String>,
    cache: Option<String>,
    endurance: Option<String>,
    bytes: Option<u64>,
}

static DATASHEETS: LazyLock<Vec<Datasheet>> =
    // Each file is read by a test, so none is left out.
    LazyLock::new(|| {
        SHEETS.iter().flat_map(|(name, text)| parse(name, text).unwrap_or_default()).collect()
    });

/// Every datasheet.
#[must_use]
pub fn all() -> &'static [Datasheet] {
    &DATASHEETS
}

/// The datasheet of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Datasheet> {
    all().iter().find(|sheet| sheet.name == name)
}

/// The datasheet of this device, by its model and its bytes.
#[must_use]
pub fn of(device: &BlockDevice) -> Option<&'static Datasheet> {
    let model = device.model.as_deref()?.trim();
    let with_vendor = device.vendor.as_deref().map(|v| format!("{} {model}", v.trim()));
    let fits = |sheet: &&Datasheet| {
        let difference = (device.bytes as f64 - sheet.bytes as f64).abs();
        let is_model = |pattern: &String| {
            matches(pattern, model) || with_vendor.as_ref().is_some_and(|text| matches(pattern, text))
        };
        let is_cut = sheet.cut.as_ref().is_some_and(|cut| (cut.0.as_str(), cut.1) == (model, device.bytes));
        is_cut || difference <= sheet.bytes as f64 * SIZE_TOLERANCE && sheet.models.iter().any(is_model)
    };
    all().iter().find(fits)
}

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    let disks = inventory.block.iter().filter(|d| d.kind == BlockKind::Disk);
    disks
        .filter_map(|disk| Some((disk, of(disk)?)))
        .flat_map(|(disk, sheet)| {
            let source = format!("datasheet of the {}: {}", sheet.title, sheet.source);
            sheet
                .promises
                .iter()
                .filter_map(move |p| promise::limit(p, &disk.name, LimitKind::Datasheet, source.clone()))
        })
        .collect()
}

/// Reads one file.
fn parse(name: &str, text: &str) -> Result<Vec<Datasheet>, String> {
    let sheet: Sheet = toml::from_str(text).map_err(|e| e.to_string())?;
    sheet
        .capacity
        .iter()
        .map(|row| {
            let size = |text: &Option<String>| text.as_deref().map(bytes).transpose();
            Ok(Datasheet {
                name: format!("{name}-{}", row.size.to_lowercase()),
                title: format!("{} {}", sheet.title, row.size),
                source: sheet.source.clone(),
                bytes: bytes(&row.size)?,
                cache_bytes: size(&row.cache)?,
                endurance_bytes: size(&row.endurance)?,
                promises: promises(row)?,
                models: sheet.models.clone(),
                cut: sheet.scsi.clone().zip(row.bytes),
            })
        })
        .collect()
}

fn promises(row: &Capacity) -> Result<Vec<Promise>, String> {
    let mut promises = Vec::new();
    for (direction, key, text) in
        [(Direction::Read, "read", &row.read), (Direction::Write, "write", &row.write)]
    {
        let Some(text) = text else { continue };
        promises.push(Promise {
            key: key.to_owned(),
            metric: metric::THROUGHPUT,
            direction: Some(direction),
            access: Some(Access::Sequential),
            block_bytes: None,
            value: scalar::throughput(text).map_err(|e| e.message)?,
            unit: Unit::BytesPerSecond,
        });
    }
    for (direction, key, rates) in [
        (Direction::Read, "random-read", &row.random_read),
        (Direction::Write, "random-write", &row.random_write),
    ] {
        for (size, text) in rates {
            let Ok(Value::Number(value)) = scalar::parse(Kind::Rate, text) else {
                return Err(format!("`{text}` is not a rate"));
            };
            promises.push(Promise {
                key: format!("{key}-{size}"),
                metric: metric::IOPS,
                direction: Some(direction),
                access: Some(Access::Random),
                block_bytes: Some(bytes(size)?),
                value,
                unit: Unit::PerSecond,
            });
        }
    }
    Ok(promises)
}

fn bytes(text: &str) -> Result<u64, String> {
    match scalar::parse(Kind::Size, text) {
        Ok(Value::Integer(bytes)) => Ok(bytes),
        _ => Err(format!("`{text}` is not a size")),
    }
}

/// Whether `text` fits `pattern`: `*` any text, `?` one character.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where the last star stood, and up to where it has eaten.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match (pattern.get(p), star) {
            (Some('*'), _) => {
                star = Some((p, t));
                p += 1;
            }
            (Some(c), _) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            (_, Some((at, eaten))) => {
                star = Some((at, eaten + 1));
                p = at + 1;
                t = eaten + 1;
            }
            (_, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(model: &str, bytes: u64) -> BlockDevice {
        BlockDevice { name: "sda".to_owned(), model: Some(model.to_owned()), bytes, ..BlockDevice::default() }
    }

    /// What a sheet promises, under its key.
    fn figures(sheet: &Datasheet) -> BTreeMap<&str, f64> {
        sheet.promises.iter().map(|p| (p.key.as_str(), p.value)).collect()
    }

    #[test]
    fn every_file_of_the_folder_is_read_and_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
            .map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        files.sort();
        let listed: Vec<&str> = SHEETS.iter().map(|(name, _)| *name).collect();
        assert_eq!(files, listed);
        let mut names = Vec::new();
        for (name, text) in SHEETS {
            let sheets = parse(name, text).unwrap();
            assert!(!sheets.is_empty(), "{name}");
            for sheet in sheets {
                assert!(!sheet.promises.is_empty() && sheet.source.len() > 20, "{}", sheet.name);
                assert!(sheet.promises.iter().all(|p| p.value > 0.0));
                names.push(sheet.name);
            }
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all().len(), "each name once");
    }

    #[test]
    fn study_as_drive_is_found_by_its_model_and_bytes() {
        let sheet = of(&disk("Samsung SSD 860 PRO 256GB", 256_060_514_304)).unwrap();
        assert_eq!(sheet.name, "samsung-860-pro-256gb");
        assert_eq!(sheet.cache_bytes, Some(512 << 20));
        let figures = figures(sheet);
        assert_eq!((figures["read"], figures["write"]), (560e6, 530e6));
        assert_eq!((figures["random-read-4k"], figures["random-write-4k"]), (100e3, 90e3));
        let cut = |bytes| of(&disk("Samsung SSD 860 ", bytes)).map(|sheet| sheet.name.as_str());
        assert_eq!(cut(256_060_514_304), Some("samsung-860-pro-256gb"), "as SCSI shows it");
        assert_eq!(cut(250_059_350_016), None, "an EVO");
        let terabyte = of(&disk("Samsung SSD 860 PRO 1TB", 1_024_209_543_168)).unwrap();
        assert_eq!(terabyte.name, "samsung-860-pro-1tb");
    }

    #[test]
    fn study_bs_drive_has_its_catalogue_in_every_size() {
        for (model, bytes, rates) in [
            ("INTEL SSDPEDMD400G4", 400_088_457_216, [2700e6, 1080e6, 450e3, 75e3, 275e3, 32e3]),
            ("INTEL SSDPE2MD800G4", 800_166_076_416, [2800e6, 1900e6, 460e3, 90e3, 285e3, 45e3]),
            ("INTEL SSDPEDMD016T4", 1_600_321_314_816, [2800e6, 1900e6, 450e3, 150e3, 290e3, 75e3]),
            ("INTEL SSDPEDMD020T4", 2_000_398_934_016, [2800e6, 2000e6, 450e3, 175e3, 295e3, 90e3]),
        ] {
            let found = figures(of(&disk(model, bytes)).unwrap());
            let keys =
                ["read", "write", "random-read-4k", "random-write-4k", "random-read-8k", "random-write-8k"];
            assert_eq!(keys.map(|k| found[k]), rates, "{model}");
        }
    }

    #[test]
    fn study_cs_drive_is_found() {
        let sheet = of(&disk("INTEL SSDSC2CW240A3", 240_057_409_536)).unwrap();
        assert_eq!((figures(sheet)["read"], figures(sheet)["write"]), (550e6, 520e6));
        let small = of(&disk("INTEL SSDSC2CW060A3", 60_022_480_896)).unwrap();
        assert_eq!(figures(small)["write"], 475e6);
    }

    #[test]
    fn others_are_not_taken_for_them() {
        for (model, bytes) in [
            ("Samsung SSD 860 EVO 250GB", 250_059_350_016),
            ("Samsung SSD 860", 256_060_514_305),
            ("Samsung SSD 870", 256_060_514_304),
            ("Samsung SSD 860 PRO 256GB", 300_000_000_000),
            ("Samsung SSD 860 PRO 256GB", u64::MAX),
            ("Samsung SSD 860 PRO 256GB", 0),
            ("INTEL SSDPEDME016T4", 1_600_321_314_816), // P3600
            ("INTEL SSDSC2BW240A4", 240_057_409_536),   // 530
            ("", 256_060_514_304),
        ] {
            assert_eq!(of(&disk(model, bytes)), None, "{model} {bytes}");
        }
        assert_eq!(of(&BlockDevice::default()), None);
    }

    #[test]
    fn only_disks_have_limits() {
        let mut device = disk("Samsung SSD 860 PRO 256GB", 256_060_514_304);
        let mut inventory = Inventory { block: vec![device.clone()], ..Inventory::default() };
        let found = limits(&inventory);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|l| l.kind == LimitKind::Datasheet && l.resource.as_str() == "block:sda"));
        device.kind = BlockKind::Partition;
        inventory.block = vec![device];
        assert!(limits(&inventory).is_empty());
    }

    #[test]
    fn a_wrong_file_is_refused() {
        let good = SHEETS[2].1;
        for (from, to) in
            [("\"560MB/s\"", "\"560\""), ("read =", "raed ="), ("256GB", "256 apples"), ("100k/s", "many")]
        {
            assert!(good.contains(from), "{from}");
            assert!(parse("x", &good.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn patterns_fit_as_a_person_expects() {
        assert!(matches("a*c?e", "ABBBCDE"));
        assert!(matches("*", "") && matches("", ""));
        assert!(!matches("a*c", "abd") && !matches("?", "") && !matches("a", "ab"));
        assert!(!matches(&"*a".repeat(200), &"a".repeat(150)), "and end");
    }
}
