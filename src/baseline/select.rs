//! Which link of a chain a revision is compared with (baseline.md section 3). Pure.

use crate::baseline::error::BaselineError;
use crate::baseline::link::Link;
use crate::ids::{Digest, ObjectId};

/// What is under test.
#[derive(Clone, Copy, Debug)]
pub struct Revision<'a> {
    /// The commit; `None` where there is none.
    pub commit: Option<&'a ObjectId>,
    /// The digest of its own content.
    pub suite_digest: &'a Digest,
}

/// How an evaluated commit stands to the revision under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lineage {
    /// It is that revision or an ancestor of it.
    Ancestor,
    /// It is neither.
    Unrelated,
    /// It is not in the repository.
    Absent,
    /// History was cut off by a shallow fetch.
    Shallow,
}

/// What a selection asks.
pub trait History {
    /// What the commit of a link says.
    ///
    /// # Errors
    /// The link cannot be read or believed.
    fn link(&self, id: &ObjectId) -> Result<Link, BaselineError>;

    /// How an evaluated commit stands to the commit under test.
    ///
    /// # Errors
    /// The surroundings failed.
    fn lineage(&self, evaluated: &ObjectId, commit: &ObjectId) -> Result<Lineage, BaselineError>;
}

/// Why a link was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Its evaluated commit is the revision under test or an ancestor of it.
    Ancestor,
    /// It has the content of the revision under test.
    Content,
    /// It is the newest.
    Tip(WhyTip),
}

/// Why the newest link was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyTip {
    /// This evaluated commit is not in the repository: nothing can be told beyond its link.
    Absent(ObjectId),
    /// The repository is shallow: nothing can be told.
    Shallow,
    /// What is under test is no commit.
    NoCommit,
    /// All could be told, and none fits: worth a notice.
    NoneFits,
}

impl Rule {
    /// The name in JSON.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Ancestor => "ancestor",
            Self::Content => "content",
            Self::Tip(_) => "tip",
        }
    }
}

/// A chosen link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The link.
    pub link: Link,
    /// Why this one.
    pub rule: Rule,
}

