"""Background commands, each in a process group of its own, that do not outlive this program."""

import os
import signal
import subprocess
import threading
import time

END_SECONDS = 5
POLL_SECONDS = 0.02

_running = set()


class Background:
  """A command without input and output. `end` ends it with everything that it started in its group."""

  def __init__(self, command, end_seconds=END_SECONDS, is_idle=False, **options):
    """end_seconds: the time that the command has to end by itself.
    is_idle: it is to have the processor time that nothing else wants."""
    self._end_seconds = end_seconds
    self._lock = threading.RLock()
    self._reaped = False
    # A terminal's Ctrl-C does not reach it; the program that started it ends it.
    self._process = subprocess.Popen(
      ["nice", "-n", "19", *command] if is_idle else command,
      stdin=subprocess.DEVNULL,
      stdout=subprocess.DEVNULL,
      stderr=subprocess.DEVNULL,
      start_new_session=True,
      **options,
    )
    _running.add(self)
    if is_idle:
      self._yield_to_other_sessions()

  def _yield_to_other_sessions(self):
    """Linux may share the processors among sessions first, and `nice` then counts only within one (sched(7), autogroups)."""
    try:
      with open("/proc/%d/autogroup" % self._process.pid, "w") as f:
        f.write("19")
    except OSError:
      pass  # it does not, or the command has ended

  def _status(self, options):
    """Returns None while it runs. It is not reaped, so that its number belongs to its group alone until `end`."""
    try:
      return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | options)
    except ChildProcessError:
      return False  # ended, by another thread's `end`

  def wait(self):
    """Blocks until it has ended; returns whether it succeeded."""
    status = self._status(0)
    return bool(status) and status.si_code == os.CLD_EXITED and status.si_status == 0

  def end(self):
    """Ends it; returns at once if it has ended. Idempotent."""
    with self._lock:
      if self._reaped:
        return
      self._signal(signal.SIGTERM)
      deadline = time.monotonic() + self._end_seconds
      while self._status(os.WNOHANG) is None and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
      self._signal(signal.SIGKILL)
      self._process.wait()
      self._reaped = True
      _running.discard(self)

  def _signal(self, number):
    try:
      os.killpg(self._process.pid, number)
    except (ProcessLookupError, PermissionError):
      pass  # the rest is no longer ours


def end_all():
  for background in list(_running):
    background.end()


def end_all_with_signals():
  """SIGTERM and SIGHUP end this program as usual, but only after the background commands. Must run in the main
  thread."""

  def handle(number, _):
    end_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)

  for number in (signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores SIGHUP
      signal.signal(number, handle)
