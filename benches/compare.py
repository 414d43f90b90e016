#!/usr/bin/env python3
"""Measures the program as a whole beside the nearest peer or floor, in the same run, and prints ratios.

    cargo build --release --bin diag-gate --example generate --example generate_history
    python3 benches/compare.py [--rows ROW,...] [--folder DIR]

Each figure is the median of some runs, taken turn about with what it is compared with. Seconds of processor time
(`cpu`) drift less than wall time. Nothing here is a test: a figure that is missed is printed, not refused.
Inputs are made by benches/generate.rs and benches/generate_history.rs, once, in DIR (target/bench unless said otherwise); remove
them where a generator or the rules have changed.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = TARGET / "release/diag-gate"
CORES = len(os.sched_getaffinity(0))
GENERATE = TARGET / "release/examples/generate"
# No settings of the machine's own, and somebody who acts.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@example.org",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@example.org",
    "LC_ALL": "C",
}


def measured(command, folder, feed=None):
    """Runs a command, its output thrown away; gives wall and processor seconds."""
    with open(os.devnull, "wb") as nowhere:
        before = time.perf_counter()
        child = subprocess.Popen(
            [str(word) for word in command], cwd=folder, env=ENVIRONMENT, stdout=nowhere, stderr=nowhere,
            stdin=open(feed, "rb") if feed else subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - before
    child.returncode = came_to_its_end(command, os.waitstatus_to_exitcode(status))
    return wall, usage.ru_utime + usage.ru_stime


def came_to_its_end(command, status):
    """A command that fails at once is no fast one; ours ends with 1 where a case fails."""
    if status not in ((0, 1) if command[0] == PROGRAM else (0,)):
        sys.exit(f"{' '.join(map(str, command))} ended with {status}: nothing can be measured so")
    return status


def printed(command, folder):
    """What a command writes to standard output."""
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE)
    came_to_its_end(command, done.returncode)
    return done.stdout


def at_once(commands, folder):
    """Runs commands beside each other; gives wall seconds, and processor seconds of all."""
    results = [None] * len(commands)

    def one(place, command, feed):
        results[place] = measured(command, folder, feed)

    before = time.perf_counter()
    threads = [threading.Thread(target=one, args=(place, *command)) for place, command in enumerate(commands)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - before, sum(cpu for _, cpu in results)


def turn_about(runs, **ways):
    """Runs each way in turn, some times; gives the median wall and processor seconds of each."""
    taken = {name: [] for name in ways}
    for _ in range(runs):
        for name, way in ways.items():
            taken[name].append(way())
    middle = lambda figures: tuple(statistics.median(figure[at] for figure in figures) for at in (0, 1))
    return {name: middle(figures) for name, figures in taken.items()}


def told(row, ours, floor, limit, what):
    print(f"{row:<44} {ours:>10.4f} {floor:>10.4f} {ours / floor:>7.2f}  limit {limit:<5} {what}", flush=True)


def git(folder, *words, feed=None):
    done = subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, input=feed, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def suite(base, cases, size):
    """A repository with an accepted baseline, made once."""
    folder = base / f"suite-{cases}-{size}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run([GENERATE, part, str(cases), str(size)], env=ENVIRONMENT, check=True)
        subprocess.run([PROGRAM, "accept", "--yes"], cwd=part, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
        part.rename(folder)
    return folder


def lists(lines, scratch):
    """Files with a line each, one file a core, of about equal length."""
    files = []
    for core in range(CORES):
        files.append(Path(scratch) / f"{core}.list")
        files[-1].write_text("".join(line + "\n" for line in lines[core::CORES]))
    return files


def own_memory(command, folder):
    """The most memory of its own pages, in MB, that a command was seen to hold, looked at each millisecond."""
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen([str(word) for word in command], cwd=folder, env=ENVIRONMENT, stdout=nowhere, stderr=nowhere)
        most = 0
        while child.poll() is None:
            try:
                status = Path(f"/proc/{child.pid}/status").read_text()
            except OSError:
                break
            found = re.search(r"RssAnon:\s+(\d+) kB", status)
            most = max(most, int(found.group(1)) if found else 0)
            time.sleep(0.001)
    came_to_its_end(command, child.wait())
    return most * 1024 / 1e6


def start_up(base):
    folder = suite(base, 10, 20000)
    figures = turn_about(
        40,
        version=lambda: measured([PROGRAM, "--version"], folder),
        check=lambda: measured([PROGRAM, "check"], folder),
        git=lambda: measured(["git", "rev-parse", "HEAD"], folder),
    )
    told("start-up: --version", figures["version"][0], figures["git"][0], 3, "git rev-parse HEAD, wall")
    told("start-up: check, 10 cases", figures["check"][0], figures["git"][0], 6, "git rev-parse HEAD, wall")


def head(base):
    folder = suite(base, 10000, 20000)
    ids = [line.split()[2] for line in git(folder, "ls-tree", "-r", "HEAD", "eval/fixtures").splitlines()]
    with tempfile.TemporaryDirectory() as scratch:
        cat = [(["git", "cat-file", "--batch", "--buffer"], part) for part in lists(ids, scratch)]
        figures = turn_about(
            7,
            run=lambda: measured([PROGRAM, "run", "--format", "json"], folder),
            cat=lambda: at_once(cat, folder),
        )
    told("run at HEAD, 10,000 of 20 KB: wall", figures["run"][0], figures["cat"][0], 1.3, "git cat-file --batch, one a core")
    told("run at HEAD, 10,000 of 20 KB: cpu", figures["run"][1], figures["cat"][1], 1.3, "the same")


def memory(base):
    for cases, size in [(1000, 20000), (10000, 20000), (100000, 2000)]:
        folder = suite(base, cases, size)
        report = len(printed([PROGRAM, "run", "--format", "json"], folder)) / 1e6
        own = statistics.median(own_memory([PROGRAM, "run", "--format", "json"], folder) for _ in range(3))
        print(f"{f'memory of run, {cases} of {size}':<44} {own:>10.1f} MB own pages, report {report:.1f} MB, limit 150 MB beside it")


def files(folder):
    """The case files and the traces."""
    return sorted(str(path) for path in (folder / "eval").rglob("*.json"))


def forget(paths):
    """Takes files out of the page cache."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def worktree(base):
    folder = suite(base, 10000, 20000)
    with tempfile.TemporaryDirectory() as scratch:
        worktree_of(folder, lists(files(folder), scratch))


