//! `accept`: what becomes the baseline, and what does not without being asked for.

use std::fs;

use crate::support::TestRepo;
use crate::support::program::shell_words;

const MAIN: &str = "refs/diag-gate/baselines/default/main";

/// Asserts a refusal that writes nothing; gives the command that it suggests.
#[track_caller]
fn refused(repo: &TestRepo, arguments: &[&str], word: &str) -> Vec<String> {
    let before = repo.state();
    let told = repo.gate(arguments).ends(2).says(&[word, "nothing was accepted"]);
    assert_eq!(repo.state(), before);
    shell_words(told.suggested().last().unwrap()).split_off(1)
}

fn length(repo: &TestRepo) -> usize {
    repo.git(&["rev-list", "--count", MAIN]).parse().unwrap()
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let repo = TestRepo::with_cases(&["a", "b", "c"]);
    fs::remove_file(repo.root().join("eval/fixtures/b.json")).unwrap();
    repo.commit("Lose a trace");
    let again = refused(
        &repo,
        &["accept", "--yes", "--baseline", "x", "--rev", "HEAD"],
        "1 case could not be judged",
    );
    let again: Vec<&str> = again.iter().map(String::as_str).collect();
    assert!(again.contains(&"--baseline=x") && again.contains(&"--yes"), "{again:?}");
    repo.gate(&again).ends(0).says(&["Accepted default/x"]);
    for other in ["--allow-shrunk", "--allow-none-passing"] {
        refused(&repo, &["accept", "--yes", other], "could not be judged");
    }
}

