//! GitHub: what an event says, and what is published. The only module that imports octocrab and tokio.

pub mod command;
pub mod event;
pub mod outputs;
