#!/usr/bin/env bash
# Installs one exact version of diag-gate, or takes a program that is there, and lets it judge once.
#
#   run.sh install   writes the program's path to the outputs
#   run.sh gate      lets $DIAG_GATE_PROGRAM judge; its exit status is kept
#   run.sh           both
#
# Exit statuses: those of diag-gate; 2 where an input or a checksum is at fault, 3 where nothing can be fetched.
unset BASH_ENV ENV CDPATH
set -euo pipefail
IFS=$'\n\t'
umask 022

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# Releases stand on the public host, wherever the workflow runs: a server of one's own has none.
release_url=https://github.com/diag-gate/diag-gate/releases/download
max_bytes=209715200

output() {
  [ -z "${GITHUB_OUTPUT:-}" ] || printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# What goes into a workflow command: one line, in which nothing is read as another command.
escaped() {
  local text=${1:0:500} command='##['
  text=${text//'%'/%25}
  text=${text//$'\r'/%0D}
  text=${text//$'\n'/%0A}
  text=${text//"$command"/## [}
  printf '%s' "$text"
}

# Ends with STATUS, and tells why; what reads the outputs never sees a pass.
fail() {
  local status=$1
  printf '::error title=diag-gate::could not judge: %s\n' "$(escaped "$2")"
  output verdict error
  output exit-code "$status"
  output comment-status failed
  exit "$status"
}

# Leading and trailing blanks say nothing.
trimmed() {
  local text=$1
  text=${text#"${text%%[![:space:]]*}"}
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

target() {
  case "${RUNNER_OS:-}/${RUNNER_ARCH:-}" in
    Linux/X64) echo x86_64-unknown-linux-musl ;;
    Linux/ARM64) echo aarch64-unknown-linux-musl ;;
    macOS/X64) echo x86_64-apple-darwin ;;
    macOS/ARM64) echo aarch64-apple-darwin ;;
    Windows/X64) echo x86_64-pc-windows-msvc ;;
    *) return 1 ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi <"$1" | cut -d ' ' -f 1
}

# The sum that this repository pins for an archive; nothing where it pins none.
pinned() {
  local sum name
  while IFS=' ' read -r sum name; do
    if [ "${name#\*}" = "$1" ]; then printf '%s' "$sum"; fi
  done <"$here/checksums.txt"
}

# Fetches URL into FILE. Plain http is for the tests, which serve on the loopback.
fetch() {
  local url=$1 file=$2 protocol='=https'
  case "$url" in http://*) protocol='=http' ;; esac
  curl --disable --proto "$protocol" --proto-redir "$protocol" --tlsv1.2 --location --fail --silent --show-error \
    --retry 3 --retry-max-time 60 --connect-timeout 10 --max-time 120 --max-filesize "$max_bytes" \
    --output "$file" -- "$url"
}

# Where releases are fetched from; another place than the public one is heard only on the loopback.
base_url() {
  local given=${DIAG_GATE_RELEASE_URL:-}
  if [[ $given =~ ^http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?(/[A-Za-z0-9._/-]*)?$ ]]; then
    printf '%s' "${given%/}"
  else
    printf '%s' "$release_url"
  fi
}

# Sets PROGRAM to a program that the workflow names.
use_binary() {
  local given=$1
  # Git for Windows has a separator of its own.
  if [ "${RUNNER_OS:-}" = Windows ]; then given=${given//\\//}; fi
  # Never looked up along PATH, and never read as an option.
  case "$given" in /* | [A-Za-z]:/*) ;; *) given=$PWD/$given ;; esac
  if ! [ -f "$given" ] || ! [ -x "$given" ]; then fail 2 "the input \`binary\` names no program: $1"; fi
  PROGRAM=$given
}

# Sets PROGRAM to a program out of a release whose checksum is known beforehand.
download() {
  local version=$1 wanted=$2 triple name archive folder found suffix=
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 2 "the input \`version\` is no version X.Y.Z: $version"
  triple=$(target) ||
    fail 2 "there is no release for ${RUNNER_OS:-this system}/${RUNNER_ARCH:-}; build it, and name it by the input \`binary\`"
  name=diag-gate-$version-$triple
  archive=$name.tar.gz
  [ -n "$wanted" ] || wanted=$(pinned "$archive")
  [ -n "$wanted" ] ||
    fail 2 "no checksum of $archive is known; give it by the input \`checksum\`, or a program by the input \`binary\`"
  [[ $wanted =~ ^[0-9a-fA-F]{64}$ ]] || fail 2 "the checksum of $archive is no SHA-256 of 64 digits"
  [ -n "${RUNNER_TEMP:-}" ] || fail 3 'RUNNER_TEMP is not set'
  folder=$(mktemp -d "${RUNNER_TEMP//\\//}/diag-gate-install.XXXXXX") || fail 3 "no folder can be made in $RUNNER_TEMP"
  fetch "$(base_url)/v$version/$archive" "$folder/$archive" || fail 3 "$archive cannot be fetched"
  found=$(sha256 "$folder/$archive")
  [ "$found" = "$(tr A-F a-f <<<"$wanted")" ] ||
    fail 2 "the checksum of $archive is $found, and $wanted is expected; nothing of it was run"
  if [ "$RUNNER_OS" = Windows ]; then suffix=.exe; fi
  PROGRAM=$folder/diag-gate$suffix
  # One member, to a name of our own: no path or link in an archive counts.
  (cd -- "$folder" && tar -xzOf "$archive" "$name/diag-gate$suffix") >"$PROGRAM" ||
    fail 2 "$archive holds no program"
  rm -f -- "$folder/$archive"
  chmod 755 "$PROGRAM"
}

install() {
  local binary version checksum
  binary=$(trimmed "${INPUT_BINARY:-}")
  version=$(trimmed "${INPUT_VERSION:-}")
  checksum=$(trimmed "${INPUT_CHECKSUM:-}")
  if [ -n "$binary" ]; then
    use_binary "$binary"
  else
    [ -n "$version" ] || version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/../Cargo.toml" | head -n 1)
    download "$version" "$checksum"
  fi
  output program "$PROGRAM"
}

gate() {
  local status=0
  [ -n "${PROGRAM:-}" ] || fail 2 'no program was installed'
  GITHUB_TOKEN=$token "$PROGRAM" ci || status=$?
  case "$status" in 0 | 1 | 2 | 3) exit "$status" ;; esac
  fail 3 "diag-gate ended with $status"
}

# Whoever fetches and unpacks has no use for the token.
token=${GITHUB_TOKEN:-}
unset GITHUB_TOKEN
PROGRAM=${DIAG_GATE_PROGRAM:-}
case "${1:-all}" in
  install) install ;;
  gate) gate ;;
  all)
    install
    gate
    ;;
  *) fail 2 'run.sh takes "install" or "gate"' ;;
esac
