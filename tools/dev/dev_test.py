"""Tests of the one command: selectors, reports, packages."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import building
import gtest_runner
import idle_build
import packages
import pytest_runner
import selecting
import verb_build
import verb_test
from console import ROOT

PROGRAMS = [
  ("base_test", "millrace/base"),
  ("rpc_test", "millrace/rpc"),
  ("rpc_grpc_test", "millrace/rpc/grpc"),
  ("cases_tests", "tests/cases"),
]


class SelectingTest(unittest.TestCase):
  def test_room_by_path_and_name(self):
    for name in ("base", "millrace/base", "millrace/base/", "./millrace/base"):
      self.assertEqual(selecting.select(name, PROGRAMS).programs, ["base_test"], name)

  def test_python_folder_and_file(self):
    tests = selecting.select("conformance", PROGRAMS).python
    self.assertIn("tests/conformance/test_proto_numbers.py", tests)
    self.assertEqual(
      selecting.select("conformance/test_proto_numbers.py", PROGRAMS).python, ["tests/conformance/test_proto_numbers.py"]
    )

  def test_all_ops_with_what_of_stock_they_cover(self):
    for name in ("ops", "millrace/ops"):
      selection = selecting.select(name, PROGRAMS + [("ops_math_test", "millrace/ops/math")])
      self.assertEqual(selection.programs, ["cases_tests", "ops_math_test"])
      self.assertLessEqual({"tests/cases/test_stock.py", "tests/cases/test_snapshots.py"}, set(selection.python))
      self.assertFalse(selection.filters or selection.stock)

  def test_files_of_an_op_with_their_unit_test(self):
    programs = PROGRAMS + [("ops_queue_test", "millrace/ops/queue")]
    selection = selecting.select("ops/queue/barrier", programs)
    self.assertEqual(selection.programs, ["cases_tests", "ops_queue_test"])
    self.assertIn("Barrier", selection.stock)
    self.assertIn("Barrier", selection.filters["ops_queue_test"])

  def test_families_whose_rules_are_checked(self):
    for name, family in (
      ("LeakyRelu", "millrace/ops/activation"),
      ("ops/queue/barrier", "millrace/ops/queue"),
      ("millrace/ops/queue/", "millrace/ops/queue"),
      ("ops", "millrace/ops"),
    ):
      self.assertEqual(selecting.select(name, PROGRAMS).families, [family], name)
    self.assertEqual(selecting.select("base", PROGRAMS).families, [])

  def test_ops_that_stock_lacks(self):
    self.assertEqual(selecting.known_to_stock(["nn", "_SplitProduct", "MatMul"]), ["nn", "MatMul"])

  def test_tools_and_what_drives_benchmarks(self):
    for name in ("tools", "tools/free_ports_test.py", "benchmarks", "benchmarks/protocol/goals_test.py"):
      selection = selecting.select(name, PROGRAMS)
      self.assertTrue(selection.tools and not selection.python, name)

  def test_one_test_of_a_suite(self):
    selection = selecting.select("WireStatusTest.EveryCode", [("base_test", "millrace/base"), ("protocol_test", "millrace")])
    (found,) = selection.filters.values()
    self.assertEqual(found, "*WireStatusTest.EveryCode:*WireStatusTest.EveryCode/*:*WireStatusTest/*.EveryCode")

  def test_unknown(self):
    self.assertTrue(selecting.select("nonsense", PROGRAMS).empty())

  def test_file_takes_the_deepest_program(self):
    selection = selecting.Selection()
    selecting.add_file(selection, "millrace/rpc/grpc/server_test.cc", PROGRAMS, "ServerTest")
    self.assertEqual(selection.programs, ["rpc_grpc_test"])
    self.assertIn("*ServerTest.*", selection.filters["rpc_grpc_test"])

  def test_case_filter(self):
    self.assertEqual(selecting.case_filter(["Add"]), "*/Add:*/Add_*")


class ReportTest(unittest.TestCase):
  def test_gtest_counts(self):
    tests = [
      dict(name="a", status="RUN", result="COMPLETED"),
      dict(name="b", status="RUN", result="COMPLETED", failures=[{}]),
      dict(name="c", status="RUN", result="SKIPPED"),
      dict(name="d", status="NOTRUN"),
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
      json.dump(dict(testsuites=[dict(name="S", testsuite=tests)]), f)
      f.flush()
      count = gtest_runner.read_report(f.name, 1, ["x_test"])
    self.assertEqual((count.passed, count.failed, count.skipped), (1, 1, 1))
    self.assertEqual(count.again, ["x_test --gtest_filter='S.b'"])

  def test_a_crash_is_a_failure(self):
    self.assertEqual(gtest_runner.read_report("/nonexistent", -6, ["x_test"]).failed, 1)

  def test_only_what_failed_is_shown(self):
    text = gtest_runner.essential(
      "[ RUN      ] A.a\nnoise\n[       OK ] A.a (0 ms)\n[ RUN      ] A.b\n"
      "../../millrace/x.cc:1: Failure\n[  FAILED  ] A.b (0 ms)\n"
      "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.b\n"
    )
    self.assertEqual(text, "[ RUN      ] A.b\nmillrace/x.cc:1: Failure\n[  FAILED  ] A.b (0 ms)")

  def test_pytest_counts(self):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as f:
      f.write("<testsuites><testsuite><testcase name='a'/><testcase name='b'><skipped/></testcase></testsuite></testsuites>")
      f.flush()
      count = pytest_runner.read_report(f.name, 0, "")
    self.assertEqual((count.passed, count.failed, count.skipped), (1, 0, 1))

  def test_stages_side_by_side(self):
    order, began = [], threading.Event()

    def first():
      began.wait(10)
      order.append("first")

    verb_test.side_by_side(began.set, first, lambda: order.append("second"))
    self.assertEqual(order, ["first", "second"])
    with self.assertRaises(ZeroDivisionError):
      verb_test.side_by_side(lambda: None, lambda: 1 // 0)
    with self.assertRaises(KeyError):
      verb_test.side_by_side(lambda: {}["x"], lambda: None)

  def test_an_interruption_ends_what_runs_beside(self):
    report, began, ended = verb_test.Report(), threading.Event(), []

    def interrupted():
      began.wait(10)
      raise KeyboardInterrupt

    def files(stopped):
      began.set()
      ended.append(stopped.wait(10))

    with self.assertRaises(KeyboardInterrupt):
      verb_test.side_by_side(
        interrupted,
        lambda: files(report.stopped),
        lambda: report.stage("never", lambda: ended.append("ran")),
        stopped=report.stopped,
      )
    report.stage("never", lambda: ended.append("ran"))
    self.assertEqual(ended, [True])

  def test_an_error_of_a_stage_is_shown_at_once(self):
    report = verb_test.Report()
    with contextlib.redirect_stdout(io.StringIO()) as said, self.assertRaises(FileNotFoundError):
      report.stage("rules", lambda: open("/nowhere/at/all"))
    self.assertRegex(said.getvalue(), r"(?s)No such file.*\nrules +FAILED")
    self.assertEqual((report.total.failed, report.not_tested), (1, True))

  def stages_of(self, *words):
    """Returns the names of the stages that `./dev test` with these words has, none of which runs."""
    names = []
    report = mock.Mock(stopped=threading.Event())
    report.stage.side_effect = lambda name, function: names.append(name)
    with (
      mock.patch.object(verb_test.building, "configure"),
      mock.patch.object(verb_test.packages, "need_packages"),
      mock.patch.object(verb_test.packages, "need_venv"),
      mock.patch.object(verb_test.gtest_runner, "listed", lambda preset: [("base_test", "millrace/base")]),
      mock.patch.object(verb_test.gtest_runner, "standin_with_asan", lambda preset: {}),
      mock.patch.object(verb_test.idle_build, "IdleBuild"),
      mock.patch.object(verb_test.os.path, "exists", lambda path: True),
    ):
      verb_test.run_stages(verb_test.arguments(list(words)), report, mock.Mock())
    return names

  def test_the_parts_are_the_whole(self):
    for words in [], ["--long"]:
      parts = [part for part in verb_test.PARTS if words or part not in verb_test.LONG_PARTS]
      apart = [name for part in parts for name in self.stages_of(*words, "--part", part)]
      # The two sides of side_by_side may come in any order.
      self.assertEqual(set(apart), set(self.stages_of(*words)))
      self.assertEqual(len(self.stages_of(*words)), len(set(self.stages_of(*words))))
    self.assertNotIn("build dev", self.stages_of("--long", "--part", "tsan"))
    self.assertIn("build tsan", self.stages_of("--long", "--part", "tsan"))

  def test_parts_that_are_none(self):
    for words in (
      ["--part", "docs"],
      ["--part", "units", "base"],
      ["--part", "unit"],
      ["--part", "asan", "--preset", "release"],
      ["--part", "units", "--mutants"],
      ["--part", "servers", "--errors"],
    ):
      with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
        verb_test.arguments(words)
      self.assertRegex(said.getvalue(), "give both|give one|did you mean units|leave that out")

  def test_the_tests_of_an_op_tell_of_its_files(self):
    said = io.StringIO()
    with contextlib.ExitStack() as stack:
      for place, name, value in (
        (packages, "need_packages", None),
        (building, "configure", None),
        (building, "build", 1.0),
        (verb_test.subprocess, "run", None),
        (gtest_runner, "listed", PROGRAMS),
        (gtest_runner, "run", gtest_runner.Count(3)),
        (gtest_runner, "standin_with_asan", None),
        (verb_test, "against_stock", gtest_runner.Count(2)),
        (verb_test.sources, "layers_problems", ["millrace/ops/activation:1: 46 files"]),
      ):
        stack.enter_context(mock.patch.object(place, name, lambda *args, value=value, **more: value))
      stack.enter_context(contextlib.redirect_stdout(said))
      report = verb_test.Report()
      verb_test.run_selected(verb_test.arguments(["LeakyRelu"]), report)
    self.assertEqual(report.total.failed, 1)
    self.assertRegex(said.getvalue(), "46 files\nrules of its files +0 passed, 1 FAILED")

  def test_what_pytest_cases_say(self):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as f:
      f.write(
        "<testsuites><testsuite><testcase name='a'><properties><property name='summary' value='7 cases'/>"
        "</properties></testcase></testsuite></testsuites>"
      )
      f.flush()
      count = pytest_runner.read_report(f.name, 0, "")
    self.assertEqual(count.notes, ["7 cases"])


class CommandTest(unittest.TestCase):
  def dev(self, *words):
    return subprocess.run([os.path.join(ROOT, "dev")] + list(words), capture_output=True, text=True)

  def test_every_verb_has_help(self):
    for verb in ("demo", "test", "build", "bench", "fmt", "lint", "sim", "docs", "wheel", "parallel"):
      done = self.dev(verb, "--help")
      self.assertEqual(done.returncode, 0, done.stderr)
      self.assertIn("./dev " + verb, done.stdout)

  def test_unknown_verb_suggests(self):
    done = self.dev("biuld")
    self.assertEqual(done.returncode, 2)
    self.assertIn("did you mean './dev build'?", done.stderr)

  def test_wrong_options_suggest(self):
    for words, expected in (
      (("build", "relase"), "did you mean release?"),
      (("test", "--presets=dev"), "did you mean --preset?"),
      (("fmt", "--chek"), "did you mean --check?"),
      (("bench", "--round", "3", "--stok"), "--stock?"),
      (("bench", "--turns"), "--turns compares with --stock"),
      (("lint", "--al1"), "did you mean --all?"),
      (("bench", "--all"), "--stock --all"),
      (("bench", "--stock", "--all", "--cases", "null_step"), "neither"),
      (("bench", "--stock", "--against", "HEAD"), "one at a time"),
      (("bench", "--rounds", "3"), "--rounds goes with"),
      (("bench", "--stock", "--rounds", "0"), "at least 1"),
      (("bench", "idle", "--quick"), "--quick and --rows go with python and ops"),
      (("bench", "pyton"), "did you mean python?"),
      (("parallel", "data_paralel"), "did you mean data_parallel?"),
      (("parallel", "--smal"), "did you mean --small?"),
    ):
      done = self.dev(*words)
      self.assertEqual(done.returncode, 2, words)
      self.assertIn(expected, done.stderr)

  def test_wrong_options_of_scripts_suggest(self):
    idle, serving = (os.path.join("benchmarks", "protocol", name + ".py") for name in ("idle", "serving"))
    compare = os.path.join("examples", "networks", "compare.py")
    for words, expected in (
      ((idle, "x", "--secconds", "3"), "did you mean --seconds?"),
      ((idle, "x", "--only", "threads,resident"), "did you mean resident_mb?"),
      ((serving, "x", "y", "--repeats=3"), "--repeats=3; did you mean --repetitions?"),
      ((compare, "--smal", "lstm"), "there is no network lstm"),
      ((compare, "licence_lstm"), "did you mean license_lstm?"),
      ((compare, "--stps=3"), "did you mean --steps?"),
    ):
      done = subprocess.run([sys.executable] + list(words), cwd=ROOT, capture_output=True, text=True)
      self.assertEqual(done.returncode, 2, words)
      self.assertIn(expected, done.stderr)
      self.assertEqual(done.stdout, "")

  def test_wrong_options_of_the_demo_are_told_before_the_build(self):
    done = self.dev("demo", "--epochz", "3")
    self.assertEqual(done.returncode, 2)
    self.assertIn("did you mean --epochs?", done.stderr)
    done = self.dev("demo", "--seed")
    self.assertEqual(done.returncode, 2)
    self.assertIn("--seed needs a value", done.stderr)
    self.assertEqual(done.stdout, "")

  def test_requirements_are_read(self):
    self.assertIn("tensorflow-cpu==2.21.0", packages.requirements())
    (formats,) = packages.requirements(packages.PYTHON_FORMAT)
    self.assertRegex(formats, r"^\w+==[\d.]+$")


class BuildTest(unittest.TestCase):
  def setUp(self):
    root = tempfile.TemporaryDirectory()
    self.addCleanup(root.cleanup)
    self.folder = os.path.join(root.name, "build", "dev")
    self.enterContext(mock.patch.object(verb_build, "ROOT", root.name))
    self.enterContext(mock.patch.object(building, "folder", lambda preset: self.folder))

  def built(self, *words):
    """Returns the last line of a build that had nothing to do."""
    out = io.StringIO()
    with mock.patch.object(building, "build", lambda preset, targets: 1.0), contextlib.redirect_stdout(out):
      self.assertEqual(verb_build.main(["dev", *words]), 0)
    return out.getvalue().strip()

  def test_what_was_built(self):
    self.assertEqual(self.built(), "built build/dev (1.0 s)")
    for name in ("millrace", "python/millrace/x", "tests/base_test", "examples/tour"):
      os.makedirs(os.path.join(self.folder, name))
    for words, what in (
      ((), "build/dev/millrace"),
      (("--target", "python"), "build/dev/python"),
      (("--target", "base_test", "--target", "millrace_base"), "build/dev/tests/base_test, millrace_base of build/dev"),
      (("--target", "example_tour"), "build/dev/examples/tour"),
      (("--target", "programs"), "build/dev/millrace"),
    ):
      self.assertEqual(self.built(*words), "built %s (1.0 s)" % what)

  def test_a_target_that_there_is_not(self):
    os.makedirs(self.folder)
    with open(os.path.join(self.folder, "build.ninja"), "w") as f:
      f.write("rule fail\n  command = false\nbuild bad: fail\n")
      for name in ("python", "base_test", "cases_tests", "tests/base_test", "opgen"):
        f.write("build %s: phony\n" % name)

    def said(*targets):
      err = io.StringIO()
      with mock.patch.object(packages, "need_packages"), mock.patch.object(packages, "need_venv"):
        with mock.patch.object(building, "configure"), contextlib.redirect_stderr(err):
          with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit):
            building.build("dev", targets)
      return err.getvalue()

    text = said("python", "pyton", "nonsense.o")
    self.assertIn(
      "build/dev has no target pyton; did you mean python? The most used are python, cases_tests, base_test, and", text
    )
    self.assertIn("has no target nonsense.o. The most used", text)
    self.assertIn("the build of dev failed", said("bad"))


class IdleBuildTest(unittest.TestCase):
  def start(self, folder, command):
    """Starts a build of a target that runs the command; a pipe reports when it began."""
    os.mkfifo(os.path.join(folder, "began"))
    with open(os.path.join(folder, "build.ninja"), "w") as f:
      f.write("rule run\n  command = %s\nbuild out: run\n" % command)
    idle = idle_build.IdleBuild([(folder, ["out"])])
    with open(os.path.join(folder, "began")) as f:
      f.read()
    return idle

  def test_end_stops_what_is_being_built(self):
    with tempfile.TemporaryDirectory() as folder:
      # It would wait for a reader who never comes.
      self.start(folder, "echo > began; mkfifo never; echo > never; touch out").end()
      self.assertFalse(os.path.exists(os.path.join(folder, "out")))

  def test_what_is_built_stays(self):
    with tempfile.TemporaryDirectory() as folder:
      idle = self.start(folder, "touch out; echo > began")
      idle.wait()
      idle.end()
      self.assertTrue(os.path.exists(os.path.join(folder, "out")))


if __name__ == "__main__":
  unittest.main()
