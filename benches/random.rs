//! The same numbers everywhere.

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Any of the 64-bit numbers.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// 16 hex digits.
    pub(crate) fn word(&mut self) -> String {
        format!("{:016x}", self.next())
    }
}
