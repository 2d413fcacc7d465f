"""What is wrong with a unit of nvrtc_check.py as its texts' words and conditions say it, without a compiler: a define that is
missing or that nothing uses, or no kernel left."""

import functools
import re

# Conditions see a card's compiler.
OF_THE_COMPILER = {"__CUDACC_RTC__": "1", "__CUDA_ARCH__": "900"}


@functools.lru_cache(maxsize=None)
def code_of(text):
  """Returns a text without comments, each directive in one line."""
  code = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: m[0] if m[0][0] == '"' else " ", text, flags=re.DOTALL)
  return code.replace("\\\n", " ")


class Preprocessor:
  """Follows the conditions of texts, one after the other."""

  def __init__(self, macros):
    self.macros = dict(macros)  # name -> value, or body
    self.ever = dict(macros)  # those that were undefined again, too
    self.parameters = {}  # of macros that have some
    self.undefined = set()  # names that conditions take for 0
    self.code = []  # active lines that are no directives

  def run(self, text):
    active, outer = True, []  # what encloses a condition: (active, whether a branch was taken)
    for line in code_of(text).splitlines():
      m = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
      if not m:
        if active:
          self.code.append(line)
        continue
      directive, rest = m.groups()
      if directive in ("if", "ifdef", "ifndef"):
        taken = active and self._holds(directive, rest)
        outer.append((active, taken))
        active = taken
      elif directive in ("elif", "else"):
        was_active, taken = outer.pop()
        active = was_active and not taken and (directive == "else" or self._holds("if", rest))
        outer.append((was_active, taken or active))
      elif directive == "endif":
        active, _ = outer.pop()
      elif directive == "define" and active:
        name, parameters, body = re.match(r"(\w+)(?:\(([^)]*)\))?\s*(.*)", rest).groups()
        self.macros[name] = self.ever[name] = body
        self.parameters[name] = set(re.findall(r"\w+", parameters or ""))
      elif directive == "undef" and active:
        self.macros.pop(rest.strip(), None)

  def _holds(self, directive, rest):
    if directive != "if":
      return (rest.strip() in self.macros) == (directive == "ifdef")
    rest = re.sub(r"\bdefined\s*\(?\s*(\w+)\s*\)?", lambda m: str(int(m[1] in self.macros)), rest)
    for _ in range(9):  # macros of macros
      rest = re.sub(r"\b[A-Za-z_]\w*\b", self._value_of, rest)
    rest = rest.replace("&&", " and ").replace("||", " or ")
    return bool(eval(re.sub(r"!(?!=)", " not ", rest), {"__builtins__": {}}))

  def _value_of(self, m):
    if m[0] not in self.macros:
      self.undefined.add(m[0])
    return self.macros.get(m[0], "0") or "0"


def is_declared(word, code):
  """Whether the code itself says what a word is: a parameter of a template, a type, a constant, a function."""
  before = r"\b(?:class|typename|struct|using|int|bool|int64_t|constexpr \w+)"
  declared = r"%s\s+W\b|\btypedef\b[^;]*\bW\s*;|\b__device__\s+[\w*& ]+\bW\s*\(" % before
  return re.search(declared.replace("W", word), code) is not None


@functools.lru_cache(maxsize=None)
def _problems(texts, prelude, defines):
  known = Preprocessor(OF_THE_COMPILER)
  for text in prelude:
    known.run(text)
  unit = Preprocessor({**known.macros, **dict(defines)})
  unit.ever.update(known.ever)
  for text in texts:
    unit.run(text)
  code = "\n".join(unit.code)
  own = {name: body for name, body in unit.ever.items() if name not in known.ever and name not in dict(defines)}
  words = set()
  for name, text in [("", code), *own.items()]:
    words |= set(re.findall(r"\b[A-Z][A-Z0-9_]*\b", re.sub(r'"[^"]*"', "", text))) - unit.parameters.get(name, set())
  found = ["%s is not defined" % w for w in sorted(unit.undefined)]
  found += ["%s is not defined" % w for w in sorted(words - set(unit.ever)) if not is_declared(w, code)]
  entries = [name for name, body in unit.ever.items() if 'extern "C"' in body]
  if 'extern "C"' not in code and not any(re.search(r"\b%s\s*\(" % name, code) for name in entries):
    found.append("no kernel is left")
  return found


def problems(texts, prelude, defines):
  """Returns what is wrong with the unit of these texts, which stand behind those of the prelude."""
  code = "\n".join(code_of(text) for text in texts)
  conditions = "\n".join(re.findall(r"^\s*#.*$", code, re.MULTILINE))
  found = []
  for name, value in defines:
    values = " ".join(other for n, other in defines if n != name)
    if not re.search(r"\b%s\b" % name, code + " " + values):
      found.append("nothing uses %s" % name)
  # Values that no condition sees do not matter, but for their count.
  seen = tuple((n, v if re.search(r"\b%s\b" % n, conditions) else "1") for n, v in defines)
  return found + _problems(tuple(texts), tuple(prelude), seen)
