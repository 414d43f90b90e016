//! When a number has moved: beyond an absolute and a relative bound, both (diff-and-gate.md, "Thresholds").

use crate::number::Number;
use crate::suite::config::Threshold;

/// Which way a number moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Current is the larger.
    Rose,
    /// Current is the smaller.
    Fell,
}

/// How a number moved; `None` where it stayed within the bounds.
pub(super) fn moved(before: Number, after: Number, threshold: Threshold) -> Option<Move> {
    let rise = difference(before, after);
    let (low, gap) = if rise > 0.0 { (before, rise) } else { (after, -rise) };
    let low = low.as_f64();
    let beyond = gap > threshold.absolute && (low == 0.0 || gap > threshold.relative * low);
    beyond.then_some(if rise > 0.0 { Move::Rose } else { Move::Fell })
}

/// `after` − `before`: of integers exactly, however large, before it becomes a double.
pub(super) fn difference(before: Number, after: Number) -> f64 {
    match (before, after) {
        (Number::Int(before), Number::Int(after)) => (i128::from(after) - i128::from(before)) as f64,
        (Number::Float(_), Number::Int(_) | Number::Float(_)) | (Number::Int(_), Number::Float(_)) => {
            after.as_f64() - before.as_f64()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Threshold = Threshold { relative: 0.5, absolute: 2.0 };

    fn of(before: f64, after: f64) -> Option<Move> {
        moved(Number::Float(before), Number::Float(after), BOUNDS)
    }

    #[test]
    fn both_bounds_must_be_passed_and_exactly_at_one_is_within() {
        for (before, after, expected) in [
            (4.0, 6.0, None),
            (4.0, 6.5, Some(Move::Rose)),
            (6.0, 9.0, None),
            (6.0, 9.1, Some(Move::Rose)),
            (9.1, 6.0, Some(Move::Fell)),
            (0.0, 2.0, None),
            (0.0, 2.1, Some(Move::Rose)),
            (2.1, 0.0, Some(Move::Fell)),
            (5.0, 5.0, None),
        ] {
            assert_eq!(of(before, after), expected, "{before} to {after}");
        }
    }

    #[test]
    fn large_integers_differ_exactly() {
        let large = 1_u64 << 62;
        let bounds = Threshold { relative: 0.0, absolute: 2.0 };
        assert_eq!(moved(Number::Int(large), Number::Int(large + 3), bounds), Some(Move::Rose));
        assert_eq!(moved(Number::Int(large + 2), Number::Int(large), bounds), None);
        assert_eq!(moved(Number::Int(u64::MAX), Number::Int(0), bounds), Some(Move::Fell));
    }

    #[test]
    fn with_bounds_of_zero_equal_numbers_have_not_moved() {
        let bounds = Threshold { relative: 0.0, absolute: 0.0 };
        assert_eq!(moved(Number::Int(3), Number::Float(3.0), bounds), None);
        assert_eq!(moved(Number::Int(0), Number::Int(0), bounds), None);
        assert_eq!(moved(Number::Int(0), Number::Int(1), bounds), Some(Move::Rose));
    }
}
