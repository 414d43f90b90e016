//! How long to wait before a request is sent again, and when not to. Pure: the time comes from GitHub's own
//! answer. The rules are those of GitHub's documentation of rate limits.

use std::time::Duration;

use jiff::fmt::rfc2822;

/// Times of a client. All of GitHub together may take `total`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the making of the client on: 90 s. No wait is begun that does not fit.
    pub total: Duration,
    /// One request with its answer: 10 s.
    pub request: Duration,
    /// Between two writes: 1 s.
    pub between_writes: Duration,
    /// Before the second try after a fault of the network or the server, doubled each time: 1 s.
    pub backoff: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(90),
            request: Duration::from_secs(10),
            between_writes: Duration::from_secs(1),
            backoff: Duration::from_secs(1),
        }
    }
}

/// How often a request is sent, all in all.
pub(super) const TRIES: u32 = 4;

/// The wait of a secondary limit that names no time.
const SECONDARY: Duration = Duration::from_secs(60);

/// What an answer says about waiting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hints {
    pub(super) retry_after: Option<String>,
    pub(super) remaining: Option<String>,
    pub(super) reset: Option<String>,
    pub(super) date: Option<String>,
}

/// Why a request may be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// A limit turned it away before anything was done.
    Limited(Duration),
    /// The server or the way to it failed; it may have been done.
    Failed(Duration),
}

impl Again {
    /// How long to wait first.
    pub(super) fn wait(&self) -> Duration {
        match self {
            Self::Limited(wait) | Self::Failed(wait) => *wait,
        }
    }
}

/// Whether an answer that is no success allows another try, after `tried` tries.
pub(super) fn after_answer(
    status: u16,
    message: &str,
    hints: &Hints,
    tried: u32,
    limits: &Limits,
) -> Option<Again> {
    let named = hints.retry_after.as_deref().and_then(|text| retry_after(text, hints.date.as_deref()));
    if status == 429 || (status == 403 && is_limit(message, hints)) {
        let wait = named.or_else(|| until_reset(hints)).unwrap_or_else(|| grown(SECONDARY, tried));
        return Some(Again::Limited(wait));
    }
    (500..600).contains(&status).then(|| Again::Failed(named.unwrap_or_else(|| grown(limits.backoff, tried))))
}

/// The wait after no answer at all.
pub(super) fn after_silence(tried: u32, limits: &Limits) -> Again {
    Again::Failed(grown(limits.backoff, tried))
}

fn is_limit(message: &str, hints: &Hints) -> bool {
    let message = message.to_ascii_lowercase();
    hints.retry_after.is_some()
        || hints.remaining.as_deref().map(str::trim) == Some("0")
        || ["rate limit", "abuse detection"].iter().any(|words| message.contains(words))
}

/// `Retry-After`, in seconds or as a date.
fn retry_after(text: &str, date: Option<&str>) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let span = seconds_of(text)?.checked_sub(seconds_of(date?)?)?;
    Some(Duration::from_secs(u64::try_from(span).unwrap_or(0)))
}

/// Until the second in which the primary limit starts anew, and one more.
fn until_reset(hints: &Hints) -> Option<Duration> {
    if hints.remaining.as_deref()?.trim() != "0" {
        return None;
    }
    let reset: i64 = hints.reset.as_deref()?.trim().parse().ok()?;
    let span = reset.checked_sub(seconds_of(hints.date.as_deref()?)?)?;
    Some(Duration::from_secs(u64::try_from(span).unwrap_or(0).saturating_add(1)))
}

fn seconds_of(date: &str) -> Option<i64> {
    rfc2822::DateTimeParser::new().parse_timestamp(date).ok().map(|time| time.as_second())
}

fn grown(first: Duration, tried: u32) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(tried.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Tue, 15 Nov 1994 08:12:31 GMT";
    const DATE_SECONDS: i64 = 784_887_151;

    fn hints(retry_after: &str, remaining: &str, reset: &str) -> Hints {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Hints {
            retry_after: some(retry_after),
            remaining: some(remaining),
            reset: some(reset),
            date: some(DATE),
        }
    }

    fn limited(status: u16, message: &str, hints: &Hints, tried: u32) -> Option<u64> {
        match after_answer(status, message, hints, tried, &Limits::default()) {
            Some(Again::Limited(wait)) => Some(wait.as_secs()),
            Some(Again::Failed(_)) | None => None,
        }
    }

    #[test]
    fn retry_after_counts_before_all_else() {
        assert_eq!(limited(429, "", &hints("7", "0", "9999999999"), 1), Some(7));
        assert_eq!(limited(403, "", &hints("7", "", ""), 3), Some(7));
        assert_eq!(limited(429, "", &hints("0", "", ""), 1), Some(0));
    }

    #[test]
    fn retry_after_may_be_a_date() {
        assert_eq!(limited(429, "", &hints("Tue, 15 Nov 1994 08:12:41 GMT", "", ""), 1), Some(10));
        assert_eq!(limited(429, "", &hints("Tue, 15 Nov 1994 08:12:01 GMT", "", ""), 1), Some(0));
    }

    #[test]
    fn a_spent_limit_waits_until_its_reset_by_the_clock_of_the_server() {
        let reset = (DATE_SECONDS + 30).to_string();
        assert_eq!(limited(403, "", &hints("", "0", &reset), 1), Some(31));
        assert_eq!(limited(429, "", &hints("", "0", "1"), 1), Some(1));
    }

    #[test]
    fn a_secondary_limit_waits_a_minute_and_then_longer() {
        let message = "You have exceeded a secondary rate limit.";
        let waits = [1, 2, 3].map(|tried| limited(403, message, &hints("", "", ""), tried));
        assert_eq!(waits, [Some(60), Some(120), Some(240)]);
        assert_eq!(limited(429, "", &hints("soon", "12", ""), 1), Some(60));
        assert_eq!(limited(429, "", &hints("", "0", "never"), 1), Some(60));
    }

    #[test]
    fn a_refusal_is_no_limit() {
        for (status, message) in
            [(403, "Resource not accessible by integration"), (401, ""), (404, ""), (422, "")]
        {
            assert_eq!(after_answer(status, message, &hints("", "12", "1"), 1, &Limits::default()), None);
        }
    }

    #[test]
    fn a_fault_of_the_server_waits_twice_as_long_each_time() {
        let wait = |tried| after_answer(502, "", &Hints::default(), tried, &Limits::default());
        let failed = |seconds| Some(Again::Failed(Duration::from_secs(seconds)));
        assert_eq!([wait(1), wait(2), wait(3)], [failed(1), failed(2), failed(4)]);
        assert_eq!(after_answer(503, "", &hints("5", "", ""), 1, &Limits::default()), failed(5));
    }

    #[test]
    fn a_number_too_large_for_any_clock_is_a_wait_that_never_fits() {
        let wait = limited(429, "", &hints("99999999999999999999999", "", ""), 1);
        assert_eq!(wait, Some(u64::MAX));
        assert_eq!(grown(Duration::MAX, 9), Duration::MAX);
    }
}
