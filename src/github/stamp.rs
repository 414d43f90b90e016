//! The line of a comment that says which run judged which head, so that an older run does not overwrite a
//! newer one (github.md, 7). It is written and read here; whoever reads it looks at own comments alone. Pure.

use super::address::{Address, RepoName};
use crate::ids::ObjectId;

/// Which run judged which head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The head that was judged.
    pub head: ObjectId,
    /// `GITHUB_RUN_ID`, which grows.
    pub run_id: u64,
    /// `GITHUB_RUN_ATTEMPT`, from 1.
    pub run_attempt: u64,
}

impl Stamp {
    /// The line as it stands in a comment, in Markdown, without a line end. It must stand on a line of its
    /// own. Where `server_url` (`GITHUB_SERVER_URL`) is no address, the run is not linked.
    pub fn line(&self, server_url: &str, repository: &RepoName) -> String {
        let run = format!("run {}, attempt {}", self.run_id, self.run_attempt);
        let path =
            format!("/{}/actions/runs/{}/attempts/{}", repository.as_str(), self.run_id, self.run_attempt);
        let linked = Address::parse(server_url).ok().filter(|address| !address.has_query()).map(|address| {
            let url = address.join(&path).text();
            (plain(&url)).then(|| format!("[{run}]({url})"))
        });
        format!("{} in {}", self.head_alone(), linked.flatten().unwrap_or(run))
    }

    /// Reads the stamp of a body; `None` where there is none, or where two lines disagree.
    pub fn read(body: &str) -> Option<Self> {
        let mut found = body.lines().filter_map(Self::of_line);
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    /// The line without run and attempt, which equality of bodies leaves out (github.md, 6).
    pub(super) fn head_alone(&self) -> String {
        format!("Judged `{}`", self.head.as_str())
    }

    /// Reads one line of a comment.
    pub(super) fn of_line(line: &str) -> Option<Self> {
        let rest = line.trim_end().strip_prefix("Judged `")?;
        let (head, run) = rest.split_once("` in ")?;
        let run = match run.strip_prefix('[') {
            Some(linked) => {
                let (run, url) = linked.strip_suffix(')')?.split_once("](")?;
                if !plain(url) {
                    return None;
                }
                run
            }
            None => run,
        };
        let (id, attempt) = run.strip_prefix("run ")?.split_once(", attempt ")?;
        Some(Self { head: ObjectId::parse(head)?, run_id: number(id)?, run_attempt: number(attempt)? })
    }
}

/// Digits as they are written here: no sign, no leading zero.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Whether an address can stand in a Markdown link as it is.
fn plain(url: &str) -> bool {
    url.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/[]%".contains(&byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stamp() -> Stamp {
        Stamp { head: ObjectId::parse(&"ab".repeat(20)).unwrap(), run_id: 17, run_attempt: 2 }
    }

    fn here() -> RepoName {
        RepoName::parse("acme/agents").unwrap()
    }

    #[test]
    fn the_line_links_the_run() {
        let head = "ab".repeat(20);
        for server in ["https://github.com", "https://github.com/"] {
            assert_eq!(
                stamp().line(server, &here()),
                format!(
                    "Judged `{head}` in [run 17, attempt 2](https://github.com/acme/agents/actions/runs/17/attempts/2)"
                )
            );
        }
    }

    #[test]
    fn a_server_that_is_no_address_is_not_linked() {
        let head = "ab".repeat(20);
        for server in
            ["", "javascript:alert(1)", "https://a/) [x](https://b", "http://example.com", "https://a/?b"]
        {
            assert_eq!(
                stamp().line(server, &here()),
                format!("Judged `{head}` in run 17, attempt 2"),
                "{server}"
            );
        }
    }

    #[test]
    fn a_stamp_is_read_wherever_its_line_stands() {
        let line = stamp().line("https://github.com", &here());
        for body in
            [line.clone(), format!("a\n{line}\nb"), format!("a\r\n{line}\r\n"), format!("{line}\n{line}")]
        {
            assert_eq!(Stamp::read(&body), Some(stamp()), "{body}");
        }
    }

    #[test]
    fn what_only_looks_like_a_stamp_is_none() {
        let head = "ab".repeat(20);
        let other = Stamp { run_id: 18, ..stamp() }.line("", &here());
        for body in [
            String::new(),
            format!("Judged `{head}`"),
            format!(" Judged `{head}` in run 17, attempt 2"),
            format!("x Judged `{head}` in run 17, attempt 2"),
            format!("Judged `{head}` in run 17, attempt 2 and more"),
            format!("Judged `{head}` in run +17, attempt 2"),
            format!("Judged `{head}` in run 017, attempt 2"),
            format!("Judged `{head}` in run 99999999999999999999999, attempt 2"),
            format!("Judged `{}` in run 17, attempt 2", head.to_uppercase()),
            format!("Judged `{head}` in [run 17, attempt 2](https://a/ b)"),
            format!("{}\n{other}", stamp().line("", &here())),
        ] {
            assert_eq!(Stamp::read(&body), None, "{body}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            id in any::<u64>(), attempt in any::<u64>(), long in any::<bool>(), server in "https://[a-z.:0-9]{0,12}/?"
        ) {
            let head = ObjectId::parse(&"0f".repeat(if long { 32 } else { 20 })).unwrap();
            let stamp = Stamp { head, run_id: id, run_attempt: attempt };
            prop_assert_eq!(Stamp::read(&stamp.line(&server, &here())), Some(stamp));
        }
    }
}
