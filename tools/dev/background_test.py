"""Tests of background.py: nothing that was started in the background outlives its end."""

import os
import select
import signal
import subprocess
import sys
import unittest
from unittest import mock

import packages
import verb_test
from background import Background

LIMIT_SECONDS = 30
# A leader and its child, which both hold the end of a pipe whose number follows, report that they run, and stay.
CHILD = """import os, signal, sys
{before}
os.write(int(sys.argv[1]), b"c")
signal.pause()
"""
LEADER = """import os, subprocess, sys, signal
subprocess.Popen([sys.executable, "-c", {child!r}, sys.argv[1]], pass_fds=[int(sys.argv[1])])
os.write(int(sys.argv[1]), b"l")
{after}
"""


class Group:
  """The command of such a leader, and its output."""

  def __init__(self, before="", after="signal.pause()"):
    self._read, self.write = os.pipe()
    self.command = [sys.executable, "-c", LEADER.format(child=CHILD.format(before=before), after=after), str(self.write)]

  def start(self, **options):
    background = Background(self.command, pass_fds=[self.write], **options)
    self.await_start()
    return background

  def await_start(self):
    os.close(self.write)
    heard = b""
    while len(heard) < 2:
      heard += self._next()
    assert sorted(heard) == sorted(b"lc"), heard

  def has_ended(self):
    """Returns whether all of it has ended."""
    return self._next() == b""

  def _next(self):
    ready, _, _ = select.select([self._read], [], [], LIMIT_SECONDS)
    return os.read(self._read, 1) if ready else b"silent"


class BackgroundTest(unittest.TestCase):
  def test_what_is_idle_yields(self):
    group = Group()
    background = group.start(is_idle=True)
    pid = background._process.pid
    own = os.getpriority(os.PRIO_PROCESS, 0)
    self.assertEqual(os.getpriority(os.PRIO_PROCESS, pid), min(19, own + 19))
    if os.access("/proc/%d/autogroup" % pid, os.W_OK):
      with open("/proc/%d/autogroup" % pid) as f:
        # Empty where autogroups are off.
        self.assertRegex(f.read(), r"^$|^/autogroup-\d+ nice 19$")
    background.end()
    self.assertTrue(group.has_ended())

  def test_end_takes_the_whole_group(self):
    group = Group()
    background = group.start()
    background.end()
    self.assertTrue(group.has_ended())
    background.end()
    self.assertFalse(background.wait())

  def test_what_ignores_the_signal_is_killed(self):
    group = Group(before="signal.signal(signal.SIGTERM, signal.SIG_IGN)")
    group.start(end_seconds=0.1).end()
    self.assertTrue(group.has_ended())

  def test_what_a_command_left_ends_too(self):
    group = Group(after="")
    background = group.start()
    self.assertTrue(background.wait())
    background.end()
    self.assertTrue(group.has_ended())

  def test_exit_codes(self):
    for code, well in ((0, True), (3, False)):
      background = Background([sys.executable, "-c", "raise SystemExit(%d)" % code])
      self.assertEqual(background.wait(), well)
      background.end()

  def test_it_ends_before_a_program_that_is_ended(self):
    for number in (signal.SIGTERM, signal.SIGHUP):
      group = Group()
      # Under nohup it would inherit that SIGHUP is ignored.
      program = (
        "import signal, sys, background\nsignal.signal(%d, signal.SIG_DFL)\n" % number + "background.end_all_with_signals()\n"
        "background.Background(sys.argv[1:], pass_fds=[int(sys.argv[-1])])\nsignal.pause()\n"
      )
      started = subprocess.Popen(
        [sys.executable, "-B", "-c", program] + group.command,
        pass_fds=[group.write],
        cwd=os.path.dirname(os.path.abspath(__file__)),
      )
      group.await_start()
      started.send_signal(number)
      self.assertEqual(started.wait(LIMIT_SECONDS), -number)
      self.assertTrue(group.has_ended())

  def test_an_interrupted_test_run_leaves_no_installation(self):
    group = Group()

    def interrupted(args, report, venv):
      raise KeyboardInterrupt

    with (
      mock.patch.object(packages, "need_packages"),
      mock.patch.object(packages, "need_venv"),
      mock.patch.object(packages, "start_venv", group.start),
      mock.patch.object(verb_test, "run_stages", interrupted),
      mock.patch.object(signal, "signal"),
    ):
      with self.assertRaises(KeyboardInterrupt):
        verb_test.run_all(None, None)
    self.assertTrue(group.has_ended())


if __name__ == "__main__":
  unittest.main()
