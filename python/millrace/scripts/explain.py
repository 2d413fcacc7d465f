"""`python -m millrace --explain NAME|SCRIPT`: says whether a name of TensorFlow is there, or which names of a script are not.

Nothing of the script is run.
"""

import difflib
import functools
import importlib
import inspect
import os
import re
import sys
import types

from millrace.api import stand_ins
from millrace.api.tables import tables
from millrace.scripts import names_in_script

EXIT_MISSING = 1
EXIT_USAGE = 2
_NEAREST = 5
_LEAST_LIKENESS = 0.75


def main(argv=None):
  """Explains each name or script of the command line. Returns 1 if something is not there."""
  words = list(sys.argv[1:] if argv is None else argv)
  if not words:
    sys.stderr.write("millrace: --explain needs a name of TensorFlow, such as tf.train.Saver, or a script\n")
    return EXIT_USAGE
  code = 0
  for word in words:
    code = max(code, _explain_script(word) if _is_script(word) else _explain_name(word))
  return code


def _is_script(word):
  return word.endswith(".py") or os.path.isfile(word)


def _full(name):
  """A name from `tensorflow` on: of "tf.x", "tensorflow.x" and "x"."""
  first, _, rest = name.partition(".")
  if first in ("tf", "tensorflow", "millrace"):
    return "tensorflow." + rest if rest else "tensorflow"
  return "tensorflow." + name


def _shown(name):
  """A name as programs write it: internals from `tensorflow` on, others from `tf` on."""
  words = name.split(".")
  return name if words[1:2] in (["python"], ["core"], ["examples"], ["tools"]) else ".".join(["tf", *words[1:]])


def find(name):
  """Looks a name up, from `tensorflow` on, part by part, as far as parts are modules.

  Returns (the last object, the name up to it, None), or (None, the name of the part that is not there, what the lookup said).
  """
  at = importlib.import_module("tensorflow")
  known = "tensorflow"
  for part in name.split(".")[1:]:
    if not isinstance(at, types.ModuleType):
      break
    known = f"{known}.{part}"
    try:
      at = getattr(at, part)
    except (AttributeError, ImportError) as error:
      try:
        at = importlib.import_module(known)
      except ImportError as import_error:
        said = import_error if "is not part of Millrace" in str(import_error) else error
        return None, known, str(said)
    absent = stand_ins.name_of(at)
    if absent is not None:
      return None, "tensorflow" + absent[2:], stand_ins.why(absent)
  return at, known, None


def nearest(name):
  """Public names like one that is not there: those that end with the same word, then those that are alike, as a whole and by their last words."""
  wanted = _shown(name)
  last = wanted.rpartition(".")[2]
  places = [public for public in {**tables().places, **tables().members} if public.count(".") < 6]
  same = sorted((public for public in places if public.rpartition(".")[2] == last), key=lambda p: (p.count("."), p))
  # Of a long name, most is alike in all names of its module: the last word has to be, too.
  alike = difflib.get_close_matches(wanted, places, 8 * _NEAREST, 0.75)
  alike = [public for public in alike if _likeness(last, public.rpartition(".")[2]) > _LEAST_LIKENESS]
  return list(dict.fromkeys([*same, *alike]))[:_NEAREST]


def _likeness(word, other):
  """From 0, of words without a common letter, to 1, of the same one."""
  return difflib.SequenceMatcher(None, word.lower(), other.lower()).ratio()


def reason(name, said):
  """A line that says why a name is not there, and what is near."""
  text = tables().reason(_shown(name))
  # That of the whole of tf.contrib says nothing of one name.
  if text is not None and tables().reason("tf.contrib") != text:
    return f"{_shown(name)} is not part of Millrace. {text}"
  near = nearest(name)
  if near:
    return f"{_shown(name)} is not there. Near to it: {', '.join(near)}"
  return f"{_shown(name)} is not there. {said}"


def _explain_name(word):
  name = _full(word)
  found, known, said = find(name)
  if said is not None:
    print(reason(known, said))
    return EXIT_MISSING
  print(f"{_shown(known)} is there: {describe(found)}")
  return 0


def describe(found):
  """What an object is, its arguments, and the first line of its description."""
  if isinstance(found, types.ModuleType):
    names = [name for name in dir(found) if not name.startswith("_")]
    return f"a module of {len(names)} names"
  if not callable(found):
    return f"a value, {type(found).__name__}"
  kind = "a class" if inspect.isclass(found) else "a function"
  try:
    # Of an object, its class says more than where it lies.
    arguments = _PLACE.sub(_without_place, str(inspect.signature(found)))
  except (TypeError, ValueError):
    arguments = "(...)"
  named = found.func if isinstance(found, functools.partial) else found
  text = (inspect.getdoc(named) or "").strip().split("\n")[0]
  return f"{kind}, {getattr(named, '__name__', '')}{arguments}" + (f"\n  {text}" if text else "")


# An object, or a function, which may have been made by another one.
_PLACE = re.compile(r"<(?:function |[\w.]+\.)(\w+)(\.<locals>[\w.<>]*| object)? at 0x[0-9a-f]+>")


def _without_place(match):
  return match[1] + ("()" if match[2] else "")


def missing_in(text, path="<script>"):
  """Returns [(line, what is said of it)] of the names of TensorFlow that a script uses and that are not there."""
  known, found = {}, {}
  for use in names_in_script.uses_in(text, path):
    if use.name not in known:
      _, missing, said = find(use.name)
      known[use.name] = (missing, said)
    missing, said = known[use.name]
    if said is not None:
      found.setdefault((use.line, missing), reason(missing, said))
  return [(line, text) for (line, _), text in sorted(found.items())]


def _explain_script(path):
  try:
    with open(path, encoding="utf-8") as file:
      text = file.read()
    found = missing_in(text, path)
  except OSError as error:
    sys.stderr.write(f"millrace: cannot read {path}: {error.strerror}\n")
    return EXIT_USAGE
  except SyntaxError as error:
    sys.stderr.write(f"{path}:{error.lineno}: {error.msg}: this is no program of Python 3\n")
    return EXIT_USAGE
  lines = text.splitlines()
  for line, said in found:
    print(f"{path}:{line}: {said}\n    {lines[line - 1].strip()}")
  if not found:
    print(f"{path}: all names of TensorFlow that it uses are there.")
    return 0
  count = len({said for _, said in found})
  print(f"{path}: {count} name{'s' if count != 1 else ''} of TensorFlow that it uses {'are' if count != 1 else 'is'} not there.")
  return EXIT_MISSING


if __name__ == "__main__":
  sys.exit(main())
