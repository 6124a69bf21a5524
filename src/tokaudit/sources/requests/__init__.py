"""Requests and recorded conversations in JSON, JSON Lines and plain transcripts: one file a form."""

from tokaudit.sources.requests.records import request_of, with_requests

__all__ = ["request_of", "with_requests"]
