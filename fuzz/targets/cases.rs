//! Case files: what is read asks what it says, and what is refused is refused with words.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "what the macro of the fuzzer makes")]

mod memory;

use diag_gate::suite::lint::lint;
use diag_gate::suite::{LoadError, load};
use libfuzzer_sys::fuzz_target;
use memory::Memory;

fuzz_target!(|bytes: &[u8]| {
    match load(&Memory { cases: Some(bytes), ..Memory::default() }) {
        Ok(suite) => {
            assert!(!suite.cases.is_empty(), "an empty suite never counts");
            for case in &suite.cases {
                assert_eq!(case.digest, case.expectations.digest());
                assert!(
                    case.expectations.minimum()
                        <= case.expectations.expected_root_cause_keywords.len() as u64
                );
            }
            lint(&suite, &[]);
        }
        Err(LoadError::Problems(problems)) => assert!(!problems.is_empty()),
        Err(LoadError::Source(error)) => panic!("memory cannot fail: {error}"),
    }
});