#[test]
fn a_suite_that_shrank_is_refused() {
    let repo = TestRepo::with_cases(&["a", "b", "c", "d", "e"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_cases(&["a", "b", "c", "d"]);
    repo.commit("Exactly a fifth less");
    refused(&repo, &["accept", "--yes"], "takes a reason");
    repo.write_cases(&["a", "b", "c"]);
    repo.commit("Two fifths less");
    for other in ["--allow-unjudged", "--allow-none-passing"] {
        refused(&repo, &["accept", "--yes", "-m", "x", other], "shrank from 5 to 3 cases");
    }
    let again = refused(&repo, &["accept", "--yes", "-m", "it's; $HOME"], "shrank");
    repo.gate(&again.iter().map(String::as_str).collect::<Vec<_>>()).ends(0);
    assert!(repo.git(&["log", "-1", "--format=%b", MAIN]).starts_with("it's; $HOME\n"));
}

#[test]
fn a_first_baseline_in_which_nothing_passes_is_refused() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.write_answer("a", "不明");
    repo.commit("Nothing passes");
    refused(&repo, &["accept", "--yes", "--allow-unjudged", "--allow-shrunk"], "nothing passes");
    let again = refused(&repo, &["accept", "--yes"], "nothing passes");
    repo.gate(&again.iter().map(String::as_str).collect::<Vec<_>>()).ends(0);
}

#[test]
fn what_blocks_is_accepted_with_a_reason_alone() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("b", "不明");
    repo.commit("A change to the agent");
    for reason in [&[][..], &["-m", ""], &["-m", " \u{200b}\n"]] {
        refused(&repo, &[&["accept", "--yes"][..], reason].concat(), "takes a reason");
    }
    let reason = "换了模型\n\nDiag-Gate-Commit: 0000000000000000000000000000000000000000\nSigned-off-by: x";
    let told = repo.gate(&["accept", "--yes", "--reason", reason]).ends(0);
    insta::assert_snapshot!(told.page(), @r#"
    status: 0
    --- stdout
    BLOCKED 2 entries block, 1 warning: 1 of 2 passed (50 %), 2 of 2 before
    baseline default/main [ID], accepted just now by Ann Author, of commit
    [ID] (the newest, which this one would follow)

    Blocking (2 entries)
      pass-rate-fell  whole suite
        fewer of the cases on both sides pass: 2 of 2 before, 1 of 2 now
      case-regressed  b
        passed before, fails now: root-cause-keywords (磁盘满) [the agent changed]
        root-cause-keywords: the answer holds 0 of 1 expected keywords, at least 1
        are asked; not found: "磁盘满"

    Warnings (1 entry)
      keywords-lost  b
        an expected keyword matched before and does not now (1 of 1 before, 0 now):
        磁盘满 [the agent changed]

    passed         before          now
    all cases      2 of 2 (100 %)  1 of 2 (50 %)
    on both sides  2 of 2 (100 %)  1 of 2 (50 %)

    Accepted default/main [ID]: 1/2 passed (50 %).
    --- stderr
    "#);
    repo.gate(&["check"]).ends(0);
    let show = repo.gate(&["show"]).ends(0).says(&["换了模型", "case-regressed b", "pass-rate-fell"]);
    assert!(show.stdout.contains(repo.id("HEAD").as_str()), "{}", show.stdout);
    let ledger = repo.git(&["log", "--format=%an, %cn: %s%n%b", MAIN]);
    insta::assert_snapshot!(repo.scrubbed(&ledger), @r#"
    Ann Author, Cem Committer: accept default/main: 1/2 passed (50 %)
    换了模型

    Diag-Gate-Commit: [ID]
    Signed-off-by: x

    Diag-Gate-Commit: [ID]
    Diag-Gate-Suite-Digest: [ID]
    Diag-Gate-Accepted: pass-rate-fell
    Diag-Gate-Accepted: case-regressed b
    Diag-Gate-Tool: [VERSION]

    Ann Author, Cem Committer: accept default/main: 2/2 passed (100 %)
    Diag-Gate-Commit: [ID]
    Diag-Gate-Suite-Digest: [ID]
    Diag-Gate-Tool: [VERSION]
    "#);
}

#[test]
fn where_nobody_can_be_asked_nothing_is_accepted_without_a_yes() {
    let repo = TestRepo::with_cases(&["a"]);
    let again = refused(&repo, &["accept"], "nobody can be asked");
    repo.gate(&again.iter().map(String::as_str).collect::<Vec<_>>()).ends(0);
    let before = repo.state();
    repo.gate_with(&[("DIAG_GATE_YES", "1".as_ref()), ("CI", "true".as_ref())], &["accept"]).ends(2);
    assert_eq!(repo.state(), before);
}

#[test]
fn a_dry_run_and_a_second_acceptance_write_nothing() {
    let repo = TestRepo::with_cases(&["a"]);
    let before = repo.state();
    repo.gate(&["accept", "--dry-run"]).ends(0).says(&["dry run"]);
    repo.gate(&["accept", "--dry-run", "--yes"]).ends(0);
    assert_eq!(repo.state(), before);
    repo.gate(&["accept", "--yes"]).ends(0);
    let accepted = repo.state();
    repo.gate(&["accept", "--yes"]).ends(0).says(&["holds this already"]);
    assert_eq!(repo.state(), accepted);
    let reflog = repo.git(&["reflog", "show", MAIN]);
    assert_eq!(reflog.lines().count(), 1, "{reflog}");
    assert!(reflog.contains("accept default/main: 1/1 passed (100 %)"), "{reflog}");
    let files = repo.git(&["ls-tree", "--name-only", MAIN]);
    assert_eq!(files.lines().collect::<Vec<_>>(), ["format-1", "policy.toml", "report.json"]);
    assert_eq!(
        repo.git(&["cat-file", "-p", &format!("{MAIN}:report.json")]) + "\n",
        repo.gate(&["run", "--format", "json"]).stdout
    );
}

#[test]
fn the_working_tree_changes_nothing_about_what_is_accepted() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.write("eval/cases/all.json", "broken");
    repo.gate(&["accept", "--yes"]).ends(0).says(&["1/1 passed"]);
    repo.gate(&["accept", "--yes", "--config", "eval/diag-gate.toml"]).ends(2).shows_nothing();
}

#[test]
fn racing_acceptances_make_one_chain() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.write("eval/diag-gate.toml", "# another policy\n");
    repo.commit("Another content");
    for _ in 0..20 {
        let racers = ["HEAD", "HEAD~1"].map(|revision| {
            let mut racer = repo.command(&["accept", "--yes", "--rev", revision]);
            racer.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        });
        for racer in racers {
            repo.told(racer.wait_with_output().unwrap()).ends(0);
        }
    }
    let parents = repo.git(&["log", "--format=%p", MAIN]);
    assert!(parents.lines().all(|line| line.split(' ').count() == 1), "{parents}");
    let written = repo.git(&["reflog", "show", MAIN]).lines().count();
    assert_eq!(length(&repo), written);
    assert!(written >= 2, "{written}");
    repo.gate(&["check"]).ends(0);
}

#[test]
fn who_acts_must_be_known() {
    let repo = TestRepo::with_cases(&["a"]);
    let before = repo.state();
    let mut command = repo.command(&["accept", "--yes"]);
    for role in ["AUTHOR", "COMMITTER"] {
        command.env_remove(format!("GIT_{role}_NAME")).env_remove(format!("GIT_{role}_EMAIL"));
    }
    repo.git(&["config", "user.useConfigOnly", "true"]);
    repo.told(command.output().unwrap())
        .ends(3)
        .says(&["git does not know who you are", "git config user.name"]);
    assert_eq!(
        repo.git(&["for-each-ref"]).lines().count(),
        before.lines().filter(|line| line.contains("refs/")).count()
    );
}
