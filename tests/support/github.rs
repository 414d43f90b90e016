//! A GitHub of our own on the loopback, for the client and for the whole program.
//!
//! It keeps one repository, `acme/agents`, with pull request 7, and remembers every request. Tests take it in
//! by `#[path = "../support/github.rs"] mod github;`, put things into its [`Store`], order faults, and look at
//! what is left:
//!
//! ```ignore
//! let fake = FakeGitHub::start();
//! fake.store().comment(7, Account::person("mallory", 66), "a forged marker");
//! fake.once(On::post("/comments"), Fault::status(429, "slow down").header("retry-after", "1"));
//! // … run something with GITHUB_API_URL = fake.url(), GITHUB_TOKEN = TOKEN …
//! assert_eq!(fake.store().own_comments(7).len(), 1);
//! assert_eq!(fake.count("POST", "/comments"), 2);
//! ```
//!
//! It runs in threads of its own, so that plain test functions can use it, and stops when it is dropped.

#![allow(dead_code, reason = "each test program uses its own part of this")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// The repository.
pub(crate) const REPOSITORY: &str = "acme/agents";

/// A token that must not be found anywhere but in the header of requests to the API.
pub(crate) const TOKEN: &str = "ghs_NeverToBeSeenAnywhereElse0123456789";

/// The head of pull request 7.
pub(crate) const HEAD: &str = "1111111111111111111111111111111111111111";

/// A GitHub of our own.
pub(crate) struct FakeGitHub {
    server: MockServer,
    prefix: String,
    shared: Arc<Shared>,
}

/// What it keeps, and apart from that what it was sent, so that a test can look at both in one statement.
#[derive(Default)]
struct Shared {
    store: Mutex<Store>,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    requests: Vec<Seen>,
    orders: Vec<Order>,
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) login: String,
    pub(crate) id: u64,
    /// `User` or `Bot`.
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
}

impl Account {
    /// A person.
    pub(crate) fn person(login: &str, id: u64) -> Self {
        Self { login: login.to_owned(), id, kind: "User".to_owned(), name: None }
    }

    /// Who writes with the token of a workflow.
    pub(crate) fn actions_bot() -> Self {
        Self { login: "github-actions[bot]".to_owned(), id: 41_898_282, kind: "Bot".to_owned(), name: None }
    }

    fn json(&self) -> Value {
        json!({
            "id": self.id, "login": self.login, "type": self.kind, "name": self.name,
            "node_id": "x", "site_admin": false,
        })
    }
}

/// A comment as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) id: u64,
    pub(crate) issue: u64,
    /// `None` where the account is gone.
    pub(crate) author: Option<Account>,
    pub(crate) body: String,
    pub(crate) minimized: bool,
    /// Reactions, in the order in which they came.
    pub(crate) reactions: Vec<String>,
}

/// A pull request as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) state: String,
    pub(crate) locked: bool,
    pub(crate) head_sha: String,
    /// `None` where the fork was deleted.
    pub(crate) head_repository: Option<String>,
    pub(crate) base_ref: String,
    pub(crate) base_sha: String,
    pub(crate) merge_commit_sha: Option<String>,
    pub(crate) mergeable: Option<bool>,
    pub(crate) author: Account,
}

/// All that the fake GitHub keeps.
#[derive(Default)]
pub(crate) struct Store {
    /// By number. Pull request 7 is there from the start.
    pub(crate) pulls: BTreeMap<u64, Pull>,
    /// By id.
    pub(crate) comments: BTreeMap<u64, Stored>,
    /// Who the token belongs to; `None`: `GET /user` is refused, and the bot of Actions writes.
    pub(crate) viewer: Option<Account>,
    /// Who writes where the token's account is refused; `None`: the bot of Actions.
    pub(crate) app: Option<Account>,
    /// `permission` and `role_name` by login.
    pub(crate) permissions: BTreeMap<String, (String, String)>,
    /// Accounts that `GET /users/LOGIN` knows.
    pub(crate) users: Vec<Account>,
    /// Check runs as they were sent, with all annotations.
    pub(crate) check_runs: BTreeMap<u64, Value>,
    /// Every write is refused as for a fork's token.
    pub(crate) read_only: bool,
    /// The most comments on a page, whatever is asked for.
    pub(crate) page_size: usize,
    next_id: u64,
}

