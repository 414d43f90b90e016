//! A number of a trace: an integer of up to 64 bits exactly, anything else as the nearest double.
//!
//! Spec: evaluation.md section 2 ("a number") and section 6 (means).

use std::cmp::Ordering;

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

/// By value: 1200 equals 1200.0, and no rounding makes unlike numbers equal.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Int(left), Self::Int(right)) => left == right,
            (Self::Float(left), Self::Float(right)) => left == right,
            (Self::Int(integer), Self::Float(double)) | (Self::Float(double), Self::Int(integer)) => {
                // The cast saturates at 2^64 - 1, so doubles from 2^64 on, which are whole, are kept out.
                double < TWO_TO_64 && double.fract() == 0.0 && double as u64 == integer
            }
        }
    }
}

impl Eq for Number {}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// The mean of some numbers: computed exactly, then the nearest double, ties to even; `None` where
/// there are none. (evaluation.md section 6.)
pub fn mean(values: impl IntoIterator<Item = Number>) -> Option<f64> {
    let mut integers = BigUint::ZERO;
    // In units of the smallest double, of which every finite double is a whole multiple.
    let mut doubles = BigUint::ZERO;
    let mut count: u64 = 0;
    for value in values {
        count += 1;
        match value {
            Number::Int(integer) => integers += integer,
            Number::Float(double) => doubles += in_smallest_units(double),
        }
    }
    let sum = (integers << SMALLEST_EXPONENT) + doubles;
    (count > 0).then(|| nearest_double(&sum, &(BigUint::from(count) << SMALLEST_EXPONENT)))
}

/// The smallest double above zero is 2 to the power of minus this.
const SMALLEST_EXPONENT: u64 = 1074;

/// How many of the smallest doubles a double is, which is finite and not negative.
fn in_smallest_units(double: f64) -> BigUint {
    let fraction = double.to_bits() & ((1 << 52) - 1);
    match double.to_bits() >> 52 {
        0 => BigUint::from(fraction),
        exponent => BigUint::from(fraction | (1 << 52)) << (exponent - 1),
    }
}

/// The double nearest to a quotient, ties to even. The quotient is no larger than the largest double.
fn nearest_double(dividend: &BigUint, divisor: &BigUint) -> f64 {
    let magnitude = dividend.bits() as i64 - divisor.bits() as i64;
    // The quotient has 53 or 54 bits in this unit; in the second case one of them is too many.
    let mut unit = (magnitude - 53).max(-(SMALLEST_EXPONENT as i64));
    let (mut whole, mut order) = divide(dividend, divisor, unit);
    if whole >> 53 != 0 {
        unit += 1;
        (whole, order) = divide(dividend, divisor, unit);
    }
    let up = match order {
        Ordering::Less => false,
        Ordering::Equal => whole % 2 == 1,
        Ordering::Greater => true,
    };
    // Both factors and the product are doubles, so nothing is rounded here.
    (whole + u64::from(up)) as f64 * power_of_two(unit)
}

/// The quotient in a unit of a power of two, rounded down, and how the rest compares with one half.
fn divide(dividend: &BigUint, divisor: &BigUint, unit: i64) -> (u64, Ordering) {
    let shift = unit.unsigned_abs();
    let (dividend, divisor) =
        if unit < 0 { (dividend << shift, divisor.clone()) } else { (dividend.clone(), divisor << shift) };
    let whole = &dividend / &divisor;
    let rest = dividend - &whole * &divisor;
    let whole = u64::try_from(&whole).expect("the unit leaves at most 54 bits");
    (whole, (rest << 1_u8).cmp(&divisor))
}

