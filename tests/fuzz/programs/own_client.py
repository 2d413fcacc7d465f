"""Programs by Millrace's own Python client: a process of its own builds each again and runs it on the same servers, and the values
have to be those that the stock client gets from them."""

import os
import pickle
import re
import struct
import subprocess
import sys
import traceback

import judge as j
import sides as s
import source

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("MILLRACE_BUILD", "build/dev")
LEAST = 0.7  # of the programs have to run by it


class Client:
  """The process. A request and an answer are pickles behind their size."""

  def __init__(self):
    self.process = None

  def start(self):
    package = os.environ.get("MILLRACE_PYTHON") or os.path.join(BUILD, "python")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([os.path.abspath(package), os.environ.get("PYTHONPATH", "")]))
    self.process = subprocess.Popen(
      [sys.executable, os.path.join(HERE, "own_client_process.py")],
      env=environment,
      stdin=subprocess.PIPE,
      stdout=subprocess.PIPE,
    )

  def stop(self):
    if self.process:
      self.process.stdin.close()
      self.process.wait(60)
      self.process = None

  def ask(self, **request):
    """Returns ("record", record) or ("refused", the exception's text)."""
    if not self.process:
      self.start()
    data = pickle.dumps(request)
    try:
      self.process.stdin.write(struct.pack("<q", len(data)) + data)
      self.process.stdin.flush()
      size = self.process.stdout.read(8)
      if len(size) == 8:
        return pickle.loads(self.process.stdout.read(struct.unpack("<q", size)[0]))
    except BrokenPipeError:
      pass
    code = self.process.wait()
    self.process = None
    return "ended", f"the client has ended with {code}"


def reason_of(text):
  """Why the client refused a program, without what differs from one program to the next."""
  line = text.strip().splitlines()[-1]
  return re.sub(r"'[^']*\d[^']*'|\"[^\"]*\d[^\"]*\"|\b[a-z]+\d+\w*(:\d+)?", "x", line)[:160]


class Judge:
  """`ours`: the side on whose servers both clients run."""

  def __init__(self, ours):
    self.ours, self.client = ours, Client()

  def stop(self):
    self.client.stop()

  def __call__(self, program, again=0):
    del again  # ours has one answer
    texts = [text for _, text in source.blocks_of(program)]
    try:
      stock = s.execute(texts, [self.ours], program.functions, program.rewriting)[0]
    except s.Skipped as e:
      return j.Verdict(e.word, str(e))
    except Exception:  # pylint: disable=broad-except  # of the stock client, when it builds the graph
      return j.Verdict("refused", traceback.format_exc())
    targets = [self.ours.cluster.target(*master) for master in self.ours.masters]
    word, answer = self.client.ask(texts=texts, functions=program.functions, rewriting=program.rewriting, targets=targets)
    self.ours.restart_if_dead()
    if word == "refused":
      return j.Verdict("skipped", reason_of(answer))
    if word != "record":
      return j.Verdict("differ", answer)
    found = s.first_difference(answer, stock)
    if found and program.functions and "Cannot colocate nodes" in found:
      # With functions the stock client's arrays are lists; those of TensorFlow 1 stay on one task.
      return j.Verdict("skipped", "an array of TensorFlow 1 is used on several tasks")
    return j.Verdict("differ", found) if found else j.Verdict("agree")