impl Store {
    /// Puts a comment into a conversation; gives its id.
    pub(crate) fn comment(&mut self, issue: u64, author: Account, body: &str) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        let body = body.to_owned();
        let stored =
            Stored { id, issue, author: Some(author), body, minimized: false, reactions: Vec::new() };
        self.comments.insert(id, stored);
        id
    }

    /// Pull request 7, to be changed.
    pub(crate) fn pull(&mut self) -> &mut Pull {
        self.pulls.get_mut(&7).expect("it is there from the start")
    }

    /// The comments of a conversation that the token's account wrote, oldest first.
    pub(crate) fn own_comments(&self, issue: u64) -> Vec<Stored> {
        let own = self.writer();
        self.comments
            .values()
            .filter(|comment| comment.issue == issue && comment.author.as_ref() == Some(&own))
            .cloned()
            .collect()
    }

    fn writer(&self) -> Account {
        self.viewer.clone().or_else(|| self.app.clone()).unwrap_or_else(Account::actions_bot)
    }
}

/// A request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) method: String,
    /// Without the prefix.
    pub(crate) path: String,
    pub(crate) query: String,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    pub(crate) at: std::time::Instant,
}

impl Seen {
    /// The token that came along.
    pub(crate) fn authorization(&self) -> Option<&str> {
        self.headers.get("authorization").map(String::as_str)
    }

