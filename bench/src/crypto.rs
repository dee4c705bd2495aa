//! `cpu.crypto` against `openssl speed -evp`, one thread on the same CPU, blocks
//! of 4 KiB and 1 MiB. Both go over one block again and again in place.
//!
//! They do not do quite the same: for GCM and ChaCha20-Poly1305, openssl sets
//! neither a nonce for each block nor makes the tag at its end, which Headroom
//! does; at 4 KiB that is some per cent in favour of openssl. Its clock is the
//! wall's here (`-elapsed`), as ours is.
//!
//! ChaCha20-Poly1305 stays behind on processors with AVX-512: OpenSSL has code
//! for it, AWS-LC has none wider than AVX2. By OpenSSL it is measured in `crypto_c`.

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, place};
use xtask::Error;

pub(crate) const FIGURES: &[Figure] = &[
    Figure { what: "blocks of 4 KiB", unit: "B/s", goal: Goal::LowAtLeast(0.95) },
    Figure { what: "blocks of 1 MiB", unit: "B/s", goal: Goal::LowAtLeast(0.95) },
];

/// The same blocks in both languages.
pub(crate) const BLOCKS: [(&str, &str); 2] = [("4KiB", "4096"), ("1MiB", "1048576")];

const NEEDS: &[&str] = &["openssl", "taskset"];

/// Disk encryption.
pub(crate) const XTS: Benchmark = Benchmark {
    name: "crypto-xts",
    peer: "openssl speed",
    needs: NEEDS,
    figures: FIGURES,
    prepare: |_| crypto("aes-256-xts", "aes-256-xts"),
};

/// What TLS uses most.
pub(crate) const GCM: Benchmark = Benchmark {
    name: "crypto-gcm",
    peer: "openssl speed",
    needs: NEEDS,
    figures: FIGURES,
    prepare: |_| crypto("aes-256-gcm", "aes-256-gcm"),
};

/// A digest.
pub(crate) const SHA: Benchmark = Benchmark {
    name: "crypto-sha",
    peer: "openssl speed",
    needs: NEEDS,
    figures: FIGURES,
    prepare: |_| crypto("sha-256", "sha256"),
};

/// What needs no cipher instructions.
pub(crate) const CHACHA: Benchmark = Benchmark {
    name: "crypto-chacha",
    peer: "openssl speed",
    needs: NEEDS,
    figures: FIGURES,
    prepare: |_| crypto("chacha20-poly1305", "chacha20-poly1305"),
};

fn crypto(ours: &'static str, peers: &'static str) -> Result<Box<dyn Sides>, Error> {
    Ok(Box::new(Crypto { ours, peers, cpu: place::last()? }))
}

struct Crypto {
    ours: &'static str,
    peers: &'static str,
    cpu: u32,
}

impl Sides for Crypto {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        BLOCKS
            .iter()
            .map(|(block, _)| headroom(context, self.cpu, self.ours, block, "aws-lc", seed))
            .collect()
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let seconds = context.seconds.to_string();
        let of = |bytes: &str| {
            let words =
                ["speed", "-elapsed", "-mr", "-evp", self.peers, "-bytes", bytes, "-seconds", &seconds];
            let text = context.output(Some(self.cpu), "openssl", &words)?;
            rate(&text).ok_or_else(|| Error::Bench(format!("openssl tells no rate:\n{text}")))
        };
        BLOCKS.iter().map(|(_, bytes)| of(bytes)).collect()
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let text = context.output(None, "openssl", &["version"])?;
        Ok(text.split(" (").next().unwrap_or_default().trim().to_owned())
    }
}

/// Bytes per second of Headroom's own load, by `library`.
pub(crate) fn headroom(
    context: &BenchContext,
    cpu: u32,
    algorithm: &str,
    block: &str,
    library: &str,
    seed: u64,
) -> Result<f64, Error> {
    let words = ["cpu.crypto", "--threads", "1", "--algorithm", algorithm, "--block-size", block];
    let words = [&words[..], &["--library", library]].concat();
    context.headroom(Some(cpu), &words, seed)?.get("throughput")
}

/// The bytes per second of an answer that machines are to read.
fn rate(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("+F:")?.rsplit(':').next()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read_from_a_real_answer() {
        // By OpenSSL 3.0.19.
        let text = "+DT:AES-256-XTS:1:4096\n+R:1626217:AES-256-XTS:1.000000\n+H:4096\n\
                    +F:25:AES-256-XTS:6660983466.67\n";
        assert_eq!(rate(text), Some(6_660_983_466.67));
        assert_eq!(rate("speed: Unknown algorithm"), None);
    }
}
