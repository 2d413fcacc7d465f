"""Trains the networks of this folder and the same in stock TensorFlow, and prints side by side what they reach.

    python3 examples/networks/compare.py [--small] [--build build/release] [fashion_cnn license_lstm split_embedding]

Needs Python with TensorFlow, which runs the scripts of stock/, and a build of `millrace` and examples/networks. All use the
same seeds and batches, and two parameter servers. The columns: stock TensorFlow's client on its servers; the same script on
Millrace's servers (`millrace run`); Millrace's C++ client with one worker; and with two, whose updates come as they come.
"""

import argparse
import os
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "tools", "dev"))

import options  # noqa: E402

NETWORKS = ["fashion_cnn", "license_lstm", "split_embedding"]
LABEL_WIDTH, WIDTH = 16, 18


def columns(build, network):
  """{heading: command}"""
  script = os.path.join(FOLDER, "stock", network + ".py")
  program = os.path.join(build, "examples", "networks")
  return {
    "stock": [sys.executable, script],
    "stock on Millrace": [os.path.join(build, "millrace"), "run", "--python", sys.executable, script],
    "C++, 1 worker": [program, network, "--workers", "1"],
    "C++, 2 workers": [program, network],
  }


def printed(command):
  """(what, number) of each line that says what was reached, such as ("step 1: loss", "2.3026")."""
  done = subprocess.run(command, capture_output=True, text=True, check=False)
  if done.returncode != 0:
    sys.exit(f"\n{' '.join(command)} ended with {done.returncode}\n{done.stderr}")
  return re.findall(r"^(step \d+: loss|test \w+):? ([\d.]+)$", done.stdout, re.MULTILINE)


def number_of(what, lines):
  """What stands in a row: of two workers the one that tells may have made the next step only, or not the last one."""
  if not what.startswith("step "):
    return dict(lines)[what]
  step = int(re.search(r"\d+", what)[0])
  steps = [(int(m[1]), number) for label, number in lines if (m := re.match(r"step (\d+)", label))]
  return next((number for made, number in steps if made >= step), steps[-1][1])


def compare(build, network, flags):
  """Prints a row a line of stock's."""
  print(f"\n{network:{LABEL_WIDTH}}", end="", flush=True)
  cells = []
  for heading, command in columns(build, network).items():
    print(f"{heading:>{WIDTH}}", end="", flush=True)
    cells.append(printed(command + flags))
  print()
  for label, _ in cells[0]:
    print(f"{label:{LABEL_WIDTH}}" + "".join(f"{number_of(label, lines):>{WIDTH}}" for lines in cells), flush=True)


def main():
  parser = options.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("networks", nargs="*", default=[], metavar="network", help=", ".join(NETWORKS))
  parser.add_argument("--small", action="store_true", help="smaller networks, in a minute")
  parser.add_argument("--steps", type=int, help="of all workers together")
  parser.add_argument("--build", default="build/release", help="where the programs are (%(default)s)")
  args = parser.parse_args()
  for network in args.networks:
    if network not in NETWORKS:
      parser.error(f"there is no network {network}{options.near(network, NETWORKS)} (there are {', '.join(NETWORKS)})")
  flags = ["--small"] * args.small + (["--steps", str(args.steps)] if args.steps else [])
  for network in args.networks or NETWORKS:
    compare(args.build, network, flags)


if __name__ == "__main__":
  main()
