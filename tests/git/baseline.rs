//! Baselines as commit chains, written and read back through a real git.

use diag_gate::baseline::{
    self, Acceptance, Accepted, AcceptedEntry, Baseline, BaselineError, Place, Prefix, Revision, Rule, Store,
    WhyTip, Written,
};
use diag_gate::error::{Error, ErrorKind};
use diag_gate::evaluate::{RULES_VERSION, evaluate_suite};
use diag_gate::git::{CommitSource, GitStore, Repository};
use diag_gate::ids::{CaseId, Name, ObjectId};
use diag_gate::kind::Kind;
use diag_gate::report::{self, Evaluator, Origin, Report, SourceState, suite_digest};
use diag_gate::suite::load;

use crate::support::TestRepo;

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

pub(crate) fn place() -> Place {
    Prefix::new("refs/diag-gate").place(&name("default"), &name("main"))
}

/// A suite of one case, whose title tells one content from another.
pub(crate) fn commit_suite(repo: &TestRepo, case: &str) -> ObjectId {
    let text = format!("[{{\"id\": \"{case}\", \"title\": \"t\", \"traceFixture\": \"none.json\"}}]");
    repo.write("eval/cases/a.json", text);
    repo.commit(case)
}

pub(crate) fn evaluate(repository: &Repository, commit: &ObjectId) -> Report {
    let source = CommitSource::new(repository, commit, b"eval").unwrap();
    let suite = load(&source).unwrap();
    let results = evaluate_suite(&suite, &source, std::num::NonZero::<usize>::MIN).unwrap();
    let matching = suite.config.matching.clone();
    let origin = Origin {
        suite: suite.config.name.clone(),
        source: SourceState { commit: Some(commit.clone()), dirty: false },
        suite_digest: suite_digest(&results, &matching, suite.config.max_trace_bytes),
        evaluator: Evaluator { rules_version: RULES_VERSION.to_owned(), matching },
    };
    Report::new(Some(origin), results)
}

fn acceptance<'a>(
    place: &'a Place,
    expected: Option<&'a ObjectId>,
    report: &'a Report,
    reason: Option<&'a str>,
) -> Acceptance<'a> {
    let (policy, tool) = (&b""[..], "0.1.0");
    let signers = None;
    Acceptance {
        place,
        expected,
        report,
        policy,
        signers,
        reason,
        entries: Vec::new(),
        cases: Vec::new(),
        tool,
    }
}

/// Accepts a report on top of whatever is there.
pub(crate) fn accept(repo: &TestRepo, report: &Report) -> ObjectId {
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let tip = store.tip(&place().reference).unwrap();
    match baseline::accept(&store, acceptance(&place(), tip.as_ref(), report, None)).unwrap() {
        Accepted::Written(link) => link,
        other @ (Accepted::Already(_) | Accepted::Moved) => panic!("{other:?}"),
    }
}

pub(crate) fn read(repo: &TestRepo) -> Result<Option<Baseline>, BaselineError> {
    baseline::read(&GitStore::new(&repo.open()), &place())
}

fn failure(repo: &TestRepo) -> BaselineError {
    match read(repo) {
        Ok(found) => panic!("this should have failed: {}", found.is_some()),
        Err(error) => error,
    }
}

