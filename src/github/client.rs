//! The connection to GitHub, for callers that wait: the only file that names octocrab and tokio.
//!
//! What octocrab would do by itself is off: it repeats a POST at once and ignores `Retry-After`, and redirects
//! are followed here, where it is known whose token goes where. One request at a time; the token goes to the
//! host of the API alone; all of it together ends when [`Limits::total`] is over.

use std::cell::{Cell, OnceCell};
use std::error::Error as StdError;
use std::time::{Duration, Instant};

use octocrab::Octocrab;
use octocrab::service::middleware::retry::RetryConfig;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::address::{Address, RepoName};
use super::comment::Viewer;
use super::error::{GitHubError, RequestName, shortened};
use super::token::Token;
use super::wait::{Again, Hints, Limits, TRIES, after_answer, after_silence};

/// How many redirects of one request are followed.
const HOPS: usize = 5;

/// The longest answer that is read, in bytes: a hundred comments are a third of it.
const LONGEST: u64 = 64 << 20;

/// GitHub, for one repository. Calls stand in `calls.rs`.
pub struct Client {
    /// Taken only when dropped.
    runtime: Option<Runtime>,
    /// Sends the token.
    named: Octocrab,
    /// Sends none, to hosts that are not the API's; made when first needed.
    nameless: OnceCell<Octocrab>,
    base: Address,
    signed: bool,
    pub(super) repository: RepoName,
    limits: Limits,
    started: Instant,
    wrote: Cell<Option<Instant>>,
    pub(super) viewer: OnceCell<Viewer>,
}

/// How a request may be sent again after it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Doing it twice is the same as once.
    Freely,
    /// Only where a limit turned it away before anything was done.
    WhenTurnedAway,
    /// By the caller alone, who looks first.
    Never,
}

/// A request in full.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) name: RequestName,
    /// With its `?`, or empty.
    pub(super) query: String,
    pub(super) body: Option<Value>,
    pub(super) repeat: Repeat,
    /// Where a page leads; else the path below the API.
    pub(super) target: Option<Address>,
}

/// An answer that is a success.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) link: Option<String>,
    /// Where it was read, behind all redirects.
    pub(super) at: Address,
}

/// A failure, and whether and when another try makes sense.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) error: GitHubError,
    pub(super) again: Option<Again>,
}

/// An answer of any status.
struct Raw {
    status: u16,
    text: String,
    link: Option<String>,
    location: Option<String>,
    hints: Hints,
}

