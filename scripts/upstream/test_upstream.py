# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the program that writes the patch series, on a small tree of its own."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import series     # noqa: E402, pylint: disable=wrong-import-position
from testing import program    # noqa: E402, pylint: disable=wrong-import-position



write, checkpatch = (program("scripts/upstream/" + name) for name in ("write", "checkpatch"))

TABLE = r'''
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
[[makefile]]
file = "m/Kbuild"
options = { "t_*" = "D_TEST", "*" = "D" }
[[rewrite]]
files = "m/*.c"
pattern = 'd_compat\(\);\n'
by = "modern();\n"
[[left_out]]
files = ["include/compat/**", "README"]
reason = "not needed"
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
    "README": "left out\n",
    "Documentation/d.rst": "D\n",
    "include/compat/d.h": "#define d_compat() old()\n#define RPCRDMA_OTHER\n",
    "m/Kbuild": "# Licence\n\n# The module\nobj-m += d.o\nd-y := a.o \\\n\tb.o\n\n"
                "# The tests\nobj-m += t_b.o\n",
    "m/a.c": "void a(void)\n{\n\td_compat();\n}\n",
    "m/b.c": "/* Documentation/d.rst */\n",
    "m/t_b.c": "#include \"b.c\"\n",
    "m/common.h": "#ifdef __KERNEL__\nkernel\n#if 0\nkept\n#endif\n#else\nuser\n#endif\n",
}
KERNEL = {"drivers/Makefile": "obj-y += c/\nobj-y += e/\n",
          "drivers/Kconfig": "config D\n\ttristate\nmenuconfig D_TEST\n\ttristate\n",
          "Makefile": "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 1\n"}

# The second patch adds an option.
MORE = ('files = ["m/b.c"', 'text = [{ file = "drivers/d/Kconfig", text = "config D_MORE" }]\n'
        'files = ["m/b.c"')


class SeriesTest(unittest.TestCase):
    """The series of a small tree."""

    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()    # pylint: disable=consider-using-with
        self.addCleanup(self.tmp.cleanup)
        self.top, self.kernel = (os.path.join(self.tmp.name, n) for n in ("top", "kernel"))
        self.files(self.top, TREE)
        self.files(self.kernel, KERNEL)
        subprocess.run(["git", "init", "-q", self.top], check=True)

    def files(self, folder, files):
        """Create files."""
        for name, text in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def table(self, *changes):
        """The table, with changes."""
        text = TABLE
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        name = os.path.join(self.tmp.name, "table")
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        return series.Table(name)

    def steps(self, *changes):
        """What the patches do."""
        return series.Series(self.top, self.table(*changes), self.kernel, "X <x@y>").steps()

    def refused(self, text, *changes):
        """No series is written, for this reason."""
        with self.assertRaises(series.Error) as caught:
            self.steps(*changes)
        self.assertIn(text, str(caught.exception))

    def test_places(self):
        """Files are where the table says, in the patch that it says."""
        (first, one), (second, two) = self.steps()
        self.assertEqual(sorted(first), ["drivers/Makefile", "drivers/d/m/Makefile",
                                         "drivers/d/m/a.c", "drivers/d/m/common.h"])
        self.assertEqual(sorted(second), ["Documentation/driver/d.rst", "drivers/d/m/Makefile",
                                          "drivers/d/m/b.c", "drivers/d/m/t_b.c"])
        self.assertEqual(one, ["drivers/d/m/a.o"])
        self.assertEqual(two, ["drivers/d/m/b.o", "drivers/d/m/t_b.o"])

    def test_makefile(self):
        """A Makefile names an object as soon as its source is there, not before."""
        (first, _), (second, _) = self.steps()
        self.assertEqual(first["drivers/d/m/Makefile"],
                         "# Licence\n\n# The module\nobj-$(CONFIG_D) += d.o\nd-y := a.o\n")
        self.assertEqual(second["drivers/d/m/Makefile"],
                         "# Licence\n\n# The module\nobj-$(CONFIG_D) += d.o\nd-y := a.o b.o\n\n"
                         "# The tests\nobj-$(CONFIG_D_TEST) += t_b.o\n")

    def test_texts(self):
        """Compatibility and userspace are gone, documents are found, lines are inserted."""
        (first, _), (second, _) = self.steps()
        self.assertEqual(first["drivers/d/m/a.c"], "void a(void)\n{\n\tmodern();\n}\n")
        self.assertEqual(first["drivers/d/m/common.h"], "kernel\n#if 0\nkept\n#endif\n")
        self.assertEqual(second["drivers/d/m/b.c"], "/* Documentation/driver/d.rst */\n")
        self.assertEqual(first["drivers/Makefile"], "obj-y += c/\nobj-y += d/\nobj-y += e/\n")

    def test_forgotten(self):
        """A file that the table does not know stops everything."""
        self.files(self.top, {"m/new.c": "\n"})
        self.refused("m/new.c: in no patch")

    def test_twice(self):
        """So does one in two patches, or in one and left out."""
        self.refused("m/a.c: in more than one place", ('"m/b.c", ', '"m/b.c", "m/a.c", '))
        self.refused("m/b.c: in more than one place", ('"README"]', '"README", "m/b*"]'))

    def test_stale(self):
        """So does a name without a file, a rewrite without a text, an object without a source,
        an insertion without a place."""
        self.refused("no file is called m/gone.c", ('"m/a.c"', '"m/a.c", "m/gone.c"'))
        self.refused("nothing to rewrite", ("[[left_out]]", "[[rewrite]]\nfiles = '**'\n"
                                            "pattern = 'gone'\nby = ''\n[[left_out]]"))
        self.refused("c/ is there 0 times", ("+= c/", "+= cc/"))
        self.refused("no source of b.o", ('["m/b.c", ', "["), ('"README"]', '"README", "m/b.c"]'))

    def test_compat_left(self):
        """So does a use of what include/compat defines."""
        self.files(self.top, {"m/b.c": "RPCRDMA_OTHER\n"})
        self.refused("m/b.c: RPCRDMA_OTHER is for other kernels")

    def test_document_missing(self):
        """So does a document that is mentioned and left out."""
        self.files(self.top, {"m/b.c": "/* Documentation/e.rst */\n"})
        self.refused("there is no Documentation/e.rst")
        self.files(self.top, {"m/b.c": "/* README.md, d.rst, scripts/other.rst */\n"})
        self.refused("m/b.c: there is no README.md")
        self.files(self.top, {"m/b.c": "/* d.rst, scripts/other.rst */\n"})
        self.steps()

    def test_option_missing(self):
        """So does the use of an option that no Kconfig file has, or that a later patch adds."""
        self.files(self.top, {"m/b.c": "#ifdef CONFIG_D_MORE_MODULE\n"})
        self.refused("m/b.c: no Kconfig file has D_MORE")
        self.files(self.top, {"m/a.c": "d_compat();\nCONFIG_D_MORE\n"})
        self.refused("m/a.c: no Kconfig file has D_MORE", MORE)
        self.files(self.top, {"m/a.c": TREE["m/a.c"]})
        self.steps(MORE)

    def test_collision(self):
        """So does a file that the kernel has already."""
        self.files(self.kernel, {"drivers/d/m/a.c": "\n"})
        self.refused("the kernel has a file drivers/d/m/a.c")

    def test_git(self):
        """What format-patch writes of commits, git am applies."""
        folder, other = (os.path.join(self.tmp.name, n) for n in ("git", "other"))
        steps = self.steps()
        for path in (folder, other):
            os.mkdir(path)
        one, two = (write.Repository(p, "X", "x@y", "2020-01-01T00:00:00Z")
                    for p in (folder, other))
        for repository in (one, two):
            repository.commit({"drivers/Makefile": KERNEL["drivers/Makefile"]}, "base")
        for changed, _ in steps:
            one.commit(changed, "d: Change\n\nBody.\n", "--signoff")
        patches = one.git("format-patch", "HEAD~2").split()
        two.git("am", "-q", *(os.path.join(folder, p) for p in patches))
        self.assertEqual(one.git("rev-parse", "HEAD^{tree}"), two.git("rev-parse", "HEAD^{tree}"))
        self.assertIn("Signed-off-by: X <x@y>", two.git("log", "-1"))


# What scripts/upstream/steps.sh asks of a kernel's build, of a tree with one folder. What links is
# not tested here.
STEPS = r"""
. scripts/common.sh
. scripts/kernels.sh
. scripts/progress.sh
. scripts/check/count.sh
. scripts/upstream/series.sh
. scripts/upstream/kernel.sh
. scripts/upstream/steps.sh
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
steps_apply && steps_each
echo "status $?"
totals
"""


class StepsTest(unittest.TestCase):
    """Compiling after each patch."""

    def steps(self, *patches):
        """What is said about patches with these files."""
        with tempfile.TemporaryDirectory() as tmp:
            git, kernel = (os.path.join(tmp, n) for n in ("git", "kernel"))
            os.makedirs(os.path.join(kernel, "drivers"))
            with open(os.path.join(kernel, "drivers/Makefile"), "w", encoding="utf-8") as file:
                file.write(KERNEL["drivers/Makefile"])
            os.mkdir(git)
            repository = write.Repository(git, "X", "x@y", "2020-01-01T00:00:00Z")
            repository.commit({"drivers/Makefile": KERNEL["drivers/Makefile"]}, "base")
            for number, files in enumerate(patches, 1):
                repository.commit({"drivers/d/m/" + n: t for n, t in files.items()}, f"d: {number}")
            repository.git("format-patch", "-q", f"HEAD~{len(patches)}")
            done = subprocess.run(
                ["bash", "-c", STEPS, "steps", git, kernel, os.path.join(tmp, "out")],
                cwd=os.path.dirname(os.path.dirname(HERE)), text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=dict(os.environ, LC_ALL="C", RPCRDMA_CACHE=os.path.join(tmp, "cache")))
            return re.sub(r" \(\d+ s\)", "", done.stdout)

    def test_good(self):
        """Patches that need only what is before them."""
        self.assertEqual(self.steps({"a.h": "#define A 1\n", "b.c": "int b;\n"},
                                    {"a.c": '#include "a.h"\nint a = A;\n'}),
                         "ok 1 - step 1: d: 1\nok 2 - step 2: d: 2\nstatus 0\n"
                         "2 passed, 0 failed, 0 skipped\n")

    def test_later_header(self):
        """A patch that includes a header of a later one is found, and named."""
        text = self.steps({"a.c": '#include "a.h"\nint a = A;\n'}, {"a.h": "#define A 1\n"})
        self.assertIn("not ok 1 - step 1: d: 1: drivers/d/m/a.c:1:10: fatal error: a.h", text)
        self.assertIn("ok 2 - step 2: d: 2\nstatus 1\n1 passed, 1 failed", text)

    def test_warning(self):
        """So is one that compiles with a warning."""
        text = self.steps({"a.c": "static int a;\n"})
        self.assertIn("not ok 1 - step 1: d: 1: drivers/d/m/a.c:1:12: warning: 'a'", text)

    def test_not_compiled(self):
        """So is one with a source that no Makefile compiles."""
        text = self.steps({"a.c": "int a;\n", "sub/b.c": "int b;\n"})
        self.assertIn("step 1: d: 1: error: no Makefile compiles drivers/d/m/sub/b.c", text)


class TextTest(unittest.TestCase):
    """Commit messages, and reports of checkpatch.pl."""

    def test_wrap(self):
        """Lines are as long as they may be; lists keep their indentation."""
        text = write.wrap("word " * 40 + "\n\n- item " + "word " * 30 + "\n- second\n\n  1  kept\n")
        self.assertLessEqual(max(map(len, text.split("\n"))), write.WIDTH)
        self.assertIn("\n- item word", text)
        self.assertIn("\n  word", text)
        self.assertIn("\n- second\n\n  1  kept\n", text)

    def test_parts(self):
        """Each part has the numbers of its patches."""
        self.assertEqual(write.parts([{"part": "a"}, {}, {"part": "b"}]), "  1-2     a\n  3       b")

    def test_judge(self):
        """A report needs a rule for its type and its patch, and a rule needs a report."""
        rules = [{"types": ["A", "B"], "patches": "*x*"}]
        needed = set()
        self.assertEqual(checkpatch.judge(rules, "1-x", [("7", "A", "t")], needed), [])
        self.assertEqual(needed, {(0, "A")})
        self.assertEqual(checkpatch.judge(rules, "1-y", [("7", "A", "t")], needed), ["1-y:7: A: t"])
        self.assertEqual(checkpatch.judge(rules, "1-x", [("7", "C", "t")], needed), ["1-x:7: C: t"])
