"""./dev fmt"""
import subprocess
from concurrent.futures import ThreadPoolExecutor
import os

import options
import packages
import sources
from console import ROOT, say


def run(check):
    """Formats the files, or returns those that are not formatted."""
    packages.need_packages(packages.FORMAT)
    files = sources.cxx_files()
    chunks = [files[i:i + 40] for i in range(0, len(files), 40)]

    def one(chunk):
        if not check:
            subprocess.run(["clang-format-14", "-i"] + chunk, cwd=ROOT, check=True)
            return []
        err = subprocess.run(["clang-format-14", "--dry-run"] + chunk, cwd=ROOT, capture_output=True, text=True).stderr
        return sorted({line.split(":")[0] for line in err.splitlines() if "-Wclang-format-violations" in line})

    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return files, [path for part in pool.map(one, chunks) for path in part]


def main(argv):
    ap = options.Parser(prog="./dev fmt", description="Formats all C++ sources with clang-format 14.")
    ap.add_argument("--check", action="store_true", help="change nothing; list what is not formatted")
    args = ap.parse_args(argv)
    files, wrong = run(args.check)
    for path in wrong:
        say("%s: not formatted; ./dev fmt does it" % path)
    say("%d files%s" % (len(files), ", %d not formatted" % len(wrong) if args.check else " formatted"))
    return 1 if wrong else 0
