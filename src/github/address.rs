//! Addresses as text: which are spoken to at all, which may be given the token, and where a `Link` or a
//! redirect leads. Pure; the rule is that the token never goes to another host (github.md).

use std::net::{Ipv4Addr, Ipv6Addr};

use super::error::{GitHubError, shortened};

/// `owner/repo`, of letters, digits, `.`, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoName(String);

impl RepoName {
    /// Reads `owner/repo`, as `GITHUB_REPOSITORY` gives it.
    ///
    /// # Errors
    /// [`GitHubError::Repository`] where it is anything else.
    pub fn parse(text: &str) -> Result<Self, GitHubError> {
        let good = |part: &str| {
            (1..=100).contains(&part.len())
                && !matches!(part, "." | "..")
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        match text.split_once('/') {
            Some((owner, name)) if good(owner) && good(name) => Ok(Self(text.to_owned())),
            Some(_) | None => Err(GitHubError::Repository { given: shortened(text) }),
        }
    }

    /// `owner/repo`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An address in parts that were looked at: no user, no fragment, nothing that two readers could take for
/// two hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    secure: bool,
    /// Lower case, without the scheme's own port.
    authority: String,
    /// Path and query, beginning with `/`.
    rest: String,
}

impl Address {
    /// Reads an absolute `https` address, or an `http` one of a loopback host.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (scheme, behind) = text.split_once("://").ok_or("it does not begin with `https://`")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err("it does not begin with `https://`"),
        };
        let behind = behind.split('#').next().unwrap_or_default();
        let end = behind.find(['/', '?']).unwrap_or(behind.len());
        let (authority, rest) = behind.split_at(end);
        let authority = authority.to_ascii_lowercase();
        let own_port = if secure { ":443" } else { ":80" };
        let authority = authority.strip_suffix(own_port).unwrap_or(&authority).to_owned();
        check_authority(&authority)?;
        let in_address = |byte: u8| byte.is_ascii_graphic() && !br#""<>\^`{|}"#.contains(&byte);
        if !rest.bytes().all(in_address) {
            return Err("its path holds characters that may not stand in an address");
        }
        let slash = if rest.starts_with('/') { "" } else { "/" };
        let address = Self { secure, authority, rest: format!("{slash}{rest}") };
        if secure || address.is_loopback() {
            Ok(address)
        } else {
            Err("it is not `https`, and its host is not this machine")
        }
    }

    /// Where a `Link` or a `Location` leads that was read at this address. An address on this machine is
    /// followed from this machine alone, and nothing leads from `https` to `http`.
    pub(super) fn follow(&self, target: &str) -> Result<Self, &'static str> {
        let scheme = if self.secure { "https" } else { "http" };
        let target = target.trim();
        let next = if target.starts_with("//") {
            Self::parse(&format!("{scheme}:{target}"))?
        } else if target.starts_with('/') {
            Self::parse(&format!("{}{target}", self.origin()))?
        } else {
            Self::parse(target)?
        };
        if self.secure && !next.secure {
            return Err("it leads from `https` to `http`");
        }
        if next.is_loopback() && !self.is_loopback() {
            return Err("it leads to this machine");
        }
        Ok(next)
    }

    /// This address with a path and query behind its own path.
    pub(super) fn join(&self, path: &str) -> Self {
        let base = self.rest.trim_end_matches('/');
        Self { rest: format!("{base}{path}"), ..self.clone() }
    }

    /// Scheme, host and port: `https://api.github.com`.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", if self.secure { "https" } else { "http" }, self.authority)
    }

    /// Whether both have the same scheme, host and port.
    pub(super) fn same_origin(&self, other: &Self) -> bool {
        self.secure == other.secure && self.authority == other.authority
    }

    /// The whole address.
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.origin(), self.rest)
    }

    /// The host, without its port.
    pub(super) fn host(&self) -> &str {
        host_of(&self.authority)
    }

    /// Whether it has a query.
    pub(super) fn has_query(&self) -> bool {
        self.rest.contains('?')
    }

    fn is_loopback(&self) -> bool {
        let host = self.host();
        let bare = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        host == "localhost"
            || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || bare.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()))
    }
}

/// `next` of a `Link` header: the address behind `rel="next"`.
pub(super) fn next_link(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some((_, opened)) = rest.split_once('<') {
        let (target, behind) = opened.split_once('>')?;
        let parameters = behind.split('<').next().unwrap_or_default();
        if parameters.split([';', ',']).any(is_next) {
            return Some(target);
        }
        rest = behind;
    }
    None
}

fn is_next(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, value)| {
        name.trim().eq_ignore_ascii_case("rel")
            && value.trim().trim_matches('"').split_whitespace().any(|rel| rel.eq_ignore_ascii_case("next"))
    })
}

/// A text as one segment of a path.
pub(super) fn segment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut path, byte| {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) || (byte == b'.' && text.len() > 2) {
            path.push(char::from(byte));
        } else {
            path.push_str(&format!("%{byte:02X}"));
        }
        path
    })
}

