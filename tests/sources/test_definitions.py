from __future__ import annotations

import inspect
import time
from pathlib import Path

import pytest

from tokaudit.sources import code, load
from tokaudit.sources.definitions import definitions

SAMPLES = {
    "a.py": r'''def first(a,
  b,
):
    x = """
not code
def no():
"""
# at margin
    return x

# before second
@dec
async def second(): pass
class A:
    """Doc."""
    x = 1
    class B:
        def m(self): ...
    def n(self):
        def inner():
            pass
        return 1
    y = 2
z = 3
''',
    "a.ts": r"""import a from 'b'
// cfg
const config = { x: 1 }

/** Doc */
export async function go<T>(x: { a: string }): Promise<T> {
  const inner = () => { return 1 }
  return `x${inner()}` as any
}
export const Comp = ({
  a,
  b,
}: Props) => {
  return <div>{a}</div>
}
export const add = (a: number, b: number) => a + b
const y = foo(1)
@Injectable()
export class Svc extends Base<X> implements Y {
  private z = 1
  constructor(private readonly a: A) {
    super()
  }
  async get(id: string): Promise<{ a: 1 }> {
    if (id) { return 1 }
  }
  static handler = async (e: Event) => {
    go(e)
  }
  q: string
}
interface P {
  a: string
  m(): void
}
export default function main() {}
""",
    "a.c": r"""#include <stdio.h>
#define X(a) { a }
struct s { int a; };
static int foo(int a, char *b);
/* doc */
static int foo(int a, char *b)
{
#ifdef A
  if (a) {
#else
  if (b) {
#endif
  }
  return 0;
}
int x = 3;
char *bar(void) { return "}"; }
""",
    "a.cpp": r"""namespace ns {
class A : public B {
 public:
  A() : x_(1), y_(2) {}
  ~A() override { }
  int get() const { return x_; }
 private:
  int x_;
};
template <typename T>
T max(T a, T b) {
  return a > b ? a : b;
}
}  // namespace ns
int ns::A::run(int q) const {
  for (;;) { }
}
""",
    "a.cs": r"""using System;
namespace App
{
    /// <summary>x</summary>
    [Serializable]
    public class Foo : Bar
    {
        public int X { get; set; }
        public Foo(int a) : base(a) { }
        public async Task<List<int>> Run(string s)
        {
            await Go(s);
            if (s == null) { return null; }
        }
        public int Sum(int a, int b) => a + b;
        private void Z<T>(T t) where T : class
        {
        }
    }
}
""",
    "a.java": r"""package a.b;
import java.util.*;
/** Doc. */
@Service
public class Foo<T> extends Bar {
    private static final Map<String, List<Integer>> M = new HashMap<>();
    @Override
    public List<String> names(Map<String, Integer> m) throws IOException {
        return m.keySet().stream().map(x -> { return x; }).toList();
    }
    abstract void q();
    Foo() { super(); }
    enum Kind { A, B; int x() { return 1; } }
}
""",
    "a.go": r"""package main

import "fmt"

// Server serves.
type Server struct {
	a int
}

// Handle it.
func (s *Server) Handle(w http.ResponseWriter, r *http.Request) error {
	if r == nil {
		return nil
	}
	return func() error { return nil }()
}

func Map[T any](x []T) interface{} { return nil }
var y = 1
""",
    "a.rs": r"""use std::fmt;
/// doc
#[derive(Debug)]
pub struct P { x: i32 }
impl<T: Clone> fmt::Display for P {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.x)
    }
}
pub(crate) async fn go<'a>(x: &'a str) -> Result<(), E> where E: X {
    Ok(())
}
trait T { fn a(&self); fn b(&self) {} }
mod tests {
    #[test]
    fn works() { assert!(true); }
}
""",
    "a.php": r"""<?php
namespace App;
use X;
class A extends B
{
    private $x = "a { b";
    public function run(?int $a): array
    {
        return [$a];
    }
    abstract protected function q();
}
function helper($x) { return $x; }
""",
    "a.rb": r"""require 'x'
module M
  class A < B
    attr_reader :a
    # doc
    def run(x)
      x.each do |y|
        puts "#{y} end"
      end
    end

    def self.make!
      <<~EOS
def no
      EOS
    end
    def one = 1
  end
end
def top
  1
end
puts 1
""",
    "a.swift": r"""import UIKit
class V: UIView {
    let a = 1
    override init(frame: CGRect) {
        super.init(frame: frame)
    }
    private func go<T>(_ x: T) -> [T] where T: X {
        if let y = x { }
    }
}
extension String { func a() {} }
struct S {}
func free() async throws -> Int { 1 }
""",
    "a.kt": r"""package a
data class P(val a: Int)
class A(private val b: B) : C() {
    val x by lazy { 1 }
    override suspend fun go(a: Int): Result<Int> {
        return a
    }
    fun one(a: Int) = a + 1
    companion object {
        fun make() = A()
    }
}
fun String.ext(): Int = 1
fun main() = runBlocking {
    go()
}
""",
    "a.sh": r"""#!/bin/bash
set -e
# doc
go() {
  local x=${1}
  cat <<EOF
}
EOF
}
function run {
  go
}
run "$@"
""",
    "a.lua": r"""local M = {}
function M.a(x)
  if x then
    return 1
  end
end
local function b() return 1 end
M.c = function()
end
return M
""",
}
EXPECTED = {
    "a.py": ["first (1-9)", "second (11-13)", "A (14-16)", "A.B (17)", "A.B.m (18)", "A.n (19-22)", "A (23)"],
    "a.ts": [
        "go (5-9)",
        "Comp (10-15)",
        "add (16)",
        "Svc (18-20)",
        "Svc.constructor (21-23)",
        "Svc.get (24-26)",
        "Svc.handler (27-29)",
        "Svc (30-31)",
        "P (32-35)",
        "main (36)",
    ],
    "a.c": ["s (3)", "foo (5-15)", "bar (17)"],
    "a.cpp": [
        "ns (1)",
        "ns.A (2-3)",
        "ns.A.A (4)",
        "ns.A.~A (5)",
        "ns.A.get (6)",
        "ns.A (7-9)",
        "ns.max (10-13)",
        "ns (14)",
        "ns.A.run (15-17)",
    ],
    "a.cs": [
        "App (2-3)",
        "App.Foo (4-8)",
        "App.Foo.Foo (9)",
        "App.Foo.Run (10-14)",
        "App.Foo.Sum (15)",
        "App.Foo.Z (16-18)",
        "App.Foo (19)",
        "App (20)",
    ],
    "a.java": ["Foo (3-6)", "Foo.names (7-10)", "Foo (11)", "Foo.Foo (12)", "Foo.Kind (13)", "Foo (14)"],
    "a.go": ["Server (5-8)", "Server.Handle (10-16)", "Map (18)"],
    "a.rs": [
        "P (2-4)",
        "P (5)",
        "P.fmt (6-8)",
        "P (9)",
        "go (10-12)",
        "T (13)",
        "tests (14)",
        "tests.works (15-16)",
        "tests (17)",
    ],
    "a.php": ["A (4-6)", "A.run (7-10)", "A (11-12)", "helper (13)"],
    "a.rb": ["M (2)", "M.A (3-4)", "M.A.run (5-10)", "M.A.make! (12-16)", "M.A.one (17-18)", "M (19)", "top (20-22)"],
    "a.swift": ["V (2-3)", "V.init (4-6)", "V.go (7-9)", "V (10)", "String (11)", "S (12)", "free (13)"],
    "a.kt": [
        "P (2)",
        "A (3-4)",
        "A.go (5-7)",
        "A.one (8)",
        "A (9)",
        "A.make (10-12)",
        "String.ext (13)",
        "main (14-16)",
    ],
    "a.sh": ["go (3-9)", "run (10-12)"],
    "a.lua": ["M.a (2-6)", "b (7)", "M.c (8-9)"],
}
HOSTILE = (
    *(
        "'",
        '"',
        '"""',
        "/*",
        "`",
        "<<A",
        "<<A\n",
        "//\\",
        "/[",
        "#include <",
        "{",
        "}",
        "({",
        "\n{",
        "\n}",
        "aaaa",
        "a b ",
    ),
    *(
        "def f\n",
        " def f():\n",
        "class A {\n",
        "fn a(",
        "function a(){",
        "impl<",
        "func (a ",
        "func a[",
        "x=(",
        "\t",
        "${",
    ),
    *(
        "@a(",
        "a<",
        "a::",
        "namespace a{\n",
        "if (a) {\n#else\n",
        "\n@a",
        "\n// a",
        "\nx(",
        "\nx(){",
        "\n def a(",
        "=>",
        "%",
        "$",
    ),
)