def worktree_of(folder, parts):
    hashing = [(["git", "hash-object", "--stdin-paths"], part) for part in parts]
    ours = [PROGRAM, "run", "--worktree", "--format", "json"]
    figures = turn_about(7, run=lambda: measured(ours, folder), hash=lambda: at_once(hashing, folder))
    told("run --worktree, full page cache: wall", figures["run"][0], figures["hash"][0], 1.5, "git hash-object, one a core")
    told("run --worktree, full page cache: cpu", figures["run"][1], figures["hash"][1], 1.5, "the same")
    reading = [(["xargs", "cat"], part) for part in parts]

    def cold(way):
        forget(files(folder))
        return way()

    figures = turn_about(
        5,
        run=lambda: cold(lambda: measured(ours, folder)),
        read=lambda: cold(lambda: at_once(reading, folder)),
    )
    told("run --worktree, empty page cache: wall", figures["run"][0], figures["read"][0], 1.5, "xargs cat over the files, one a core")


def change(base):
    """A clone in which 10 traces of 10,000 are others."""
    whole = suite(base, 10000, 20000)
    folder = base / "suite-10000-20000-changed"
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(whole, part, symlinks=True)
        for path in files(part)[100:10100:1000]:
            if "/fixtures/" in path:
                text = Path(path).read_text()
                Path(path).write_text(text.replace("证据", "线索", 1))
        git(part, "commit", "--quiet", "--all", "-m", "Ten others")
        git(part, "repack", "-adq")
        part.rename(folder)
    same = lambda *more: measured([PROGRAM, "check", "--rev", "HEAD~1", "--format", "json", *more], folder)
    changed = lambda *more: measured([PROGRAM, "check", "--format", "json", *more], folder)
    figures = turn_about(
        9,
        same=lambda: same(),
        changed=lambda: changed(),
        whole=lambda: changed("--no-reuse"),
        cases=lambda: measured([PROGRAM, "lint"], folder),
        baseline=lambda: measured([PROGRAM, "show"], folder),
    )
    added = figures["changed"][1] - figures["same"][1]
    whole_added = figures["whole"][1] - figures["same"][1]
    told("check, 10 of 10,000 changed: what it adds, cpu", added, whole_added, 0.1, "what --no-reuse adds")
    floor = [figures["cases"][at] + figures["baseline"][at] for at in (0, 1)]
    told("check without a change: cpu", figures["same"][1], floor[1], 2, "`lint` reads the case files, `show` the baseline")
    told("check without a change: wall", figures["same"][0], floor[0], 2, "the same")
    outputs = [printed([PROGRAM, "check", "--format", "json", *more], folder) for more in ([], ["--no-reuse"])]
    print(f"{'check with and without --no-reuse':<44} {'the same bytes' if outputs[0] == outputs[1] else 'DIFFERENT BYTES'}")


