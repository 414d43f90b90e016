//! A number of a trace: an integer of up to 64 bits exactly, anything else as the nearest double.
//!
//! Spec: evaluation.md section 2 ("a number") and section 6 (means).

use num_bigint::BigUint;
use serde::{Serialize, Serializer};

/// A finite number that is not negative.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer, exactly.
    Int(u64),
    /// The nearest double of anything else; finite, never negative zero.
    Float(f64),
}

impl Number {
    /// Reads the text of a JSON number; `None` where it is negative or no finite double.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(integer) = text.parse::<u64>() {
            return Some(Self::Int(integer));
        }
        let double = text.parse::<f64>().ok()?;
        (double.is_finite() && double >= 0.0).then(|| Self::Float(double.abs()))
    }

    /// The nearest double, for differences that people look at.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(integer) => integer as f64,
            Self::Float(double) => double,
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(integer) => serializer.serialize_u64(*integer),
            Self::Float(double) => serializer.serialize_f64(*double),
        }
    }
}

/// Each finite double is a whole multiple of two to the power of minus this.
const SCALE: u64 = 1074;

/// How many bits of a double hold its fraction.
const FRACTION: u32 = 52;

/// The mean: the sum exactly, then the nearest double. `None` of nothing.
pub fn mean(numbers: impl IntoIterator<Item = Number>) -> Option<f64> {
    let mut integers = 0_u128;
    let mut scaled = BigUint::ZERO;
    let mut count = 0_u64;
    for number in numbers {
        count += 1;
        match number {
            Number::Int(integer) => integers += u128::from(integer),
            Number::Float(double) => {
                let (significand, shift) = parts(double);
                scaled += BigUint::from(significand) << shift;
            }
        }
    }
    let sum = (BigUint::from(integers) << SCALE) + scaled;
    (count > 0).then(|| nearest(&sum, &(BigUint::from(count) << SCALE)))
}

/// A double that is not negative as a whole number and how far it is shifted left, in units of 2^-[`SCALE`].
fn parts(double: f64) -> (u64, u64) {
    let bits = double.to_bits();
    let fraction = bits & ((1 << FRACTION) - 1);
    match bits >> FRACTION {
        0 => (fraction, 0),
        exponent => (fraction | 1 << FRACTION, exponent - 1),
    }
}

/// The double nearest to a fraction that no double is below; ties go to the even one.
fn nearest(numerator: &BigUint, denominator: &BigUint) -> f64 {
    const DIGITS: i64 = f64::MANTISSA_DIGITS as i64;
    let place = |bits: u64| i64::try_from(bits).expect("no number here has that many bits");
    let mut exponent = place(numerator.bits()) - place(denominator.bits()) - DIGITS;
    exponent = exponent.max(-place(SCALE));
    let (mut quotient, mut rest, mut unit) = divide(numerator, denominator, exponent);
    if quotient.bits() > f64::MANTISSA_DIGITS.into() {
        exponent += 1;
        (quotient, rest, unit) = divide(numerator, denominator, exponent);
    }
    let twice = rest << 1_u32;
    if twice > unit || (twice == unit && quotient.bit(0)) {
        quotient += 1_u32;
    }
    let significand = u64::try_from(quotient).expect("a quotient of at most 54 bits");
    // The first digit of the significand, where it has all 53, counts as one in the field of the exponent; a
    // subnormal has none there, and a significand that was rounded up to 54 digits carries over.
    let field = u64::try_from(exponent + place(SCALE)).expect("no exponent is below that of the scale");
    f64::from_bits(significand + (field << FRACTION))
}

