"""`./dev test --mutants`: small wrong changes that the tests must notice.

tests/mutants/NAME.patch is a diff in git's format; a line `test: SELECTOR` above
the diff says which tests have to fail with it (a selector of `./dev test`). The
patch is applied to a copy below build/mutants, so the working tree stays as it is.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import time

from console import ROOT, say, seconds
from gtest_runner import Count

COPY = os.path.join(ROOT, "build", "mutants")
COPIED = ("CMakeLists.txt", "CMakePresets.json", "layers.txt", "dev", "cmake", "millrace", "proto", "tools", "tests",
          "examples", "benchmarks")


def refresh():
    """Makes the copy equal to the tree; unchanged files keep their times, so little is built again."""
    os.makedirs(COPY, exist_ok=True)
    for name in COPIED:
        source, target = os.path.join(ROOT, name), os.path.join(COPY, name)
        if os.path.isfile(source):
            copy_file(source, target)
            continue
        wanted = set()
        for base, folders, files in os.walk(source):
            folders[:] = [d for d in folders if not d.startswith((".", "__"))]
            for f in files:
                path = os.path.join(base, f)
                relative = os.path.relpath(path, source)
                wanted.add(relative)
                copy_file(path, os.path.join(target, relative))
        for base, _, files in os.walk(target):
            for f in files:
                if os.path.relpath(os.path.join(base, f), target) not in wanted:
                    os.remove(os.path.join(base, f))


def copy_file(source, target):
    with open(source, "rb") as f:
        data = f.read()
    if os.path.exists(target):
        with open(target, "rb") as f:
            if f.read() == data:
                return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as f:
        f.write(data)
    shutil.copymode(source, target)


def try_one(path):
    """None when the tests noticed, else what went wrong."""
    with open(path) as f:
        m = re.search(r"^test: (.+)$", f.read(), re.M)
    if not m:
        return "has no line 'test: SELECTOR'"
    refresh()
    applied = subprocess.run(["git", "apply", "--unsafe-paths", "--directory", COPY, path], cwd="/", capture_output=True,
                             text=True)
    if applied.returncode != 0:
        return "does not apply: " + (applied.stdout + applied.stderr).strip()
    done = subprocess.run([sys.executable, "-B", os.path.join(COPY, "tools", "dev"), "test"] + m.group(1).split(),
                          cwd=COPY, capture_output=True, text=True)
    last = done.stdout.strip().split("\n")[-1]
    if not re.match(r"\d+ passed, \d+ failed", last):
        return "did not get as far as the tests:\n" + (done.stdout + done.stderr)[-3000:]
    if done.returncode == 0:
        return "is not noticed by ./dev test %s: %s" % (m.group(1), last)
    return None


def run():
    total = Count()
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "mutants", "*.patch"))):
        start = time.monotonic()
        problem = try_one(path)
        name = os.path.basename(path)[:-len(".patch")]
        say("  mutant %-32s %s (%s)" % (name, problem or "noticed", seconds(time.monotonic() - start)))
        total.add(Count(0 if problem else 1, 1 if problem else 0))
    return total
