#!/usr/bin/env bash
# Installs tokaudit into an environment of its own, so that the job's Python stays as it is.
#
# IN_VERSION     empty: the action's own folder; 0.2.0: that release; anything else: a ref of the action's repository
# IN_EXTRAS      extras of the package, separated by commas
# IN_PYTHON      the Python to use; empty: the first on PATH that is new enough
# IN_REPOSITORY  owner/name of the action's repository
# Writes the output `python`. Runs in bash 3.2, which is what macOS has.
set -euo pipefail

fail() {
    printf '::error title=tokaudit::%s\n' "$1"
    exit 2
}

python=${IN_PYTHON:-}
if [ -z "$python" ]; then
    for name in python3 python; do
        # Run rather than looked for: on Windows python3 may be a stub that only opens a shop.
        if "$name" -I -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then
            python=$name
            break
        fi
    done
fi
[ -n "$python" ] || fail "there is no Python 3.10 or newer; set the input python-version"

extras=${IN_EXTRAS:-}
extras=${extras// /}
case $extras in
*[!a-z0-9,_-]*) fail "the input extras takes names separated by commas, such as more,claude" ;;
esac
[ -z "$extras" ] || extras="[$extras]"

version=${IN_VERSION:-}
case $version in
"") requirement="$GITHUB_ACTION_PATH$extras" ;;
*[!A-Za-z0-9._/+-]* | -* | *..*) fail "the input version takes a release, such as 0.2.0, or a ref" ;;
[0-9]*.*) requirement="tokaudit$extras==$version" ;;
*)
    [ -n "${IN_REPOSITORY:-}" ] || fail "the action's repository is not known here; leave the input version empty"
    requirement="tokaudit$extras @ git+${GITHUB_SERVER_URL:-https://github.com}/$IN_REPOSITORY@$version"
    ;;
esac

temporary=$RUNNER_TEMP
if command -v cygpath >/dev/null 2>&1; then
    temporary=$(cygpath -m "$temporary") # D:/a/_temp: both bash and Windows programs take it
fi
home=$temporary/tokaudit-environment
inner=$home/bin/python
[ ! -f "$home/Scripts/python.exe" ] || inner=$home/Scripts/python.exe
# A second use in one job finds what the first installed.
if [ ! -f "$home/installed" ] || [ "$(cat "$home/installed")" != "$requirement" ]; then
    "$python" -I -m venv --clear "$home"
    [ ! -f "$home/Scripts/python.exe" ] || inner=$home/Scripts/python.exe
    "$inner" -I -m pip install --quiet --disable-pip-version-check "$requirement"
    printf '%s\n' "$requirement" >"$home/installed"
fi
"$inner" -I -m tokaudit --version
printf 'python=%s\n' "$inner" >>"$GITHUB_OUTPUT"
