//! Reads a link strictly: what stands but cannot be believed is an error, never "no baseline".

use crate::baseline::error::BaselineError;
use crate::baseline::link::{Baseline, FORMAT_FILE, Link, POLICY_FILE, REPORT_FILE};
use crate::baseline::message::Message;
use crate::baseline::place::Place;
use crate::baseline::stand::stand;
use crate::baseline::store::{RawLink, Store};
use crate::ids::ObjectId;
use crate::report::{self, Report};
use crate::suite::{Config, Problem, config};

/// Reads the newest baseline of a chain; `None` only where no place holds it.
///
/// # Errors
/// As [`read_at`] and [`stand`].
pub fn read(store: &dyn Store, place: &Place) -> Result<Option<Baseline>, BaselineError> {
    match tip(store, place)? {
        Some(tip) => read_at(store, place, &tip).map(Some),
        None => Ok(None),
    }
}

/// The newest link of a chain; `None` only where no place holds it.
///
/// # Errors
/// As [`stand`].
pub fn tip(store: &dyn Store, place: &Place) -> Result<Option<ObjectId>, BaselineError> {
    Ok(stand(store, place)?.newest.map(|newest| newest.id))
}

/// Reads the baseline of one link of a chain.
///
/// # Errors
/// The link is foreign, of a newer format or damaged, or the surroundings failed.
pub fn read_at(store: &dyn Store, place: &Place, id: &ObjectId) -> Result<Baseline, BaselineError> {
    read_from(store, place, &place.reference, id)
}

/// Reads what another ref of the same suite names: a fetched copy, or a pending acceptance.
///
/// # Errors
/// As [`read_at`]; they name that ref.
pub(super) fn read_from(
    store: &dyn Store,
    place: &Place,
    reference: &str,
    id: &ObjectId,
) -> Result<Baseline, BaselineError> {
    let reader = LinkReader { place, reference, id };
    let raw = reader.raw(store)?;
    let link = reader.link(&raw)?;
    let files = [POLICY_FILE, REPORT_FILE].map(|name| raw.entries.get(name.as_bytes()));
    let files: Vec<_> =
        files.into_iter().flatten().filter(|file| file.is_file).map(|file| &file.id).collect();
    store.prefetch(&files)?;
    let policy_text = reader.file(store, &raw, POLICY_FILE)?;
    let policy = config::parse(&policy_text, POLICY_FILE).map_err(|problems| {
        reader.damaged_by(format!("its {POLICY_FILE} cannot be read"), policy_details(&problems))
    })?;
    if policy.name != place.suite {
        return Err(reader.foreign(format!("is of the suite `{}`", policy.name.as_str())));
    }
    let bytes = reader.file(store, &raw, REPORT_FILE)?;
    let report = report::read(&bytes).map_err(|error| {
        let mut details = vec![error.to_string()];
        let mut next = std::error::Error::source(&error);
        while let Some(cause) = next {
            details.push(cause.to_string());
            next = cause.source();
        }
        reader.damaged_by(format!("its {REPORT_FILE} cannot be read"), details)
    })?;
    reader.check(&report, &link, &policy)?;
    Ok(Baseline { place: place.clone(), link, report, policy, policy_text })
}

/// Reads what the commit of a link says, and nothing in its files.
///
/// # Errors
/// As [`read_at`].
pub fn read_head(store: &dyn Store, place: &Place, id: &ObjectId) -> Result<Link, BaselineError> {
    let reader = LinkReader { place, reference: &place.reference, id };
    reader.link(&reader.raw(store)?)
}

/// What is wrong with a configuration, with its lines.
pub(super) fn policy_details(problems: &[Problem]) -> Vec<String> {
    let told = problems.iter().map(|problem| match problem.line {
        Some(line) => format!("{POLICY_FILE}:{line}: {}", problem.message),
        None => format!("{POLICY_FILE}: {}", problem.message),
    });
    told.collect()
}