    /// Whether it changes something.
    pub(crate) fn is_write(&self) -> bool {
        self.method != "GET"
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Which requests a fault is for: a method and a part of the path.
#[derive(Clone, Debug)]
pub(crate) struct On {
    method: &'static str,
    part: String,
}

impl On {
    pub(crate) fn get(part: &str) -> Self {
        Self { method: "GET", part: part.to_owned() }
    }

    pub(crate) fn post(part: &str) -> Self {
        Self { method: "POST", part: part.to_owned() }
    }

    pub(crate) fn patch(part: &str) -> Self {
        Self { method: "PATCH", part: part.to_owned() }
    }

    pub(crate) fn delete(part: &str) -> Self {
        Self { method: "DELETE", part: part.to_owned() }
    }

    fn matches(&self, seen: &Seen) -> bool {
        self.method == seen.method && seen.path.contains(&self.part)
    }
}

/// What happens in place of the answer, or beside it.
pub(crate) struct Fault {
    /// `None`: the answer of the store.
    status: Option<u16>,
    message: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
    /// Whether the store does what was asked all the same.
    stored: bool,
    delay: Duration,
    first: Option<Change>,
}

/// What somebody else does to the store.
type Change = Box<dyn FnMut(&mut Store) + Send>;

impl Fault {
    /// An answer of this status with GitHub's JSON around the message; nothing is stored.
    pub(crate) fn status(status: u16, message: &str) -> Self {
        Self { status: Some(status), message: message.to_owned(), ..Self::none() }
    }

    /// The request is done, and then the answer gets lost behind this status.
    pub(crate) fn after_store(status: u16) -> Self {
        Self { stored: true, ..Self::status(status, "Server Error") }
    }

    /// A redirect; nothing is stored.
    pub(crate) fn redirect(status: u16, to: &str) -> Self {
        Self::status(status, "Moved").header("location", to)
    }

    /// The answer of the store, with a header more.
    pub(crate) fn with_header(name: &str, value: &str) -> Self {
        Self { stored: true, ..Self::none() }.header(name, value)
    }

    /// The request is done, and the answer comes late.
    pub(crate) fn late(delay: Duration) -> Self {
        Self { stored: true, delay, ..Self::none() }
    }

    /// A success with this text in place of the answer; nothing is stored.
    pub(crate) fn text(text: &str) -> Self {
        Self { body: Some(text.to_owned()), ..Self::status(200, "") }
    }

    /// Somebody else changes the store, and then the request is done.
    pub(crate) fn race(change: impl FnMut(&mut Store) + Send + 'static) -> Self {
        Self { stored: true, first: Some(Box::new(change)), ..Self::none() }
    }

    /// Adds a header to the answer.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Nothing of the request is done, only the answer is late.
    pub(crate) fn unstored(mut self) -> Self {
        self.stored = false;
        self
    }

    fn none() -> Self {
        Self {
            status: None,
            message: String::new(),
            headers: Vec::new(),
            body: None,
            stored: false,
            delay: Duration::ZERO,
            first: None,
        }
    }
}

struct Order {
    on: On,
    fault: Fault,
    times: usize,
}

impl FakeGitHub {
    /// Starts one whose API lies at the root, as that of github.com.
    pub(crate) fn start() -> Self {
        Self::below("")
    }

    /// Starts one whose API lies below a prefix, as `/api/v3` of GitHub Enterprise Server.
    pub(crate) fn below(prefix: &str) -> Self {
        let mut store = Store { page_size: 100, next_id: 1000, ..Store::default() };
        store.pulls.insert(7, pull_seven());
        let shared = Arc::new(Shared { store: Mutex::new(store), log: Mutex::default() });
        let answers =
            Answers { prefix: prefix.to_owned(), shared: Arc::clone(&shared), uri: Mutex::default() };
        let uri = Arc::new(answers);
        let given = Arc::clone(&uri);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let server = runtime.block_on(async move {
            let server = MockServer::builder().start().await;
            let respond = move |request: &Request| given.respond(request);
            Mock::given(any()).respond_with(respond).mount(&server).await;
            server
        });
        *uri.uri.lock().unwrap() = server.uri();
        Self { server, prefix: prefix.to_owned(), shared }
    }

    /// `GITHUB_API_URL`, without a slash at its end.
    pub(crate) fn url(&self) -> String {
        format!("{}{}", self.server.uri(), self.prefix)
    }

    /// The variables by which a run of the program finds it.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let all = [
            ("GITHUB_API_URL", self.url()),
            ("GITHUB_REPOSITORY", REPOSITORY.to_owned()),
            ("GITHUB_TOKEN", TOKEN.to_owned()),
        ];
        all.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// What it keeps. Take it once a statement: it is held until the statement ends.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        for _ in 0..500 {
            match self.shared.store.try_lock() {
                Ok(guard) => return guard,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
                Err(TryLockError::Poisoned(_)) => panic!("a request made the fake GitHub panic"),
            }
        }
        panic!("this statement holds the store already");
    }

    /// The next request of this kind meets the fault; orders are met in the order in which they were given.
    pub(crate) fn once(&self, on: On, fault: Fault) {
        self.times(1, on, fault);
    }

    /// The next requests of this kind meet the fault.
    pub(crate) fn times(&self, times: usize, on: On, fault: Fault) {
        self.shared.log.lock().unwrap().orders.push(Order { on, fault, times });
    }

    /// Every request of this kind meets the fault.
    pub(crate) fn always(&self, on: On, fault: Fault) {
        self.times(usize::MAX, on, fault);
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.shared.log.lock().unwrap().requests.clone()
    }

    /// The requests that change something.
    pub(crate) fn writes(&self) -> Vec<Seen> {
        self.requests().into_iter().filter(Seen::is_write).collect()
    }

    /// How many requests of this method had this in their path.
    pub(crate) fn count(&self, method: &str, part: &str) -> usize {
        self.requests().iter().filter(|seen| seen.method == method && seen.path.contains(part)).count()
    }

    /// Every header and body that it was sent, for the search for what must not be there.
    pub(crate) fn all_text(&self) -> String {
        format!("{:?}", self.requests())
    }
}

fn pull_seven() -> Pull {
    Pull {
        number: 7,
        state: "open".to_owned(),
        locked: false,
        head_sha: HEAD.to_owned(),
        head_repository: Some(REPOSITORY.to_owned()),
        base_ref: "main".to_owned(),
        base_sha: "2".repeat(40),
        merge_commit_sha: Some("3".repeat(40)),
        mergeable: Some(true),
        author: Account::person("ann", 11),
    }
}

