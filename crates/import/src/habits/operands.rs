//! Operands of dd, which have no dashes.

/// What is to be typed in place of an operand of dd, such as `bs=1M` or `of=/data/x`, without dashes.
#[must_use]
pub fn operand(typed: &str) -> Option<String> {
    let (name, value) = typed.split_once('=').filter(|(name, _)| !name.starts_with('-'))?;
    let ours = match name {
        "of" | "if" if !value.starts_with("/dev/zero") && !value.starts_with("/dev/null") => {
            format!("--target {value}")
        }
        "bs" => format!("--block-size {value}"),
        "count" => format!("--requests {value}"),
        "oflag" | "iflag" if value.contains("direct") => "--direct yes".to_owned(),
        "conv" if value.contains("sync") => "--sync fsync".to_owned(),
        "if" | "of" | "oflag" | "iflag" | "conv" => return Some("leave it out".to_owned()),
        _ => format!("--{name} {value}"),
    };
    Some(format!("options have two dashes here: `{ours}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_dd_are_options_here() {
        for (typed, told) in [
            ("bs=1M", "options have two dashes here: `--block-size 1M`"),
            ("of=/data/x", "options have two dashes here: `--target /data/x`"),
            ("if=/dev/zero", "leave it out"),
            ("oflag=direct", "options have two dashes here: `--direct yes`"),
            ("conv=fdatasync", "options have two dashes here: `--sync fsync`"),
            ("threads=4", "options have two dashes here: `--threads 4`"),
        ] {
            assert_eq!(operand(typed).as_deref(), Some(told));
        }
        assert_eq!(operand("--bs=4k"), None);
        assert_eq!(operand("disk"), None);
    }
}