#[test]
fn what_is_accepted_is_read_back() {
    let repo = TestRepo::new();
    let commit = commit_suite(&repo, "磁盘 100%");
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let place = place();
    assert!(baseline::read(&store, &place).unwrap().is_none());

    let report = evaluate(&opened, &commit);
    let case = CaseId::new("磁盘 100%");
    let entries = vec![AcceptedEntry { kind: Kind::CaseRegressed, case: Some(case.clone()) }];
    let policy = b"[gate]\nmin_pass_rate = 0.5\n";
    let whole = Acceptance {
        policy,
        entries: entries.clone(),
        cases: vec![case.clone()],
        ..acceptance(&place, None, &report, Some("why\n\nDiag-Gate-Commit: forged"))
    };
    let Accepted::Written(link) = baseline::accept(&store, whole).unwrap() else { panic!("nothing written") };

    let found = baseline::read(&store, &place).unwrap().unwrap();
    assert_eq!(found.link.id, link);
    assert_eq!(found.link.parent, None);
    assert_eq!(found.evaluated(), &commit);
    assert_eq!(found.link.by.name, "Ann Author");
    assert_eq!((found.link.accepted_at.seconds, found.link.accepted_at.offset_minutes), (1_700_000_000, 480));
    assert_eq!(found.link.reason.as_deref(), Some("why\n\nDiag-Gate-Commit: forged"));
    assert_eq!(found.link.trailers.accepted, entries);
    assert_eq!(found.link.trailers.cases, [case]);
    assert_eq!(found.policy.gate.min_pass_rate, Some(0.5));
    assert_eq!(found.policy_text, policy);
    assert_eq!(report::to_json(&found.report), report::to_json(&report));

    let tree = repo.git(&["ls-tree", "--name-only", &place.reference]);
    assert_eq!(tree, "format-1\npolicy.toml\nreport.json");
    let log =
        repo.git(&["log", "--format=%an|%cn|%s|%(trailers:key=Diag-Gate-Accepted,valueonly)", link.as_str()]);
    assert_eq!(
        log.trim_end(),
        "Ann Author|Cem Committer|accept default/main: 0/1 passed (0 %)|case-regressed 磁盘 100%25"
    );
    assert_eq!(
        repo.git(&["show", &format!("{}:report.json", link.as_str())]) + "\n",
        report::to_json(&report)
    );
    assert_eq!(repo.git(&["reflog", "show", "--format=%gs", &place.reference]), found.link.subject);
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn accepting_what_is_accepted_makes_no_commit() {
    let repo = TestRepo::new();
    let commit = commit_suite(&repo, "a");
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let report = evaluate(&opened, &commit);
    let link = accept(&repo, &report);
    let place = place();
    let again = acceptance(&place, Some(&link), &report, Some("again"));
    assert_eq!(baseline::accept(&store, again).unwrap(), Accepted::Already(link.clone()));
    assert_eq!(repo.id(&place.reference), link);
    // Another configuration is another baseline, and the first one its only parent.
    let other = Acceptance { policy: b"# stricter\n", ..acceptance(&place, Some(&link), &report, None) };
    let Accepted::Written(second) = baseline::accept(&store, other).unwrap() else {
        panic!("nothing written")
    };
    assert_eq!(
        repo.git(&["rev-list", "--parents", second.as_str()]),
        format!("{} {}\n{}", second.as_str(), link.as_str(), link.as_str())
    );
}

#[test]
fn a_decision_on_an_older_tip_writes_nothing() {
    let repo = TestRepo::new();
    let commit = commit_suite(&repo, "a");
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let report = evaluate(&opened, &commit);
    let place = place();
    let link = accept(&repo, &report);
    for stale in [None, Some(&commit)] {
        let late = acceptance(&place, stale, &report, None);
        assert_eq!(baseline::accept(&store, late).unwrap(), Accepted::Moved);
    }
    assert_eq!(repo.id(&place.reference), link);
}

#[test]
fn what_could_not_be_read_back_is_not_accepted() {
    let repo = TestRepo::new();
    let commit = commit_suite(&repo, "a");
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let place = place();
    let good = evaluate(&opened, &commit);
    let broken = |change: fn(&mut Origin)| {
        let mut report = good.clone();
        change(report.origin.as_mut().unwrap());
        report
    };
    let dirty = broken(|origin| origin.source.dirty = true);
    let nowhere = broken(|origin| origin.source.commit = None);
    let other = broken(|origin| origin.suite = name("other"));
    let mut foreign = good.clone();
    foreign.origin = None;
    for report in [&dirty, &nowhere, &other, &foreign] {
        let result = baseline::accept(&store, acceptance(&place, None, report, None));
        assert!(matches!(result, Err(BaselineError::NotAcceptable { .. })), "{result:?}");
    }
    for policy in [&b"name = \"other\""[..], b"no toml", b"\xff"] {
        let result = baseline::accept(&store, Acceptance { policy, ..acceptance(&place, None, &good, None) });
        assert!(matches!(result, Err(BaselineError::NotAcceptable { .. })), "{result:?}");
    }
    assert_eq!(store.tip(&place.reference).unwrap(), None);
}

#[test]
fn forty_racing_accepts_are_all_in_the_chain() {
    let repo = TestRepo::new();
    let commits: Vec<Vec<ObjectId>> = (0..2)
        .map(|racer| (0..20).map(|number| commit_suite(&repo, &format!("case-{racer}-{number}"))).collect())
        .collect();
    let race = |commits: &[ObjectId]| {
        let opened = repo.open();
        let store = GitStore::new(&opened);
        let place = place();
        for commit in commits {
            let report = evaluate(&opened, commit);
            loop {
                let tip = store.tip(&place.reference).unwrap();
                match baseline::accept(&store, acceptance(&place, tip.as_ref(), &report, None)).unwrap() {
                    Accepted::Written(_) => break,
                    Accepted::Moved => {}
                    Accepted::Already(link) => panic!("{} is another's", link.as_str()),
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for commits in &commits {
            scope.spawn(|| race(commits));
        }
    });
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let place = place();
    let mut evaluated = Vec::new();
    let mut next = store.tip(&place.reference).unwrap();
    while let Some(id) = next {
        let found = baseline::read_at(&store, &place, &id).unwrap();
        evaluated.push(found.evaluated().clone());
        next = found.link.parent;
    }
    let mut expected: Vec<ObjectId> = commits.concat();
    expected.sort_unstable();
    evaluated.sort_unstable();
    assert_eq!(evaluated, expected);
    let reflog = repo.git(&["reflog", "show", "--format=%h", &place.reference]);
    assert_eq!(reflog.lines().count(), 40);
}

#[test]
fn a_write_that_fails_leaves_the_baseline_as_it_was() {
    let repo = TestRepo::new();
    let commit = commit_suite(&repo, "a");
    let link = accept(&repo, &evaluate(&repo.open(), &commit));
    let second = commit_suite(&repo, "b");
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let report = evaluate(&opened, &second);
    let lock = repo.root().join(".git").join(format!("{}.lock", place().reference));
    std::fs::write(&lock, "").unwrap();
    let error = baseline::accept(&store, acceptance(&place(), Some(&link), &report, None)).unwrap_err();
    let told = Error::from(error);
    assert_eq!(told.kind, ErrorKind::Surroundings);
    assert!(told.message.contains(lock.to_str().unwrap()), "{}", told.message);
    assert_eq!(read(&repo).unwrap().unwrap().link.id, link);
    std::fs::remove_file(lock).unwrap();
    assert!(matches!(
        baseline::accept(&store, acceptance(&place(), Some(&link), &report, None)).unwrap(),
        Accepted::Written(_)
    ));
}

/// Rewrites the tip: its files changed by `change`, its message kept unless another is given.
fn forge(repo: &TestRepo, change: &[(&str, Option<&[u8]>)], message: Option<&str>) {
    let opened = repo.open();
    let store = GitStore::new(&opened);
    let reference = place().reference;
    let tip = store.tip(&reference).unwrap();
    let raw = store.link(tip.as_ref().unwrap()).unwrap().unwrap();
    let mut files: std::collections::BTreeMap<String, Vec<u8>> = raw
        .entries
        .iter()
        .map(|(name, entry)| (String::from_utf8(name.clone()).unwrap(), store.file(&entry.id).unwrap()))
        .collect();
    for (name, bytes) in change {
        match bytes {
            Some(bytes) => files.insert((*name).to_owned(), bytes.to_vec()),
            None => files.remove(*name),
        };
    }
    let link = baseline::NewLink {
        parent: None,
        author: raw.author,
        committer: raw.committer,
        message: message.map_or_else(|| String::from_utf8(raw.message).unwrap(), str::to_owned),
        files,
    };
    let id = store.write(&link).unwrap();
    assert_eq!(store.update(&reference, &id, tip.as_ref(), "forged").unwrap(), Written::Done);
}

fn accepted_repo() -> TestRepo {
    let repo = TestRepo::new();
    let commit = commit_suite(&repo, "a");
    accept(&repo, &evaluate(&repo.open(), &commit));
    repo
}

#[test]
fn a_newer_format_is_refused_before_anything_is_parsed() {
    for remove in [Some("format-1"), None] {
        let repo = accepted_repo();
        let mut change = vec![("format-2", Some(&b""[..])), ("report.json", Some(b"?"))];
        change.extend(remove.map(|file| (file, None)));
        forge(&repo, &change, Some("a message of the future"));
        let error = failure(&repo);
        assert!(
            matches!(&error, BaselineError::NewerFormat { format, .. } if format == "format-2"),
            "{error}"
        );
        assert!(error.to_string().contains("newer diag-gate"), "{error}");
    }
}

#[test]
fn a_commit_of_another_kind_is_foreign() {
    let repo = accepted_repo();
    forge(&repo, &[("format-1", None)], None);
    assert!(matches!(failure(&repo), BaselineError::Foreign { .. }));

    let repo = accepted_repo();
    repo.git(&["update-ref", &place().reference, "HEAD"]);
    assert!(matches!(failure(&repo), BaselineError::Foreign { .. }));

    let repo = accepted_repo();
    let blob = repo.git(&["hash-object", "-w", "eval/cases/a.json"]);
    repo.git(&["update-ref", &place().reference, &blob]);
    assert!(matches!(failure(&repo), BaselineError::Foreign { .. }));
}

#[test]
fn a_report_of_another_suite_under_the_ref_is_foreign() {
    let repo = TestRepo::new();
    repo.write("eval/diag-gate.toml", "name = \"other\"\n");
    let commit = commit_suite(&repo, "a");
    let opened = repo.open();
    let other = Prefix::new("refs/diag-gate").place(&name("other"), &name("main"));
    let report = evaluate(&opened, &commit);
    let whole = Acceptance { policy: b"name = \"other\"\n", ..acceptance(&other, None, &report, None) };
    baseline::accept(&GitStore::new(&opened), whole).unwrap();
    repo.git(&["update-ref", &place().reference, &other.reference]);
    let error = failure(&repo);
    assert!(error.to_string().contains("`other`"), "{error}");
    assert!(matches!(error, BaselineError::Foreign { .. }));
}

#[test]
fn a_damaged_baseline_says_what_is_damaged() {
    let conflict = b"<<<<<<< a\n=======\n>>>>>>> b\n";
    let changes: [(&str, Option<&[u8]>); 7] = [
        ("report.json", None),
        ("report.json", Some(b"{}")),
        ("report.json", Some(b"")),
        ("report.json", Some(conflict)),
        ("policy.toml", None),
        ("policy.toml", Some(b"[gate]\nunknown = 1\n")),
        ("format-1", Some(b"not empty")),
    ];
    for (file, bytes) in changes {
        let repo = accepted_repo();
        forge(&repo, &[(file, bytes)], None);
        let error = failure(&repo);
        assert!(matches!(&error, BaselineError::Damaged { what, .. } if what.contains(file)), "{error}");
        assert_eq!(Error::from(error).kind, ErrorKind::Input);
    }
}

#[test]
fn a_message_that_does_not_fit_its_report_is_damage() {
    let repo = accepted_repo();
    let message = repo.git(&["log", "-1", "--format=%B", &place().reference]);
    let head = repo.id("HEAD");
    let other_commit = message.replace(head.as_str(), &"1".repeat(40));
    let digest = message.lines().find_map(|line| line.strip_prefix("Diag-Gate-Suite-Digest: ")).unwrap();
    let other_digest = message.replace(digest, &"1".repeat(64));
    for (forged, word) in
        [(other_commit, "commit"), (other_digest, "content"), ("accept\n".to_owned(), "trailers")]
    {
        forge(&repo, &[], Some(&forged));
        let error = failure(&repo);
        assert!(matches!(&error, BaselineError::Damaged { what, .. } if what.contains(word)), "{error}");
    }
}

#[test]
fn a_chain_with_a_merge_is_damage() {
    let repo = accepted_repo();
    let tip = repo.id(&place().reference);
    let tree = format!("{}^{{tree}}", tip.as_str());
    let message = repo.git(&["log", "-1", "--format=%B", tip.as_str()]);
    let head = repo.id("HEAD");
    let merge =
        repo.git(&["commit-tree", &tree, "-p", tip.as_str(), "-p", head.as_str(), "-m", message.trim_end()]);
    repo.git(&["update-ref", &place().reference, &merge]);
    assert!(matches!(failure(&repo), BaselineError::Damaged { what, .. } if what.contains("parent")));
}

#[test]
fn a_ref_that_cannot_be_read_is_never_a_missing_baseline() {
    let spoil: [fn(&TestRepo, &std::path::Path); 4] = [
        |_, file| std::fs::write(file, "").unwrap(),
        |_, file| std::fs::write(file, "rubbish\n").unwrap(),
        |_, file| std::fs::write(file, format!("{}\n", "1".repeat(40))).unwrap(),
        |repo, _| drop(repo.git(&["symbolic-ref", &place().reference, "refs/heads/gone"])),
    ];
    for (number, spoil) in spoil.iter().enumerate() {
        let repo = accepted_repo();
        spoil(&repo, &repo.root().join(".git").join(place().reference));
        let error = failure(&repo);
        // The last one can be read, and is none of ours: the baseline is at fault, not the repository.
        let kind = if number == 3 { ErrorKind::Input } else { ErrorKind::Surroundings };
        assert_eq!(Error::from(error).kind, kind, "{number}");
        let opened = repo.open();
        let all = Prefix::new("refs/diag-gate").all_baselines(&GitStore::new(&opened));
        // The third stands, and names an object that is not there.
        assert_eq!(all.is_ok(), number == 2, "{number}: {all:?}");
    }
}

#[test]
fn a_lost_object_is_never_a_missing_baseline() {
    let repo = accepted_repo();
    for revision in [format!("{}:report.json", place().reference), place().reference] {
        let id = repo.id(&revision);
        let (folder, file) = id.as_str().split_at(2);
        std::fs::remove_file(repo.root().join(".git/objects").join(folder).join(file)).unwrap();
        let told = Error::from(failure(&repo));
        assert_eq!(told.kind, ErrorKind::Surroundings);
        assert!(told.message.contains(id.as_str()), "{}", told.message);
    }
}

#[test]
fn names_that_differ_only_in_letter_case_are_refused() {
    for other in ["refs/diag-gate/baselines/Default/x", "refs/diag-gate/baselines/default/MAIN"] {
        let repo = accepted_repo();
        repo.git(&["pack-refs", "--all"]);
        repo.git(&["update-ref", other, "HEAD"]);
        let error = failure(&repo);
        assert!(
            matches!(&error, BaselineError::LetterCase { other: found, .. } if found == other),
            "{error}"
        );
    }
}

#[test]
fn other_baselines_of_a_repository_are_found_loose_packed_and_fetched() {
    let repo = TestRepo::new();
    repo.commit("first");
    let expected = [
        "refs/diag-gate/baselines/a/main",
        "refs/diag-gate/baselines/b/release-1",
        "refs/diag-gate/remotes/origin/baselines/c/main",
    ];
    repo.git(&["update-ref", expected[0], "HEAD"]);
    repo.git(&["pack-refs", "--all"]);
    for other in
        ["refs/diag-gate/pending/a/main/0123", "refs/diag-gate/seen/a/main", "refs/diag-gate-x/baselines/q/q"]
    {
        repo.git(&["update-ref", other, "HEAD"]);
    }
    repo.git(&["update-ref", expected[1], "HEAD"]);
    repo.git(&["update-ref", expected[2], "HEAD"]);
    let opened = repo.open();
    let all = Prefix::new("refs/diag-gate").all_baselines(&GitStore::new(&opened)).unwrap();
    assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected);
    let none = Prefix::new("refs/heads/quality").all_baselines(&GitStore::new(&opened)).unwrap();
    assert_eq!(none, []);
}

fn selected(repository: &Repository, commit: &ObjectId) -> (ObjectId, Rule) {
    let place = place();
    let store = GitStore::new(repository);
    let tip = store.tip(&place.reference).unwrap().unwrap();
    let report = evaluate(repository, commit);
    let digest = report.origin.unwrap().suite_digest;
    let revision = Revision { commit: Some(commit), suite_digest: &digest };
    let selection = baseline::select(&store.history(&place), &tip, revision).unwrap();
    (selection.link.id, selection.rule)
}

#[test]
fn the_baseline_of_a_revision_is_chosen_by_its_history_and_content() {
    let repo = TestRepo::new();
    let old = commit_suite(&repo, "old");
    let first = accept(&repo, &evaluate(&repo.open(), &old));
    repo.git(&["switch", "-q", "-c", "side"]);
    let side = commit_suite(&repo, "side");
    repo.git(&["switch", "-q", "main"]);
    let new = commit_suite(&repo, "new");
    let second = accept(&repo, &evaluate(&repo.open(), &new));
    let opened = repo.open();
    assert_eq!(selected(&opened, &new), (second.clone(), Rule::Ancestor));
    assert_eq!(selected(&opened, &old), (first.clone(), Rule::Ancestor));
    assert_eq!(selected(&opened, &side), (first, Rule::Ancestor));

    // Squashed: the same content on a commit that knows nothing of the other.
    repo.git(&["switch", "-q", "--orphan", "squashed"]);
    let squashed = commit_suite(&repo, "new");
    assert_eq!(selected(&repo.open(), &squashed), (second.clone(), Rule::Content));
    let unlike = commit_suite(&repo, "unlike");
    assert_eq!(selected(&repo.open(), &unlike), (second, Rule::Tip(WhyTip::NoneFits)));
}

#[test]
fn where_history_is_cut_off_the_tip_is_chosen() {
    let repo = TestRepo::new();
    let old = commit_suite(&repo, "old");
    accept(&repo, &evaluate(&repo.open(), &old));
    let mid = commit_suite(&repo, "mid");
    let tip = accept(&repo, &evaluate(&repo.open(), &mid));
    commit_suite(&repo, "new");
    let clone = repo.base().join("clone");
    let url = format!("file://{}", repo.root().display());
    repo.git(&["clone", "-q", "--depth", "1", &url, clone.to_str().unwrap()]);
    let refspec = format!("{0}:{0}", place().reference);
    repo.git_in(&clone, &["fetch", "-q", "--depth", "1", "origin", &refspec]);
    let shallow = repo.open_at(&clone);
    let head = shallow.head_commit().unwrap().unwrap();
    assert!(baseline::read(&GitStore::new(&shallow), &place()).unwrap().is_some());
    assert_eq!(selected(&shallow, &head), (tip.clone(), Rule::Tip(WhyTip::Shallow)));

    // A whole clone into which the evaluated commit was never fetched.
    let bare = repo.base().join("bare");
    repo.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    repo.git(&["switch", "-q", "--orphan", "apart"]);
    let apart = commit_suite(&repo, "apart");
    repo.git(&["push", "-q", bare.to_str().unwrap(), "apart", &refspec]);
    let opened = repo.open_at(&bare);
    assert_eq!(selected(&opened, &apart), (tip, Rule::Tip(WhyTip::Absent(mid))));
}

#[test]
fn baselines_are_shared_by_all_work_trees() {
    let repo = accepted_repo();
    let linked = repo.base().join("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let opened = repo.open_at(&linked);
    let store = GitStore::new(&opened);
    let place = place();
    let tip = store.tip(&place.reference).unwrap().unwrap();
    assert_eq!(tip, repo.id(&place.reference));
    std::fs::create_dir_all(linked.join("eval/cases")).unwrap();
    let head = opened.head_commit().unwrap().unwrap();
    let report = evaluate(&opened, &head);
    let whole = Acceptance { policy: b"# new\n", ..acceptance(&place, Some(&tip), &report, None) };
    let Accepted::Written(link) = baseline::accept(&store, whole).unwrap() else { panic!("nothing written") };
    assert_eq!(repo.id(&place.reference), link);
}
