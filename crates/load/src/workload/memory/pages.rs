//! The pages that a working set lies in: which are asked for, whether the
//! machine has them, and which were granted.
//!
//! A processor keeps the addresses of some pages at hand (its TLB). With pages
//! of 4 KiB a random walk over a large set finds its page's address there
//! seldom; with larger pages often. So the size of pages is a parameter of
//! whatever measures memory.

use std::fs;

use model::Parameters;
use model::machine::{HugePages, Memory};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::scalar::binary;

use crate::workload::memory::buffer::{Buffer, HUGE_BYTES};
use crate::workload::named;

/// The parameter.
pub const PAGE_SIZE: ParameterSpec =
    ParameterSpec::new("page-size", Kind::Choice, "The pages that the working set lies in.")
        .default("auto")
        .words(&[
            Word { word: "auto", doc: "transparent huge pages are asked for where one fits" },
            Word { word: "base", doc: "no huge pages: 4 KiB on most machines" },
            Word { word: "transparent", doc: "transparent huge pages; the share that was got is told" },
            Word { word: "2MiB", doc: "huge pages that somebody reserved" },
            Word { word: "1GiB", doc: "huge pages that somebody reserved" },
        ]);

/// What kind of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Huge ones where they fit, if the kernel has some.
    Auto,
    /// The smallest.
    Base,
    /// Huge ones that the kernel makes by itself.
    Transparent,
    /// Reserved huge ones of so many bytes.
    Reserved(u64),
}

impl Pages {
    /// Those that were asked for.
    ///
    /// # Errors
    /// If the parameter is missing or another.
    pub fn asked(parameters: &Parameters) -> Result<Self, Problem> {
        Ok(match parameters.text(named("page-size"))? {
            "auto" => Pages::Auto,
            "base" => Pages::Base,
            "transparent" => Pages::Transparent,
            "2MiB" => Pages::Reserved(2 << 20),
            "1GiB" => Pages::Reserved(1 << 30),
            other => return Err(Problem::invalid(format!("`{other}` is no page size"), "")),
        })
    }

    /// `bytes` as whole pages of this kind.
    #[must_use]
    pub fn rounded(self, bytes: u64) -> u64 {
        let base = rustix::param::page_size() as u64;
        let huge = HUGE_BYTES as u64;
        let page = match self {
            Pages::Reserved(page) => page,
            Pages::Transparent => huge,
            Pages::Auto if bytes >= huge => huge,
            Pages::Auto | Pages::Base => base,
        };
        bytes.max(1).checked_next_multiple_of(page).unwrap_or(u64::MAX)
    }

    /// Whether `threads` sets of `bytes` each, rounded already, can be had in
    /// such pages. How much memory is free is not asked here.
    ///
    /// # Errors
    /// What the machine lacks, with the command that gives it.
    pub fn available(self, memory: &Memory, bytes: u64, threads: u64) -> Result<(), Problem> {
        match self {
            Pages::Auto | Pages::Base => Ok(()),
            Pages::Transparent => match memory.transparent_huge_pages.as_deref() {
                None => Err(Problem::refused(
                    "this kernel has no transparent huge pages",
                    "use page-size=base, or reserved pages: page-size=2MiB",
                )),
                Some("never") => Err(Problem::refused(
                    "transparent huge pages are switched off on this machine",
                    "switch them on for those who ask: \
                     echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
                )),
                Some(_) => Ok(()),
            },
            Pages::Reserved(page) => reserved(page, memory, bytes / page * threads),
        }
    }
}

/// Whether `needed` pages of the pool are free.
fn reserved(page: u64, memory: &Memory, needed: u64) -> Result<(), Problem> {
    let name = binary(page);
    let Some(pool) = memory.huge_pages.iter().find(|pool| pool.bytes == page) else {
        let sizes: Vec<_> = memory.huge_pages.iter().map(|pool| binary(pool.bytes)).collect();
        let has = if sizes.is_empty() { "none".to_owned() } else { sizes.join(", ") };
        return Err(Problem::refused(
            format!("this machine has no huge pages of {name} (sizes that it has: {has})"),
            "use page-size=transparent or page-size=base",
        ));
    };
    let HugePages { reserved, free, .. } = *pool;
    if free >= needed {
        return Ok(());
    }
    // Those that others use stay theirs.
    let total = reserved - free.min(reserved) + needed;
    let late = if page > 2 << 20 {
        "; where memory is in pieces already, only at boot: hugepagesz=1G hugepages=N on the kernel's command line"
    } else {
        ""
    };
    Err(Problem::refused(
        format!("this needs {needed} huge pages of {name}, and {free} are free of {reserved} reserved"),
        format!(
            "reserve them: echo {total} > /sys/kernel/mm/hugepages/hugepages-{}kB/nr_hugepages \
             (echo {reserved} gives them back){late}",
            page >> 10
        ),
    ))
}

