# SPDX-License-Identifier: GPL-2.0-only
"""Helpers for tests of programs: a pytest plugin that scripts/check/tools loads."""
import os
import shutil
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
# Folders of modules that programs share with their tests
sys.path[:0] = [os.path.join(TOP, folder) for folder in (
    "scripts/bench", "scripts/upstream", "tools/rpcrdmactl")]


def program(path):
    """Load a program without a suffix, relative to the top folder, as a module."""
    loader = SourceFileLoader(os.path.basename(path) + "_program", os.path.join(TOP, path))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def needs(command, package):
    """Fail a test if the command is missing, or skip it with RPCRDMA_SETUP=skip."""
    if not shutil.which(command):
        (pytest.skip if os.environ.get("RPCRDMA_SETUP") == "skip" else pytest.fail)(
            f"the package {package} is missing")


def pytest_unconfigure(config):
    """Print the totals for scripts/ci as the last line."""
    stats = config.pluginmanager.get_plugin("terminalreporter").stats
    passed, failed, errors, skipped = (
        len(stats.get(kind, ())) for kind in ("passed", "failed", "error", "skipped"))
    print(f"{passed} passed, {failed + errors} failed, {skipped} skipped")
