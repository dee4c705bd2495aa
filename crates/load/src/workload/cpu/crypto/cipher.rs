//! The four algorithms, by either library, each with what proves it right: published
//! answers, and undoing what was done.

use std::ptr;

use aws_lc_sys as lc;
use engine::fault::Fault;

use super::openssl;

/// Whose code computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CipherLibrary {
    /// Linked with Headroom.
    AwsLc,
    /// That of the machine.
    OpenSsl,
}

impl CipherLibrary {
    pub(super) const ALL: [(&'static str, CipherLibrary); 2] =
        [("aws-lc", CipherLibrary::AwsLc), ("openssl", CipherLibrary::OpenSsl)];

    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, library)| *library)
    }

    /// What it calls itself.
    ///
    /// # Errors
    /// Why it cannot be used here.
    pub(super) fn version(self) -> Result<String, String> {
        match self {
            // SAFETY: it gives a text that lasts for ever, ended by zero.
            CipherLibrary::AwsLc => unsafe {
                Ok(std::ffi::CStr::from_ptr(lc::OpenSSL_version(0)).to_string_lossy().into_owned())
            },
            CipherLibrary::OpenSsl => openssl::version(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// AES-256 in XTS mode (IEEE 1619), as disks are encrypted.
    Xts,
    /// AES-256 in Galois/counter mode (NIST SP 800-38D).
    Gcm,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// ChaCha20-Poly1305 (RFC 8439).
    ChaCha,
}

impl Algorithm {
    pub(super) const ALL: [(&'static str, Algorithm); 4] = [
        ("aes-256-xts", Algorithm::Xts),
        ("aes-256-gcm", Algorithm::Gcm),
        ("sha-256", Algorithm::Sha256),
        ("chacha20-poly1305", Algorithm::ChaCha),
    ];

    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, algorithm)| *algorithm)
    }
}

/// Bytes of the longest key: two of AES-256.
pub(super) const KEY_BYTES: usize = 64;
pub(super) const TAG_BYTES: usize = 16;
pub(super) const NONCE_BYTES: usize = 12;

/// An algorithm with its key.
#[derive(Debug)]
pub(super) enum Cipher {
    /// One data unit an operation, its number in the tweak.
    Xts { seal: Context, open: Context },
    /// Sealed in place, a nonce for each.
    Aead(AeadContext),
    /// A digest.
    Sha256,
    /// Any of them by OpenSSL.
    OpenSsl { algorithm: Algorithm, seal: openssl::Context, open: openssl::Context },
}

/// What an operation gave beside the bytes.
pub(super) type Tag = [u8; 32];

impl Cipher {
    /// Sets the key up, by the code that the library chooses now.
    pub(super) fn new(
        library: CipherLibrary,
        algorithm: Algorithm,
        key: &[u8; KEY_BYTES],
    ) -> Result<Self, Fault> {
        if library == CipherLibrary::OpenSsl {
            let way = |encrypts| openssl::Context::new(algorithm, key, encrypts);
            return Ok(Cipher::OpenSsl { algorithm, seal: way(true)?, open: way(false)? });
        }
        Ok(match algorithm {
            Algorithm::Xts => Cipher::Xts { seal: Context::new(key, true)?, open: Context::new(key, false)? },
            Algorithm::Gcm => {
                // SAFETY: it takes nothing and gives a table that lasts for ever.
                let aead = unsafe { lc::EVP_aead_aes_256_gcm() };
                Cipher::Aead(AeadContext::new(aead, key)?)
            }
            Algorithm::ChaCha => {
                // SAFETY: as above.
                let aead = unsafe { lc::EVP_aead_chacha20_poly1305() };
                Cipher::Aead(AeadContext::new(aead, key)?)
            }
            Algorithm::Sha256 => Cipher::Sha256,
        })
    }

    /// Encrypts `block` in place as number `number`, or hashes it.
    #[inline]
    pub(super) fn seal(&mut self, block: &mut [u8], number: u64) -> Result<Tag, Fault> {
        self.seal_with(block, number, nonce(number), &[])
    }

