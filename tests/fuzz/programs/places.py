"""Whether programs give the same on three tasks, on one, and in a session of the C++ client: bit by bit without rewriting, and within
1e-5 of that with it."""

import copy
import traceback

import judge as j
import local
import program as p
import rules
import sides as s
import source

REWRITTEN = 1e-5
ONE_TASK = {"ps": 1}


def of_one_session(program):
  """The program with all runs in the first session, which a local one can be as well."""
  made = copy.deepcopy(program)
  variables = {h.name: h for item in made.statements() for h in item.makes}
  values = {v.name: v for item in p.walk(made.statements()) for v in item.outs}
  values.update((h.name, p.variable_value(h)) for h in variables.values() if h.kind == "variable")
  items = []
  for item in made.items:
    if isinstance(item, p.Run):
      item.session, item.how = 0, "run"
      item.fetches = [n for n in item.fetches if rules.can_fetch(items, variables, values[n], item.segment, p.MASTERS[0])]
      if not item.fetches and not any(st.segment == item.segment for st in items if item.segment and isinstance(st, p.Statement)):
        continue
    items.append(item)
  made.items = items
  return made


class Judge:
  """Of programs of one session. `restart`: as of judge.Judge."""

  def __init__(self, three):
    self.three = three
    self.one = s.Side("millrace", ONE_TASK, [("ps", 0)] * 3)
    self.local = local.LocalSide()

  def sides(self):
    return [self.three, self.one, self.local]

  def __call__(self, program, again=0):
    del again  # ours has one answer
    program = of_one_session(program)
    if rules.depends_on_place(program):
      return j.Verdict("skipped", "what it says depends on the place")
    try:
      return self._judge(program)
    except s.Skipped as e:
      return j.Verdict(e.word, str(e))
    except Exception:  # pylint: disable=broad-except  # of the client, when it builds the graph
      return j.Verdict("refused", traceback.format_exc())
    finally:
      for side in self.sides():
        side.restart_if_dead()

  def _judge(self, program):
    texts = [text for _, text in source.blocks_of(program)]
    at_ps = [text.replace(p.W0, p.PS).replace(p.W1, p.PS) for text in texts]
    plain = None
    for rewriting in dict.fromkeys(["off", program.rewriting if program.rewriting != "off" else "default"]):
      records = dict(
        three=s.execute(texts, [self.three], program.functions, rewriting)[0],
        one=s.execute(at_ps, [self.one], program.functions, rewriting)[0],
        local=local.execute(at_ps, self.local, program.functions, rewriting),
      )
      plain = plain or records["three"]
      for name, record in records.items():
        found = s.first_difference(record, plain, 0 if rewriting == "off" else REWRITTEN)
        if found:
          return j.Verdict("differ", f"{name}, rewriting {rewriting}, and three tasks without: {found}")
    return j.Verdict("agree")
