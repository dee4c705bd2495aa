//! How much may be written to a drive in its life, and what share of that something is.

use machine::limit::datasheet;
use model::machine::BlockDevice;

use crate::format;

/// From this share on, percents tell it.
const TOLD: f64 = 0.0005;

/// How much may be written to a drive in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriveLife {
    /// In bytes.
    pub bytes: u64,
    /// The datasheet that says so; absent where whoever asks did.
    pub sheet: Option<&'static str>,
}

impl DriveLife {
    /// That of a drive: what whoever asks said, or else its datasheet. `None` where nobody knows.
    #[must_use]
    pub fn of(device: &BlockDevice, asked: Option<u64>) -> Option<Self> {
        let sheet = || {
            let sheet = datasheet::of(device)?;
            Some(Self { bytes: sheet.endurance_bytes?, sheet: Some(&sheet.title) })
        };
        asked.map(|bytes| Self { bytes, sheet: None }).or_else(sheet)
    }

    /// The share of it that so many bytes are.
    #[must_use]
    pub fn share(&self, bytes: f64) -> f64 {
        bytes / self.bytes.max(1) as f64
    }
}

/// A share of a life, which mostly is a small one; `None` where it is less than 0.1 %.
#[must_use]
pub fn percent(share: f64) -> Option<String> {
    (share >= TOLD).then(|| format::percent(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_life_is_what_was_said_or_what_the_datasheet_says() {
        let model = Some("Samsung SSD 860 PRO 256GB".to_owned());
        let known =
            BlockDevice { name: "sdb".to_owned(), bytes: 256_060_514_304, model, ..BlockDevice::default() };
        let life = DriveLife::of(&known, None).unwrap();
        assert!(
            life.bytes == 300_000_000_000_000 && life.sheet.is_some_and(|title| title.contains("Samsung"))
        );
        assert_eq!(DriveLife::of(&known, Some(7)), Some(DriveLife { bytes: 7, sheet: None }));
        assert_eq!(DriveLife::of(&BlockDevice::default(), None), None);
        assert_eq!(percent(life.share(3e12)).as_deref(), Some("1 %"));
        assert_eq!(percent(life.share(1e9)), None);
    }
}
