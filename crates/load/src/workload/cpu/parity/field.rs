//! Arithmetic of the field that RAID 6 computes in: bytes as polynomials over
//! two elements, modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d), with the generator 2
//! (H. P. Anvin, "The mathematics of RAID-6", sections 1 to 4). By tables, a
//! byte at a time: another way than the kernels go, so that it can prove them
//! wrong.

/// Powers of the generator, twice over, and logarithms.
#[derive(Debug)]
pub(super) struct Field {
    power: [u8; 510],
    logarithm: [u8; 256],
}

impl Field {
    pub(super) fn new() -> Self {
        let mut field = Self { power: [0; 510], logarithm: [0; 256] };
        let mut value: u16 = 1;
        for exponent in 0..255 {
            field.power[exponent] = value as u8;
            field.power[exponent + 255] = value as u8;
            field.logarithm[usize::from(value)] = exponent as u8;
            value <<= 1;
            if value & 0x100 != 0 {
                value ^= 0x11d;
            }
        }
        field
    }

    /// The generator to this power.
    pub(super) fn power(&self, exponent: usize) -> u8 {
        self.power[exponent % 255]
    }

    pub(super) fn times(&self, a: u8, b: u8) -> u8 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.power[usize::from(self.logarithm[usize::from(a)]) + usize::from(self.logarithm[usize::from(b)])]
    }

    /// What times `b`, which is not 0, gives `a`.
    pub(super) fn over(&self, a: u8, b: u8) -> u8 {
        if a == 0 {
            return 0;
        }
        let (a, b) = (self.logarithm[usize::from(a)], self.logarithm[usize::from(b)]);
        self.power[usize::from(a) + 255 - usize::from(b)]
    }

    /// The bytes of the data disks `x` and `y` (which differ) at one place, from
    /// those of all others and both parities.
    pub(super) fn recover(
        &self,
        data: impl Iterator<Item = u8>,
        (x, y): (usize, usize),
        (p, q): (u8, u8),
    ) -> (u8, u8) {
        let (mut p, mut q) = (p, q);
        for (disk, byte) in data.enumerate() {
            if disk != x && disk != y {
                p ^= byte;
                q ^= self.times(byte, self.power(disk));
            }
        }
        // p = dx + dy and q = g^x dx + g^y dy.
        let dx = self.over(self.times(self.power(y), p) ^ q, self.power(x) ^ self.power(y));
        (dx, p ^ dx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_the_one_of_raid_6() {
        let field = Field::new();
        // Anvin's examples of the powers: {02}^8 = {1d}, and the order is 255.
        assert_eq!(field.power(8), 0x1d);
        assert_eq!(field.power(255), 1);
        assert_eq!(field.times(0x80, 2), 0x1d);
        for a in 0..=255 {
            for b in 1..=255 {
                assert_eq!(field.over(field.times(a, b), b), a);
            }
        }
    }
}
