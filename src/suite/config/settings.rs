//! The keys of a settings file, taken one by one; each that is no good becomes a problem.

use toml::de::{DeArray, DeString, DeTable, DeValue};
use toml::{Spanned, value::Datetime};

use crate::suite::Problem;
use crate::suite::json::Lines;
use crate::suite::nearest::unknown;

/// Where problems of a settings file are collected.
pub(super) struct Problems<'a> {
    pub(super) file: &'a str,
    pub(super) lines: Lines,
    pub(super) found: Vec<Problem>,
}

impl Problems<'_> {
    /// Adds a problem of a setting, by its dotted path.
    pub(super) fn add(&mut self, line: u32, field: &str, message: String) {
        self.found.push(Problem {
            file: self.file.to_owned(),
            line: Some(line),
            column: None,
            case: None,
            field: Some(field.to_owned()),
            message,
        });
    }
}

/// One value with its place.
#[derive(Clone, Debug)]
pub(super) struct Setting<'t> {
    /// The dotted path.
    pub(super) path: String,
    /// The line of its key, or of the entry itself in an array.
    pub(super) line: u32,
    value: &'t DeValue<'t>,
}

/// A table whose keys are all known.
#[derive(Clone, Debug)]
pub(super) struct Section<'t> {
    path: String,
    table: &'t DeTable<'t>,
}

impl<'t> Section<'t> {
    /// Takes a table and refuses the keys that are not known; `path` is empty for the whole file.
    pub(super) fn new(
        table: &'t DeTable<'t>,
        path: &str,
        known: &[&str],
        problems: &mut Problems<'_>,
    ) -> Self {
        let section = Self { path: path.to_owned(), table };
        for (key, _) in table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            let what = if path.is_empty() { "key".to_owned() } else { format!("key of `{path}`") };
            problems.add(
                problems.lines.line(key.span().start),
                &section.path_of(key.get_ref()),
                unknown(&what, key.get_ref(), known),
            );
        }
        section
    }

    /// The setting of this key, where it stands.
    pub(super) fn get(&self, key: &str, problems: &Problems<'_>) -> Option<Setting<'t>> {
        self.settings(problems).into_iter().find(|(name, _)| *name == key).map(|(_, setting)| setting)
    }

    /// The table under this key, where it stands and is one.
    pub(super) fn section(&self, key: &str, known: &[&str], problems: &mut Problems<'_>) -> Option<Self> {
        self.get(key, problems)?.section(known, problems)
    }

    /// All settings with their keys.
    pub(super) fn settings(&self, problems: &Problems<'_>) -> Vec<(&'t str, Setting<'t>)> {
        let setting = |(key, value): (&'t Spanned<DeString<'t>>, &'t Spanned<DeValue<'t>>)| {
            let line = problems.lines.line(key.span().start);
            let path = self.path_of(key.get_ref());
            (key.get_ref().as_ref(), Setting { path, line, value: value.get_ref() })
        };
        self.table.iter().map(setting).collect()
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

impl<'t> Setting<'t> {
    /// Adds a problem of this setting.
    pub(super) fn fault(&self, problems: &mut Problems<'_>, message: String) {
        problems.add(self.line, &self.path, message);
    }

    /// Adds the problem that this setting is of another type.
    pub(super) fn wrong(&self, problems: &mut Problems<'_>, allowed: &str) {
        self.fault(problems, format!("must be {allowed}, but is of type {}", self.value.type_str()));
    }

    /// A table.
    pub(super) fn section(&self, known: &[&str], problems: &mut Problems<'_>) -> Option<Section<'t>> {
        let Some(table) = self.value.as_table() else {
            self.wrong(problems, "a table");
            return None;
        };
        Some(Section::new(table, &self.path, known, problems))
    }

    /// The entries of an array.
    pub(super) fn entries(&self, allowed: &str, problems: &mut Problems<'_>) -> Option<Vec<Self>> {
        let Some(array) = self.value.as_array() else {
            self.wrong(problems, allowed);
            return None;
        };
        Some(self.places(array, problems))
    }

    fn places(&self, array: &'t DeArray<'t>, problems: &Problems<'_>) -> Vec<Self> {
        let place = |(index, entry): (usize, &'t Spanned<DeValue<'t>>)| Self {
            path: format!("{}[{index}]", self.path),
            line: problems.lines.line(entry.span().start),
            value: entry.get_ref(),
        };
        array.iter().enumerate().map(place).collect()
    }

    /// A string.
    pub(super) fn string(&self, allowed: &str, problems: &mut Problems<'_>) -> Option<&'t str> {
        let DeValue::String(text) = self.value else {
            self.wrong(problems, allowed);
            return None;
        };
        let text: &DeString<'t> = text;
        Some(text)
    }

    /// A switch.
    pub(super) fn switch(&self, problems: &mut Problems<'_>) -> Option<bool> {
        let switch = self.value.as_bool();
        if switch.is_none() {
            self.wrong(problems, "`true` or `false`");
        }
        switch
    }

    /// A date and time of any kind.
    pub(super) fn datetime(&self) -> Option<&'t Datetime> {
        self.value.as_datetime()
    }

    /// An integer above 0.
    pub(super) fn positive(&self, problems: &mut Problems<'_>) -> Option<u64> {
        let Some(integer) = self.value.as_integer() else {
            self.wrong(problems, "a whole number above 0");
            return None;
        };
        let positive =
            u64::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|number| *number > 0);
        if positive.is_none() {
            self.fault(problems, format!("must be a whole number above 0, but is {integer}"));
        }
        positive
    }

    /// A finite number from 0 up to `most`; `allowed` says so in words.
    pub(super) fn number(&self, most: f64, allowed: &str, problems: &mut Problems<'_>) -> Option<f64> {
        let (shown, number) = if let Some(integer) = self.value.as_integer() {
            let whole = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
            (integer.to_string(), whole.map(|whole| whole as f64))
        } else if let Some(float) = self.value.as_float() {
            (float.to_string(), float.as_str().parse().ok())
        } else {
            self.wrong(problems, allowed);
            return None;
        };
        // Adding nothing makes negative zero zero.
        let good =
            number.filter(|number| number.is_finite() && (0.0..=most).contains(number)).map(|n| n + 0.0);
        if good.is_none() {
            self.fault(problems, format!("must be {allowed}, but is {shown}"));
        }
        good
    }
}
