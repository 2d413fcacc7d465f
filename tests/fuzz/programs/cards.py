"""Programs on tasks that have a GPU each, of the libraries that stand in for CUDA's."""

import dataclasses
import os
import re


def servers():
  """What a Side is told: a ps has a card, too, and the host cannot read its memory."""
  libraries = os.path.join(os.environ["MILLRACE_BUILD"], "tests", "gpu_standin")
  environment = dict(
    MILLRACE_CUDA_LIBRARIES=libraries,
    MILLRACE_GPU_CACHE=os.path.join(libraries, "code"),
    MILLRACE_STANDIN_STRICT="1",
    CUDA_VISIBLE_DEVICES="0",
  )
  return dict(environment=environment, flags=["--visible_devices", "0"])


# What one server may do and the other refuse, by the words of the refusal: kernels of GPUs give zeros for places that are not there.
ALLOWED = re.compile(r"(is|are) not in \[|out of (range|bounds)|does not index into")


class Judge:
  """Of a judge of programs on CPUs."""

  def __init__(self, judge):
    self._judge = judge

  def __call__(self, program, again=1):
    verdict = self._judge(program, again)
    if verdict.word == "differ" and "ends with values" in verdict.text and ALLOWED.search(verdict.text):
      return dataclasses.replace(verdict, word="skipped", text="a GPU does not refuse places that are not there")
    return verdict
