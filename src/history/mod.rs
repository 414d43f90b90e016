//! The pass rate over commits, and the commit at which a case turned. Pure: which commits there are, and
//! what each holds, comes from the caller.