    /// The same under a nonce that is given, with something beside it that is authenticated.
    #[inline]
    fn seal_with(
        &mut self,
        block: &mut [u8],
        number: u64,
        nonce: [u8; NONCE_BYTES],
        beside: &[u8],
    ) -> Result<Tag, Fault> {
        let mut tag = [0; 32];
        match self {
            Cipher::Xts { seal, .. } => seal.run(block, number)?,
            Cipher::Aead(aead) => aead.seal(block, nonce, beside, &mut tag)?,
            Cipher::OpenSsl { algorithm: Algorithm::Xts, seal, .. } => seal.run(block, number)?,
            Cipher::OpenSsl { algorithm: Algorithm::Sha256, seal, .. } => {
                tag = seal.digest(std::iter::once(&*block))?;
            }
            Cipher::OpenSsl { seal, .. } => seal.seal(block, nonce, beside, &mut tag)?,
            Cipher::Sha256 => {
                // SAFETY: reads the block, writes the 32 bytes of a digest.
                unsafe { lc::SHA256(block.as_ptr(), block.len(), tag.as_mut_ptr()) };
            }
        }
        Ok(tag)
    }

    /// Undoes [`Cipher::seal`]; of a digest, makes it by another way (piece by
    /// piece).
    ///
    /// # Errors
    /// If what was sealed is not authentic.
    pub(super) fn open(&mut self, block: &mut [u8], number: u64, tag: &Tag) -> Result<(), Fault> {
        let again = match self {
            Cipher::Xts { open, .. } => return open.run(block, number),
            Cipher::Aead(aead) => return aead.open(block, nonce(number), tag),
            Cipher::Sha256 => digest_in_pieces(block),
            Cipher::OpenSsl { algorithm: Algorithm::Xts, open, .. } => return open.run(block, number),
            Cipher::OpenSsl { algorithm: Algorithm::Sha256, open, .. } => open.digest(block.chunks(PIECE))?,
            Cipher::OpenSsl { open, .. } => return open.open(block, nonce(number), tag),
        };
        if again == *tag {
            return Ok(());
        }
        Err(Fault::Verification("the digest of the last block is not that of its pieces".to_owned()))
    }
}

/// Bytes of a piece: none that a block of the digest is a multiple of.
const PIECE: usize = 61;

/// A nonce that no other operation of this key has.
fn nonce(number: u64) -> [u8; NONCE_BYTES] {
    let mut nonce = [0; NONCE_BYTES];
    nonce[4..].copy_from_slice(&number.to_le_bytes());
    nonce
}

fn digest_in_pieces(block: &[u8]) -> Tag {
    let mut tag = [0; 32];
    let mut state = std::mem::MaybeUninit::<lc::SHA256_CTX>::uninit();
    // SAFETY: the state is initialised first and lives on this stack; each piece
    // is read for its own length; the digest has 32 bytes.
    unsafe {
        lc::SHA256_Init(state.as_mut_ptr());
        for piece in block.chunks(PIECE) {
            lc::SHA256_Update(state.as_mut_ptr(), piece.as_ptr().cast(), piece.len());
        }
        lc::SHA256_Final(tag.as_mut_ptr(), state.as_mut_ptr());
    }
    tag
}

pub(super) fn refused(what: &str) -> Fault {
    Fault::Other(format!("the library refused {what}"))
}

/// AES-256-XTS with its keys.
#[derive(Debug)]
pub(super) struct Context {
    context: ptr::NonNull<lc::EVP_CIPHER_CTX>,
}

impl Context {
    fn new(key: &[u8; KEY_BYTES], encrypts: bool) -> Result<Self, Fault> {
        // SAFETY: it takes nothing; null where there is no memory.
        let context = ptr::NonNull::new(unsafe { lc::EVP_CIPHER_CTX_new() });
        let this = Self { context: context.ok_or_else(|| refused("a cipher context"))? };
        // SAFETY: the context is ours; the key has the two halves of 32 bytes;
        // the tweak comes with each operation.
        let done = unsafe {
            lc::EVP_CipherInit_ex(
                this.context.as_ptr(),
                lc::EVP_aes_256_xts(),
                ptr::null_mut(),
                key.as_ptr(),
                ptr::null(),
                i32::from(encrypts),
            )
        };
        if done == 1 { Ok(this) } else { Err(refused("the key")) }
    }

