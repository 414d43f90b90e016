#!/usr/bin/env bash
# Instructions of the hot path on a fixed input, counted by callgrind: the figure that does not drift with the machine's load.
#
#   benches/instructions.sh         1,000 cases with traces of 20 KB: run, check with and without reuse
#
# One thread is not forced: callgrind runs the threads of a process one after another.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v valgrind >/dev/null || { echo 'error: valgrind is not installed' >&2; exit 2; }
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Bench GIT_AUTHOR_EMAIL=bench@example.org GIT_COMMITTER_NAME=Bench GIT_COMMITTER_EMAIL=bench@example.org

cargo build --release --locked --bin diag-gate --example generate
"$target/release/examples/generate" "$work/suite" 1000 20000
"$target/release/diag-gate" -C "$work/suite" accept --yes --allow-unjudged --allow-none-passing >/dev/null

# count WHAT ARGUMENTS...: the instructions of one run of the program itself.
count() {
  local what=$1
  shift
  valgrind --tool=callgrind --callgrind-out-file="$work/out" "$target/release/diag-gate" -C "$work/suite" "$@" \
    >/dev/null 2>"$work/words" || true
  awk -v what="$what" '/Collected/ { printf "%-24s %15d instructions\n", what, $NF }' "$work/words"
}

count 'run' run --format json
count 'check' check
count 'check --no-reuse' check --no-reuse
