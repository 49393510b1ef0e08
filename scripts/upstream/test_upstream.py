# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the program that writes the patch series, on a small example tree."""
import os
import re
import subprocess

import pytest
from testing import TOP, program
import series

write = program("scripts/upstream/write")

TABLE = r'''
rewrite = [
	["m/*.c", 'd_compat\(\);\n', "modern();\n"],
	["*/a.c", ['{function old}', '{doc x}', '{member x}'], ""],
]
left_out = [[["include/compat/**", "README.md"], "not needed"]]
[cover]
subject = "A series"
body = """
Hello.

@PARTS@
"""
[[place]]
from = "Documentation/"
to = "Documentation/driver/"
[[place]]
from = ""
to = "drivers/d/"
[makefile."m/Kbuild"]
"t_*" = "D_TEST"
"*" = "D"
[[patch]]
part = "first things"
subject = "d: First"
body = """
One.
"""
files = ["m/a.c", "m/common.h"]
[[patch.text]]
file = "drivers/Makefile"
after = "obj-y += c/\n"
text = "obj-y += d/\n"
[[patch]]
part = "the rest"
subject = "d: Second"
body = """
Two.
"""
files = ["m/b.c", "m/t_b.c", "Documentation/d.rst"]
'''

TREE = {
    "README.md": "left out\n",
    "Documentation/d.rst": "D\n",
    "include/compat/d.h": "#define d_compat() old()\n#define RPCRDMA_OTHER\n",
    "m/Kbuild": "# Licence\n\n# The module\nobj-m += d.o\nd-y := a.o \\\n\tb.o\n\n"
                "# The tests\nobj-m += t_b.o\n",
    "m/a.c": "/*\n * Kept. README.md, section 1.2,\n * has more.\n *\n * On some kernels, more.\n */\n"
             "/* Old. */\nstatic int old(void)\n{\n\treturn 1;\n}\n\n"
             "/*\n * @x: old,\n *\tx\n * @y: kept\n */\nstruct z {\n\tint *x;\n\tint y;\n};\n"
             "/*\n * On some kernels, old.\n */\nvoid a(void)\n{\n\td_compat();\n}\n",
    "m/b.c": "/* Documentation/d.rst (README.md) */\n",
    "m/t_b.c": "#include \"b.c\"\n",
    "m/common.h": "kept\n",
}
KERNEL = {"drivers/Makefile": "obj-y += c/\nobj-y += e/\n",
          "drivers/Kconfig": "config D\n\ttristate\nmenuconfig D_TEST\n\ttristate\n",
          "Makefile": "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 1\n"}


class Tree:
    """A tree of ours, a kernel, and a table for both."""

    def __init__(self, folder):
        self.folder, self.top, self.kernel = folder, folder / "top", folder / "kernel"
        self.files(self.top, TREE)
        self.files(self.kernel, KERNEL)
        subprocess.run(["git", "init", "-q", self.top], check=True)

    @staticmethod
    def files(folder, files):
        """Create files."""
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def steps(self, *changes):
        """The kernel's files after each patch of the table, which may be changed."""
        text = TABLE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (self.folder / "table").write_text(text)
        table = series.Table(self.folder / "table")
        return series.Series(str(self.top), table, str(self.kernel), "X <x@y>").steps()


@pytest.fixture(name="tree")
def _tree(tmp_path):
    return Tree(tmp_path)


def test_places(tree):
    """Files have the path and the patch of the table."""
    first, second = tree.steps()
    assert sorted(first) == ["drivers/Makefile", "drivers/d/m/Makefile", "drivers/d/m/a.c",
                             "drivers/d/m/common.h"]
    assert sorted(second) == ["Documentation/driver/d.rst", "drivers/d/m/Makefile",
                              "drivers/d/m/b.c", "drivers/d/m/t_b.c"]


def test_texts(tree):
    """Compatibility code is removed, documents are found or not mentioned, lines are inserted, and a Makefile
    names an object as soon as its source exists, not before."""
    first, second = tree.steps()
    assert first["drivers/d/m/a.c"] == \
        "/*\n * Kept.\n */\n/*\n * @y: kept\n */\nstruct z {\n\tint y;\n};\nvoid a(void)\n{\n\tmodern();\n}\n"
    assert second["drivers/d/m/b.c"] == "/* Documentation/driver/d.rst */\n"
    assert first["drivers/Makefile"] == "obj-y += c/\nobj-y += d/\nobj-y += e/\n"
    module = "# Licence\n\n# The module\nobj-$(CONFIG_D) += d.o\nd-y := a.o"
    assert first["drivers/d/m/Makefile"] == module + "\n"
    assert second["drivers/d/m/Makefile"] == \
        module + " b.o\n\n# The tests\nobj-$(CONFIG_D_TEST) += t_b.o\n"


