#!/usr/bin/env bash
# Runs `tokaudit check`: a table and annotations go to the log, a Markdown report to the step's summary.
#
# IN_PYTHON  the Python that has tokaudit
# IN_PATHS, IN_MODELS, IN_ARGS  one a line
# IN_AGAINST, IN_BASELINE, IN_WORKING_DIRECTORY
# Writes the outputs exit-code, outcome, report and sarif; a failed gate is reported by them, not by this script.
# Runs in bash 3.2, which is what macOS has: no mapfile, and an empty array counts as unset.
set -euo pipefail

temporary=$RUNNER_TEMP
if command -v cygpath >/dev/null 2>&1; then
    temporary=$(cygpath -m "$temporary")
fi
folder=$(mktemp -d "$temporary/tokaudit.XXXXXX")
cd -- "${IN_WORKING_DIRECTORY:-.}"

arguments=(check)
# Adds each line of $2 that is not empty, behind the option $1 where there is one; never split, never expanded.
add_lines() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line%$'\r'}
        line=${line#"${line%%[![:space:]]*}"}
        line=${line%"${line##*[![:space:]]}"}
        [ -n "$line" ] || continue
        if [ -n "$1" ]; then
            arguments+=("$1=$line")
        else
            arguments+=("$line")
        fi
    done <<<"$2"
}
add_lines --model "${IN_MODELS:-}"
[ -z "${IN_AGAINST:-}" ] || arguments+=("--against=$IN_AGAINST")
case ${IN_BASELINE:-} in
"") ;;
none) arguments+=(--no-baseline) ;;
*) arguments+=("--baseline=$IN_BASELINE") ;;
esac
for name in table.txt github.txt markdown.md sarif.sarif; do
    arguments+=(-o "${name%%.*}=$folder/$name")
done
# A cache that came with the pull request is not believed.
arguments+=(--no-cache)
add_lines "" "${IN_ARGS:-}"
arguments+=(--)
add_lines "" "${IN_PATHS:-}"

status=0
# -I: neither the modules of the checked out folder nor PYTHONPATH are imported. The summary is written below.
(
    unset GITHUB_STEP_SUMMARY
    exec "$IN_PYTHON" -I -X utf8 -m tokaudit "${arguments[@]}"
) >"$folder/stdout.txt" 2>"$folder/stderr.txt" || status=$?

case $status in
0) outcome=passed ;;
1) outcome=failed ;;
3) outcome=unmeasured ;;
*) outcome=error ;;
esac

# Names and texts of the pull request are in the table: no line of it may be a command to the runner.
pause=tokaudit-$("$IN_PYTHON" -I -c 'import secrets; print(secrets.token_hex(16))' | tr -d '\r')
printf '::stop-commands::%s\n' "$pause"
cat "$folder/stdout.txt" "$folder/stderr.txt"
[ ! -f "$folder/table.txt" ] || cat "$folder/table.txt"
printf '\n::%s::\n' "$pause"
[ ! -f "$folder/github.txt" ] || cat "$folder/github.txt"

report=$folder/markdown.md
if [ ! -f "$report" ]; then
    {
        # shellcheck disable=SC2016 # the backquotes are Markdown
        printf '**`tokaudit check` could not run** (exit code %s):\n\n' "$status"
        sed 's/^/    /' "$folder/stderr.txt"
    } >"$report"
    printf '::error title=tokaudit::tokaudit check could not run, see above (exit code %s)\n' "$status"
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    # The runner drops a summary of more than 1 MiB whole.
    { head -c 900000 "$report"; printf '\n'; } >>"$GITHUB_STEP_SUMMARY"
fi
sarif=
[ ! -f "$folder/sarif.sarif" ] || sarif=$folder/sarif.sarif
{
    printf 'exit-code=%s\n' "$status"
    printf 'outcome=%s\n' "$outcome"
    printf 'report=%s\n' "$report"
    printf 'sarif=%s\n' "$sarif"
} >>"$GITHUB_OUTPUT"