    #[inline]
    fn run(&mut self, block: &mut [u8], number: u64) -> Result<(), Fault> {
        let tweak = u128::from(number).to_le_bytes();
        let length = i32::try_from(block.len()).map_err(|_| refused("so long a block"))?;
        let mut written = 0;
        // SAFETY: the context is ours and has its key; the tweak has 16 bytes;
        // the cipher writes as many bytes as it reads, in place. -1 leaves the
        // direction as it is.
        let done = unsafe {
            lc::EVP_CipherInit_ex(
                self.context.as_ptr(),
                ptr::null(),
                ptr::null_mut(),
                ptr::null(),
                tweak.as_ptr(),
                -1,
            ) == 1
                && lc::EVP_CipherUpdate(
                    self.context.as_ptr(),
                    block.as_mut_ptr(),
                    &raw mut written,
                    block.as_ptr(),
                    length,
                ) == 1
        };
        if done && written == length { Ok(()) } else { Err(refused("a data unit")) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by `new`, freed once.
        unsafe { lc::EVP_CIPHER_CTX_free(self.context.as_ptr()) };
    }
}

/// An authenticated cipher with its key.
#[derive(Debug)]
pub(super) struct AeadContext {
    context: ptr::NonNull<lc::EVP_AEAD_CTX>,
}

impl AeadContext {
    fn new(aead: *const lc::EVP_AEAD, key: &[u8; KEY_BYTES]) -> Result<Self, Fault> {
        // SAFETY: the table is the library's; both ciphers have keys of 32
        // bytes, of which the key has more.
        let context = unsafe { lc::EVP_AEAD_CTX_new(aead, key.as_ptr(), 32, TAG_BYTES) };
        let context = ptr::NonNull::new(context).ok_or_else(|| refused("the key"))?;
        Ok(Self { context })
    }

    #[inline]
    fn seal(
        &mut self,
        block: &mut [u8],
        nonce: [u8; NONCE_BYTES],
        beside: &[u8],
        tag: &mut Tag,
    ) -> Result<(), Fault> {
        let mut written = 0usize;
        // SAFETY: the context is ours; the cipher writes as many bytes as it
        // reads, in place, and at most 16 of the tag.
        let done = unsafe {
            lc::EVP_AEAD_CTX_seal_scatter(
                self.context.as_ptr(),
                block.as_mut_ptr(),
                tag.as_mut_ptr(),
                &raw mut written,
                TAG_BYTES,
                nonce.as_ptr(),
                NONCE_BYTES,
                block.as_ptr(),
                block.len(),
                ptr::null(),
                0,
                beside.as_ptr(),
                beside.len(),
            )
        };
        if done == 1 && written == TAG_BYTES { Ok(()) } else { Err(refused("to seal a block")) }
    }

