//! The pass rate below which the gate blocks whatever the baseline says.

use crate::diff::Head;
use crate::report::percent;

/// A minimum that was missed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelowMinimum {
    /// How many cases passed.
    pub passed: u64,
    /// Of how many.
    pub cases: u64,
    /// The minimum, from 0.0 to 1.0.
    pub minimum: f64,
}

impl BelowMinimum {
    /// Whether the report under test misses the minimum. Counts all its cases, new ones too.
    pub(super) fn of(current: &Head, minimum: Option<f64>) -> Option<Self> {
        let minimum = minimum?;
        let (passed, cases) = (current.passed_cases, current.total_cases);
        let reached = cases > 0 && passed as f64 / cases as f64 >= minimum;
        (!reached).then_some(Self { passed, cases, minimum })
    }

    /// One line for people. The rate is rounded down and the minimum is not rounded, so that the rate
    /// always shows as the smaller.
    pub fn told(&self) -> String {
        let Self { passed, cases, minimum } = self;
        let (rate, minimum) = (percent(*passed, *cases), in_percent(*minimum));
        format!("{passed} of {cases} passed ({rate}), the minimum is {minimum} %")
    }
}

/// A share from 0.0 to 1.0 in percent: the decimal that the settings give, its point moved.
fn in_percent(share: f64) -> String {
    let text = format!("{share}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let padded = format!("{fraction:0<2}");
    let (moved, rest) = padded.split_at(2);
    let whole = format!("{whole}{moved}");
    let whole = whole.trim_start_matches('0');
    trimmed(&format!("{}.{rest}", if whole.is_empty() { "0" } else { whole }))
}

fn trimmed(number: &str) -> String {
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(passed_cases: u64, total_cases: u64) -> Head {
        let pass_rate = passed_cases as f64 / total_cases as f64;
        Head { source: None, suite_digest: None, total_cases, passed_cases, pass_rate }
    }

    #[test]
    fn exactly_at_the_minimum_is_reached() {
        for (passed, cases, minimum) in
            [(9, 10, 0.9), (99, 110, 0.9), (2, 3, 2.0 / 3.0), (1, 1, 1.0), (0, 1, 0.0)]
        {
            assert_eq!(BelowMinimum::of(&head(passed, cases), Some(minimum)), None, "{passed}/{cases}");
        }
        assert_eq!(BelowMinimum::of(&head(0, 1), None), None);
    }

    #[test]
    fn below_the_minimum_the_numbers_are_visibly_on_the_wrong_side() {
        for (passed, cases, minimum, expected) in [
            (8, 10, 0.9, "8 of 10 passed (80 %), the minimum is 90 %"),
            (99_999, 100_000, 1.0, "99999 of 100000 passed (99.999 %), the minimum is 100 %"),
            (89_999, 100_000, 0.9, "89999 of 100000 passed (89.9 %), the minimum is 90 %"),
            (2, 3, 0.667, "2 of 3 passed (66.6 %), the minimum is 66.7 %"),
            (0, 10, 0.000_5, "0 of 10 passed (0 %), the minimum is 0.05 %"),
            (1, 10, 0.123_45, "1 of 10 passed (10 %), the minimum is 12.345 %"),
        ] {
            let missed = BelowMinimum::of(&head(passed, cases), Some(minimum)).expect("it is below");
            assert_eq!(missed.told(), expected);
        }
    }
}