fn check_authority(authority: &str) -> Result<(), &'static str> {
    let host = host_of(authority);
    let port = &authority[host.len()..];
    let name = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).map_or_else(
        || !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte)),
        |inner| inner.parse::<Ipv6Addr>().is_ok(),
    );
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok();
    let number = port.is_empty() || port.strip_prefix(':').is_some_and(digits);
    if name && number { Ok(()) } else { Err("its host is not a plain host name with or without a port") }
}

fn host_of(authority: &str) -> &str {
    let end = if authority.starts_with('[') {
        authority.find(']').map_or(authority.len(), |at| at + 1)
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    &authority[..end]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn https_is_spoken_to_everywhere_and_http_on_this_machine_alone() {
        for good in [
            "https://api.github.com",
            "https://github.example.com:8443/api/v3/",
            "HTTPS://API.GitHub.com/",
            "http://127.0.0.1:4010",
            "http://127.8.9.1",
            "http://localhost:80/api/v3",
            "http://[::1]:9/",
        ] {
            address(good);
        }
        for bad in [
            "",
            "api.github.com",
            "http://api.github.com",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://10.0.0.1",
            "http://[::2]",
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "https://",
            "https:///x",
            "https://api.github.com@example.com/",
            "https://user:secret@api.github.com/",
            "https://api.github.com\\@example.com/",
            "https://api.github.com /",
            "https://api.github.com:x/",
            "https://api.github.com:+1/",
            "https://api.github.com:/",
            "https://api.github.com/a b",
            "https://api.github.com/\n",
            "https://[::1",
            "https://[::1]x",
            "https://[::1]\u{17f}",
            "https://[]\u{17f}:1",
            "https://gith\u{fc}b.com/",
            "https://api.github.com%2eexample.com/",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_in_front_stands_with_or_without_its_slash() {
        for base in ["https://ghe.example.com/api/v3", "https://ghe.example.com/api/v3/"] {
            assert_eq!(address(base).join("/user").text(), "https://ghe.example.com/api/v3/user");
        }
        for base in ["https://api.github.com", "https://api.github.com/"] {
            assert_eq!(address(base).join("/user").text(), "https://api.github.com/user");
        }
    }

    #[test]
    fn letter_case_and_the_own_port_do_not_make_another_origin() {
        let base = address("https://api.github.com");
        assert!(base.same_origin(&address("https://API.github.com:443/x?y#z")));
        assert!(!base.same_origin(&address("https://api.github.com:444/")));
        assert!(!base.same_origin(&address("https://uploads.github.com/")));
        assert!(!address("https://localhost").same_origin(&address("http://localhost")));
    }

    #[test]
    fn a_link_leads_anywhere_but_to_less_safety_or_to_this_machine() {
        let base = address("https://api.github.com/repos");
        assert_eq!(base.follow("/x?page=2").unwrap().text(), "https://api.github.com/x?page=2");
        assert_eq!(base.follow("//example.com/x").unwrap().text(), "https://example.com/x");
        assert_eq!(base.follow("https://example.com/x").unwrap().host(), "example.com");
        for bad in ["http://api.github.com/x", "http://127.0.0.1/", "https://localhost/", "x", "?page=2", ""]
        {
            assert!(base.follow(bad).is_err(), "{bad}");
        }
        assert!(address("http://127.0.0.1:1/").follow("http://127.0.0.1:2/").is_ok());
    }

    #[test]
    fn next_is_found_wherever_it_stands_in_the_link() {
        let last = r#"<https://a/?page=9>; rel="last""#;
        let next = r#"<https://a/?page=2,3>; title="x"; Rel = "prev NEXT""#;
        assert_eq!(next_link(&format!("{last}, {next}")), Some("https://a/?page=2,3"));
        assert_eq!(next_link(&format!("{next}, {last}")), Some("https://a/?page=2,3"));
        assert_eq!(next_link(last), None);
        assert_eq!(next_link("<https://a"), None);
        assert_eq!(next_link(""), None);
        assert_eq!(next_link("<https://a>; rel=next"), Some("https://a"));
    }

    #[test]
    fn a_repository_is_two_plain_names() {
        assert_eq!(RepoName::parse("acme/diag.gate_2-x").unwrap().as_str(), "acme/diag.gate_2-x");
        for bad in ["", "acme", "acme/", "/x", "a/b/c", "a/..", "./b", "a/b?c", "a/b c", "a/b%2f", "\u{e9}/b"]
        {
            assert!(RepoName::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_login_cannot_leave_its_segment() {
        assert_eq!(segment("dependabot[bot]"), "dependabot%5Bbot%5D");
        assert_eq!(segment("../x?y#z"), "..%2Fx%3Fy%23z");
        assert_eq!(segment(".."), "%2E%2E");
    }

    proptest! {
        #[test]
        fn what_was_read_reads_the_same_again(text in "(?i)https?://[a-z0-9.:@\\[\\]/?#%-]{0,40}") {
            if let Ok(once) = Address::parse(&text) {
                prop_assert_eq!(Address::parse(&once.text()), Ok(once));
            }
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = Address::parse(&text);
            let _ = Address::parse(&format!("https://{text}"));
            let _ = Address::parse(&format!("https://[{text}"));
            let _ = next_link(&text);
            let _ = RepoName::parse(&text);
        }
    }
}