@pytest.mark.parametrize("reason, files, changes", [
    ("m/new.c: in no patch", {"m/new.c": "\n"}, []),
    ("no other file is called m/gone.c", {}, [('"m/a.c"', '"m/a.c", "m/gone.c"')]),
    ("nothing to rewrite: gone", {}, [("rewrite = [", "rewrite = [['**', ['z', 'gone'], ''],")]),
    ("the kernel has a file drivers/d/m/a.c", {}, []),
    ("c/ is there 0 times", {}, [("+= c/", "+= cc/")]),
    ("no source of b.o", {}, [('["m/b.c", ', "["), ('"README.md"]', '"README.md", "m/b.c"]')]),
    ("m/b.c: RPCRDMA_OTHER is for other kernels", {"m/b.c": "RPCRDMA_OTHER\n"}, []),
    ("there is no Documentation/e.rst", {"m/b.c": "/* Documentation/e.rst */\n"}, []),
    ("m/b.c: there is no OTHER.md", {"m/b.c": "/* OTHER.md, d.rst, scripts/x.rst */\n"}, [])])
def test_refused(tree, reason, files, changes):
    """Contradictions between table and trees are errors."""
    if reason.startswith("the kernel has"):
        tree.files(tree.kernel, {"drivers/d/m/a.c": "\n"})
    tree.files(tree.top, files)
    with pytest.raises(series.Error, match=re.escape(reason)):
        tree.steps(*changes)


# Replaces the kernel build for scripts/upstream/kernel.sh, for a tree with one folder, without
# linking.
STEPS = r"""
. scripts/common.sh
. scripts/kernels.sh
. scripts/check/lib.sh
. scripts/upstream/kernel.sh
SERIES=$1 KERNEL_SOURCE=$2 UPSTREAM=$3/up UPSTREAM_SOURCE=$3/up/source OUT=$3
UPSTREAM_TRACKED=drivers STEPS_FOLDER=drivers/d/
kernel_dir() { echo "$OUT/objects"; }
source_key() { echo tree; }
steps_link() { true; }
steps_configure() { touch "$OUT/configured"; }
upstream_make()
{
	local source

	for source in "$UPSTREAM_SOURCE"/drivers/d/m/*.c; do
		gcc -Wall -c -o "$OUT/objects/drivers/d/m/$(basename "$source" .c).o" "$source" ||
			return 1
	done
}
mkdir -p "$OUT/objects/drivers/d/m" "$UPSTREAM" && touch "$OUT/objects/.config"
upstream_apply && upstream_source base && steps_each
echo "status $?"
totals
"""


@pytest.mark.parametrize("wanted, patches", [
    ("ok 1 - step 1: d: 1\nok 2 - step 2: d: 2\nstatus 0\n2 passed, 0 failed, 0 skipped\n",
     [{"a.h": "#define A 1\n", "b.c": "int b;\n"}, {"a.c": '#include "a.h"\nint a = A;\n'}]),
    ("not ok 1 - step 1: d: 1: drivers/d/m/a.c:1:10: fatal error: a.h",
     [{"a.c": '#include "a.h"\nint a = A;\n'}, {"a.h": "#define A 1\n"}]),
    ("not ok 1 - step 1: d: 1: drivers/d/m/a.c:1:12: warning: 'a'", [{"a.c": "static int a;\n"}]),
    ("step 1: d: 1: error: no Makefile compiles drivers/d/m/sub/b.c",
     [{"a.c": "int a;\n", "sub/b.c": "int b;\n"}]),
], ids=["good", "a later header", "a warning", "not compiled"])
def test_steps(tmp_path, wanted, patches):
    """Compiling after each patch finds patches that need a later patch."""
    makefile = {"drivers/Makefile": KERNEL["drivers/Makefile"]}
    Tree.files(tmp_path / "kernel", makefile)
    (tmp_path / "git").mkdir()
    repository = write.Repository(tmp_path / "git", "X", "x@y", "2020-01-01T00:00:00Z")
    repository.commit(makefile, "base")
    for number, files in enumerate(patches, 1):
        repository.commit({"drivers/d/m/" + n: t for n, t in files.items()}, f"d: {number}")
    repository.git("format-patch", "-q", f"HEAD~{len(patches)}")
    done = subprocess.run(
        ["bash", "-c", STEPS, "steps", *(tmp_path / name for name in ("git", "kernel", "out"))],
        cwd=TOP, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ, LC_ALL="C", RPCRDMA_CACHE=str(tmp_path / "cache")))
    assert wanted in re.sub(r" \(\d+ s\)", "", done.stdout)
