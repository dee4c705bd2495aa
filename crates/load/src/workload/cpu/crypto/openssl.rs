//! The same algorithms by the OpenSSL that the machine has: `libcrypto.so.3`, opened when it is asked
//! for, through its `EVP` interface. What it is worth knowing for: its code is another than
//! AWS-LC's (for ChaCha20-Poly1305 it has AVX-512), and it is what most programs of a distribution use.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::ptr;
use std::sync::LazyLock;

use engine::fault::Fault;
use libloading::Library;

use super::cipher::{Algorithm, KEY_BYTES, NONCE_BYTES, TAG_BYTES, Tag, refused};

/// The name under which OpenSSL 3 is installed.
const FILE: &str = "libcrypto.so.3";

/// Why a program without shared libraries opens none.
const STATIC: &str = "this program is static and opens no shared library; use library=aws-lc, or a headroom that \
     was built with `cargo build --release`";

/// `EVP_CTRL_AEAD_GET_TAG` and `EVP_CTRL_AEAD_SET_TAG` of `openssl/evp.h`.
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions that are used, as `openssl/evp.h` and `openssl/crypto.h` declare them.
        #[allow(non_snake_case, reason = "as the library names them")]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            /// They live as long as it is open.
            _library: Library,
        }

        impl Functions {
            fn open() -> Result<Self, libloading::Error> {
                // SAFETY: OpenSSL's initialisers may run at any time, and each symbol has the type
                // that its header gives it.
                unsafe {
                    let library = Library::new(FILE)?;
                    Ok(Self {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)*
                        _library: library,
                    })
                }
            }
        }
    };
}

type Object = *mut c_void;
type Bytes = *const c_uchar;

functions! {
    OpenSSL_version: fn(c_int) -> *const c_char;
    EVP_CIPHER_fetch: fn(Object, *const c_char, *const c_char) -> Object;
    EVP_CIPHER_free: fn(Object);
    EVP_CIPHER_CTX_new: fn() -> Object;
    EVP_CIPHER_CTX_free: fn(Object);
    EVP_CIPHER_CTX_ctrl: fn(Object, c_int, c_int, *mut c_void) -> c_int;
    EVP_CipherInit_ex: fn(Object, Object, Object, Bytes, Bytes, c_int) -> c_int;
    EVP_CipherUpdate: fn(Object, *mut c_uchar, *mut c_int, Bytes, c_int) -> c_int;
    EVP_CipherFinal_ex: fn(Object, *mut c_uchar, *mut c_int) -> c_int;
    EVP_MD_fetch: fn(Object, *const c_char, *const c_char) -> Object;
    EVP_MD_free: fn(Object);
    EVP_MD_CTX_new: fn() -> Object;
    EVP_MD_CTX_free: fn(Object);
    EVP_DigestInit_ex: fn(Object, Object, Object) -> c_int;
    EVP_DigestUpdate: fn(Object, *const c_void, usize) -> c_int;
    EVP_DigestFinal_ex: fn(Object, *mut c_uchar, *mut c_uint) -> c_int;
}

static FUNCTIONS: LazyLock<Result<Functions, String>> = LazyLock::new(|| {
    // It would bring a C library of its own beside the one that is part of a static program: what the two know
    // of threads and of memory differs, and no error is told before something breaks.
    if cfg!(target_feature = "crt-static") {
        return Err(STATIC.to_owned());
    }
    Functions::open().map_err(|e| e.to_string())
});

fn functions() -> Result<&'static Functions, Fault> {
    FUNCTIONS.as_ref().map_err(|why| Fault::Other(format!("OpenSSL cannot be used: {why}")))
}

/// What the library calls itself.
///
/// # Errors
/// Why there is none.
pub(super) fn version() -> Result<String, String> {
    let functions = FUNCTIONS.as_ref()?;
    // SAFETY: it gives a text that lasts for ever, ended by zero.
    let text = unsafe { CStr::from_ptr((functions.OpenSSL_version)(0)) };
    Ok(text.to_string_lossy().into_owned())
}

/// A cipher or digest with its key, one way.
pub(super) struct Context {
    functions: &'static Functions,
    algorithm: Algorithm,
    /// `EVP_CIPHER` or `EVP_MD`.
    kind: Object,
    /// `EVP_CIPHER_CTX` or `EVP_MD_CTX`.
    context: Object,
}

// SAFETY: what it points to is its own, and the library keeps nothing by thread for it.
unsafe impl Send for Context {}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

impl Context {
    pub(super) fn new(algorithm: Algorithm, key: &[u8; KEY_BYTES], encrypts: bool) -> Result<Self, Fault> {
        let functions = functions()?;
        let name = match algorithm {
            Algorithm::Xts => c"AES-256-XTS",
            Algorithm::Gcm => c"AES-256-GCM",
            Algorithm::ChaCha => c"ChaCha20-Poly1305",
            Algorithm::Sha256 => c"SHA256",
        };
        let null = ptr::null_mut();
        if algorithm == Algorithm::Sha256 {
            // SAFETY: the name ends by zero; null stands for the default library context.
            let (kind, context) = unsafe {
                ((functions.EVP_MD_fetch)(null, name.as_ptr(), ptr::null()), (functions.EVP_MD_CTX_new)())
            };
            let this = Self { functions, algorithm, kind, context };
            return if kind.is_null() || context.is_null() { Err(refused("a digest")) } else { Ok(this) };
        }
        // SAFETY: as above.
        let (kind, context) = unsafe {
            ((functions.EVP_CIPHER_fetch)(null, name.as_ptr(), ptr::null()), (functions.EVP_CIPHER_CTX_new)())
        };
        let this = Self { functions, algorithm, kind, context };
        if kind.is_null() || context.is_null() {
            return Err(refused("a cipher context"));
        }
        // SAFETY: both are ours; the key has as many bytes as the longest of these ciphers takes.
        let done = unsafe {
            (functions.EVP_CipherInit_ex)(context, kind, null, key.as_ptr(), ptr::null(), i32::from(encrypts))
        };
        if done == 1 { Ok(this) } else { Err(refused("the key")) }
    }

