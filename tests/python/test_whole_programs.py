"""Whole programs of TensorFlow 1, written as people wrote them from 2016 to 2018, run unchanged by `python -m millrace`.

`programs/NAME.txt` has what a program prints: TensorFlow 2.15.1 with tf_slim printed those of PRINTED_BY_TENSORFLOW, too. Words and
whole numbers have to be the same, other numbers within 2 %.
"""

import os
import re

import package
import pytest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PRINTED_BY_TENSORFLOW = [
  "colours_slim",
  "few_bits",
  "frozen_graph",
  "moving_targets",
  "natural_gradient",
  "painted_image",
  "ring_estimator",
  "sentence_classifier",
  "towers",
]
OTHERS = ["spelling", "translation"]
_NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?")


def read(name):
  with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
    return file.read()


def check(ran, name):
  assert ran.returncode == 0, ran.stderr
  assert_alike(ran.stdout.splitlines(), read(name + ".txt").splitlines())


def assert_alike(said, wanted):
  assert [_NUMBER.sub("#", line) for line in said] == [_NUMBER.sub("#", line) for line in wanted]
  for line, wanted_line in zip(said, wanted):
    numbers = [[float(number) for number in _NUMBER.findall(text)] for text in (line, wanted_line)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=0.002), line


@pytest.mark.parametrize("name", PRINTED_BY_TENSORFLOW + OTHERS)
def test_program(tmp_path, name):
  check(package.script(tmp_path, read(name + ".py")), name)


def test_program_from_before_1_0(tmp_path):
  ran = package.script(tmp_path, read("before_1_0.py"), options=["--tf", "0.12"])
  check(ran, "before_1_0")
  assert "Use tf.multiply." in ran.stderr and "Use tf.nn.static_rnn." in ran.stderr


def test_every_program_runs():
  names = {name[:-3] for name in os.listdir(FOLDER) if name.endswith(".py")}
  assert names == {*PRINTED_BY_TENSORFLOW, *OTHERS, "before_1_0"}
