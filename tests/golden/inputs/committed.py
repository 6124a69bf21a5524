"""A commit of what is there, and a branch with nothing new."""

from repository import commit, git

commit()
git("checkout", "-qb", "topic")