@pytest.mark.parametrize("name", SAMPLES)
def test_definitions_have_their_names_and_lines(name: str) -> None:
    document = load(SAMPLES[name], name)
    assert [one.label for one in document.segments if one.kind != "code"] == EXPECTED[name]
    assert "".join(document.text[one.span.start : one.span.end] for one in document.segments) == SAMPLES[name]


@pytest.mark.parametrize("name", SAMPLES)
def test_an_id_outlives_what_stands_before(name: str) -> None:
    before = {one.id for one in load(SAMPLES[name], name).segments if one.kind in {"function", "method"}}
    head = "<?php\n" if name == "a.php" else ""
    text = head + "\n\n" + SAMPLES[name].removeprefix(head)
    assert {one.id for one in load(text, name).segments if one.kind in {"function", "method"}} == before


def test_where_nothing_is_defined_blocks_are_segments() -> None:
    assert [(one.kind, one.label) for one in load("a = 1\n\n\nb = 2\n", "a.py").segments] == [
        ("code", "a = 1"),
        ("code", "b = 2"),
    ]
    assert [one.id for one in load("a { b: c }\n\nd { e: f }\n", "a.css").segments] == ["a.css#code-1", "a.css#code-2"]


def test_docstrings_are_told_from_strings() -> None:
    text = '"""Module."""\n\nx = """no"""\n\n\ndef f():\n    """Doc."""\n    return "s"\n'
    found = [(one.kind, one.label) for one in load(text, "a.py", by_kind=True).segments if one.kind != "code"]
    assert found == [
        ("docstring", '"""Module."""'),
        ("string", '"""no"""'),
        ("docstring", '"""Doc."""'),
        ("string", '"s"'),
    ]


