"""A server that answers as GitHub's API does where it is about comments."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer


class Server(HTTPServer):
    """Comments of pull request 7 of octo/prompts; ``refused`` has the code with which a method is answered.

    The token writes as ``author``. ``user`` is what /user answers, which the token of an app may not ask, and
    ``viewer`` the login that GraphQL tells.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments = []
        self.refused = {}
        self.asked = []
        self.per_page = 100
        self.author = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
        self.user = None
        self.viewer = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/api"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, code, value, **headers):
        data = json.dumps(value).encode()
        self.send_response(code)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handled(self):
        size = int(self.headers.get("Content-Length") or 0)
        given = json.loads(self.rfile.read(size)) if size else None
        server = self.server
        server.asked.append((self.command, self.path, self.headers.get("Authorization")))
        if self.command in server.refused:
            codes = server.refused[self.command]
            code = codes.pop(0) if isinstance(codes, list) else codes
            if isinstance(codes, list) and not codes:
                del server.refused[self.command]
            return self.answer(code, {"message": "Resource not accessible by integration"})
        path, _, query = self.path.partition("?")
        if path == "/api/user" and server.user is not None:
            return self.answer(200, server.user)
        if path == "/api/user":
            return self.answer(403, {"message": "Resource not accessible by integration"})
        if path == "/api/graphql":
            assert given == {"query": "query { viewer { login } }"}
            return self.answer(200, {"data": {"viewer": server.viewer and {"login": server.viewer}}})
        if self.command == "GET" and path == "/api/repos/octo/prompts/issues/7/comments":
            page = int(dict(part.split("=") for part in query.split("&")).get("page", 1))
            found = server.comments[(page - 1) * server.per_page : page * server.per_page]
            if page * server.per_page < len(server.comments):
                after = f"{server.url}/repos/octo/prompts/issues/7/comments?per_page=100&page={page + 1}"
                return self.answer(200, found, Link=f'<{after}>; rel="next", <x>; rel="last"')
            return self.answer(200, found)
        if self.command == "POST" and path == "/api/repos/octo/prompts/issues/7/comments":
            server.comments.append({"id": 1000 + len(server.comments), "body": given["body"], "user": server.author})
            return self.answer(201, server.comments[-1])
        if self.command == "PATCH":
            number = int(path.rpartition("/")[2])
            assert path == f"/api/repos/octo/prompts/issues/comments/{number}"
            (comment,) = (comment for comment in server.comments if comment["id"] == number)
            comment["body"] = given["body"]
            return self.answer(200, comment)
        return self.answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = handled  # noqa: N815 - as http.server calls them
