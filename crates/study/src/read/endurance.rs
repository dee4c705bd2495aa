//! How many bytes may be written to a drive in its life, as its maker says (TBW): a key of studies and an option of the
//! command line, for drives whose datasheet Headroom does not have.

use model::{Kind, Value, scalar};

/// What it is called in both.
pub const ENDURANCE: &str = "endurance";

/// An endurance as it is written.
///
/// # Errors
/// If it is no amount of data.
pub fn parse(text: &str) -> Result<u64, &'static str> {
    match scalar::parse(Kind::Size, text) {
        Ok(Value::Integer(bytes)) if bytes > 0 => Ok(bytes),
        _ => Err("this is no amount of data, such as 300TB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endurance_is_an_amount_of_data() {
        assert_eq!(parse("300TB"), Ok(300_000_000_000_000));
        assert!(parse("much").is_err() && parse("0").is_err() && parse("-1TB").is_err());
    }
}
