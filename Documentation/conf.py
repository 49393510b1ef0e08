# SPDX-License-Identifier: GPL-2.0-only
"""How Sphinx makes HTML of these documents: make docs."""
# pylint: disable=invalid-name
project = "NFS over RDMA for Linux"
author = "The contributors"
extensions = []
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "240px"}
html_show_copyright = False
# No syntax is guessed: commands, drawings and wire formats are shown as they are.
highlight_language = "none"
smartquotes = False
