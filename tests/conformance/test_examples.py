"""The programs of the README and the documentation run and print what they say."""
import os
import subprocess


def example(name, *arguments):
    program = os.path.join(os.environ["MILLRACE_BUILD"], "examples", name)
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def test_hello_fits_a_line():
    assert example("hello") == "y = 2.00 x + 1.00\n"


def test_hello_is_the_readmes_program():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    with open(os.path.join(root, "examples", "hello", "main.cc"), encoding="utf-8") as f:
        assert f.read().strip() in readme