/// `numerator / (denominator * 2^exponent)`: the quotient, the rest, and what it was divided by.
fn divide(numerator: &BigUint, denominator: &BigUint, exponent: i64) -> (BigUint, BigUint, BigUint) {
    let shift = exponent.unsigned_abs();
    let (numerator, unit) = if exponent < 0 {
        (numerator << shift, denominator.clone())
    } else {
        (numerator.clone(), denominator << shift)
    };
    let quotient = &numerator / &unit;
    let rest = numerator - &quotient * &unit;
    (quotient, rest, unit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mean_of(doubles: &[f64]) -> Option<f64> {
        mean(doubles.iter().copied().map(Number::Float))
    }

    #[test]
    fn the_mean_of_nothing_is_none() {
        assert_eq!(mean([]), None);
        assert_eq!(mean_of(&[0.0]), Some(0.0));
    }

    #[test]
    fn sums_are_exact_before_they_are_rounded_once() {
        assert_eq!(mean([1, 2, 4].map(Number::Int)), Some(7.0 / 3.0));
        assert_eq!(mean_of(&[1e300, 1.0, 1e-300]), Some(1e300 / 3.0));
        assert_eq!(mean([Number::Int(u64::MAX), Number::Int(u64::MAX)]), Some(18_446_744_073_709_551_615.0));
        assert_eq!(mean_of(&[f64::MAX, f64::MAX]), Some(f64::MAX));
        assert_eq!(
            mean([Number::Int(9_007_199_254_740_993), Number::Float(0.5)]),
            Some(4_503_599_627_370_497.0)
        );
        assert_eq!(mean_of(&[0.1; 10]), Some(0.1));
    }

    #[test]
    fn ties_go_to_the_even_double_down_to_the_smallest() {
        let smallest = f64::from_bits(1);
        assert_eq!(mean_of(&[smallest, 0.0]), Some(0.0));
        assert_eq!(mean_of(&[smallest, smallest, smallest, 0.0]), Some(smallest));
        assert_eq!(mean_of(&[f64::from_bits(3), 0.0]), Some(f64::from_bits(2)));
        assert_eq!(mean_of(&[f64::from_bits((1 << 53) - 1), 0.0]), Some(f64::from_bits(1 << 52)));
        assert_eq!(
            mean_of(&[f64::from_bits((1 << 53) + 1), f64::from_bits(1 << 53)]),
            Some(f64::from_bits(1 << 53))
        );
        assert_eq!(mean([Number::Int((1 << 53) + 1)]), Some(9_007_199_254_740_992.0));
        assert_eq!(mean([Number::Int((1 << 53) + 3)]), Some(9_007_199_254_740_996.0));
    }

    /// The exact value times 2^[`SCALE`].
    fn scaled(number: Number) -> BigUint {
        match number {
            Number::Int(integer) => BigUint::from(integer) << SCALE,
            Number::Float(double) => {
                let (significand, shift) = parts(double);
                BigUint::from(significand) << shift
            }
        }
    }

    fn numbers() -> impl Strategy<Value = Number> {
        let doubles = (0..f64::INFINITY.to_bits()).prop_map(f64::from_bits);
        prop_oneof![
            any::<u64>().prop_map(Number::Int),
            (0_u64..5_000).prop_map(Number::Int),
            doubles.prop_map(Number::Float),
            (0.0..10_000.0).prop_map(Number::Float),
            (0_u64..1 << 54).prop_map(|bits| Number::Float(f64::from_bits(bits))),
        ]
    }

    proptest! {
        #[test]
        fn no_double_is_nearer_than_the_mean(numbers in prop::collection::vec(numbers(), 1..8)) {
            let count = BigUint::from(numbers.len());
            let sum: BigUint = numbers.iter().copied().map(scaled).sum();
            let found = mean(numbers).unwrap();
            let distance = |double: f64| {
                let product = scaled(Number::Float(double)) * &count;
                if product > sum { product - &sum } else { &sum - product }
            };
            let bits = found.to_bits();
            let below = f64::from_bits(bits.saturating_sub(1));
            prop_assert!(found == below || distance(found) <= distance(below));
            if bits < f64::MAX.to_bits() {
                prop_assert!(distance(found) <= distance(f64::from_bits(bits + 1)));
            }
        }
    }
}
