//! Reports: what is read is written and read as the same, and does not differ from itself.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "what the macro of the fuzzer makes")]

use diag_gate::diff::diff;
use diag_gate::kind::Kind;
use diag_gate::report::{read, read_part, to_json};
use diag_gate::suite::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    drop(read_part(bytes));
    let Ok(report) = read(bytes) else { return };
    let written = to_json(&report);
    let again = read(written.as_bytes()).expect("what was written can be read");
    assert_eq!(report.results, again.results);
    assert_eq!(written, to_json(&again));
    let moved = diff(&report, &again, &Config::default().gate.thresholds).expect("they belong together");
    // What cannot be judged is always told.
    assert!(moved.entries.iter().all(|entry| entry.kind == Kind::CaseUnjudged), "{:?}", moved.entries);
});