struct Answers {
    prefix: String,
    shared: Arc<Shared>,
    uri: Mutex<String>,
}

/// What the store says to a request.
struct Said {
    status: u16,
    body: Option<Value>,
    link: Option<String>,
}

impl Respond for Answers {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let seen = self.seen(request);
        let mut order = take_order(&mut self.shared.log.lock().unwrap(), &seen);
        let mut store = self.shared.store.lock().unwrap();
        if let Some(change) = order.as_mut().and_then(|fault| fault.first.as_mut()) {
            change(&mut store);
        }
        let stores = order.as_ref().is_none_or(|fault| fault.stored);
        let said = if stores { self.say(&mut store, &seen) } else { said(200, json!({})) };
        let fault = order.unwrap_or_else(Fault::none);
        let status = fault.status.unwrap_or(said.status);
        let mut template = ResponseTemplate::new(status).set_delay(fault.delay);
        template = match (fault.body.as_deref(), fault.status, said.body) {
            (Some(text), _, _) => template.set_body_string(text),
            (None, Some(_), _) => template.set_body_json(json!({ "message": fault.message })),
            (None, None, Some(body)) => template.set_body_json(body),
            (None, None, None) => template,
        };
        if let Some(link) = said.link {
            template = template.insert_header("link", link);
        }
        for (name, value) in &fault.headers {
            template = template.insert_header(name.as_str(), value.as_str());
        }
        template
    }
}

