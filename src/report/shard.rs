//! Parts of a suite that several machines evaluate, each its own: which cases are whose. Pure.

/// What a case costs beside the bytes of its trace, in bytes.
const COST_OF_A_CASE: u64 = 4096;

/// One of several parts: `2/4` is the second of four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

/// The part of a suite that a report is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which.
    pub shard: Shard,
    /// The most bytes that a trace might have: the one setting that the suite's digest holds and nothing else
    /// in a report.
    pub max_trace_bytes: u64,
}

impl Shard {
    /// The most parts.
    pub const MOST: u32 = 10_000;

    /// The part at an index, counted from 1; `None` where there is no such part, or too many of them.
    pub fn new(index: u32, of: u32) -> Option<Self> {
        (1..=Self::MOST).contains(&of).then_some(())?;
        (1..=of).contains(&index).then_some(Self { index, of })
    }

    /// Reads `INDEX/NUMBER`, both in decimal digits alone.
    pub fn parse(text: &str) -> Option<Self> {
        let number =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let (index, of) = text.split_once('/')?;
        Self::new(number(index)?, number(of)?)
    }

    /// Which part, from 1.
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many parts there are.
    pub const fn of(self) -> u32 {
        self.of
    }

    /// `shard 2 of 4`.
    pub fn words(self) -> String {
        format!("shard {} of {}", self.index, self.of)
    }

    /// The cases of this part, as indices into the suite: neighbours, so that the parts in their order are the
    /// suite in its order, and as equal in bytes as that allows. `sizes` are the bytes of the traces, in suite
    /// order, 0 where there is none. Every case is in exactly one of the parts, some of which may be empty.
    pub fn cases(self, sizes: &[u64]) -> std::ops::Range<usize> {
        let costs = sizes.iter().map(|size| u128::from(size.saturating_add(COST_OF_A_CASE)));
        let total: u128 = costs.clone().sum();
        let mut before = 0;
        let (mut start, mut end) = (0, 0);
        for cost in costs {
            // A case is in the part that its middle lies in: in twice the unit, so that it is a whole number.
            let part = (2 * before + cost) * u128::from(self.of) / (2 * total);
            before += cost;
            start += usize::from(part + 1 < u128::from(self.index));
            end += usize::from(part < u128::from(self.index));
        }
        start..end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_parts_that_are_there_can_be_named() {
        let named = |text| Shard::parse(text).map(|shard| (shard.index(), shard.of()));
        assert_eq!(named("1/1"), Some((1, 1)));
        assert_eq!(named("2/10000"), Some((2, 10_000)));
        for bad in ["", "1", "/", "0/1", "2/1", "1/0", "1/10001", "+1/2", "1/ 2", "-1/2", "1/2/3", "a/b"] {
            assert_eq!(named(bad), None, "{bad}");
        }
        assert_eq!(Shard::parse("2/4").unwrap().words(), "shard 2 of 4");
    }

    #[test]
    fn parts_are_balanced_by_bytes() {
        let sizes: Vec<u64> = [vec![100_000; 10], vec![0; 400]].concat();
        let sum = |shard: &str| {
            let cases = Shard::parse(shard).unwrap().cases(&sizes);
            sizes[cases.clone()].iter().sum::<u64>() + cases.len() as u64 * COST_OF_A_CASE
        };
        let half = sum("1/2").abs_diff(sum("2/2"));
        assert!(half < 110_000, "{half}");
    }

    proptest! {
        #[test]
        fn every_case_is_in_one_part_and_no_part_is_much_larger(
            sizes in prop::collection::vec(0..1_000_000_u64, 0..60),
            of in 1..80_u32,
        ) {
            let mut next = 0;
            let total: u64 = sizes.iter().map(|size| size + COST_OF_A_CASE).sum();
            let largest = sizes.iter().max().copied().unwrap_or(0) + COST_OF_A_CASE;
            for index in 1..=of {
                let cases = Shard::new(index, of).unwrap().cases(&sizes);
                prop_assert_eq!(cases.start, next);
                next = cases.end;
                let cost: u64 = sizes[cases].iter().map(|size| size + COST_OF_A_CASE).sum();
                prop_assert!(cost <= total / u64::from(of) + largest + 1);
            }
            prop_assert_eq!(next, sizes.len());
        }
    }
}
