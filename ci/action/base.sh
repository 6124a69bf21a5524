#!/usr/bin/env bash
# Says what to compare with, and fetches it where the checkout is shallow.
#
# IN_AGAINST            a revision; auto: the base of the pull request, elsewhere the commit itself; empty: none
# IN_BASE_REF           the branch that the pull request goes to; empty where there is none
# IN_WORKING_DIRECTORY  a folder of the repository
# Writes the output `against`. What cannot be fetched is said here, and judged by `tokaudit check`.
set -euo pipefail

remote=origin
cd -- "${IN_WORKING_DIRECTORY:-.}"
against=${IN_AGAINST:-}
if [ "$against" = auto ]; then
    against=HEAD # nothing grew since: only budgets can fail
    [ -z "${IN_BASE_REF:-}" ] || against=$remote/$IN_BASE_REF
fi
case $against in
-* | *$'\n'* | *$'\r'*)
    printf '::error title=tokaudit::the input against takes one revision, such as origin/main\n'
    exit 2
    ;;
esac

joined() {
    git rev-parse --quiet --verify "$against^{commit}" >/dev/null && git merge-base "$against" HEAD >/dev/null 2>&1
}

fetch() {
    git fetch --quiet --no-tags --no-recurse-submodules "$@"
}

# Makes the revision known here, and enough of the history to have the merge base.
prepare() {
    local refspec more
    ! joined || return 0
    # origin/main is a branch there; anything else is a tag, a branch or a commit, in this order.
    case $against in
    "$remote"/*) refspec="+refs/heads/${against#"$remote"/}:refs/remotes/$against" ;;
    *) refspec="+refs/tags/$against:refs/tags/$against" ;;
    esac
    if ! fetch --depth=1 "$remote" "$refspec" 2>/dev/null; then
        refspec="+refs/heads/$against:refs/remotes/$remote/$against"
        if fetch --depth=1 "$remote" "$refspec" 2>/dev/null; then
            against=$remote/$against
        else
            refspec=$against
            if ! fetch --depth=1 "$remote" "$refspec" 2>/dev/null; then
                printf '::warning title=tokaudit::%s cannot be fetched; check out with fetch-depth: 0\n' "$against"
                return 0
            fi
        fi
    fi
    # The merge base is seldom far. Both sides are deepened, HEAD by its commit: of a pull request it has no branch.
    for more in 20 200 2000; do
        ! joined || return 0
        fetch --deepen="$more" "$remote" "$refspec" "$(git rev-parse HEAD)" 2>/dev/null ||
            fetch --deepen="$more" "$remote" "$refspec" || break
    done
    joined || fetch --unshallow "$remote" "$refspec" || true
    joined ||
        printf '::warning title=tokaudit::%s and HEAD have no merge base here; check out with fetch-depth: 0\n' "$against"
}

[ -z "$against" ] || prepare
printf 'against=%s\n' "$against" >>"$GITHUB_OUTPUT"