impl Answers {
    fn seen(&self, request: &Request) -> Seen {
        let path = request.url.path();
        let headers = request
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap_or_default().to_owned()))
            .collect();
        Seen {
            method: request.method.as_str().to_owned(),
            path: path.strip_prefix(self.prefix.as_str()).unwrap_or("/outside").to_owned(),
            query: request.url.query().unwrap_or_default().to_owned(),
            headers,
            body: String::from_utf8(request.body.clone()).unwrap_or_default(),
            at: std::time::Instant::now(),
        }
    }

    fn say(&self, store: &mut Store, seen: &Seen) -> Said {
        let signed = seen.authorization().is_some_and(|value| value.starts_with("Bearer "));
        if !signed && (seen.is_write() || seen.path == "/user") {
            return refusal(401, "Requires authentication");
        }
        if seen.is_write() && store.read_only {
            return refusal(403, "Resource not accessible by integration");
        }
        let below = seen.path.strip_prefix(&format!("/repos/{REPOSITORY}")).unwrap_or_default();
        let segments: Vec<&str> = below.split('/').skip(1).collect();
        match (seen.method.as_str(), segments.as_slice()) {
            ("GET", []) => say_account(store, &seen.path),
            ("GET", ["pulls", number]) => say_pull(store, number),
            ("GET", ["collaborators", login, "permission"]) => say_permission(store, login),
            ("GET", ["issues", issue, "comments"]) => self.say_page(store, seen, issue),
            ("POST", ["issues", issue, "comments"]) => self.add_comment(store, seen, issue),
            (method, ["issues", "comments", id]) => self.one_comment(store, seen, method, id),
            ("POST", ["issues", "comments", id, "reactions"]) => add_reaction(store, seen, id),
            ("POST", ["check-runs"]) => add_check_run(store, seen),
            ("PATCH", ["check-runs", id]) => add_annotations(store, seen, id),
            _ => refusal(404, "Not Found"),
        }
    }

    fn say_page(&self, store: &Store, seen: &Seen, issue: &str) -> Said {
        let Some(issue) = existing(store, issue) else { return refusal(404, "Not Found") };
        let asked = |name: &str| {
            let pairs = seen.query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .filter(|(key, _)| *key == name)
                .filter_map(|(_, value)| value.parse::<usize>().ok())
                .next_back()
        };
        let size = asked("per_page").unwrap_or(30).clamp(1, store.page_size.min(100));
        let page = asked("page").unwrap_or(1).max(1);
        let all: Vec<&Stored> = store.comments.values().filter(|comment| comment.issue == issue).collect();
        let shown: Vec<Value> =
            all.iter().skip((page - 1) * size).take(size).map(|comment| self.comment_json(comment)).collect();
        let last = all.len().div_ceil(size).max(1);
        let url =
            |page: usize| format!("<{}{}{}?per_page={size}&page={page}>", self.uri(), self.prefix, seen.path);
        let mut links = Vec::new();
        if page > 1 {
            links.push(format!("{}; rel=\"prev\"", url(page - 1)));
        }
        if page < last {
            links.push(format!("{}; rel=\"next\"", url(page + 1)));
            links.push(format!("{}; rel=\"last\"", url(last)));
        }
        Said { link: (!links.is_empty()).then(|| links.join(", ")), ..said(200, json!(shown)) }
    }

    fn add_comment(&self, store: &mut Store, seen: &Seen, issue: &str) -> Said {
        let Some(issue) = existing(store, issue) else { return refusal(404, "Not Found") };
        if store.pulls[&issue].locked {
            return refusal(403, "Unable to create comment because issue is locked.");
        }
        let Some(body) = good_body(seen) else { return invalid_body() };
        let author = store.writer();
        let id = store.comment(issue, author, &body);
        said(201, self.comment_json(&store.comments[&id]))
    }

    fn one_comment(&self, store: &mut Store, seen: &Seen, method: &str, id: &str) -> Said {
        let Some(id) = id.parse().ok().filter(|id| store.comments.contains_key(id)) else {
            return refusal(404, "Not Found");
        };
        match method {
            "GET" => said(200, self.comment_json(&store.comments[&id])),
            "PATCH" => {
                let Some(body) = good_body(seen) else { return invalid_body() };
                let comment = store.comments.get_mut(&id).expect("it was just looked at");
                comment.body = body;
                said(200, self.comment_json(comment))
            }
            "DELETE" => {
                store.comments.remove(&id);
                Said { status: 204, body: None, link: None }
            }
            _ => refusal(404, "Not Found"),
        }
    }

    fn comment_json(&self, comment: &Stored) -> Value {
        let minimized = comment.minimized.then(|| json!({ "reason": "OUTDATED" }));
        json!({
            "id": comment.id,
            "node_id": "x",
            "body": comment.body,
            "user": comment.author.as_ref().map(Account::json),
            "html_url": format!("https://github.example.com/{REPOSITORY}/pull/{}#issuecomment-{}", comment.issue, comment.id),
            "url": format!("{}{}/repos/{REPOSITORY}/issues/comments/{}", self.uri(), self.prefix, comment.id),
            "minimized": minimized,
            "author_association": "NONE",
        })
    }

    fn uri(&self) -> String {
        self.uri.lock().unwrap().clone()
    }
}

/// Notes a request, and finds the order that it meets.
fn take_order(log: &mut Log, seen: &Seen) -> Option<Fault> {
    log.requests.push(seen.clone());
    let at = log.orders.iter().position(|order| order.on.matches(seen))?;
    let order = &mut log.orders[at];
    if order.times <= 1 {
        return Some(log.orders.remove(at).fault);
    }
    order.times -= 1;
    let fault = &order.fault;
    Some(Fault {
        status: fault.status,
        message: fault.message.clone(),
        headers: fault.headers.clone(),
        body: fault.body.clone(),
        stored: fault.stored,
        delay: fault.delay,
        first: None,
    })
}

fn said(status: u16, body: Value) -> Said {
    Said { status, body: Some(body), link: None }
}

fn refusal(status: u16, message: &str) -> Said {
    said(status, json!({ "message": message, "documentation_url": "https://docs.github.com/rest" }))
}

fn good_body(seen: &Seen) -> Option<String> {
    let body = serde_json::from_str::<Value>(&seen.body).ok()?["body"].as_str()?.to_owned();
    (body.chars().count() <= 65_536).then_some(body)
}

fn invalid_body() -> Said {
    said(
        422,
        json!({
            "message": "Validation Failed",
            "errors": [{ "resource": "IssueComment", "field": "data", "message": "Body is too long (maximum is 65536 characters)" }],
        }),
    )
}