impl Client {
    /// Prepares a client; nothing is sent yet, but the time of [`Limits::total`] begins.
    ///
    /// # Errors
    /// [`GitHubError::Address`] where `api_base` (`GITHUB_API_URL`) is not `https` or this machine;
    /// [`GitHubError::Setup`] where the connection cannot be prepared.
    pub fn new(
        api_base: &str,
        repository: &RepoName,
        token: Option<Token>,
        limits: Limits,
    ) -> Result<Self, GitHubError> {
        let refused = |why| GitHubError::Address { given: shortened(api_base), why };
        let base = Address::parse(api_base).map_err(refused)?;
        if base.has_query() {
            return Err(refused("it has a query"));
        }
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| GitHubError::Setup { why: shortened(&error.to_string()) })?;
        let named = octocrab(&runtime, &base, token.as_ref())?;
        Ok(Self {
            runtime: Some(runtime),
            named,
            nameless: OnceCell::new(),
            base,
            signed: token.is_some(),
            repository: repository.clone(),
            limits,
            started: Instant::now(),
            wrote: Cell::new(None),
            viewer: OnceCell::new(),
        })
    }

    /// The repository that this client speaks about.
    pub fn repository(&self) -> &RepoName {
        &self.repository
    }

    /// Whether it signs its requests.
    pub fn has_token(&self) -> bool {
        self.signed
    }

    /// Sends a request as often as it may be sent.
    pub(super) fn send(&self, request: &Request) -> Result<Answer, GitHubError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let fault = match self.attempt(request, tried) {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            let again = fault.again.filter(|again| match request.repeat {
                Repeat::Freely => true,
                Repeat::WhenTurnedAway => matches!(again, Again::Limited(_)),
                Repeat::Never => false,
            });
            match again {
                Some(again) if tried < TRIES => self.pause(again.wait(), &fault.error.to_string())?,
                Some(Again::Limited(wait)) => return Err(self.give_up(wait, &fault.error.to_string())),
                Some(Again::Failed(_)) | None => return Err(fault.error),
            }
        }
    }

    /// Sends a request once; `tried` counts this try.
    pub(super) fn attempt(&self, request: &Request, tried: u32) -> Result<Answer, Box<Fault>> {
        let lasting = |error| Box::new(Fault { error, again: None });
        let writes = request.name.method != "GET";
        if writes && !self.signed {
            return Err(lasting(GitHubError::NoToken { request: request.name.clone() }));
        }
        let mut at = request
            .target
            .clone()
            .unwrap_or_else(|| self.base.join(&format!("{}{}", request.name.path, request.query)));
        if writes {
            self.space_writes().map_err(lasting)?;
        }
        for _ in 0..=HOPS {
            let raw = self.exchange(request, &at);
            if writes {
                self.wrote.set(Some(Instant::now()));
            }
            let raw = raw.map_err(|error| self.silence(error, tried))?;
            match raw.status {
                200..=299 => return Ok(Answer { text: raw.text, link: raw.link, at }),
                301 | 302 | 303 | 307 | 308 => at = redirect(request, &at, &raw).map_err(lasting)?,
                status => {
                    let message = message_of(&raw.text);
                    let again = after_answer(status, &message, &raw.hints, tried, &self.limits);
                    return Err(Box::new(Fault {
                        error: GitHubError::of_status(request.name.clone(), status, &message),
                        again,
                    }));
                }
            }
        }
        Err(lasting(GitHubError::Redirected {
            request: request.name.clone(),
            why: format!("more than {HOPS} times"),
        }))
    }

    /// Waits, where the wait fits into what is left of all the time; `last` says what it is for.
    pub(super) fn pause(&self, wait: Duration, last: &str) -> Result<(), GitHubError> {
        if wait >= self.left() {
            return Err(self.give_up(wait, last));
        }
        self.runtime().block_on(async { tokio::time::sleep(wait).await });
        Ok(())
    }

    /// Where a link leads that an answer gave.
    pub(super) fn follow(
        &self,
        name: &RequestName,
        answer: &Answer,
        link: &str,
    ) -> Result<Address, GitHubError> {
        answer
            .at
            .follow(link)
            .map_err(|why| GitHubError::Redirected { request: name.clone(), why: why.to_owned() })
    }

    fn give_up(&self, needed: Duration, last: &str) -> GitHubError {
        GitHubError::GaveUp { needed, left: self.left(), last: last.to_owned() }
    }

    fn silence(&self, error: GitHubError, tried: u32) -> Box<Fault> {
        let passing = matches!(
            error,
            GitHubError::TimedOut { .. } | GitHubError::Dns { .. } | GitHubError::Unreachable { .. }
        );
        Box::new(Fault { error, again: passing.then(|| after_silence(tried, &self.limits)) })
    }

    /// Leaves a second between two writes.
    fn space_writes(&self) -> Result<(), GitHubError> {
        let Some(last) = self.wrote.get() else { return Ok(()) };
        match self.limits.between_writes.checked_sub(last.elapsed()) {
            Some(wait) if !wait.is_zero() => self.pause(wait, "writes keep a distance"),
            Some(_) | None => Ok(()),
        }
    }

    /// One request and one answer of any status. The token goes along to the API's own host alone.
    fn exchange(&self, request: &Request, at: &Address) -> Result<Raw, GitHubError> {
        let time = self.limits.request.min(self.left());
        if time.is_zero() {
            let last = format!("the time for all of GitHub is over, before {}", request.name);
            return Err(GitHubError::GaveUp { needed: self.limits.request, left: time, last });
        }
        let crab = if at.same_origin(&self.base) { &self.named } else { self.nameless(at)? };
        let answer = self
            .runtime()
            .block_on(async { tokio::time::timeout(time, one(crab, request, &at.text())).await });
        match answer {
            Ok(Ok(raw)) => Ok(raw),
            Ok(Err(Failure::Unreadable(why))) => {
                Err(GitHubError::Unreadable { request: request.name.clone(), why })
            }
            Ok(Err(Failure::Octocrab(error))) => Err(transport(request, at, &error)),
            Err(_) => Err(GitHubError::TimedOut { request: request.name.clone(), after: time }),
        }
    }

    fn nameless(&self, at: &Address) -> Result<&Octocrab, GitHubError> {
        if self.nameless.get().is_none() {
            let made = octocrab(self.runtime(), at, None)?;
            return Ok(self.nameless.get_or_init(|| made));
        }
        Ok(self.nameless.get().expect("it was just looked at"))
    }

    fn left(&self) -> Duration {
        self.limits.total.saturating_sub(self.started.elapsed())
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it is taken only when the client is dropped")
    }
}

