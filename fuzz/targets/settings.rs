//! Settings: read, or refused with words.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "what the macro of the fuzzer makes")]

mod memory;

use diag_gate::suite::{LoadError, load_config};
use libfuzzer_sys::fuzz_target;
use memory::Memory;

fuzz_target!(|bytes: &[u8]| {
    match load_config(&Memory { settings: Some(bytes), ..Memory::default() }) {
        Ok(config) => assert!(config.max_trace_bytes > 0),
        Err(LoadError::Problems(problems)) => assert!(!problems.is_empty()),
        Err(LoadError::Source(error)) => panic!("memory cannot fail: {error}"),
    }
});