fn existing(store: &Store, issue: &str) -> Option<u64> {
    issue.parse().ok().filter(|issue| store.pulls.contains_key(issue))
}

fn say_account(store: &Store, path: &str) -> Said {
    if path == "/user" {
        return match &store.viewer {
            Some(account) => said(200, account.json()),
            None => refusal(403, "Resource not accessible by integration"),
        };
    }
    let login = path.strip_prefix("/users/").map(decoded).unwrap_or_default();
    match store.users.iter().find(|account| account.login == login) {
        Some(account) => said(200, account.json()),
        None => refusal(404, "Not Found"),
    }
}

fn say_pull(store: &Store, number: &str) -> Said {
    let Some(number) = existing(store, number) else { return refusal(404, "Not Found") };
    let pull = &store.pulls[&number];
    let head_repository = pull.head_repository.as_ref().map(|name| json!({ "full_name": name }));
    said(
        200,
        json!({
            "number": pull.number,
            "state": pull.state,
            "locked": pull.locked,
            "title": "A hostile title | `@team` <h1>",
            "user": pull.author.json(),
            "head": { "ref": "topic", "sha": pull.head_sha, "repo": head_repository },
            "base": { "ref": pull.base_ref, "sha": pull.base_sha, "repo": { "full_name": REPOSITORY } },
            "merge_commit_sha": pull.merge_commit_sha,
            "mergeable": pull.mergeable,
        }),
    )
}

fn say_permission(store: &Store, login: &str) -> Said {
    let login = decoded(login);
    match store.permissions.get(&login) {
        Some((permission, role)) => {
            let user = json!({ "login": login, "id": 1, "type": "User" });
            said(200, json!({ "permission": permission, "role_name": role, "user": user }))
        }
        None => refusal(404, "Not Found"),
    }
}

fn add_reaction(store: &mut Store, seen: &Seen, id: &str) -> Said {
    let names = BTreeSet::from(["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]);
    let content = seen.json()["content"].as_str().unwrap_or_default().to_owned();
    let Some(comment) = id.parse().ok().and_then(|id: u64| store.comments.get_mut(&id)) else {
        return refusal(404, "Not Found");
    };
    if !names.contains(content.as_str()) {
        return refusal(422, "Validation Failed");
    }
    let fresh = !comment.reactions.contains(&content);
    if fresh {
        comment.reactions.push(content.clone());
    }
    said(if fresh { 201 } else { 200 }, json!({ "id": 1, "content": content }))
}

fn add_check_run(store: &mut Store, seen: &Seen) -> Said {
    let run = seen.json();
    if !fits(&run["output"]) {
        return refusal(422, "Invalid request");
    }
    store.next_id += 1;
    let id = store.next_id;
    store.check_runs.insert(id, run);
    said(201, json!({ "id": id, "html_url": format!("https://github.example.com/{REPOSITORY}/runs/{id}") }))
}

fn add_annotations(store: &mut Store, seen: &Seen, id: &str) -> Said {
    let output = seen.json()["output"].clone();
    let Some((id, run)) =
        id.parse().ok().and_then(|id: u64| store.check_runs.get_mut(&id).map(|run| (id, run)))
    else {
        return refusal(404, "Not Found");
    };
    if !fits(&output) {
        return refusal(422, "Invalid request");
    }
    let more = output["annotations"].as_array().cloned().unwrap_or_default();
    run["output"]["annotations"].as_array_mut().unwrap().extend(more);
    said(200, json!({ "id": id, "html_url": null }))
}

fn fits(output: &Value) -> bool {
    output["summary"].as_str().is_some_and(|summary| summary.chars().count() <= 65_535)
        && output["title"].is_string()
        && output["annotations"].as_array().is_none_or(|annotations| annotations.len() <= 50)
}

/// Undoes `%XX`.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (hex, rest) = piece.split_at(2);
        bytes.push(u8::from_str_radix(hex, 16).unwrap());
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).unwrap()
}
