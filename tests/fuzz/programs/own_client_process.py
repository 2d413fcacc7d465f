"""The process of own_client.py: `import tensorflow` is Millrace's package here, and programs are as they are for stock's."""

import itertools
import os
import pickle
import struct
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "conformance")]

import millrace  # noqa: E402

millrace.install()

import sides as s  # noqa: E402

# Loops and branches are those of TensorFlow 1 here in either case.
s.tf1.enable_control_flow_v2 = s.tf1.disable_control_flow_v2 = lambda: None
# The stock client's programs have containers of the same names on these servers.
s._containers = map("own{}".format, itertools.count())


class Side(s.Side):
  """Sessions on servers that others have started."""

  def __init__(self, targets):
    super().__init__("millrace")
    self._targets = targets

  def session(self, number, graph, rewriting):
    if number not in self.sessions:
      self.sessions[number] = s.tf1.Session(self._targets[number], graph=graph, config=s.config(rewriting))
    return self.sessions[number]


def answer(texts, functions, rewriting, targets):
  try:
    return "record", s.execute(texts, [Side(targets)], functions, rewriting)[0]
  except Exception:  # which says what the client lacks
    return "refused", traceback.format_exc()


def main():
  requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
  os.dup2(2, 1)  # what programs print is not an answer
  while True:
    size = requests.read(8)
    if len(size) < 8:
      return
    data = pickle.dumps(answer(**pickle.loads(requests.read(struct.unpack("<q", size)[0]))))
    answers.write(struct.pack("<q", len(data)) + data)
    answers.flush()


if __name__ == "__main__":
  main()