struct LinkReader<'a> {
    place: &'a Place,
    reference: &'a str,
    id: &'a ObjectId,
}

impl LinkReader<'_> {
    /// The link as it stands, once its format is known to be this one.
    fn raw(&self, store: &dyn Store) -> Result<RawLink, BaselineError> {
        let raw = store.link(self.id)?.ok_or_else(|| self.foreign("is no commit".to_owned()))?;
        let formats = raw.entries.keys().filter(|name| name.starts_with(b"format-"));
        let formats: Vec<&Vec<u8>> = formats.collect();
        if formats.is_empty() {
            return Err(self.foreign("is no commit of diag-gate: it says no format".to_owned()));
        }
        if let Some(other) = formats.iter().find(|name| name.as_slice() != FORMAT_FILE.as_bytes()) {
            return Err(BaselineError::NewerFormat {
                reference: self.reference.to_owned(),
                link: self.id.clone(),
                format: String::from_utf8_lossy(other).into_owned(),
            });
        }
        let empty = ObjectId::of_blob(store.hash_kind(), b"");
        if raw.entries.get(FORMAT_FILE.as_bytes()).is_some_and(|file| !file.is_file || file.id != empty) {
            return Err(self.damaged(format!("its {FORMAT_FILE} is not an empty file")));
        }
        Ok(raw)
    }

    fn link(&self, raw: &RawLink) -> Result<Link, BaselineError> {
        if raw.parents.len() > 1 {
            return Err(self.damaged("it has more than one parent".to_owned()));
        }
        let Message { subject, reason, trailers } =
            Message::parse(&raw.message).map_err(|why| self.damaged(why))?;
        Ok(Link {
            id: self.id.clone(),
            parent: raw.parents.first().cloned(),
            by: raw.author.person.clone(),
            accepted_at: raw.author.at,
            subject,
            reason,
            trailers,
        })
    }

    fn file(&self, store: &dyn Store, raw: &RawLink, name: &str) -> Result<Vec<u8>, BaselineError> {
        match raw.entries.get(name.as_bytes()) {
            Some(entry) if entry.is_file => Ok(store.file(&entry.id)?),
            Some(_) => Err(self.damaged(format!("its {name} is no file"))),
            None => Err(self.damaged(format!("it has no {name}"))),
        }
    }

    /// The report must be the one that the link speaks of, and judged under its settings.
    fn check(&self, report: &Report, link: &Link, policy: &Config) -> Result<(), BaselineError> {
        let Some(origin) = &report.origin else {
            return Err(self.foreign("holds a report of another program".to_owned()));
        };
        if origin.suite != self.place.suite {
            return Err(self.foreign(format!("is of the suite `{}`", origin.suite.as_str())));
        }
        if origin.source.dirty {
            return Err(
                self.damaged("its report is of a working tree that differs from its commit".to_owned())
            );
        }
        if origin.source.commit.as_ref() != Some(&link.trailers.evaluated) {
            return Err(self.damaged("its report is not of the commit that it names".to_owned()));
        }
        if origin.evaluator.matching != policy.matching {
            return Err(self.damaged(format!("its {POLICY_FILE} is not what its report was judged under")));
        }
        let content =
            report::suite_digest(&report.results, &origin.evaluator.matching, policy.max_trace_bytes);
        if origin.suite_digest != link.trailers.suite_digest || origin.suite_digest != content {
            return Err(self.damaged("its report is not of the content that it names".to_owned()));
        }
        Ok(())
    }

    fn foreign(&self, why: String) -> BaselineError {
        BaselineError::Foreign { reference: self.reference.to_owned(), link: self.id.clone(), why }
    }

    fn damaged(&self, what: String) -> BaselineError {
        self.damaged_by(what, Vec::new())
    }

    fn damaged_by(&self, what: String, details: Vec<String>) -> BaselineError {
        let reference = self.reference.to_owned();
        BaselineError::Damaged { reference, link: self.id.clone(), what, details }
    }
}
