//! What a line of /proc/PID/stat says of whether a process lives. It is here because crates that do not know one
//! another name a process for good by when it started. Nothing is read from the machine here.

/// The flag of a process that ends and runs nothing of its own any more, though closing its files may take long
/// (`PF_EXITING` of the kernel's include/linux/sched.h).
const EXITING: u64 = 0x4;

/// When the process started, in clock ticks since boot, from its line of /proc/PID/stat (proc(5): field 22). `None`
/// if the process is dead and only waits to be noticed (field 3 is Z or X) or is about to be (field 9), or if the line
/// is none.
#[must_use]
pub fn living_since(stat: &str) -> Option<u64> {
    // The command's name, in parentheses, may hold spaces and parentheses.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let flags: u64 = fields.nth(9 - 4)?.parse().ok()?;
    if flags & EXITING != 0 {
        return None;
    }
    fields.nth(22 - 10)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "77 (a) b (c) S 1 77 77 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 123456 99 0";

    #[test]
    fn the_start_time_is_field_22_whatever_the_name() {
        assert_eq!(living_since(LINE), Some(123_456));
        assert_eq!(living_since(&LINE.replace(" S ", " Z ")), None);
        assert_eq!(living_since(&LINE.replace(" 4194304 ", " 4194308 ")), None, "it ends");
        assert_eq!(living_since("77 (short) S 1"), None);
    }
}
