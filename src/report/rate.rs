//! Rates for people: less than all never reads as all, and more than none never as none.

/// `passed` of `total` in percent, rounded down, in whole-number arithmetic (evaluation.md section 6):
/// `91.6 %`, `50 %`, `100 %`. One decimal, more only where a shortfall or a share would not be seen
/// otherwise (`99.99 %`, `0.001 %`), and none that is zero. Nothing of nothing is `0 %`.
pub fn percent(passed: u64, total: u64) -> String {
    if passed == 0 || total == 0 {
        return "0 %".to_owned();
    }
    if passed >= total {
        return "100 %".to_owned();
    }
    let (passed, total) = (u128::from(passed), u128::from(total));
    let failed = total - passed;
    let smaller = passed.min(failed);
    let mut decimals = 1;
    let mut whole = 1_000;
    while smaller * whole < total {
        decimals += 1;
        whole *= 10;
    }
    // Either way no product passes ten times `total` or a thousand times `smaller`: nothing can overflow.
    let units =
        if smaller == passed { passed * whole / total } else { whole - (failed * whole).div_ceil(total) };
    written(units, decimals)
}

fn written(units: u128, decimals: usize) -> String {
    let digits = format!("{units:0>width$}", width = decimals + 1);
    let (before, after) = digits.split_at(digits.len() - decimals);
    let after = after.trim_end_matches('0');
    let point = if after.is_empty() { "" } else { "." };
    format!("{before}{point}{after} %")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rates_read_as_the_specification_shows_them() {
        for (passed, total, text) in [
            (999, 1_000, "99.9 %"),
            (9_999, 10_000, "99.99 %"),
            (11, 12, "91.6 %"),
            (2, 3, "66.6 %"),
            (12, 12, "100 %"),
            (0, 5, "0 %"),
            (0, 0, "0 %"),
            (1, 100_000, "0.001 %"),
            (1, 2, "50 %"),
            (1, 8, "12.5 %"),
            (1_999, 2_000, "99.95 %"),
            (99_998, 100_000, "99.998 %"),
            (1, 10, "10 %"),
            (1, 1_000, "0.1 %"),
            (1, 1_001, "0.09 %"),
            (1_000, 1_001, "99.9 %"),
            (u64::MAX - 1, u64::MAX, "99.999999999999999994 %"),
            (1, u64::MAX, "0.000000000000000005 %"),
        ] {
            assert_eq!(percent(passed, total), text, "{passed} of {total}");
        }
    }

    /// The digits of a text such as `99.9 %` and how many of them stand after the point.
    fn parsed(text: &str) -> (u128, u32) {
        let number = text.strip_suffix(" %").unwrap();
        let decimals = number.split_once('.').map_or(0, |(_, after)| after.len());
        (number.replace('.', "").parse().unwrap(), u32::try_from(decimals).unwrap())
    }

    fn shares() -> impl Strategy<Value = (u64, u64)> {
        let total = prop_oneof![1_u64..200, 1_u64..=1 << 50];
        total.prop_flat_map(|total| {
            let near_all = (0..total.min(5)).prop_map(move |failed| total - failed);
            (prop_oneof![0..=total, 0..=total.min(3), near_all], Just(total))
        })
    }

    proptest! {
        #[test]
        fn a_rate_is_rounded_down_by_less_than_one_of_its_last_place((passed, total) in shares()) {
            let (digits, decimals) = parsed(&percent(passed, total));
            let unit = 10_u128.pow(decimals.max(1)) / 10_u128.pow(decimals);
            let whole = 100 * 10_u128.pow(decimals.max(1));
            let exact = u128::from(passed) * whole;
            let shown = digits * unit * u128::from(total);
            prop_assert!(shown <= exact && exact < shown + u128::from(total));
        }

        #[test]
        fn only_all_reads_as_all_and_only_none_as_none((passed, total) in shares()) {
            let text = percent(passed, total);
            prop_assert_eq!(text == "100 %", passed == total);
            prop_assert_eq!(text == "0 %", passed == 0);
            prop_assert!(!text.contains(".0 %") && (!text.contains('.') || !text.ends_with("0 %")));
        }

        #[test]
        fn more_never_reads_as_less((passed, total) in shares()) {
            prop_assume!(passed > 0);
            let value = |text: &str| text.strip_suffix(" %").unwrap().parse::<f64>().unwrap();
            prop_assert!(value(&percent(passed - 1, total)) <= value(&percent(passed, total)));
        }
    }
}