def diff(base):
    folder = suite(base, 100000, 2000)
    reports = [folder / "before.report", folder / "after.report"]
    if not reports[1].exists():
        for report in reports:
            report.write_bytes(printed([PROGRAM, "run", "--format", "json"], folder))
    reader = "import json,sys\nfor name in sys.argv[1:]: json.load(open(name))"
    figures = turn_about(
        5,
        diff=lambda: measured([PROGRAM, "diff", *reports, "--format", "json"], folder),
        python=lambda: measured([sys.executable, "-c", reader, *reports], folder),
    )
    told("diff of two reports of 100,000: wall", figures["diff"][0], figures["python"][0], 0.5, "json.loads of both in Python")


def distinct_pairs(folder):
    """How many distinct pairs of a definition and a trace the generated history holds: each new version of a
    case file asks something else in each of its cases."""
    log = git(folder, "log", "--reverse", "--first-parent", "-m", "--raw", "--no-abbrev", "--format=tformat:commit", "--", "eval")
    blobs, pairs, changed = {}, set(), set()

    def note():
        for index in changed:
            asked = blobs[f"eval/cases/cases-{index // 50:04}.json"]
            pairs.add((index, asked, blobs[f"eval/fixtures/part-{index % 64:02}/trace-{index:06}.json"]))
        changed.clear()

    for line in log.splitlines():
        if line == "commit":
            note()
        elif line.startswith(":"):
            state, path = line.split("\t")
            blobs[path] = state.split()[3]
            number = int(re.search(r"(\d+)\.json$", path).group(1))
            changed.update(range(number * 50, number * 50 + 50) if "/cases/" in path else [number])
    note()
    return len(pairs)


def history(base):
    commits, suites, cases, size = 10000, 500, 1000, 20000
    folder = base / f"history-{commits}-{suites}-{cases}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        generate = TARGET / "release/examples/generate_history"
        subprocess.run([generate, part, *map(str, (commits, suites, cases, size))], env=ENVIRONMENT, check=True)
        part.rename(folder)
    ours = [PROGRAM, "history", "--format", "json"]
    figures = turn_about(
        5,
        history=lambda: measured(ours, folder),
        log=lambda: measured(["git", "log", "--first-parent", "-m", "--raw", "--", "eval"], folder),
        run=lambda: measured([PROGRAM, "run", "--format", "json"], folder),
        bisect=lambda: measured([PROGRAM, "bisect", "case-000007"], folder),
    )
    pairs = distinct_pairs(folder)
    for at, what in enumerate(("wall", "cpu")):
        target = 3 * figures["log"][at] + pairs / cases * figures["run"][at]
        told(f"history of {commits} commits: {what}", figures["history"][at], target, 1, f"3 times `git log --raw`, and {pairs} pairs' share of a run")
    parts = ", ".join(f"{name} {figure[0]:.3f} s ({figure[1]:.3f})" for name, figure in figures.items())
    print(f"{'':<44} wall (cpu): {parts}; own memory {own_memory(ours, folder):.0f} MB")


def peers(base):
    folder = base / "peers"
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", "agentprdiff"], check=True)
    program = folder / "bin/agentprdiff"
    ten = suite(base, 10, 20000)
    figures = turn_about(
        10,
        ours=lambda: measured([PROGRAM, "--version"], ten),
        check=lambda: measured([PROGRAM, "check"], ten),
        peer=lambda: measured([program, "--version"], ten),
    )
    told("start-up beside agentprdiff", figures["ours"][0], figures["peer"][0], "-", "agentprdiff --version, wall")
    told("check of 10 cases beside its start-up", figures["check"][0], figures["peer"][0], "-", "agentprdiff --version, wall")


ROWS = {
    "start": start_up,
    "head": head,
    "memory": memory,
    "worktree": worktree,
    "change": change,
    "diff": diff,
    "history": history,
    "peers": peers,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(ROWS), help="which of " + ", ".join(ROWS))
    parser.add_argument("--folder", type=Path, default=TARGET / "bench")
    given = parser.parse_args()
    unknown = [row for row in given.rows.split(",") if row not in ROWS]
    if unknown:
        parser.error(f"no row is called {unknown[0]}")
    given.folder.mkdir(parents=True, exist_ok=True)
    for row in given.rows.split(","):
        ROWS[row](given.folder)


if __name__ == "__main__":
    main()
