//! What the content of a download must be.

use model::plan::Problem;

use crate::workload::http::download::spec::SHA256;

/// What `sha256:...` says; nothing of `none`.
pub(super) fn checksum(text: &str) -> Result<Option<[u8; 32]>, Problem> {
    if text == "none" {
        return Ok(None);
    }
    let wrong = || {
        Problem::invalid(
            format!("`{text}` is no checksum"),
            "write sha256: and 64 hexadecimal digits, as sha256sum prints them",
        )
    };
    let digits = text.strip_prefix(SHA256).and_then(|rest| rest.strip_prefix(':'));
    let digits = digits.filter(|digits| digits.len() == 64 && digits.is_ascii()).ok_or_else(wrong)?;
    let mut sum = [0; 32];
    for (place, byte) in sum.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).map_err(|_| wrong())?;
    }
    Ok(Some(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_read_or_refused() {
        let sum = checksum(&format!("sha256:{}", "0f".repeat(32))).unwrap();
        assert_eq!(sum, Some([15; 32]));
        assert_eq!(checksum("none").unwrap(), None);
        for wrong in ["", "sha256:", "md5:0f", &format!("sha256:{}", "0g".repeat(32)), &"é".repeat(20)] {
            assert!(checksum(wrong).is_err(), "{wrong}");
        }
    }
}
