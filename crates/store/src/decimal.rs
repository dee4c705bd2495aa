//! Numbers of a few decimal digits as whole numbers.
//!
//! Samples are rounded to six digits before they are kept. In binary such a number has 52 bits that
//! look random, though it says twenty: `0.1` is `0x3fb999999999999a`. As a whole multiple of one
//! power of ten it is small, and so is its difference from the one before.

/// The fewest digits behind the point that are tried (below 0: zeros before it), and the most.
const DIGITS: (i32, i32) = (-9, 15);

/// Up to here every whole number is an `f64` of its own.
const WHOLE_MAX: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

/// Powers of ten, all of them exact.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The bytes before the planes: the digits, and how many planes there are.
const HEAD: usize = 2;

/// Bytes of the widest difference.
const WIDTH_MAX: usize = size_of::<u64>();

/// The values as bytes: the digits, the width, then planes of the differences as in
/// [`crate::column`], the highest bytes first. A difference is written without its sign (0, -1, 1,
/// -2 as 0, 1, 2, 3), so that small ones have zeros above. None where a value would not come back
/// bit for bit.
pub(crate) fn to_bytes(values: &[f64]) -> Option<Vec<u8>> {
    let digits = values.iter().try_fold(DIGITS.0, |digits, value| digits_of(*value, digits))?;
    let mut before = 0;
    let mut differences = Vec::with_capacity(values.len());
    for value in values {
        let whole = whole(*value, digits)?;
        differences.push(without_sign(whole - before));
        before = whole;
    }
    let widest = differences.iter().copied().max().unwrap_or(0);
    let bits = u64::BITS - widest.leading_zeros();
    let width = u8::try_from(bits.div_ceil(u8::BITS).max(1)).ok()?;
    let mut bytes = Vec::with_capacity(HEAD + usize::from(width) * values.len());
    bytes.extend([i8::try_from(digits).ok()?.cast_unsigned(), width]);
    for plane in (0..width).rev() {
        let shift = u32::from(plane) * u8::BITS;
        bytes.extend(differences.iter().map(|difference| (difference >> shift).to_le_bytes()[0]));
    }
    Some(bytes)
}

/// How many values there are in so many bytes; the error says what is wrong with them.
pub(crate) fn count(bytes: &[u8]) -> Result<usize, String> {
    let (_, width, planes) = parts(bytes)?;
    Ok(planes.len() / width)
}

/// Undoes [`to_bytes`]; the error says what is wrong with the bytes.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<f64>, String> {
    let (digits, width, planes) = parts(bytes)?;
    let rows = planes.len() / width;
    let mut differences = vec![0u64; rows];
    for plane in planes.chunks_exact(rows.max(1)) {
        for (difference, byte) in differences.iter_mut().zip(plane) {
            *difference = *difference << u8::BITS | u64::from(*byte);
        }
    }
    let mut whole = 0i64;
    let next = |difference: u64| {
        whole = whole.wrapping_add(with_sign(difference));
        number(whole, digits)
    };
    Ok(differences.into_iter().map(next).collect())
}

/// The digits, the width and the planes.
fn parts(bytes: &[u8]) -> Result<(i32, usize, &[u8]), String> {
    let ([digits, width], planes) = bytes.split_first_chunk::<HEAD>().ok_or("decimals have no head")?;
    let (digits, width) = (i32::from(digits.cast_signed()), usize::from(*width));
    if !(DIGITS.0..=DIGITS.1).contains(&digits) || !(1..=WIDTH_MAX).contains(&width) {
        return Err(format!("there are no decimals of {digits} digits in {width} bytes"));
    }
    if !planes.len().is_multiple_of(width) {
        return Err(format!("{} bytes are no whole count of decimals", planes.len()));
    }
    Ok((digits, width, planes))
}

/// The fewest digits, but at least so many, with which a value comes back bit for bit.
fn digits_of(value: f64, least: i32) -> Option<i32> {
    (least..=DIGITS.1).find(|digits| whole(value, *digits).is_some())
}

