//! `cpu.crypto library=openssl` against a C program with the same library, one thread on the
//! same CPU. `openssl speed` sets neither a nonce for each block of ChaCha20-Poly1305 nor makes
//! the tag at its end; this program does both, as every user of it must.

use std::fs;
use std::path::PathBuf;

use crate::context::BenchContext;
use crate::crypto::{BLOCKS, FIGURES, headroom};
use crate::{Benchmark, Sides, place};
use xtask::Error;

/// What needs no cipher instructions.
pub(crate) const CHACHA: Benchmark = Benchmark {
    name: "crypto-chacha-openssl",
    peer: "C loop by libcrypto",
    needs: &["gcc", "openssl", "taskset"],
    figures: FIGURES,
    prepare: |context| Ok(Box::new(Cipher { cpu: place::last()?, program: compile(context)? })),
};

/// Seals a block of as many bytes as its first argument says for as many seconds as the second,
/// and prints bytes per second. The functions are those of the library's manual (EVP_EncryptInit(3)),
/// declared here because Debian's library comes without headers.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
EVP_CIPHER *EVP_CIPHER_fetch(void *, const char *, const char *);
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *, int, int, void *);
int EVP_EncryptInit_ex(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const unsigned char *, const unsigned char *);
int EVP_EncryptUpdate(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);
int EVP_EncryptFinal_ex(EVP_CIPHER_CTX *, unsigned char *, int *);
enum { GET_TAG = 0x10, TAG = 16, NONCE = 12 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static EVP_CIPHER_CTX *context;
static unsigned char *block;
static int bytes;
static unsigned char nonce[NONCE], tag[TAG];

static int seal(void)
{
    int wrote;
    for (int i = 0; i < NONCE && ++nonce[i] == 0; i++)
        ;
    return EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) == 1
        && EVP_EncryptUpdate(context, block, &wrote, block, bytes) == 1
        && wrote == bytes
        && EVP_EncryptFinal_ex(context, block, &wrote) == 1
        && EVP_CIPHER_CTX_ctrl(context, GET_TAG, TAG, tag) == 1;
}

static double rate(double seconds)
{
    double begin = now(), took, blocks = 0;
    do {
        for (int i = 0; i < 16; i++)
            if (!seal())
                exit(4);
        blocks += 16;
        took = now() - begin;
    } while (took < seconds);
    return blocks * bytes / took;
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    bytes = atoi(arguments[1]);
    block = aligned_alloc(4096, bytes);
    context = EVP_CIPHER_CTX_new();
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", NULL);
    unsigned char key[32] = {1};
    if (!block || !context || !cipher || EVP_EncryptInit_ex(context, cipher, NULL, key, NULL) != 1)
        return 3;
    memset(block, 1, bytes);
    rate(0.3);
    printf("rate %.6e\n", rate(atof(arguments[2])));
    return 0;
}
"#;

struct Cipher {
    cpu: u32,
    program: PathBuf,
}

impl Sides for Cipher {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let of = |block| headroom(context, self.cpu, "chacha20-poly1305", block, "openssl", seed);
        BLOCKS.iter().map(|(block, _)| of(block)).collect()
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let seconds = context.seconds.to_string();
        let of = |bytes: &str| {
            let text = context.output(Some(self.cpu), &self.program.to_string_lossy(), &[bytes, &seconds])?;
            rate(&text).ok_or_else(|| Error::Bench(format!("the C program tells no rate:\n{text}")))
        };
        BLOCKS.iter().map(|(_, bytes)| of(bytes)).collect()
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let text = context.output(None, "openssl", &["version"])?;
        Ok(text.split(" (").next().unwrap_or_default().trim().to_owned())
    }
}

fn compile(context: &BenchContext) -> Result<PathBuf, Error> {
    let (source, program) = (context.scratch("seal.c"), context.scratch("seal"));
    fs::write(&source, SOURCE).map_err(Error::file("write", &source))?;
    let (from, to) = (source.to_string_lossy(), program.to_string_lossy());
    // By its name, for only the package with the headers has the name without a version.
    context.output(None, "gcc", &["-O3", "-march=native", "-o", &to, &from, "-l:libcrypto.so.3"])?;
    Ok(program)
}

fn rate(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("rate ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read() {
        assert_eq!(rate("rate 1.380000e+09\n"), Some(1.38e9));
        assert_eq!(rate(""), None);
    }
}
