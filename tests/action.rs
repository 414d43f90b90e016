//! The action: what `action.yml` passes on, and `action/run.sh` as a runner starts it, against a release on the
//! loopback. Nothing here needs a network.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

const TOKEN: &str = "ghs_a-token-that-must-not-be-seen";
/// Everything that a workflow may give, as the specification lists it.
const INPUTS: [&str; 17] = [
    "version",
    "binary",
    "checksum",
    "working-directory",
    "suite",
    "baseline",
    "comment",
    "comment-key",
    "annotations",
    "summary",
    "check-run",
    "promote",
    "advisory",
    "allow-missing-baseline",
    "accept-own",
    "accept-forks",
    "token",
];
const OUTPUTS: [&str; 11] = [
    "verdict",
    "exit-code",
    "regressions",
    "improvements",
    "changes",
    "blocking",
    "report-path",
    "diff-path",
    "comment-id",
    "comment-url",
    "comment-status",
];

/// A copy of the action with its own checksums, and a runner's folder for it.
struct Job {
    folder: TempDir,
    variables: BTreeMap<&'static str, String>,
}

/// What came of it.
struct Ended {
    status: i32,
    log: String,
    outputs: BTreeMap<String, String>,
    /// How the program was started: its words, its inputs and its token; empty where it never was.
    started: String,
}

