# SPDX-License-Identifier: GPL-2.0-only
"""How Sphinx makes HTML of these documents: make docs."""
# pylint: disable=invalid-name
import importlib.util
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "sphinx"))

project = "NFS over RDMA for Linux"
author = "The contributors"
release = subprocess.run(["bash", "-c", ". ../scripts/common.sh && source_version"], cwd=HERE,
                         stdout=subprocess.PIPE, check=True, encoding="ascii").stdout.strip()
extensions = ["sphinx.ext.autosectionlabel", "doclinks", "manpage"]
autosectionlabel_prefix_document = True
# Sections of one document that have the same title cannot be named elsewhere.
suppress_warnings = ["autosectionlabel.*"]
exclude_patterns = ["_build"]
# Debian's package furo; the other one comes with Sphinx.
html_theme = "furo" if importlib.util.find_spec("furo") else "alabaster"
html_title = f"{project} {release}"
html_show_copyright = False
# No syntax is guessed: commands, drawings and wire formats are shown as they are.
highlight_language = "none"
smartquotes = False