impl Drop for Client {
    /// Does not wait for a look-up of a host name that hangs.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

enum Failure {
    Octocrab(octocrab::Error),
    Unreadable(String),
}

/// An octocrab that adds nothing of its own: no retries, no path, the token for one host alone.
fn octocrab(runtime: &Runtime, base: &Address, token: Option<&Token>) -> Result<Octocrab, GitHubError> {
    let _inside = runtime.enter();
    let builder = Octocrab::builder().add_retry_config(RetryConfig::None);
    let builder = builder.base_uri(base.origin()).and_then(|builder| builder.upload_uri(base.origin()));
    let builder = builder.map(|builder| match token {
        Some(token) => builder.personal_token(token.reveal().to_owned()),
        None => builder,
    });
    builder.and_then(|builder| builder.build()).map_err(|error| GitHubError::Setup { why: innermost(&error) })
}

async fn one(crab: &Octocrab, request: &Request, uri: &str) -> Result<Raw, Failure> {
    let body = request.body.as_ref();
    let sent = match request.name.method {
        "POST" => crab._post(uri, body).await,
        "PATCH" => crab._patch(uri, body).await,
        "DELETE" => crab._delete(uri, body).await,
        _ => crab._get(uri).await,
    };
    let response = sent.map_err(Failure::Octocrab)?;
    let header =
        |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let length = header("content-length").and_then(|text| text.parse::<u64>().ok());
    if length.is_some_and(|length| length > LONGEST) {
        return Err(Failure::Unreadable(format!("it is longer than {LONGEST} bytes")));
    }
    let mut raw = Raw {
        status: response.status().as_u16(),
        text: String::new(),
        link: header("link"),
        location: header("location"),
        hints: Hints {
            retry_after: header("retry-after"),
            remaining: header("x-ratelimit-remaining"),
            reset: header("x-ratelimit-reset"),
            date: header("date"),
        },
    };
    match crab.body_to_string(response).await {
        Ok(text) => raw.text = text,
        Err(_) if !(200..300).contains(&raw.status) => {}
        Err(octocrab::Error::InvalidUtf8 { .. }) => {
            return Err(Failure::Unreadable("it is not UTF-8".to_owned()));
        }
        Err(error) => return Err(Failure::Octocrab(error)),
    }
    Ok(raw)
}

/// Where a reading request is sent on to. A write is never sent on: the method would change, or the body
/// would go to another host.
fn redirect(request: &Request, at: &Address, raw: &Raw) -> Result<Address, GitHubError> {
    let refused = |why: String| GitHubError::Redirected { request: request.name.clone(), why };
    let location = raw.location.as_deref().unwrap_or_default();
    let next = at.follow(location).map_err(|why| refused(format!("status {}, {why}", raw.status)))?;
    if request.name.method == "GET" {
        Ok(next)
    } else {
        let why =
            format!("status {} to `{}`; a write goes to `GITHUB_API_URL` alone", raw.status, next.origin());
        Err(refused(why))
    }
}

fn transport(request: &Request, at: &Address, error: &octocrab::Error) -> GitHubError {
    let (request, why) = (request.name.clone(), innermost(error));
    let mut next: Option<&dyn StdError> = Some(error);
    while let Some(cause) = next {
        if cause.to_string().starts_with("dns error") {
            return GitHubError::Dns { request, host: at.host().to_owned(), why };
        }
        next = cause.source();
    }
    GitHubError::Unreachable { request, why }
}

/// The cause beneath all others: octocrab's own words repeat it, and its debug form shows headers.
fn innermost(error: &dyn StdError) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    shortened(&last.to_string())
}

/// GitHub's words: `message`, and those of each of the `errors`.
fn message_of(text: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return String::new() };
    let mut words: Vec<&str> = value["message"].as_str().into_iter().collect();
    let errors = value["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    words.extend(errors.iter().filter_map(|error| error.as_str().or_else(|| error["message"].as_str())));
    words.join(": ")
}
