//! File systems and members by the magic numbers of their superblocks, under the
//! names that blkid uses.

/// Reads `length` bytes at an offset; absent past the end.
pub(super) type At<'a> = &'a dyn Fn(u64, usize) -> Option<Vec<u8>>;

/// md's magic number, little-endian (`MD_SB_MAGIC` in
/// `include/uapi/linux/raid/md_p.h`).
const MD: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];

/// Names, offsets and magic numbers. What may hold a file system comes before
/// file systems, whose numbers may be left inside it.
const MAGICS: &[(&str, u64, &[u8])] = &[
    // Metadata 1.1 and 1.2 (md(4)).
    ("linux_raid_member", 0, MD),
    ("linux_raid_member", 4096, MD),
    // LUKS1 and LUKS2 On-Disk Format Specification: LUKS_MAGIC.
    ("crypto_LUKS", 0, b"LUKS\xba\xbe"),
    // `include/uapi/linux/bcache.h`: SB_SECTOR 8, the magic after 24 bytes.
    ("bcache", 4096 + 24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    // mkswap(8), `union swap_header`: the last ten bytes of the first page.
    ("swap", 4096 - 10, b"SWAPSPACE2"),
    ("swap", 8192 - 10, b"SWAPSPACE2"),
    ("swap", 16384 - 10, b"SWAPSPACE2"),
    ("swap", 65536 - 10, b"SWAPSPACE2"),
    // `fs/xfs/libxfs/xfs_format.h`: XFS_SB_MAGIC.
    ("xfs", 0, b"XFSB"),
    // `include/uapi/linux/btrfs_tree.h`: BTRFS_MAGIC, 64 bytes into the
    // superblock at 64 KiB.
    ("btrfs", 0x1_0040, b"_BHRfS_M"),
    // `include/linux/f2fs_fs.h`, `fs/erofs/erofs_fs.h`, `fs/squashfs/squashfs_fs.h`.
    ("f2fs", 1024, &[0x10, 0x20, 0xf5, 0xf2]),
    ("erofs", 1024, &[0xe2, 0xe1, 0xf5, 0xe0]),
    ("squashfs", 0, b"hsqs"),
    // ECMA-119, 8.1: the volume descriptor in sector 16.
    ("iso9660", 32769, b"CD001"),
    // `fs/ntfs3/ntfs.h` and the exFAT specification, 3.1.2: the name of the
    // file system in the boot sector.
    ("ntfs", 3, b"NTFS    "),
    ("exfat", 3, b"EXFAT   "),
];

/// What fills a device of `bytes` bytes.
pub(super) fn kind(at: At<'_>, bytes: u64) -> Option<&'static str> {
    let table = |members: bool| {
        let is_member = |name: &str| matches!(name, "linux_raid_member" | "crypto_LUKS" | "bcache");
        let mut lines = MAGICS.iter().filter(move |(name, _, _)| is_member(name) == members);
        lines
            .find(|(_, offset, magic)| at(*offset, magic.len()).as_deref() == Some(magic))
            .map(|(name, _, _)| *name)
    };
    md_at_the_end(at, bytes)
        .or_else(|| table(true))
        .or_else(|| lvm(at))
        .or_else(|| zfs(at))
        .or_else(|| table(false))
        .or_else(|| ext(at))
        .or_else(|| vfat(at))
}

/// Metadata 1.0 lies 8 KiB before the end, 0.90 in the last whole 64 KiB but
/// one (md(4); `super_1_load` and `MD_NEW_SIZE_SECTORS`).
fn md_at_the_end(at: At<'_>, bytes: u64) -> Option<&'static str> {
    let newer = (bytes / 512).checked_sub(16).map(|sector| (sector & !7) * 512);
    let older = (bytes & !0xffff).checked_sub(0x1_0000);
    let found =
        [newer, older].into_iter().flatten().any(|offset| at(offset, MD.len()).as_deref() == Some(MD));
    found.then_some("linux_raid_member")
}

/// A label in one of the first four sectors (`lib/label/label.h` of LVM2).
fn lvm(at: At<'_>) -> Option<&'static str> {
    let is_label = |label: Vec<u8>| label.starts_with(b"LABELONE") && label.ends_with(b"LVM2 001");
    (0..4).any(|sector| at(sector * 512, 32).is_some_and(is_label)).then_some("LVM2_member")
}

/// An uberblock in the first label: from 128 KiB on, one each KiB, in either
/// order of bytes (ZFS On-Disk Specification, 1.3; `UBERBLOCK_MAGIC`).
fn zfs(at: At<'_>) -> Option<&'static str> {
    const MAGIC: u64 = 0x00ba_b10c;
    let array = at(128 << 10, 128 << 10)?;
    let is_block = |block: &[u8]| {
        block.get(..8) == Some(&MAGIC.to_le_bytes()) || block.get(..8) == Some(&MAGIC.to_be_bytes())
    };
    array.chunks(1024).any(is_block).then_some("zfs_member")
}

/// The superblock at 1 KiB (`Documentation/filesystems/ext4/super.rst`): told
/// apart by their features, as e2fsprogs does.
fn ext(at: At<'_>) -> Option<&'static str> {
    const HAS_JOURNAL: u32 = 0x4;
    const JOURNAL_DEVICE: u32 = 0x8;
    /// File types, recovery, journal device and meta block groups.
    const EXT3_INCOMPATIBLE: u32 = 0x2 | 0x4 | 0x8 | 0x10;
    /// Sparse superblocks, large files and directories as trees.
    const EXT3_READ_ONLY: u32 = 0x1 | 0x2 | 0x4;
    let block = at(1024, 0x68)?;
    let word =
        |offset: usize| block.get(offset..offset + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    if block.get(0x38..0x3a)? != [0x53, 0xef] {
        return None;
    }
    let (compatible, incompatible, read_only) = (word(0x5c)?, word(0x60)?, word(0x64)?);
    Some(if incompatible & JOURNAL_DEVICE != 0 {
        "jbd"
    } else if incompatible & !EXT3_INCOMPATIBLE != 0 || read_only & !EXT3_READ_ONLY != 0 {
        "ext4"
    } else if compatible & HAS_JOURNAL != 0 {
        "ext3"
    } else {
        "ext2"
    })
}

/// The boot sector (Microsoft's FAT specification, 3): a signature, and a name
/// whose place depends on the size.
fn vfat(at: At<'_>) -> Option<&'static str> {
    let sector = at(0, 512)?;
    let name = |offset: usize, text: &[u8]| sector.get(offset..offset + text.len()) == Some(text);
    let is_fat = name(82, b"FAT32   ") || name(54, b"FAT16   ") || name(54, b"FAT12   ");
    (is_fat && name(510, &[0x55, 0xaa])).then_some("vfat")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 1 << 20;

    /// What fills an image with these bytes at these places.
    fn kind_of(pieces: &[(usize, &[u8])]) -> Option<&'static str> {
        let mut image = vec![0; BYTES];
        for (offset, bytes) in pieces {
            image[*offset..offset + bytes.len()].copy_from_slice(bytes);
        }
        kind_in(&image)
    }

    fn kind_in(image: &[u8]) -> Option<&'static str> {
        let at = |offset: u64, length: usize| {
            let start = usize::try_from(offset).ok()?;
            image.get(start..start.checked_add(length)?).map(<[u8]>::to_vec)
        };
        kind(&at, image.len() as u64)
    }

    #[test]
    fn every_magic_number_is_found_in_its_place() {
        for (name, offset, magic) in MAGICS {
            assert_eq!(kind_of(&[(usize::try_from(*offset).unwrap(), magic)]), Some(*name));
        }
        assert_eq!(kind_of(&[(512, b"LABELONE"), (512 + 24, b"LVM2 001")]), Some("LVM2_member"));
        assert_eq!(kind_of(&[((128 + 32) << 10, &0xba_b10c_u64.to_be_bytes())]), Some("zfs_member"));
        assert_eq!(kind_of(&[(BYTES - 8192, MD)]), Some("linux_raid_member"));
        assert_eq!(kind_of(&[(BYTES - 65536, MD)]), Some("linux_raid_member"));
        assert_eq!(kind_of(&[(82, b"FAT32   "), (510, &[0x55, 0xaa])]), Some("vfat"));
        assert_eq!(kind_of(&[(82, b"FAT32   ")]), None);
    }

    #[test]
    fn ext_is_told_apart_by_its_features() {
        let with = |compatible: u8, incompatible: u8, read_only: u8| {
            let magic: (usize, &[u8]) = (1024 + 0x38, &[0x53, 0xef]);
            kind_of(&[
                magic,
                (1024 + 0x5c, &[compatible]),
                (1024 + 0x60, &[incompatible]),
                (1024 + 0x64, &[read_only]),
            ])
        };
        assert_eq!(with(0x38, 0x02, 0x03), Some("ext2"));
        assert_eq!(with(0x3c, 0x02, 0x03), Some("ext3"));
        assert_eq!(with(0x3c, 0xc2, 0x7b), Some("ext4"));
        assert_eq!(with(0x00, 0x08, 0x00), Some("jbd"));
    }

    #[test]
    fn what_holds_another_wins_over_what_it_holds() {
        // RAID 1 with metadata 1.0 leaves the file system at its place.
        assert_eq!(kind_of(&[(0, b"XFSB"), (BYTES - 8192, MD)]), Some("linux_raid_member"));
        assert_eq!(kind_of(&[(0, b"LUKS\xba\xbe"), (1024 + 0x38, &[0x53, 0xef])]), Some("crypto_LUKS"));
    }

    #[test]
    fn short_and_empty_devices_hold_nothing() {
        for length in [0, 1, 9, 511, 512, 1024, 4096, 70_000] {
            assert_eq!(kind_in(&vec![0; length]), None);
            assert_eq!(kind_in(&vec![0xff; length]), None);
        }
    }
}