    /// Runs the cipher over `block`, in place; `beside` is authenticated with it.
    fn pass(&mut self, block: &mut [u8], iv: &[u8], beside: &[u8]) -> Result<(), Fault> {
        let Self { functions, context, .. } = *self;
        let length = |bytes: usize| i32::try_from(bytes).map_err(|_| refused("so long a block"));
        let (own, other) = (length(block.len())?, length(beside.len())?);
        let (null, mut written) = (ptr::null_mut(), 0);
        // SAFETY: the context has its key; the vector is as long as the cipher's; it writes as many
        // bytes as it reads, in place. -1 leaves the direction as it is.
        let done = unsafe {
            (functions.EVP_CipherInit_ex)(context, null, null, ptr::null(), iv.as_ptr(), -1) == 1
                && (other == 0
                    || (functions.EVP_CipherUpdate)(
                        context,
                        null.cast(),
                        &raw mut written,
                        beside.as_ptr(),
                        other,
                    ) == 1)
                && (functions.EVP_CipherUpdate)(
                    context,
                    block.as_mut_ptr(),
                    &raw mut written,
                    block.as_ptr(),
                    own,
                ) == 1
        };
        if done && written == own { Ok(()) } else { Err(refused("a block")) }
    }

    /// Ends a pass: whether the tag, where there is one, is right.
    fn end(&mut self) -> bool {
        let (mut none, mut written) = ([0; 16], 0);
        // SAFETY: these ciphers write nothing more at the end, and there is room for a block.
        unsafe { (self.functions.EVP_CipherFinal_ex)(self.context, none.as_mut_ptr(), &raw mut written) == 1 }
    }

    /// Asks for the tag, or gives the one that is to be found.
    fn tag(&mut self, what: c_int, tag: &mut [u8]) -> Result<(), Fault> {
        let (length, at) = (TAG_BYTES as c_int, tag.as_mut_ptr().cast());
        debug_assert!(tag.len() >= TAG_BYTES);
        // SAFETY: the tag has at least so many bytes.
        let done = unsafe { (self.functions.EVP_CIPHER_CTX_ctrl)(self.context, what, length, at) };
        if done == 1 { Ok(()) } else { Err(refused("a tag")) }
    }

    /// One data unit of XTS.
    #[inline]
    pub(super) fn run(&mut self, block: &mut [u8], number: u64) -> Result<(), Fault> {
        self.pass(block, &u128::from(number).to_le_bytes(), &[])
    }

    #[inline]
    pub(super) fn seal(
        &mut self,
        block: &mut [u8],
        nonce: [u8; NONCE_BYTES],
        beside: &[u8],
        tag: &mut Tag,
    ) -> Result<(), Fault> {
        self.pass(block, &nonce, beside)?;
        if !self.end() {
            return Err(refused("to seal a block"));
        }
        self.tag(GET_TAG, tag)
    }

    pub(super) fn open(
        &mut self,
        block: &mut [u8],
        nonce: [u8; NONCE_BYTES],
        tag: &Tag,
    ) -> Result<(), Fault> {
        self.pass(block, &nonce, &[])?;
        self.tag(SET_TAG, &mut tag.clone())?;
        if self.end() {
            return Ok(());
        }
        Err(Fault::Verification("the last block that was sealed is not authentic".to_owned()))
    }

    /// The digest of these pieces, one after the other.
    #[inline]
    pub(super) fn digest<'a>(&mut self, pieces: impl Iterator<Item = &'a [u8]>) -> Result<Tag, Fault> {
        let Self { functions, kind, context, .. } = *self;
        let mut tag = [0; 32];
        // SAFETY: the context and the digest are ours; each piece is read for its own length; the
        // digest has 32 bytes.
        let done = unsafe {
            (functions.EVP_DigestInit_ex)(context, kind, ptr::null_mut()) == 1
                && pieces
                    .map(|piece| (functions.EVP_DigestUpdate)(context, piece.as_ptr().cast(), piece.len()))
                    .all(|done| done == 1)
                && (functions.EVP_DigestFinal_ex)(context, tag.as_mut_ptr(), ptr::null_mut()) == 1
        };
        if done { Ok(tag) } else { Err(refused("a digest")) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let Self { functions, algorithm, kind, context } = *self;
        // SAFETY: made by `new` or null, freed once.
        unsafe {
            if algorithm == Algorithm::Sha256 {
                (functions.EVP_MD_CTX_free)(context);
                (functions.EVP_MD_free)(kind);
            } else {
                (functions.EVP_CIPHER_CTX_free)(context);
                (functions.EVP_CIPHER_free)(kind);
            }
        }
    }
}
