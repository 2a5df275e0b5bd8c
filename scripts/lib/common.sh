# shellcheck shell=bash disable=SC2034 # some variables are for the scripts
# Sourced first by every shell script: source "$(dirname "$0")/lib/common.sh"
#
# Answers -h and --help with the comment at the top of the script, and changes
# to the root of the repository.
set -euo pipefail

script=$(readlink -f "$0")
script_name=$(basename "$script")
root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
# Where the script was called: a path among its arguments is relative to this.
caller=$PWD
readonly script script_name root caller

# The comment at the top of the script. A script that defines more_usage before it
# sources this file adds to it.
usage() {
  awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$script"
  if declare -F more_usage >/dev/null; then more_usage; fi
}

say() { echo "$script_name: $*" >&2; }

die() {
  say "$@"
  exit 1
}

usage_error() {
  say "$*; see ${script#"$root"/} --help"
  exit 2
}

no_arguments() { [ $# -eq 0 ] || usage_error "unexpected argument $1"; }

has() { command -v "$1" >/dev/null; }

# Swift files that git tracks or would add. Arguments: pathspecs (default: all).
swift_files() {
  local file
  git ls-files -co --exclude-standard -- "$@" | { grep '\.swift$' || true; } | while read -r file; do
    if [ -e "$file" ]; then echo "$file"; fi
  done
}

case ${1-} in
  -h | --help)
    usage
    exit 0
    ;;
esac
cd "$root"
