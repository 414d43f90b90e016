//! The nearest known name: a typing slip should cost a look, not a search.

/// The known name that a slip most likely meant, if any comes near. Letter case, `_` and `-` do not count.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain_given = plain(given);
    let mut best: Option<(f64, &'a str)> = None;
    for name in known {
        let likeness = likeness(&plain_given, &plain(name));
        if likeness >= 0.5 && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

/// `unknown WHAT`, with the nearest known name, or with all of them where none comes near.
pub(crate) fn unknown(what: &str, given: &str, known: &[&str]) -> String {
    match nearest(given, known.iter().copied()) {
        Some(name) => format!("unknown {what} `{given}`; did you mean `{name}`?"),
        None => format!("unknown {what} `{given}`; known are `{}`", known.join("`, `")),
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// From 0.0 to 1.0. A name that holds the other whole comes near however long it is.
fn likeness(given: &str, known: &str) -> f64 {
    let alike = strsim::normalized_damerau_levenshtein(given, known);
    let (short, long) = if given.len() < known.len() { (given, known) } else { (known, given) };
    if short.chars().count() >= 4 && long.contains(short) { alike.max(0.5) } else { alike }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_the_name_that_was_meant() {
        let known =
            ["id", "traceFixture", "forbiddenAnswerKeywords", "requireV2AuditClosure", "allowedVerdicts"];
        for (slip, meant) in [
            ("forbiddenAnswerKeyword", Some("forbiddenAnswerKeywords")),
            ("forbidden_answer_keywords", Some("forbiddenAnswerKeywords")),
            ("forbiddenKeywords", Some("forbiddenAnswerKeywords")),
            ("requireV2Audit", Some("requireV2AuditClosure")),
            ("ID", Some("id")),
            ("verdicts", Some("allowedVerdicts")),
            ("fixture", Some("traceFixture")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(slip, known), meant, "{slip}");
        }
    }

    #[test]
    fn what_comes_near_nothing_is_told_all_names() {
        assert_eq!(
            unknown("field", "zzz", &["cases", "tags"]),
            "unknown field `zzz`; known are `cases`, `tags`"
        );
        assert_eq!(
            unknown("field", "case", &["tags", "cases"]),
            "unknown field `case`; did you mean `cases`?"
        );
    }
}
