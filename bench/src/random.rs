//! Seeded random numbers: every run of a benchmark sees the same workload.

/// Numbers of which every run has the same.
#[derive(Clone, Debug)]
pub struct Random(watchword_testing::Random);

impl Random {
    /// A generator with that seed.
    pub fn new(seed: u64) -> Random {
        Random(watchword_testing::Random::new(seed))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// How keys are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// All alike.
    Uniform,
    /// A few keys take most events (exponent 1).
    Zipf,
}

/// A table to draw keys from by inverting the cumulative distribution.
pub struct Keys {
    cumulative: Vec<f64>,
    draw: Draw,
    count: u64,
}

impl Keys {
    /// Keys `0..count`.
    pub fn new(draw: Draw, count: u64) -> Keys {
        let mut cumulative = Vec::new();
        if draw == Draw::Zipf {
            let mut sum = 0.0;
            for rank in 1..=count {
                sum += 1.0 / rank as f64;
                cumulative.push(sum);
            }
        }
        Keys { cumulative, draw, count }
    }

    /// The next key.
    pub fn next(&self, random: &mut Random) -> u64 {
        match self.draw {
            Draw::Uniform => random.below(self.count),
            Draw::Zipf => {
                let total = self.cumulative[self.cumulative.len() - 1];
                let target = random.unit() * total;
                self.cumulative.partition_point(|c| *c < target) as u64
            }
        }
    }
}
