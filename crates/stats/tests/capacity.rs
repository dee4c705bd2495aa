//! The search for a capacity, simulated: devices with a known truth, noise of each trial and of
//! each block, a fixed seed. `-- --nocapture` prints the numbers that `docs/concepts/method.md`
//! cites.
#![allow(clippy::unwrap_used)]

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::capacity::{Found, GAIN, GrowthEnd, LevelTrial, SearchBounds, SearchStep, next};

const BOUNDS: SearchBounds = SearchBounds { most: 1024, blocks: 6 };
const SEARCHES: usize = 400;

struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        let mut uniform = || ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }
}

/// What a device gives: `full` at most, growing with concurrency so that `n` at once give
/// n / (n^s + half^s)^(1/s) of it. The greater `sharp`, the more sudden its end.
struct Device {
    half: f64,
    sharp: f64,
}

impl Device {
    fn rate(&self, n: f64) -> f64 {
        n / (n.powf(self.sharp) + self.half.powf(self.sharp)).powf(1.0 / self.sharp)
    }
}

fn search(device: &Device, noise: f64, random: &mut Random) -> (Found, usize) {
    let mut trials = Vec::new();
    let mut block = 0;
    for _ in 0..200 {
        let levels = match next(&trials, BOUNDS) {
            SearchStep::Higher(level) => vec![level],
            SearchStep::Block(levels) => {
                block += 1;
                levels
            }
            SearchStep::Done(found) => return (found, trials.len()),
        };
        // The machine changes from one step to the next, on the way up too.
        let of_step = (noise * random.normal()).exp();
        for concurrency in levels {
            let rate = device.rate(concurrency as f64) * of_step * (noise * random.normal()).exp();
            trials.push(LevelTrial { block, concurrency, rate });
        }
    }
    panic!("a search goes on for ever");
}

#[test]
fn a_search_that_says_no_more_is_seldom_wrong() {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(20));
    for noise in [0.005, 0.01, 0.02, 0.04] {
        for device in [(4.0, 8.0), (16.0, 4.0), (16.0, 2.0), (48.0, 3.0)] {
            let device = Device { half: device.0, sharp: device.1 };
            let (mut flat, mut wrong, mut taken) = (0, 0, 0);
            let (mut least_best, mut knees) = (f64::INFINITY, Vec::new());
            for _ in 0..SEARCHES {
                let (found, trials) = search(&device, noise, &mut random);
                taken += trials;
                if found.ended == GrowthEnd::Flat {
                    flat += 1;
                    let grows = |g: &stats::capacity::Growth| {
                        device.rate(g.to as f64) / device.rate(g.from as f64) - 1.0 >= GAIN
                    };
                    wrong += usize::from(found.growth.iter().any(grows));
                }
                least_best = least_best.min(device.rate(found.best as f64));
                knees.push(device.rate(found.knee as f64));
            }
            knees.sort_by(f64::total_cmp);
            let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
            println!(
                "noise {noise:5}, half at {:4}, sharp {}: {:4.1} trials, {:5.1} % flat, {:4.1} % of them wrong, \
                 the best gives {:.3} or more, the knee {:.3} (90 %: {:.3} to {:.3})",
                device.half,
                device.sharp,
                taken as f64 / SEARCHES as f64,
                share(flat, SEARCHES),
                share(wrong, flat),
                least_best,
                knees[SEARCHES / 2],
                knees[SEARCHES / 20],
                knees[SEARCHES - SEARCHES / 20],
            );
            assert!(share(wrong, flat) <= 5.0, "noise {noise}: {wrong} of {flat} are wrong");
            assert!(least_best > 0.88, "noise {noise}: {least_best}");
        }
    }
}