/// How many bytes of `buffer` lie in huge pages, where the kernel says so.
#[must_use]
pub fn in_huge_pages(buffer: &Buffer, pages: Pages) -> Option<u64> {
    match pages {
        Pages::Reserved(_) => Some(buffer.len() as u64),
        // No huge page fits.
        _ if buffer.len() < HUGE_BYTES => Some(0),
        _ => {
            let maps = fs::read_to_string("/proc/self/smaps").ok()?;
            anon_huge_bytes(&maps, buffer.as_mut_ptr() as u64)
        }
    }
}

/// The huge pages of the mapping that begins at `start`
/// (`Documentation/filesystems/proc.rst`: AnonHugePages, in kB).
fn anon_huge_bytes(maps: &str, start: u64) -> Option<u64> {
    let head = format!("{start:08x}-");
    let mut lines = maps.lines().skip_while(|line| !line.starts_with(&head)).skip(1);
    // A line of figures has a colon after its first word; a mapping's head has
    // none.
    let figures = lines.by_ref().take_while(|line| line.split(' ').next().is_some_and(|w| w.ends_with(':')));
    let value = figures.filter_map(|line| line.strip_prefix("AnonHugePages:")).next()?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory {
            huge_pages: vec![
                HugePages { bytes: 2 << 20, reserved: 10, free: 4 },
                HugePages { bytes: 1 << 30, reserved: 0, free: 0 },
            ],
            transparent_huge_pages: Some("madvise".to_owned()),
            ..Memory::default()
        }
    }

    #[test]
    fn sets_are_rounded_to_whole_pages() {
        assert_eq!(Pages::Base.rounded(1), rustix::param::page_size() as u64);
        assert_eq!(Pages::Auto.rounded(3 << 20), 4 << 20);
        assert_eq!(Pages::Base.rounded(3 << 20), 3 << 20);
        assert_eq!(Pages::Transparent.rounded(4096), 2 << 20);
        assert_eq!(Pages::Reserved(1 << 30).rounded(1), 1 << 30);
        assert_eq!(Pages::Reserved(1 << 30).rounded(u64::MAX), u64::MAX);
    }

    #[test]
    fn pages_that_nobody_reserved_are_refused_with_the_command() {
        let pages = Pages::Reserved(2 << 20);
        assert!(pages.available(&memory(), 4 << 20, 2).is_ok(), "four are free");
        let problem = pages.available(&memory(), 4 << 20, 3).unwrap_err();
        assert!(
            problem.message.contains("6 huge pages") && problem.message.contains("4 are free"),
            "{problem:?}"
        );
        // Six are in use; with six more there are twelve.
        assert!(problem.help.contains("echo 12 > "), "{problem:?}");
        assert!(problem.help.contains("hugepages-2048kB/nr_hugepages"), "{problem:?}");
        let problem = Pages::Reserved(1 << 30).available(&memory(), 1 << 30, 1).unwrap_err();
        assert!(problem.help.contains("hugepages-1048576kB") && problem.help.contains("boot"), "{problem:?}");
        let none = Memory::default();
        assert!(pages.available(&none, 2 << 20, 1).unwrap_err().message.contains("no huge pages of 2 MiB"));
    }

    #[test]
    fn transparent_pages_that_are_switched_off_are_refused() {
        let mut memory = memory();
        assert!(Pages::Transparent.available(&memory, 1, 1).is_ok());
        memory.transparent_huge_pages = Some("never".to_owned());
        assert!(Pages::Transparent.available(&memory, 1, 1).unwrap_err().help.contains("madvise"));
        assert!(Pages::Auto.available(&memory, 1, 1).is_ok());
    }

    #[test]
    fn the_huge_pages_of_one_mapping_are_read() {
        let maps = "7f00-8000 rw-p 0 00:00 0 \nRss:   8 kB\nAnonHugePages:   2048 kB\nVmFlags: rd\n\
                    00400000-00600000 rw-p 0 00:00 0 \nRss:   8 kB\nAnonHugePages:   4096 kB\n\
                    00700000-00800000 rw-p 0 00:00 0 \nRss:   8 kB\n\
                    00900000-00a00000 rw-p 0 00:00 0 \nAnonHugePages:   0 kB\n";
        assert_eq!(anon_huge_bytes(maps, 0x40_0000), Some(4 << 20));
        assert_eq!(anon_huge_bytes(maps, 0x70_0000), None, "the next mapping's is not taken");
        assert_eq!(anon_huge_bytes(maps, 0x90_0000), Some(0));
        assert_eq!(anon_huge_bytes(maps, 0x50_0000), None);
    }

    #[test]
    fn base_pages_hold_no_huge_ones() {
        let mut buffer = Buffer::of(4 << 20, Pages::Base).unwrap();
        buffer.as_mut_slice().fill(1);
        // A kernel without smaps says nothing.
        assert!(matches!(in_huge_pages(&buffer, Pages::Base), Some(0) | None));
    }
}
