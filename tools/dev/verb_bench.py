"""./dev bench"""
import glob
import os
import subprocess
import sys

import building
import options
import packages
from console import ROOT, say

SERVER = "build/release/millrace server --job {job} --task {task} --cluster {cluster}"


def run_micro(filters):
    """Google Benchmark programs, benchmarks/**/*_bench.cc."""
    packages.need_packages(packages.TEST)
    building.build("release", ["benchmarks"])
    worst = 0
    for program in sorted(glob.glob(os.path.join(building.folder("release"), "benchmarks", "*_bench"))):
        if not filters or any(f in os.path.basename(program) for f in filters):
            say("== " + os.path.basename(program))
            worst = max(worst, subprocess.call([program], cwd=ROOT))
    return worst


def main(argv):
    ap = options.Parser(prog="./dev bench", description="Measures Millrace's servers through the stock "
                                 "TensorFlow client (benchmarks/protocol). Leave the machine alone meanwhile.")
    ap.add_argument("what", nargs="?", choices=["idle", "serving"],
                    help="idle: what a server costs that nobody uses; serving: queries a second of the C++ client")
    ap.add_argument("--stock", action="store_true", help="measure stock TensorFlow's servers in turn and compare")
    ap.add_argument("--cases", help="only these cases, separated by commas")
    ap.add_argument("--rounds", type=int, help="with --stock: rounds (default 3)")
    ap.add_argument("--turns", nargs="?", const="", metavar="ROWS",
                    help="with --stock: both at the same time, row by row in short windows, for machines that others "
                         "use (only rows that this regular expression names)")
    ap.add_argument("--scale", type=float, default=1.0, help="0.3 shortens the cases")
    ap.add_argument("--out", default="build/bench.jsonl", help="records are appended here")
    ap.add_argument("--micro", nargs="*", metavar="NAME", help="run the C++ micro benchmarks (of these names) instead")
    ap.add_argument("--list", action="store_true", help="list the cases")
    args = ap.parse_args(argv)
    if args.turns is not None and not (args.stock and args.cases):
        ap.error("--turns compares with --stock, and the cases in which calls are timed one by one: "
                 "--stock --cases kernels,null_step --turns")
    if args.turns is not None and args.rounds is not None:
        ap.error("--turns has no rounds: each row has its windows")
    if args.micro is not None:
        return run_micro(args.micro)
    if args.what == "idle":
        building.build("release", ["programs"])
        return subprocess.call([sys.executable, os.path.join("benchmarks", "protocol", "idle.py"), SERVER], cwd=ROOT)
    if args.what == "serving":
        packages.need_packages(packages.TEST)
        building.build("release", ["programs", "serving_bench"])
        return subprocess.call([sys.executable, os.path.join("benchmarks", "protocol", "serving.py"),
                                os.path.join(building.folder("release"), "benchmarks", "serving_bench"), SERVER],
                               cwd=ROOT)
    python = packages.need_venv()
    bench = [python, os.path.join("benchmarks", "protocol", "bench.py")]
    env = dict(os.environ, TF_VENV=packages.VENV)
    if args.list:
        return subprocess.call(bench + ["list"], cwd=ROOT, env=env)
    building.build("release", ["programs"])
    if args.turns is not None:
        command = ["turns", "--a", "stock", "--b", SERVER, "--rows", args.turns]
    elif args.stock:
        command = ["compare", "--a", "stock", "--b", SERVER, "--rounds", str(args.rounds or 3)]
    else:
        command = ["run", "--servers", SERVER]
    command += ["--out", args.out, "--scale", str(args.scale)]
    if args.cases:
        command += ["--cases", args.cases]
    return subprocess.call(bench + command, cwd=ROOT, env=env)