@pytest.mark.parametrize(
    "name", [*SAMPLES, "a.t", "a.m", "a.tf", "a.pl", "a.yaml", "a.toml", "a.html", "a.css", "a.sql"]
)
def test_time_is_linear(name: str) -> None:
    for piece in HOSTILE:
        text = ("<?php " if name == "a.php" else "") + piece * (20_000 // len(piece))
        began = time.process_time()
        load(text, name)
        load(text, name, by_kind=True)
        assert time.process_time() - began < 5, piece  # quadratic ones took 20 s and more, exponential ones for ever


@pytest.mark.parametrize("name", ["inspect.py", "dataclasses.py", "typing.py", "argparse.py", "turtle.py"])
def test_strings_on_one_line_change_nothing_in_python(name: str) -> None:
    text = (Path(inspect.__file__).parent / name).read_text("utf-8")
    odd = (
        'def f():\n    return """\ndef g():\n""" + f"{a}" + \'\\\ndef h():\'\n\n'
        'x = r"""\nclass A:\n"""\n"def i():"\ndef j(): pass\n'
    )
    for source in (text, odd, text.replace("'''", '"""').replace('"""', "'", 3)):
        few, all_of_them = (code._scanned(source, "python", every=every) for every in (False, True))
        assert len(few) < len(all_of_them)
        assert [*definitions(source, "python", few)] == [*definitions(source, "python", all_of_them)]