    fn open(&mut self, block: &mut [u8], nonce: [u8; NONCE_BYTES], tag: &Tag) -> Result<(), Fault> {
        // SAFETY: as for `seal`.
        let done = unsafe {
            lc::EVP_AEAD_CTX_open_gather(
                self.context.as_ptr(),
                block.as_mut_ptr(),
                nonce.as_ptr(),
                NONCE_BYTES,
                block.as_ptr(),
                block.len(),
                tag.as_ptr(),
                TAG_BYTES,
                ptr::null(),
                0,
            )
        };
        if done == 1 {
            return Ok(());
        }
        Err(Fault::Verification("the last block that was sealed is not authentic".to_owned()))
    }
}

impl Drop for AeadContext {
    fn drop(&mut self) {
        // SAFETY: made by `new`, freed once.
        unsafe { lc::EVP_AEAD_CTX_free(self.context.as_ptr()) };
    }
}

/// Whether a library gives the published answer of `algorithm` by the code
/// that it chooses now.
pub(super) fn known_answer(library: CipherLibrary, algorithm: Algorithm) -> Result<(), Fault> {
    let with = |key| Cipher::new(library, algorithm, key);
    let found = match algorithm {
        Algorithm::Xts => {
            // IEEE 1619-2007, vector 10: data unit 0xff, 512 bytes that count up.
            let mut key = [0; KEY_BYTES];
            key[..32].copy_from_slice(&E_DIGITS);
            key[32..].copy_from_slice(&PI_DIGITS);
            let mut block: Vec<u8> = (0..512).map(|i| i as u8).collect();
            with(&key)?.seal(&mut block, 0xff)?;
            (block[..16] == XTS_FIRST && block[496..] == XTS_LAST, "IEEE 1619, vector 10")
        }
        Algorithm::Gcm => {
            // McGrew and Viega, "The Galois/Counter Mode of Operation", case 14.
            let mut block = [0; 16];
            let tag = with(&[0; KEY_BYTES])?.seal(&mut block, 0)?;
            (block == GCM_TEXT && tag[..16] == GCM_TAG, "GCM, test case 14")
        }
        Algorithm::ChaCha => (chacha_answer(library)?, "RFC 8439, 2.8.2"),
        Algorithm::Sha256 => {
            let mut million = vec![b'a'; 1_000_000];
            let mut digest = with(&[0; KEY_BYTES])?;
            let long = digest.seal(&mut million, 0)?;
            let short = digest.seal(&mut b"abc".to_owned(), 0)?;
            (short == SHA_ABC && long == SHA_MILLION, "FIPS 180-4, examples")
        }
    };
    match found {
        (true, _) => Ok(()),
        (false, of) => Err(Fault::Verification(format!("{algorithm:?} does not give the answer of {of}"))),
    }
}

fn chacha_answer(library: CipherLibrary) -> Result<bool, Fault> {
    let mut key = [0; KEY_BYTES];
    (0x80..).zip(&mut key).for_each(|(byte, at)| *at = byte);
    let mut block = *b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the \
                       future, sunscreen would be it.";
    let nonce = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
    let beside = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
    let tag = Cipher::new(library, Algorithm::ChaCha, &key)?.seal_with(&mut block, 0, nonce, &beside)?;
    Ok(block[..16] == CHACHA_FIRST && tag[..16] == CHACHA_TAG)
}

/// The bytes of a number written in hexadecimal digits.
const fn bytes<const N: usize>(digits: &str) -> [u8; N] {
    let digits = digits.as_bytes();
    let mut bytes = [0; N];
    let mut at = 0;
    while at < 2 * N {
        let digit = digits[at];
        let value = if digit >= b'a' { digit - b'a' + 10 } else { digit - b'0' };
        bytes[at / 2] = bytes[at / 2] << 4 | value;
        at += 1;
    }
    bytes
}

const E_DIGITS: [u8; 32] = bytes("2718281828459045235360287471352662497757247093699959574966967627");
const PI_DIGITS: [u8; 32] = bytes("3141592653589793238462643383279502884197169399375105820974944592");
const XTS_FIRST: [u8; 16] = bytes("1c3b3a102f770386e4836c99e370cf9b");
const XTS_LAST: [u8; 16] = bytes("c4f36ffda9fcea70b9c6e693e148c151");
const GCM_TEXT: [u8; 16] = bytes("cea7403d4d606b6e074ec5d3baf39d18");
const GCM_TAG: [u8; 16] = bytes("d0d1c8a799996bf0265b98b5d48ab919");
const CHACHA_FIRST: [u8; 16] = bytes("d31a8d34648e60db7b86afbc53ef7ec2");
const CHACHA_TAG: [u8; 16] = bytes("1ae10b594f09e26a7e902ecbd0600691");
const SHA_ABC: [u8; 32] = bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
const SHA_MILLION: [u8; 32] = bytes("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use super::super::hardware::{FeatureGuard, TURN};
    use super::*;

    const LENGTHS: [usize; 8] = [16, 17, 63, 512, 1000, 4096, 65_537, 1 << 20];

    /// Ciphertexts and tags of every algorithm and length, by the code that the
    /// switch leaves, after checking that each can be undone.
    fn sealed(library: CipherLibrary, hardware: bool) -> Vec<(Vec<u8>, Tag)> {
        let _held = FeatureGuard::take(hardware).unwrap();
        let key = std::array::from_fn(|i| (i * 7 + 1) as u8);
        let mut all = Vec::new();
        for (_, algorithm) in Algorithm::ALL {
            known_answer(library, algorithm).unwrap();
            let mut machine = Cipher::new(library, algorithm, &key).unwrap();
            for length in LENGTHS {
                let plain: Vec<u8> = (0..length).map(|i| (i * i / 3) as u8).collect();
                let mut block = plain.clone();
                let tag = machine.seal(&mut block, 5).unwrap();
                let mut back = block.clone();
                machine.open(&mut back, 5, &tag).unwrap();
                assert_eq!(back, plain, "{algorithm:?} {length}");
                assert!(algorithm == Algorithm::Sha256 || block != plain);
                all.push((block, tag));
            }
        }
        all
    }

    /// Two implementations that share no code agree on every byte.
    #[test]
    fn with_and_without_hardware_the_results_are_the_same_and_as_published() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let ours = sealed(CipherLibrary::AwsLc, true);
        assert_eq!(ours, sealed(CipherLibrary::AwsLc, false));
        CipherLibrary::OpenSsl.version().expect("`apt-get install libssl3`");
        assert_eq!(ours, sealed(CipherLibrary::OpenSsl, true));
    }

    #[test]
    fn what_was_changed_is_found() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = FeatureGuard::take(true).unwrap();
        let libraries = CipherLibrary::ALL.into_iter().filter(|(_, library)| library.version().is_ok());
        for (name, library) in libraries {
            for algorithm in [Algorithm::Gcm, Algorithm::ChaCha, Algorithm::Sha256] {
                let mut machine = Cipher::new(library, algorithm, &[3; KEY_BYTES]).unwrap();
                let mut block = vec![9; 4096];
                let tag = machine.seal(&mut block, 1).unwrap();
                block[77] ^= 1;
                assert!(machine.open(&mut block, 1, &tag).is_err(), "{algorithm:?} by {name}");
            }
        }
    }
}
