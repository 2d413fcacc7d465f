"""./dev demo"""
import os

import building
from console import fail

HELP = """usage: ./dev demo [arguments]

Builds the release and runs examples/demo with the arguments; `./dev demo -- --help` shows them."""


def main(argv):
    if argv[:1] in (["-h"], ["--help"]):
        print(HELP)
        return 0
    building.build("release", ["programs"])
    program = os.path.join(building.folder("release"), "examples", "demo")
    if not os.path.exists(program):
        fail("examples/demo/main.cc is missing, so there is no demo")
    if argv[:1] == ["--"]:
        argv = argv[1:]
    os.execv(program, [program] + argv)
