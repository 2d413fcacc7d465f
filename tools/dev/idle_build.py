"""Builds in the background, on what tests that wait leave of the processors."""

import os
import threading

import building
from background import Background

END_SECONDS = 30  # for ninja to end its compilers


class IdleBuild:
  """Builds the targets of presets that are configured, one after the other, with the lowest priority.

  It says nothing: whoever needs a target builds it again after `end`, and sees there what fails.
  """

  def __init__(self, jobs):
    """jobs: [(preset, targets)]"""
    self._lock = threading.Lock()
    self._ended, self._process = False, None
    self._thread = threading.Thread(target=self._run, args=(list(jobs),), daemon=True)
    self._thread.start()

  def _run(self, jobs):
    for preset, targets in jobs:
      command = ["nice", "-n", "19", "ninja", "-C", building.folder(preset), "-j", str(os.cpu_count() or 2), *targets]
      with self._lock:
        if self._ended:
          return
        # ninja ends its compilers and removes what they left.
        self._process = Background(command, END_SECONDS, env=building.environment())
      well = self._process.wait()
      self._process.end()
      if not well:
        return

  def wait(self):
    """For the end of all, as far as they can be built."""
    self._thread.join()

  def end(self):
    """Stops what is being built; what is built stays."""
    with self._lock:
      self._ended = True
      if self._process:
        self._process.end()
    self._thread.join()