/// Two to a power from -1074 to 1023.
fn power_of_two(exponent: i64) -> f64 {
    let bits = if exponent < -1022 { 1 << (exponent + 1074) } else { (exponent + 1023) << 52 };
    f64::from_bits(bits.cast_unsigned())
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(integer) => serializer.serialize_u64(*integer),
            Self::Float(double) => serializer.serialize_f64(*double),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_read_exactly_up_to_64_bits_and_to_the_nearest_double_beyond() {
        assert!(matches!(Number::parse("18446744073709551615"), Some(Number::Int(u64::MAX))));
        assert!(matches!(Number::parse("18446744073709551616"), Some(Number::Float(TWO_TO_64))));
        assert!(matches!(Number::parse("0.1"), Some(Number::Float(0.1))));
        assert!(matches!(Number::parse("5e-324"), Some(Number::Float(5e-324))));
        for zero in ["0", "-0", "-0.0", "0e5", "1e-400"] {
            let number = Number::parse(zero).unwrap();
            assert_eq!(number, Number::Int(0), "{zero}");
            assert!(number.as_f64().is_sign_positive(), "{zero}");
        }
        for none in ["-1", "-0.1", "1e400", "-1e400", "NaN", "inf", ""] {
            assert!(Number::parse(none).is_none(), "{none}");
        }
    }

    #[test]
    fn numbers_are_equal_by_value_and_never_by_rounding() {
        assert_eq!(Number::Int(1200), Number::Float(1200.0));
        assert_eq!(Number::Float(0.0), Number::Int(0));
        assert_ne!(Number::Int(1), Number::Float(1.5));
        assert_ne!(Number::Int(u64::MAX), Number::Float(TWO_TO_64));
        assert_ne!(Number::Int((1 << 53) + 1), Number::Float(9_007_199_254_740_992.0));
        assert_eq!(Number::Int(1 << 63), Number::Float(9_223_372_036_854_775_808.0));
        assert_ne!(Number::Int(u64::MAX), Number::Int(u64::MAX - 1));
    }

    #[test]
    fn a_mean_is_the_nearest_double_of_the_exact_value() {
        let mean_of = |values: &[f64]| mean(values.iter().map(|value| Number::Float(*value)));
        assert_eq!(mean([]), None);
        assert_eq!(mean([3, 1, 1].map(Number::Int)), Some(1.666_666_666_666_666_7));
        assert_eq!(mean_of(&[f64::MAX; 3]), Some(f64::MAX));
        assert_eq!(mean_of(&[0.0, 0.0]), Some(0.0));
        // Half of the smallest double is a tie, and zero is the even neighbour.
        assert_eq!(mean_of(&[5e-324, 0.0]), Some(0.0));
        assert_eq!(mean_of(&[5e-324, 1e-323]), Some(1e-323));
        assert_eq!(mean_of(&[5e-324; 7]), Some(5e-324));
        assert_eq!(mean_of(&[f64::MIN_POSITIVE, 5e-324]), Some(1.112_536_929_253_600_7e-308));
        // A naive sum loses the ones.
        assert_eq!(mean_of(&[1e16, 1.0, 1.0, 1.0]), Some(2_500_000_000_000_000.75));
        assert_eq!(mean([u64::MAX, u64::MAX - 1].map(Number::Int)), Some(TWO_TO_64));
        assert_eq!(mean([(1 << 53) + 1, (1 << 53) + 1].map(Number::Int)), Some(9_007_199_254_740_992.0));
        assert_eq!(mean([(1 << 53) + 3, (1 << 53) + 3].map(Number::Int)), Some(9_007_199_254_740_996.0));
    }

    /// Whether `double` is the nearest one to `sum / count`, ties to even: no neighbour is nearer.
    /// Everything is compared as integers in units of half the smallest double, times the count.
    fn is_nearest(double: f64, values: &[f64]) -> bool {
        let count = values.len() as u64;
        let sum: BigUint = values.iter().map(|value| in_smallest_units(*value)).sum::<BigUint>() * 2_u8;
        let scaled = |bits: u64| in_smallest_units(f64::from_bits(bits)) * count * 2_u8;
        let bits = double.to_bits();
        let even = bits.is_multiple_of(2);
        let above = (scaled(bits) + scaled(bits + 1)) / 2_u8;
        let below_holds = bits == 0 || {
            let below = (scaled(bits) + scaled(bits - 1)) / 2_u8;
            sum > below || (even && sum == below)
        };
        below_holds && (sum < above || (even && sum == above))
    }

    fn finite() -> impl Strategy<Value = f64> {
        prop_oneof![
            (0..f64::MAX.to_bits()).prop_map(f64::from_bits),
            (0..64_u64).prop_map(f64::from_bits),
            ((1_u64 << 52) - 4..(1 << 52) + 4).prop_map(f64::from_bits),
            (0..1_u64 << 55).prop_map(|whole| whole as f64),
            Just(f64::MAX),
        ]
    }

    proptest! {
        #[test]
        fn no_double_is_nearer_than_the_mean(values in prop::collection::vec(finite(), 1..9)) {
            let found = mean(values.iter().map(|value| Number::Float(*value))).unwrap();
            prop_assert!(found.is_finite() && is_nearest(found, &values), "{} of {:?}", found, values);
        }

        #[test]
        fn a_mean_of_integers_is_that_of_a_wider_division(values in prop::collection::vec(0..1_u64 << 40, 1..20)) {
            let sum: u64 = values.iter().sum();
            // Both are doubles exactly, so one division rounds once.
            let expected = sum as f64 / values.len() as f64;
            prop_assert_eq!(mean(values.iter().map(|value| Number::Int(*value))), Some(expected));
        }

        #[test]
        fn equality_is_that_of_the_exact_values(integer in any::<u64>(), double in finite()) {
            let exact = BigUint::from(integer) << SMALLEST_EXPONENT;
            prop_assert_eq!(Number::Int(integer) == Number::Float(double), exact == in_smallest_units(double));
            let near = integer as f64;
            prop_assert_eq!(Number::Int(integer) == Number::Float(near), exact == in_smallest_units(near));
        }
    }
}
