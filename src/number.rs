//! A number of a trace: an integer of up to 64 bits exactly, anything else as the nearest double.
//!
//! Spec: evaluation.md section 2 ("a number") and section 6 (means).

use serde::{Serialize, Serializer};

/// A finite number that is not negative.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer, exactly.
    Int(u64),
    /// The nearest double of anything else; finite, never negative zero.
    Float(f64),
}

impl Number {
    /// Reads the text of a JSON number; `None` where it is negative or no finite double.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(integer) = text.parse::<u64>() {
            return Some(Self::Int(integer));
        }
        let double = text.parse::<f64>().ok()?;
        (double.is_finite() && double >= 0.0).then(|| Self::Float(double.abs()))
    }

    /// The nearest double, for differences that people look at.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(integer) => integer as f64,
            Self::Float(double) => double,
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(integer) => serializer.serialize_u64(*integer),
            Self::Float(double) => serializer.serialize_f64(*double),
        }
    }
}
