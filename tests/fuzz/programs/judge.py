"""What becomes of a program: whether ours gives what stock gives, where stock has one answer."""

import dataclasses
import traceback

import sides as s
import source

ATTEMPTS = 3  # of what stock ends for reasons of its own


@dataclasses.dataclass
class Verdict:
  """`word`: agree, differ, skipped, missing (an op, on ours), unstable (stock has several answers) or refused (by the
  client)."""

  word: str
  text: str = ""

  def kind(self):
    """What a smaller program must share: an error is another fault than other values."""
    return self.word, " ends with " in self.text.split("\n")[0]


class Judge:
  def __init__(self, ours, stock):
    self.ours, self.stock = ours, stock
    self.restarted = False  # since it was last set: a server had ended

  def _records(self, program, sides, rewriting=None):
    texts = [text for _, text in source.blocks_of(program)]
    for left in reversed(range(ATTEMPTS)):
      try:
        return s.execute(texts, sides, program.functions, rewriting or program.rewriting)
      except s.Skipped as e:
        if e.kind != "stock":
          raise
        for side in sides:
          if side.kind == "stock":
            side.restart()  # where it hangs in a step it hangs in the next program, too
        if not left:
          raise
      finally:
        for side in sides:
          self.restarted |= side.restart_if_dead()

  def __call__(self, program, again=1):
    """`again`: how often stock has to repeat itself before a difference counts."""
    try:
      return self._judge(program, again)
    except s.Skipped as e:
      return Verdict(e.word, str(e))
    except Exception:  # pylint: disable=broad-except  # of the client, when it builds the graph
      return Verdict("refused", traceback.format_exc())

  def _judge(self, program, again):
    ours, stock = self._records(program, [self.ours, self.stock])
    found = s.first_difference(ours, stock)
    if not found:
      return Verdict("agree")
    limit = s.limit_of_stock(ours, stock)
    if limit:
      return Verdict("skipped", limit)
    if program.rewriting != "off":
      # Stock's rewriting changes what some programs say. What it says is the answer.
      (stock,) = self._records(program, [self.stock], "off")
      found = s.first_difference(ours, stock)
      if not found:
        return Verdict("agree", "with stock that does not rewrite")
      limit = s.limit_of_stock(ours, stock)
      if limit:
        return Verdict("skipped", limit)
    for _ in range(again):
      unlike = s.first_difference(self._records(program, [self.stock], "off")[0], stock)
      if unlike:
        return Verdict("unstable", unlike)
    return Verdict("differ", found)
