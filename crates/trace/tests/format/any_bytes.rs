//! Any bytes, alone and after a beginning that is right, end in a number: nothing panics,
//! goes on for ever or asks for more memory than there is.

use proptest::prelude::*;
use trace::format::{FORMATS, RECOGNIZED_BYTES, recognize};

const BEGINNINGS: &[&[u8]] = &[
    b"",
    b"\x89HRT\r\n\x1a\n",
    b"\x89HRT\r\n\x1a\n\x01\0\0\0",
    b"\x07\x74\x61\x65",
    b"\x65\x61\x74\x07",
    b"fio version 2 iolog\n",
    b"fio version 3 iolog\n",
    b"fio version 2 iolog\na add\na open\n",
    b"fio version 3 iolog\n0 a add\n0 a open\n",
];

proptest! {
    #[test]
    fn all_readers_end(
        beginning in 0..BEGINNINGS.len(),
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
        words in "([a ]|add|open|read|wait|[0-9]{1,21}|\n){0,60}",
    ) {
        for rest in [bytes.as_slice(), words.as_bytes()] {
            let whole = [BEGINNINGS[beginning], rest].concat();
            for spec in FORMATS {
                let Some(count) = spec.count else { continue };
                let counted = count(&whole);
                prop_assert!(counted <= whole.len() as u64, "{}: {counted}", spec.name);
                let is_known = recognize(&whole[..whole.len().min(RECOGNIZED_BYTES)]).is_some();
                prop_assert!(is_known || counted == 0, "{}: {counted}", spec.name);
            }
        }
    }
}
