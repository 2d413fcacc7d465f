"""The Python text of a program: what builds its graph here, and what is printed of one that fails."""

from program import Literal, Run


class Source:
  """Lines of text, in order; each item's are those that `add` returns."""

  def __init__(self, functions=False):
    self.functions = functions
    self.tails = {}  # by segment: what its chain goes on from

  def add(self, item):
    if isinstance(item, Run):
      return self._run(item)
    tail = self.tails.get(item.segment) if item.segment else None
    lines, after = self._statement(item, tail)
    if item.segment:
      self.tails[item.segment] = after
    return lines

  def _names(self, s):
    names = dict(n=s.number)
    names.update((f"h{i}", h.name) for i, h in enumerate(s.handles))
    names.update((f"o{i}", v.name) for i, v in enumerate(s.outs))
    names.update((f"m{i}", h.name) for i, h in enumerate(s.makes))
    return names

  def _statement(self, s, tail, devices=True):
    """Its lines, and what the chain goes on from."""
    names = self._names(s)
    operands, sent, awaited = [], [], []
    for operand in s.operands:
      text = _text(operand)
      if not isinstance(operand, Literal) and s.segment and devices and operand.views and operand.task != s.task:
        # The transfer has a place on the chain, too.
        text = f"sent{s.number}_{operand.name}"
        if text not in operands:
          sent += [f'with tf.device("{operand.task}"):', f"  {text} = tf.identity({operand.name})"]
          if operand.views & set(s.changes):
            # What is inside does not change it before it has arrived.
            arrived = f"arrived{s.number}_{operand.name}"
            sent += [f'with tf.device("{s.task}"):', f"  {arrived} = tf.identity({text})"]
            awaited.append(arrived)
      operands.append(text)
    body = []
    for line in s.lines:
      if isinstance(line, int):
        before = len(body[-1]) - len(body[-1].lstrip()) + 2
        body += [
          " " * before + b for b in self._block(s, s.blocks[line], devices and not self.functions and s.kind != "function")
        ]
      else:
        body.append(line.format(*operands, **names))
    if devices:
      body = [f'with tf.device("{s.task}"):'] + ["  " + b for b in body]
    if awaited:
      body = [f"with tf.control_dependencies([{', '.join(awaited)}]):"] + ["  " + b for b in body]
    body = sent + body
    if tail:
      body = [f"with tf.control_dependencies([{tail}]):"] + ["  " + b for b in body]
    return body, (s.tail or "{o0}").format(*operands, **names)

  def _block(self, owner, block, devices):
    lines, tail = [], None
    for s in block.statements:
      more, tail = self._statement(s, tail, devices)
      lines += more
    text, ending = _text(block.result), []
    if not isinstance(block.result, Literal) and devices and block.result.views and block.result.task != owner.task:
      ending = [f'with tf.device("{block.result.task}"):', f"  sent{owner.number} = tf.identity({text})"]
      text = f"sent{owner.number}"
    ending.append(f"result = tf.identity({text})")
    if tail:
      ending = [f"with tf.control_dependencies([{tail}]):"] + ["  " + e for e in ending]
    if block.turn:
      # A loop's values keep their shapes, and the next turn begins when this one is over.
      return (
        lines
        + ending
        + [
          f"result.set_shape({list(block.result.shape)})",
          "with tf.control_dependencies([result]):",
          f"  return [{block.turn} + 1, result]",
        ]
      )
    return lines + ending + ["return result"]

  def _run(self, run):
    words = [f"[{', '.join(run.fetches)}]"]
    if run.feeds:
      words.append(f"feeds=[{', '.join(f'({n}, {v.array()})' for n, v in run.feeds)}]")
    if run.segment in self.tails:
      words.append(f"also=[{self.tails[run.segment]}]")
    if run.session:
      words.append(f"session={run.session}")
    if run.how != "run":
      words.append(f'how="{run.how}"')
    return [f"run({', '.join(words)})"]


def _text(operand):
  return operand.text() if isinstance(operand, Literal) else operand.name


def blocks_of(program):
  """Pairs of an item and its text."""
  source = Source(program.functions)
  return [(item, "\n".join(source.add(item))) for item in program.items]
