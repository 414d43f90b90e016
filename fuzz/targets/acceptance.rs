//! What comes from other places: messages of acceptances, saved decisions, events and commands of GitHub.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "what the macro of the fuzzer makes")]

use diag_gate::baseline::Message;
use diag_gate::gate;
use diag_gate::github::{AcceptCommand, Event};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = Message::parse(bytes) {
        let again = Message::parse(message.write().as_bytes()).expect("what was written can be read");
        assert_eq!(message.trailers, again.trailers);
        assert_eq!(message.reason, again.reason);
    }
    drop(gate::read(bytes));
    for name in ["pull_request", "pull_request_target", "merge_group", "push", "issue_comment"] {
        drop(Event::read(name, bytes, "acme/agent"));
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if AcceptCommand::read(text).is_some() {
        assert!(text.starts_with("/diag-gate accept "));
    }
});
