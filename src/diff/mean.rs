//! The mean of the cases on both sides, in doubles, whatever the order of the cases.

/// The mean of finite numbers that are not negative; `None` where there are none.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let sum = exact_sum(values.iter().copied());
    // Where the sum is too large for a double, the mean still is not.
    let mean =
        if sum.is_finite() { sum / count } else { exact_sum(values.iter().map(|value| value / count)) };
    Some(mean.min(f64::MAX))
}

/// The double nearest to the sum (Shewchuk): the rounding errors are carried along, so that the order
/// of the values, which is no more than the order of the cases in a file, cannot show.
fn exact_sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut parts: Vec<f64> = Vec::new();
    for mut value in values {
        let mut kept = 0;
        for index in 0..parts.len() {
            let (large, small) =
                if value.abs() < parts[index].abs() { (parts[index], value) } else { (value, parts[index]) };
            let high = large + small;
            if high.is_infinite() {
                return high;
            }
            let low = small - (high - large);
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
            value = high;
        }
        parts.truncate(kept);
        parts.push(value);
    }
    rounded(&parts)
}

/// The nearest double of parts that do not overlap, smallest first.
fn rounded(parts: &[f64]) -> f64 {
    let mut rest = parts.iter().rev().copied();
    let mut high = rest.next().unwrap_or(0.0);
    while let Some(part) = rest.next() {
        let before = high;
        high = before + part;
        let low = part - (high - before);
        if low == 0.0 {
            continue;
        }
        // Half way between two doubles: the next part decides.
        let next = rest.next().unwrap_or(0.0);
        let twice = low * 2.0;
        let nudged = high + twice;
        if low * next > 0.0 && twice == nudged - high {
            high = nudged;
        }
        break;
    }
    high
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn means_are_those_of_the_exact_sum() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[2.0, 4.0]), Some(3.0));
        assert_eq!(mean(&[0.1; 10]), Some(0.1));
        assert_eq!(mean(&[1e16, 1.0, 1.0]), Some(1.000_000_000_000_000_2e16 / 3.0));
        assert_eq!(mean(&[f64::MAX, f64::MAX]), Some(f64::MAX));
        assert_eq!(mean(&[0.0, 0.0]), Some(0.0));
    }

    proptest! {
        #[test]
        fn the_order_of_the_cases_never_shows(mut values in prop::collection::vec(0.0..1e12_f64, 1..30)) {
            let before = mean(&values);
            values.reverse();
            prop_assert_eq!(mean(&values), before);
            values.sort_by(f64::total_cmp);
            prop_assert_eq!(mean(&values), before);
        }
    }
}
