//! A count, read by its exact value: `1.0` is 1, and a fraction too small for a double is one still.

/// What a JSON number is as a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// A whole number, not negative.
    Whole(u64),
    /// A whole number beyond 64 bits.
    Huge,
    /// Below zero.
    Negative,
    /// Not whole.
    Fraction,
}

/// Reads a JSON number as it is written.
pub(super) fn count(raw: &str) -> Count {
    let (mantissa, exponent) = raw.split_once(['e', 'E']).unwrap_or((raw, "0"));
    let negative = mantissa.starts_with('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let significant = digits.trim_matches('0');
    if significant.is_empty() {
        return Count::Whole(0);
    }
    if negative {
        return Count::Negative;
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let zeros = shift(exponent).saturating_sub(length(fraction.len())).saturating_add(length(trailing));
    match usize::try_from(zeros) {
        Err(_) => Count::Fraction,
        Ok(zeros) if zeros > 20 => Count::Huge,
        Ok(zeros) => format!("{significant}{}", "0".repeat(zeros)).parse().map_or(Count::Huge, Count::Whole),
    }
}

/// The exponent; one beyond 64 bits is as far from any count as the last.
fn shift(exponent: &str) -> i64 {
    let far = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    exponent.parse().unwrap_or(far)
}

fn length(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_count_by_their_value() {
        for (raw, expected) in [
            ("0", Count::Whole(0)),
            ("-0", Count::Whole(0)),
            ("-0.0e5", Count::Whole(0)),
            ("0e99999999999999999999", Count::Whole(0)),
            ("1.0", Count::Whole(1)),
            ("1e0", Count::Whole(1)),
            ("10e-1", Count::Whole(1)),
            ("0.2E+1", Count::Whole(2)),
            ("100", Count::Whole(100)),
            ("1.50e2", Count::Whole(150)),
            ("18446744073709551615", Count::Whole(u64::MAX)),
            ("18446744073709551616", Count::Huge),
            ("1e400", Count::Huge),
            ("1e99999999999999999999", Count::Huge),
            ("1.5", Count::Fraction),
            ("1.00000000000000000001", Count::Fraction),
            ("1e-99999999999999999999", Count::Fraction),
            ("10e-2", Count::Fraction),
            ("-1", Count::Negative),
            ("-0.5", Count::Negative),
        ] {
            assert_eq!(count(raw), expected, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_stay_however_they_are_written(number in 0..1_000_000_u64, zeros in 0..6_usize) {
            let tens = "0".repeat(zeros);
            prop_assert_eq!(count(&number.to_string()), Count::Whole(number));
            prop_assert_eq!(count(&format!("{number}.{tens}0")), Count::Whole(number));
            prop_assert_eq!(count(&format!("{number}{tens}e-{zeros}")), Count::Whole(number));
        }
    }
}