impl Job {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("an action ").tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("code/action")).unwrap();
        fs::create_dir_all(at("temp")).unwrap();
        fs::create_dir_all(at("work")).unwrap();
        for file in ["action/run.sh", "action/checksums.txt", "Cargo.toml"] {
            fs::copy(root().join(file), at("code").join(file)).unwrap();
        }
        let variables = BTreeMap::from([
            ("PATH", std::env::var("PATH").unwrap()),
            ("RUNNER_OS", "Linux".to_owned()),
            ("RUNNER_ARCH", "X64".to_owned()),
            ("RUNNER_TEMP", at("temp").display().to_string()),
            ("GITHUB_OUTPUT", at("outputs").display().to_string()),
            ("GITHUB_TOKEN", TOKEN.to_owned()),
            ("STARTED", at("started").display().to_string()),
            ("NO_PROXY", "*".to_owned()),
        ]);
        Self { folder, variables }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.insert(name, value.into());
        self
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn pins(self, sum: &str, archive: &str) -> Self {
        fs::write(self.at("code/action/checksums.txt"), format!("# Sums.\n{sum}  {archive}\n")).unwrap();
        self
    }

    /// A program at `name` in the workspace, which tells how it was started and ends with a status.
    fn has_program(self, name: &str, status: i32) -> Self {
        let path = self.at("work").join(name);
        fs::write(&path, program(status)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn run(&self, words: &[&str]) -> Ended {
        let script = self.at("code/action/run.sh");
        let output = Command::new("bash")
            .arg(script)
            .args(words)
            .env_clear()
            .envs(&self.variables)
            .current_dir(self.at("work"))
            .output()
            .unwrap();
        let read = |name: &str| fs::read_to_string(self.at(name)).unwrap_or_default();
        let outputs = read("outputs");
        let pairs = outputs.lines().map(|line| line.split_once('=').unwrap());
        Ended {
            status: output.status.code().unwrap(),
            log: [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat(),
            outputs: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            started: read("started"),
        }
    }
}

impl Ended {
    #[track_caller]
    fn is(&self, status: i32) -> &Self {
        assert_eq!(self.status, status, "{}", self.log);
        assert!(!self.log.contains(TOKEN), "{}", self.log);
        self
    }

    /// It ended before anything was run, and the outputs say that nothing was judged.
    #[track_caller]
    fn is_refused(&self, status: i32, because: &str) {
        self.is(status);
        assert_eq!(self.started, "", "it was run");
        assert!(self.log.contains("::error title=diag-gate::could not judge: "), "{}", self.log);
        assert!(self.log.contains(because), "{}", self.log);
        let status = status.to_string();
        let told = [("verdict", "error"), ("exit-code", &status), ("comment-status", "failed")];
        for (name, value) in told {
            assert_eq!(self.outputs.get(name).map(String::as_str), Some(value), "{name}");
        }
    }
}

/// A release on the loopback: one archive, and all paths that were asked for.
struct Release {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Release {
    fn new(archive: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(&stream.unwrap(), &archive, &seen);
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: &TcpStream, archive: &[u8], seen: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    assert!(!head.concat().contains(TOKEN), "the token was sent");
    let path = head[0].split(' ').nth(1).unwrap().to_owned();
    let is_there = path.ends_with(&format!("/{ARCHIVE}"));
    seen.lock().unwrap().push(path);
    let (status, body) = if is_there { ("200 OK", archive) } else { ("404 Not Found", &b""[..]) };
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n").unwrap();
    stream.write_all(body).unwrap();
}

const VERSION: &str = "1.2.3";
const NAME: &str = "diag-gate-1.2.3-x86_64-unknown-linux-musl";
const ARCHIVE: &str = "diag-gate-1.2.3-x86_64-unknown-linux-musl.tar.gz";

#[test]
fn a_good_release_is_installed_and_judges_once() {
    let archive = archive(NAME, 1);
    let release = Release::new(archive.clone());
    let job = Job::new().with("INPUT_VERSION", VERSION).with("DIAG_GATE_RELEASE_URL", &release.url);
    let ended = job.pins(&sum(&archive), ARCHIVE).run(&[]);
    ended.is(1);
    assert_eq!(release.asked(), [format!("/v1.2.3/{ARCHIVE}")]);
    assert_eq!(ended.started, format!("words: ci\ntoken: {TOKEN}\n"));
}

#[test]
fn the_steps_of_the_action_are_the_same_in_two_parts() {
    let archive = archive(NAME, 3);
    let release = Release::new(archive.clone());
    let job = Job::new()
        .with("INPUT_VERSION", VERSION)
        .with("INPUT_CHECKSUM", sum(&archive).to_uppercase())
        .with("DIAG_GATE_RELEASE_URL", &release.url);
    let ended = job.run(&["install"]);
    ended.is(0);
    assert_eq!(ended.started, "", "installing judges nothing");
    let program = ended.outputs["program"].clone();
    let ended = job.with("DIAG_GATE_PROGRAM", program).run(&["gate"]);
    ended.is(3);
    assert_eq!(ended.started, format!("words: ci\ntoken: {TOKEN}\n"));
}

#[test]
fn one_byte_more_is_refused() {
    let archive = archive(NAME, 0);
    let pinned = sum(&archive);
    let release = Release::new([archive, vec![0]].concat());
    let job = Job::new().with("INPUT_VERSION", VERSION).with("DIAG_GATE_RELEASE_URL", &release.url);
    job.pins(&pinned, ARCHIVE).run(&[]).is_refused(2, "the checksum of");
}

#[test]
fn what_is_no_version_is_refused() {
    for version in ["1.2.3;id", "v1.2.3", "1.2", "latest", "1.2.3-rc.1", "1.2.3/../1.2.4", "-h", "1.2.3\n::x"]
    {
        let job = Job::new().with("INPUT_VERSION", version).with("INPUT_CHECKSUM", "a".repeat(64));
        let ended = job.run(&[]);
        ended.is_refused(2, "is no version X.Y.Z");
        assert!(!ended.log.contains("\n::x"), "{}", ended.log);
    }
}

#[test]
fn a_version_whose_checksum_nobody_knows_is_refused() {
    let release = Release::new(archive(NAME, 0));
    let job = Job::new().with("INPUT_VERSION", VERSION).with("DIAG_GATE_RELEASE_URL", &release.url);
    job.run(&[]).is_refused(2, "by the input `checksum`, or a program by the input `binary`");
    assert!(release.asked().is_empty(), "it was fetched: {:?}", release.asked());
    job.with("INPUT_CHECKSUM", "abc").run(&[]).is_refused(2, "is no SHA-256");
    // The sum of another target or version is not taken for it.
    for other in [
        "diag-gate-1.2.3-aarch64-unknown-linux-musl.tar.gz",
        "diag-gate-11.2.3-x86_64-unknown-linux-musl.tar.gz",
    ] {
        let job = Job::new().with("INPUT_VERSION", VERSION).pins(&"a".repeat(64), other);
        job.run(&[]).is_refused(2, "no checksum of");
    }
}

#[test]
fn a_version_that_is_not_given_is_that_of_the_action() {
    Job::new().run(&[]).is_refused(2, concat!("diag-gate-", env!("CARGO_PKG_VERSION"), "-x86_64"));
}

#[test]
fn without_a_network_the_surroundings_are_at_fault() {
    let release = Release::new(Vec::new());
    let job = Job::new().with("INPUT_VERSION", "1.2.4").with("INPUT_CHECKSUM", "a".repeat(64));
    job.with("DIAG_GATE_RELEASE_URL", &release.url).run(&[]).is_refused(3, "cannot be fetched");
}

#[test]
fn every_runner_has_its_archive_and_others_are_told() {
    for (system, machine, triple) in [
        ("Linux", "X64", "x86_64-unknown-linux-musl"),
        ("Linux", "ARM64", "aarch64-unknown-linux-musl"),
        ("macOS", "X64", "x86_64-apple-darwin"),
        ("macOS", "ARM64", "aarch64-apple-darwin"),
        ("Windows", "X64", "x86_64-pc-windows-msvc"),
    ] {
        let job = Job::new().with("RUNNER_OS", system).with("RUNNER_ARCH", machine);
        let archive = format!("diag-gate-1.2.3-{triple}.tar.gz");
        job.with("INPUT_VERSION", VERSION).run(&[]).is_refused(2, &archive);
        let release = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
        assert!(release.contains(triple), "no release is built for {triple}");
    }
    let job = Job::new().with("RUNNER_OS", "Linux").with("RUNNER_ARCH", "ARM");
    job.run(&[]).is_refused(2, "there is no release for Linux/ARM");
}

#[test]
fn only_the_loopback_can_stand_in_for_the_public_host() {
    let text = fs::read_to_string(root().join("action/run.sh")).unwrap();
    let functions = text.split("\ncase ").next().unwrap();
    for (given, is_heard) in [
        ("http://127.0.0.1:8080/x", true),
        ("http://localhost:1", true),
        ("http://127.0.0.1.example.org/", false),
        ("http://127.0.0.1:80@example.org/", false),
        ("http://localhost.example.org", false),
        ("https://example.org", false),
        ("http://example.org", false),
        ("file:///etc", false),
        ("", false),
    ] {
        let script = functions.replace("here=$(", "here=. #$(") + "\nbase_url";
        let output = Command::new("bash").args(["-c", &script]).env("DIAG_GATE_RELEASE_URL", given).output();
        let heard = String::from_utf8(output.unwrap().stdout).unwrap();
        let public = heard.starts_with("https://github.com/") && heard.ends_with("/releases/download");
        assert_eq!((heard == given, public), (is_heard, !is_heard), "{given}: {heard}");
    }
}

#[test]
fn a_program_that_is_there_is_used_as_it_is() {
    for status in 0..=3 {
        let job = Job::new().has_program("-a program", status).with("INPUT_BINARY", "-a program");
        let ended = job.with("INPUT_VERSION", "nonsense").run(&[]);
        ended.is(status);
        assert_eq!(ended.started, format!("words: ci\ntoken: {TOKEN}\n"));
        assert!(!ended.outputs.contains_key("verdict"), "its outputs are its own");
    }
    for (status, told) in [(4, "diag-gate ended with 4"), (101, "diag-gate ended with 101")] {
        let ended = Job::new().has_program("it", status).with("INPUT_BINARY", "./it").run(&[]);
        ended.is(3);
        assert!(ended.log.contains(told), "{}", ended.log);
        assert_eq!(ended.outputs["verdict"], "error");
    }
    for missing in ["nothing", "/", ".", "bash"] {
        Job::new().with("INPUT_BINARY", missing).run(&[]).is_refused(2, "names no program");
    }
}

#[test]
fn what_lies_about_on_the_machine_has_no_say() {
    let archive = archive(NAME, 0);
    let release = Release::new(archive.clone());
    let job = Job::new().with("INPUT_VERSION", VERSION).with("DIAG_GATE_RELEASE_URL", &release.url);
    fs::write(job.at("work/.curlrc"), "proxy = http://127.0.0.1:1\n").unwrap();
    let home = job.at("work").display().to_string();
    let job = job.with("HOME", home).with("ENV", "/nonexistent").with("CDPATH", "/");
    job.pins(&sum(&archive), ARCHIVE).run(&[]).is(0);
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    assert_eq!(text.matches("\n        BASH_ENV: \"\"\n").count(), 2, "each step starts a shell");
}

#[test]
fn every_input_and_output_of_the_contract_is_mapped() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    assert_eq!(keys(&text, "inputs"), INPUTS);
    assert_eq!(keys(&text, "outputs"), OUTPUTS);
    for input in INPUTS {
        let variable = match input {
            "token" => "GITHUB_TOKEN".to_owned(),
            named => format!("INPUT_{}", named.to_uppercase().replace('-', "_")),
        };
        let line = format!("\n        {variable}: ${{{{ inputs.{input} }}}}\n");
        assert_eq!(text.matches(&line).count(), 1, "{line}");
    }
    for output in OUTPUTS {
        assert!(text.contains(&format!("    value: ${{{{ steps.gate.outputs.{output} ")), "{output}");
    }
}

#[test]
fn the_token_stands_in_the_step_that_judges_alone() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let (_, steps) = text.split_once("\n  steps:\n").unwrap();
    let steps: Vec<&str> = steps.split("\n    - ").collect();
    assert_eq!(steps.len(), 2);
    assert!(!steps[0].contains("inputs.token") && steps[1].contains("inputs.token"));
    for step in steps {
        let run = step.lines().find(|line| line.trim_start().starts_with("run:")).unwrap();
        assert!(!run.contains("${{"), "an expression in a shell: {run}");
    }
}

#[test]
fn the_version_of_the_action_is_that_of_the_package() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let version = concat!("\n    default: ", env!("CARGO_PKG_VERSION"), "\n");
    assert!(text.split("\n  binary:").next().unwrap().ends_with(version.trim_end()), "not {version}");
}

/// The names right below a key of the first level.
fn keys<'t>(text: &'t str, of: &str) -> Vec<&'t str> {
    let (_, below) = text.split_once(&format!("\n{of}:\n")).unwrap();
    let lines = below.lines().take_while(|line| line.is_empty() || line.starts_with(' '));
    lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.trim().trim_end_matches(':'))
        .collect()
}

/// A program that tells how it was started.
fn program(status: i32) -> String {
    format!(
        "#!/bin/sh\nprintf 'words: %s\\ntoken: %s\\n' \"$*\" \"$GITHUB_TOKEN\" >>\"$STARTED\"\nexit {status}\n"
    )
}

/// A release as it is packed, with such a program in it.
fn archive(name: &str, status: i32) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let path: &Path = folder.path();
    fs::create_dir(path.join(name)).unwrap();
    fs::write(path.join(name).join("diag-gate"), program(status)).unwrap();
    let packed = Command::new("tar").args(["-czf", "-", name]).current_dir(path).output().unwrap();
    assert!(packed.status.success());
    packed.stdout
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
