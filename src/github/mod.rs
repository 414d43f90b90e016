//! GitHub: what an event says, and what is published. The only module that imports octocrab and tokio.
//!
//! | file | what it does |
//! |---|---|
//! | `client.rs` | the connection: times, limits, redirects, where the token goes; octocrab and tokio |
//! | `calls.rs` | the calls, one method each |
//! | `publish.rs` | the life of the comment: look, plan, write, look again |
//! | `comment.rs` `stamp.rs` | pure: which comments are our own, what to do, which run judged which head |
//! | `model.rs` `address.rs` `wait.rs` | pure: answers, addresses and the repository's name, how long to wait |
//! | `event.rs` `inputs.rs` `command.rs` | pure: what happened, what the workflow asks for, commands in comments |
//! | `outputs.rs` `credentials.rs` | pure: what the workflow is told, how git gets the token |
//! | `error.rs` `token.rs` | what went wrong, for people; the token, hidden |
//!
//! ```no_run
//! use diag_gate::github::{Client, Key, Limits, Mode, RepoName, Stamp, Token, Wanted, publish};
//! use diag_gate::ids::ObjectId;
//!
//! # fn main() -> Result<(), diag_gate::github::GitHubError> {
//! let repository = RepoName::parse("acme/agents")?;
//! let token = Token::new("the value of GITHUB_TOKEN")?;
//! let client = Client::new("https://api.github.com", &repository, token, Limits::default())?;
//!
//! let head = ObjectId::parse("0123456789012345678901234567890123456789").expect("40 digits");
//! let stamp = Stamp { head, run_id: 17, run_attempt: 1 };
//! let body = format!("Passed\n\n{}", stamp.line("https://github.com", &repository));
//! let key = Key::parse("gate").expect("a good key");
//! let published = publish(&client, 7, &Wanted::new(key, Mode::Auto, false, stamp, &body));
//! println!("comment-status={}", published.status.as_str());
//! # Ok(())
//! # }
//! ```

mod address;
mod calls;
mod client;
mod command;
mod comment;
mod credentials;
mod error;
mod event;
mod inputs;
mod model;
mod outputs;
mod publish;
mod stamp;
mod token;
mod wait;

pub use address::RepoName;
pub use client::Client;
pub use command::AcceptCommand;
pub use comment::{Action, Key, Mode, Plan, Viewer, Wanted, is_own, plan, same_body};
pub use credentials::git_variables;
pub use error::{GitHubError, RequestName};
pub use event::{Event, EventError, IssueComment, MAX_PAYLOAD_BYTES, MergeGroup, PullEvent, Push};
pub use inputs::{InputError, Inputs, key_of_job};
pub use model::{
    AnnotationLevel, CheckAnnotation, CheckRun, Comment, Conclusion, Made, Permission, PullRequest, Reaction,
    User,
};
pub use outputs::{Outputs, Verdict};
pub use publish::{CommentStatus, Published, publish};
pub use stamp::Stamp;
pub use token::Token;
pub use wait::Limits;
