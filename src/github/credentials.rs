//! How git gets the token: by settings of the child process alone, for one host alone. Pure.
//!
//! Spec: github.md, "Credentials reach git by `GIT_CONFIG_*` variables of the child process".

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::address::Address;
use super::token::Token;

/// The variables that give git a setting each: `GIT_CONFIG_COUNT` and the pairs behind it. `before`: how
/// many such settings the environment holds already. None where the server is not one that a token
/// may be sent to (`https`, or this machine).
pub fn git_variables(token: &Token, server: &str, before: usize) -> Vec<(String, String)> {
    let Ok(address) = Address::parse(server) else { return Vec::new() };
    let header = format!("http.{}/.extraheader", address.origin());
    let basic = STANDARD.encode(format!("x-access-token:{}", token.reveal()));
    // An empty value drops what the checkout has left behind: git would send both.
    let settings = [(header.clone(), String::new()), (header, format!("AUTHORIZATION: basic {basic}"))];
    let mut variables = vec![("GIT_CONFIG_COUNT".to_owned(), (before + settings.len()).to_string())];
    for (number, (key, value)) in settings.into_iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{}", before + number), key));
        variables.push((format!("GIT_CONFIG_VALUE_{}", before + number), value));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(server: &str, before: usize) -> Vec<(String, String)> {
        git_variables(&Token::new("ghs_x").unwrap().unwrap(), server, before)
    }

    #[test]
    fn the_header_is_for_one_host() {
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            variables("https://github.com", 0),
            [
                own("GIT_CONFIG_COUNT", "2"),
                own("GIT_CONFIG_KEY_0", "http.https://github.com/.extraheader"),
                own("GIT_CONFIG_VALUE_0", ""),
                own("GIT_CONFIG_KEY_1", "http.https://github.com/.extraheader"),
                own("GIT_CONFIG_VALUE_1", "AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46Z2hzX3g="),
            ]
        );
        assert_eq!(variables("https://ghe.example.com:8443/", 3)[0], own("GIT_CONFIG_COUNT", "5"));
        assert_eq!(variables("https://ghe.example.com:8443/", 3)[1].0, "GIT_CONFIG_KEY_3");
        assert_eq!(
            variables("https://ghe.example.com:8443/", 3)[1].1,
            "http.https://ghe.example.com:8443/.extraheader"
        );
    }

    #[test]
    fn the_token_goes_over_no_open_line() {
        assert!(variables("http://github.example.com", 0).is_empty());
        assert!(variables("file:///srv/git", 0).is_empty());
        assert!(!variables("http://127.0.0.1:8080", 0).is_empty());
    }
}