/// The whole number from which [`number`] makes the value, bit for bit.
fn whole(value: f64, digits: i32) -> Option<i64> {
    let (more, power) = power(digits);
    let scaled = if more { value * power } else { value / power };
    let nearest = scaled.round();
    if nearest.is_nan() || nearest.abs() >= WHOLE_MAX {
        return None;
    }
    let whole = nearest as i64;
    (number(whole, digits).to_bits() == value.to_bits()).then_some(whole)
}

/// The number with so many digits behind the point: both operands are exact, so it is the `f64`
/// nearest to the decimal.
fn number(whole: i64, digits: i32) -> f64 {
    let (more, power) = power(digits);
    if more { whole as f64 / power } else { whole as f64 * power }
}

/// The power of ten, and whether the digits are behind the point.
fn power(digits: i32) -> (bool, f64) {
    let place = usize::try_from(digits.unsigned_abs()).unwrap_or(usize::MAX);
    (digits >= 0, POWERS.get(place).copied().unwrap_or(f64::NAN))
}

fn without_sign(difference: i64) -> u64 {
    (difference << 1 ^ difference >> (i64::BITS - 1)).cast_unsigned()
}

fn with_sign(written: u64) -> i64 {
    (written >> 1).cast_signed() ^ -(written & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values as they come back, and the bytes that each takes.
    fn back(values: &[f64]) -> Option<(Vec<f64>, usize)> {
        let bytes = to_bytes(values)?;
        let width = usize::from(bytes[1]);
        assert_eq!(count(&bytes), Ok(values.len()));
        Some((from_bytes(&bytes).unwrap(), width))
    }

    #[test]
    fn decimals_are_a_few_bytes_each_and_come_back_bit_for_bit() {
        let few: [(&[f64], usize); 8] = [
            (&[], 1),
            (&[0.0, 0.0], 1),
            (&[0.1, 0.2, 0.3, 0.1 + 0.1], 1),
            (&[-1.5, 1.5, -0.25], 2),
            (&[51.34, 51.28, 52.0, 50.99], 2),
            (&[3.7e9, 3.698e9, 2.9e9], 2),
            (&[123_456e3, 123_457e3, 99e3], 3),
            (&[1e-15, 1.234_567_890_123_456], 7),
        ];
        for (values, width) in few {
            let (read, took) = back(values).unwrap();
            let bits = |all: &[f64]| all.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!((bits(&read), took), (bits(values), width), "{values:?}");
        }
    }

    #[test]
    fn any_number_of_six_digits_is_a_decimal() {
        // Xorshift64.
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..2000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let (digits, exponent) = (1 + bits % 999_999, round % 16 - 9);
            let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
            assert_eq!(back(&[value, -value, value]).map(|(read, _)| read[2]), Some(value), "{value}");
        }
    }

    #[test]
    fn what_would_not_come_back_is_none() {
        for odd in [-0.0, f64::NAN, f64::INFINITY, 1.0 / 3.0, f64::MIN_POSITIVE, f64::MAX, 1e16 / 7.0] {
            assert_eq!(to_bytes(&[1.5, odd]), None, "{odd}");
        }
        // Each by itself, but not both by one power.
        assert!(to_bytes(&[9e15]).is_some() && to_bytes(&[1e-15]).is_some());
        assert_eq!(to_bytes(&[9e15, 1e-15]), None);
    }

    #[test]
    fn bytes_that_nobody_wrote_are_refused() {
        let all: [&[u8]; 7] = [&[], &[0], &[16, 1, 0], &[0xf6, 1, 0], &[0, 0], &[0, 9, 0], &[0, 2, 0]];
        for bytes in all {
            from_bytes(bytes).unwrap_err();
            count(bytes).unwrap_err();
        }
        // Differences that add up to more than there is: some number, and no end of the program.
        let most = [[0, 8].as_slice(), &[0xff; 160]].concat();
        assert_eq!(from_bytes(&most).unwrap().len(), 20);
    }
}
