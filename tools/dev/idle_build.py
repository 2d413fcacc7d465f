"""Builds in the background, on the processor time that waiting tests leave."""

import os
import threading

import building
from background import Background

END_SECONDS = 30  # for ninja to end its compilers


class IdleBuild:
  """Builds the targets of configured presets, one after the other, with the lowest priority.

  It prints nothing: a stage that needs a target builds it again after `end`, and reports failures there.
  """

  def __init__(self, jobs):
    """jobs: [(preset, targets)]"""
    self._lock = threading.Lock()
    self._ended, self._process = False, None
    self._thread = threading.Thread(target=self._run, args=(list(jobs),), daemon=True)
    self._thread.start()

  def _run(self, jobs):
    for preset, targets in jobs:
      command = ["ninja", "-C", building.folder(preset), "-j", str(os.cpu_count() or 2), *targets]
      with self._lock:
        if self._ended:
          return
        # ninja ends its compilers and removes their partial output.
        self._process = Background(command, END_SECONDS, is_idle=True, env=building.environment())
      well = self._process.wait()
      self._process.end()
      if not well:
        return

  def wait(self):
    """Blocks until all are built, as far as that is possible."""
    self._thread.join()

  def end(self):
    """Stops the current build; finished targets stay."""
    with self._lock:
      self._ended = True
      if self._process:
        self._process.end()
    self._thread.join()