/// Chooses the link that a revision is compared with, from the tip of a chain downwards.
///
/// The first one that fits decides. Content needs no history, so it is looked at before a link is
/// given up as one of which nothing can be told.
///
/// # Errors
/// A link that was come to cannot be read or believed, or the surroundings failed.
pub fn select(
    history: &dyn History,
    tip: &ObjectId,
    revision: Revision<'_>,
) -> Result<Selection, BaselineError> {
    let tip = history.link(tip)?;
    let mut link = tip.clone();
    loop {
        let trailers = &link.trailers;
        let lineage = match revision.commit {
            Some(commit) => Some(history.lineage(&trailers.evaluated, commit)?),
            None => None,
        };
        if lineage == Some(Lineage::Ancestor) {
            return Ok(Selection { link, rule: Rule::Ancestor });
        }
        if trailers.suite_digest == *revision.suite_digest {
            return Ok(Selection { link, rule: Rule::Content });
        }
        let why = match (lineage, &link.parent) {
            (None, _) => WhyTip::NoCommit,
            (Some(Lineage::Absent), _) => WhyTip::Absent(trailers.evaluated.clone()),
            (Some(Lineage::Shallow), _) => WhyTip::Shallow,
            (Some(Lineage::Ancestor | Lineage::Unrelated), Some(parent)) => {
                link = history.link(parent)?;
                continue;
            }
            (Some(Lineage::Ancestor | Lineage::Unrelated), None) => WhyTip::NoneFits,
        };
        return Ok(Selection { link: tip, rule: Rule::Tip(why) });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::baseline::{Moment, Person, Trailers};

    /// A chain, newest last: link `n` evaluated commit `n` with content `n`.
    struct Told {
        lineages: Vec<Lineage>,
    }

    fn id(number: usize) -> ObjectId {
        ObjectId::parse(&format!("{number:040x}")).unwrap()
    }

    fn content(number: usize) -> Digest {
        Digest::of(&[u8::try_from(number).unwrap()])
    }

    impl History for Told {
        fn link(&self, link: &ObjectId) -> Result<Link, BaselineError> {
            let number = usize::from_str_radix(link.as_str(), 16).unwrap();
            assert!(number < self.lineages.len(), "only links of the chain are asked for");
            Ok(Link {
                id: link.clone(),
                parent: number.checked_sub(1).map(id),
                by: Person { name: String::new(), email: String::new() },
                accepted_at: Moment { seconds: 0, offset_minutes: 0 },
                subject: String::new(),
                reason: None,
                trailers: Trailers {
                    evaluated: id(number),
                    suite_digest: content(number),
                    accepted: Vec::new(),
                    cases: Vec::new(),
                    tool: String::new(),
                },
            })
        }

        fn lineage(&self, evaluated: &ObjectId, _: &ObjectId) -> Result<Lineage, BaselineError> {
            Ok(self.lineages[usize::from_str_radix(evaluated.as_str(), 16).unwrap()])
        }
    }

    fn chosen(lineages: &[Lineage], digest: &Digest) -> (ObjectId, Rule) {
        let told = Told { lineages: lineages.to_vec() };
        let commit = id(99);
        let revision = Revision { commit: Some(&commit), suite_digest: digest };
        let selection = select(&told, &id(lineages.len() - 1), revision).unwrap();
        (selection.link.id, selection.rule)
    }

    use Lineage::{Absent, Ancestor, Shallow, Unrelated};

    #[test]
    fn the_first_link_that_fits_decides() {
        let other = content(50);
        assert_eq!(chosen(&[Ancestor, Ancestor], &other), (id(1), Rule::Ancestor));
        assert_eq!(chosen(&[Ancestor, Unrelated], &other), (id(0), Rule::Ancestor));
        assert_eq!(chosen(&[Ancestor, Unrelated, Unrelated], &content(1)), (id(1), Rule::Content));
        assert_eq!(chosen(&[Ancestor], &content(0)), (id(0), Rule::Ancestor));
    }

    #[test]
    fn where_nothing_can_be_told_the_tip_is_taken() {
        let other = content(50);
        assert_eq!(chosen(&[Ancestor, Shallow], &other), (id(1), Rule::Tip(WhyTip::Shallow)));
        assert_eq!(chosen(&[Ancestor, Absent, Unrelated], &other), (id(2), Rule::Tip(WhyTip::Absent(id(1)))));
    }

    #[test]
    fn content_is_told_without_history() {
        assert_eq!(chosen(&[Absent, Unrelated], &content(0)), (id(0), Rule::Content));
        assert_eq!(chosen(&[Shallow], &content(0)), (id(0), Rule::Content));
        let told = Told { lineages: vec![Ancestor, Ancestor] };
        let digest = content(1);
        let selection = select(&told, &id(1), Revision { commit: None, suite_digest: &digest }).unwrap();
        assert_eq!((selection.link.id, selection.rule), (id(1), Rule::Content));
    }

    #[test]
    fn where_none_fits_the_tip_is_taken_and_says_so() {
        assert_eq!(chosen(&[Unrelated; 3], &content(50)), (id(2), Rule::Tip(WhyTip::NoneFits)));
        let told = Told { lineages: vec![Ancestor, Ancestor] };
        let digest = content(50);
        let selection = select(&told, &id(1), Revision { commit: None, suite_digest: &digest }).unwrap();
        assert_eq!((selection.link.id, selection.rule), (id(1), Rule::Tip(WhyTip::NoCommit)));
    }

    #[test]
    fn all_chains_of_three_agree_with_the_rule_said_word_by_word() {
        let all = [Ancestor, Unrelated, Absent, Shallow];
        let mut seen = BTreeMap::new();
        for first in all {
            for second in all {
                for third in all {
                    for digest in [content(0), content(1), content(2), content(50)] {
                        let lineages = [first, second, third];
                        let found = chosen(&lineages, &digest);
                        assert_eq!((found.0, found.1.as_str()), by_the_word(&lineages, &digest));
                        *seen.entry(found.1.as_str()).or_insert(0) += 1;
                    }
                }
            }
        }
        assert_eq!(seen.len(), 3);
    }

    fn by_the_word(lineages: &[Lineage], digest: &Digest) -> (ObjectId, &'static str) {
        let fits = |n: &usize| lineages[*n] == Ancestor || content(*n) == *digest;
        let untold = |n: &usize| matches!(lineages[*n], Absent | Shallow);
        let first_fit = (0..lineages.len()).rev().find(fits);
        let first_untold = (0..lineages.len()).rev().find(|n| untold(n) && !fits(n));
        match (first_fit, first_untold) {
            (Some(fit), untold) if untold.is_none_or(|untold| untold < fit) => {
                (id(fit), if lineages[fit] == Ancestor { "ancestor" } else { "content" })
            }
            _ => (id(lineages.len() - 1), "tip"),
        }
    }
}
