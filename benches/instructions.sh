#!/usr/bin/env bash
# Instructions of the hot path on a fixed input, counted by callgrind: the figure that does not drift with the machine's load.
#
#   benches/instructions.sh         1,000 cases with traces of 20 KB: evaluate them, compare their report
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v valgrind >/dev/null || { echo 'error: valgrind is not installed' >&2; exit 2; }
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CEILING_DIRECTORIES=$work GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

cargo build --release --locked --bin diag-gate
cargo build --locked --example generate
"$target/debug/examples/generate" "$work/suite" 1000 20000
cd "$work/suite"

# count WHAT ARGUMENTS...: the instructions of one run of the program itself, which must come to its end.
count() {
  local what=$1 status=0
  shift
  valgrind --quiet --tool=callgrind --callgrind-out-file="$work/out" "$target/release/diag-gate" "$@" >/dev/null 2>"$work/words" || status=$?
  if [ "$status" -gt 1 ]; then
    cat "$work/words" >&2
    exit 3
  fi
  awk -v what="$what" '/^(summary|totals):/ { printf "%-36s %15d instructions\n", what, $2; exit }' "$work/out"
}

report=$work/report.json
"$target/release/diag-gate" run --format json -o "$report" || [ "$?" = 1 ]
count 'evaluate 1,000 traces of 20 KB' run --format json
count 'read two reports of 1,000, and diff' diff "$report" "$report" --format json
