#!/usr/bin/env bash
# Whole processes, side by side with git, Python and a peer, in the same run on the same machine: ratios, not times.
#
#   benches/compare.sh [FOLDER]     FOLDER keeps the inputs between runs; a temporary one otherwise
#
# It builds the release binary and the inputs, takes the median of RUNS (7) runs of each side in turn, and prints one line for
# each row of docs/performance.md: what, processor and wall seconds of both sides, and their ratio. The peer is left out
# where it cannot be installed. Nothing passes or fails here: the machine may be busy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

RUNS=${RUNS:-7}
CORES=$(nproc)
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
gate=$target/release/diag-gate
if [ $# -gt 0 ]; then
  work=$1
  mkdir -p "$work"
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Bench GIT_AUTHOR_EMAIL=bench@example.org GIT_COMMITTER_NAME=Bench GIT_COMMITTER_EMAIL=bench@example.org

cargo build --release --locked --bin diag-gate --example generate

# suite NAME CASES TRACE_BYTES: a repository with an accepted baseline.
suite() {
  [ -d "$work/$1" ] && return 0
  "$target/release/examples/generate" "$work/$1.new" "$2" "$3"
  "$gate" -C "$work/$1.new" accept --yes --allow-unjudged --allow-none-passing >/dev/null
  git -C "$work/$1.new" repack -adq
  mv "$work/$1.new" "$work/$1"
}

# touch_ten: ten traces of `large` change on a branch beside.
touch_ten() {
  git -C "$work/large" rev-parse -q --verify refs/heads/ten >/dev/null && return 0
  git -C "$work/large" checkout -q -b ten
  while read -r file; do
    sed -i 's/证据显示/证据不足/' "$work/large/$file"
  done < <(git -C "$work/large" ls-files eval/fixtures | awk 'NR % 1000 == 0' | head -n 10)
  git -C "$work/large" commit -qam 'Ten traces change'
  git -C "$work/large" checkout -q main
}

# compare WHAT OURS THEIRS: shell commands; their median times and ratios.
compare() {
  python3 - "$RUNS" "$1" "$2" "$3" <<'PYTHON'
import os, resource, statistics, subprocess, sys, time

runs, what, ours, theirs = int(sys.argv[1]), *sys.argv[2:]

def take(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(["bash", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall

take(ours), take(theirs)
pairs = [(take(ours), take(theirs)) for _ in range(runs)]
median = lambda side, kind: statistics.median(pair[side][kind] for pair in pairs)
cpu, wall = (median(0, 0), median(1, 0)), (median(0, 1), median(1, 1))
ratio = lambda pair: pair[0] / pair[1] if pair[1] else float("inf")
print(f"{what:58} cpu {cpu[0]:8.4f} : {cpu[1]:8.4f} = {ratio(cpu):6.2f}   wall {wall[0]:8.4f} : {wall[1]:8.4f} = {ratio(wall):6.2f}")
PYTHON
}

# memory REPOSITORY: the most pages of its own that `run` holds, and the bytes of its report.
memory() {
  python3 - "$gate" "$1" "$work/report.json" <<'PYTHON'
import os, subprocess, sys, time

gate, repository, report = sys.argv[1:]
process = subprocess.Popen([gate, "-C", repository, "run", "--format", "json", "-o", report])
most = 0
while process.poll() is None:
    try:
        with open(f"/proc/{process.pid}/status") as status:
            most = max([most] + [int(line.split()[1]) for line in status if line.startswith("RssAnon")])
    except OSError:
        break
    time.sleep(0.001)
process.wait()
text = os.path.getsize(report)
print(f"run, {repository.rsplit('/', 1)[-1]}: own pages {most / 1024:.0f} MiB, report {text / 2**20:.0f} MiB, beside it {most / 1024 - text / 2**20:.0f} MiB")
PYTHON
}

suite small 10 20000
suite middle 1000 20000
suite large 10000 20000
suite wide 100000 2000
touch_ten

small=$work/small large=$work/large wide=$work/wide
git -C "$large" ls-tree -r HEAD eval/fixtures | awk '{print $3}' >"$work/ids"
split -n "l/$CORES" "$work/ids" "$work/ids."
batch="for part in '$work'/ids.*; do git -C '$large' cat-file --batch --buffer <\"\$part\" >/dev/null & done; wait"
git -C "$large" ls-files eval/fixtures | sed "s|^|$large/|" >"$work/files"
split -n "l/$CORES" "$work/files" "$work/files."
hash="for part in '$work'/files.*; do git hash-object --no-filters --stdin-paths <\"\$part\" >/dev/null & done; wait"

compare 'start: --version : git rev-parse HEAD' "'$gate' --version" "git -C '$small' rev-parse HEAD"
compare 'start: check, 10 cases : git rev-parse HEAD' "'$gate' -C '$small' check" "git -C '$small' rev-parse HEAD"
compare 'run, 10000 x 20 KB : git cat-file a core' "'$gate' -C '$large' run -o /dev/null" "$batch"
compare 'run --worktree, full page cache : git hash-object a core' "'$gate' -C '$large' run --worktree -o /dev/null" "$hash"
cat >"$work/parse.py" <<'PYTHON'
import json, sys

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        json.load(file)
PYTHON
compare 'check, nothing changed : check --no-reuse' "'$gate' -C '$large' check" "'$gate' -C '$large' check --no-reuse"
compare 'check, 10 changed : nothing changed' "'$gate' -C '$large' check --rev ten" "'$gate' -C '$large' check"
compare 'check --no-reuse, 10 changed : check, 10 changed' "'$gate' -C '$large' check --no-reuse --rev ten" "'$gate' -C '$large' check --rev ten"
memory "$work/middle"
memory "$large"
memory "$wide"
"$gate" -C "$wide" run --format json -o "$work/wide.json" || true
python3 - "$work/wide.json" "$work/wide2.json" <<'PYTHON'
import json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    lines = file.read().split("\n")
lines = [line.replace('"title":"', '"title":"! ') if '"caseId"' in line else line for line in lines]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write("\n".join(lines))
PYTHON
compare 'diff, 2 x 100000 results : json.loads of both' "'$gate' diff '$work/wide.json' '$work/wide2.json' -o /dev/null" "python3 '$work/parse.py' '$work/wide.json' '$work/wide2.json'"

if python3 -m venv "$work/peer" >/dev/null 2>&1 && "$work/peer/bin/pip" install -q agentprdiff >/dev/null 2>&1; then
  compare 'start: check, 10 cases : agentprdiff --version' "'$gate' -C '$small' check" "'$work/peer/bin/agentprdiff' --version"
else
  echo 'agentprdiff cannot be installed here: left out'
fi
