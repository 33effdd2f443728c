//! Sums of numbers that are rounded once, at the end.

use crate::Value;

/// The exact sum of integers and of floats of a magnitude up to
/// [`Aggregate::LARGEST`](crate::Aggregate::LARGEST). What was added can be taken out again, in any
/// order, and leaves no trace.
///
/// Floats are kept as an *expansion*: floats whose exact sum is the exact sum of all that was added,
/// and no two of which overlap, the smallest first (J. R. Shewchuk, 1997).
#[derive(Clone, Debug, Default)]
pub struct ExactSum {
    whole: i128,
    parts: Vec<f64>,
    /// How many of the summands are floats.
    floats: usize,
}

impl ExactSum {
    /// Adds a number. Answers `false`, and has done nothing, if it is none, or too large.
    pub fn add(&mut self, value: &Value) -> bool {
        match value {
            Value::Int(i) => self.add_int(*i),
            Value::Float(f) if f.abs() <= crate::Aggregate::LARGEST => self.add_float(*f),
            _ => return false,
        }
        true
    }

    /// Adds an integer.
    pub fn add_int(&mut self, i: i64) {
        self.whole += i128::from(i);
    }

    /// Takes an integer out that was added.
    pub fn remove_int(&mut self, i: i64) {
        self.whole -= i128::from(i);
    }

    /// Adds a float that is not too large.
    pub fn add_float(&mut self, f: f64) {
        self.floats += 1;
        grow(&mut self.parts, f);
    }

    /// Takes a float out that was added.
    pub fn remove_float(&mut self, f: f64) {
        self.floats -= 1;
        grow(&mut self.parts, -f);
    }

    /// The sum: an integer if all summands are and it fits, a float otherwise.
    pub fn value(&self) -> Value {
        match i64::try_from(self.whole) {
            Ok(whole) if self.floats == 0 => Value::Int(whole),
            _ => Value::Float(self.float()),
        }
    }

    /// The sum as a float.
    pub fn float(&self) -> f64 {
        let mut parts = self.parts.clone();
        // Three pieces of at most 53 bits are exact.
        let (mut rest, mut scale) = (self.whole, 1.0);
        while rest != 0 {
            grow(&mut parts, (rest % PIECE) as f64 * scale);
            rest /= PIECE;
            scale *= PIECE as f64;
        }
        rounded(&parts)
    }
}

/// Whole numbers below it are floats.
const PIECE: i128 = 1 << 53;

/// Adds a float to an expansion.
fn grow(parts: &mut Vec<f64>, f: f64) {
    let mut x = f;
    let mut kept = 0;
    for at in 0..parts.len() {
        let mut y = parts[at];
        if x.abs() < y.abs() {
            std::mem::swap(&mut x, &mut y);
        }
        let high = x + y;
        let low = y - (high - x);
        if low != 0.0 {
            parts[kept] = low;
            kept += 1;
        }
        x = high;
    }
    parts.truncate(kept);
    if x != 0.0 {
        parts.push(x);
    }
}

/// The float that is nearest to the sum of an expansion; of two, the even one.
fn rounded(parts: &[f64]) -> f64 {
    let mut rest = parts.iter().rev().copied();
    let Some(mut high) = rest.next() else { return 0.0 };
    let mut low = 0.0;
    let mut rest = rest.peekable();
    for y in rest.by_ref() {
        let x = high;
        high = x + y;
        low = y - (high - x);
        if low != 0.0 {
            break;
        }
    }
    // A tie was rounded to even; what is still smaller decides it.
    if let Some(next) = rest.peek()
        && ((low < 0.0 && *next < 0.0) || (low > 0.0 && *next > 0.0))
    {
        let y = low * 2.0;
        let x = high + y;
        if x - high == y {
            high = x;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_leave_no_trace() {
        let mut sum = ExactSum::default();
        for f in [1e16, 1.0, -1e16, 1e-9, 0.1, 0.2, 0.3] {
            sum.add_float(f);
        }
        assert_eq!(sum.float(), 1.600_000_001);
        for f in [1e16, -1e16, 0.1, 1.0, 0.2, 0.3] {
            sum.remove_float(f);
        }
        assert_eq!(sum.float(), 1e-9);
        sum.remove_float(1e-9);
        assert!(matches!(sum.value(), Value::Int(0)));
    }

    #[test]
    fn integers_and_floats_are_summed_together() {
        let mut sum = ExactSum::default();
        for i in [i64::MAX, i64::MAX, 3] {
            assert!(sum.add(&Value::Int(i)));
        }
        let two_64 = 18_446_744_073_709_551_616.0;
        assert!(matches!(sum.value(), Value::Float(f) if f == two_64), "too large for an integer");
        assert!(sum.add(&Value::Float(0.5)));
        assert!(matches!(sum.value(), Value::Float(f) if f == two_64));
        sum.remove_int(i64::MAX);
        sum.remove_int(i64::MAX);
        assert!(matches!(sum.value(), Value::Float(3.5)));
        sum.add_int(i64::MIN);
        sum.add_int(i64::MIN);
        assert!(matches!(sum.value(), Value::Float(f) if f == 3.5 - two_64));
        assert!(!sum.add(&Value::Float(f64::NAN)) && !sum.add(&Value::Float(1e300)));
        assert!(!sum.add(&Value::str("3")));
    }

    #[test]
    fn any_order_gives_the_same() {
        // Sixty-fourths within ±2^40 have exact sums in 64 bits.
        let mut random = 11u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 17) as i64 - (1 << 46)
        };
        let mut held = std::collections::VecDeque::new();
        let mut sum = ExactSum::default();
        for round in 0..10_000 {
            let n = next();
            held.push_back(n);
            sum.add_float(n as f64 / 64.0);
            if round % 3 > 0
                && let Some(n) = held.pop_front()
            {
                sum.remove_float(n as f64 / 64.0);
            }
            let exact: i64 = held.iter().sum();
            assert_eq!(sum.float(), exact as f64 / 64.0);
        }
    }
}
