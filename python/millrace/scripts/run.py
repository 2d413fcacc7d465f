"""`python -m millrace script.py ...`: runs a script as Python would, with `tensorflow` being this package."""

import io
import os
import sys
import types

USAGE = """usage: python -m millrace [--tf VERSION] SCRIPT [ARGUMENT]...
       python -m millrace [--tf VERSION] -m MODULE [ARGUMENT]...
       python -m millrace [--tf VERSION] -c PROGRAM [ARGUMENT]...
       python -m millrace [--tf VERSION] --explain SCRIPT|NAME...

Runs a program in which `import tensorflow` is Millrace. With --tf 0.12, names and orders of arguments are those of before 1.0.
With --explain, nothing is run: it says which names of TensorFlow a script uses that are not there, or what a name is.
"""
EXIT_USAGE = 2


def main(argv=None):
  """Runs what the command line says and ends as the program does."""
  words = list(sys.argv[1:] if argv is None else argv)
  version = "1.15"
  while words and words[0].startswith("--"):
    word = words.pop(0)
    if word == "--":
      break
    if word in ("--help", "-h"):
      print(USAGE, end="")
      return 0
    if word == "--explain":
      return _explain(version, words)
    if word == "--tf" and words:
      version = words.pop(0)
    elif word.startswith("--tf="):
      version = word.partition("=")[2]
    else:
      return _usage("unknown option %s" % word)
  if not words or words[0] in ("-m", "-c") and len(words) < 2:
    return _usage("the script is missing")
  from millrace.scripts import hook

  try:
    hook.install(version, children=True)
  except ValueError as error:
    return _usage(str(error))
  if words[0] == "-m":
    return _run_module(words[1], words[2:])
  if words[0] == "-c":
    return _run_text(words[1], "<string>", ["-c", *words[2:]], "")
  if words[0] == "-":
    return _run_text(sys.stdin.read(), "<stdin>", words, "")
  return _run_file(words[0], words)


def _explain(version, words):
  from millrace.scripts import explain, hook

  try:
    hook.install(version)
  except ValueError as error:
    return _usage(str(error))
  return explain.main(words)


def _usage(text):
  sys.stderr.write("millrace: %s\n%s" % (text, USAGE))
  return EXIT_USAGE


def _run_file(path, argv):
  try:
    with io.open_code(os.path.abspath(path)) as file:
      text = file.read()
  except OSError as error:
    sys.stderr.write("%s: can't open file %r: [Errno %d] %s\n" % (sys.executable, path, error.errno, error.strerror))
    return EXIT_USAGE
  return _run_text(text, path, argv, os.path.dirname(os.path.abspath(path)))


def _run_text(text, name, argv, folder):
  """Runs a program as the module __main__."""
  sys.argv = list(argv)
  # Python put the current folder, or the package's, where the script's own has to be.
  sys.path[0:1] = [folder]
  module = types.ModuleType("__main__")
  module.__dict__.update(__builtins__=__builtins__, __spec__=None, __loader__=None, __package__=None, __cached__=None)
  if not name.startswith("<"):
    module.__dict__["__file__"] = name
  sys.modules["__main__"] = module
  try:
    exec(compile(text, name, "exec"), module.__dict__)
  except SystemExit:
    raise
  except BaseException as error:
    return _report(error)
  return 0


def _run_module(name, args):
  import runpy

  sys.argv = [name, *args]
  sys.path[0:1] = [os.getcwd()]
  try:
    runpy.run_module(name, run_name="__main__", alter_sys=True)
  except SystemExit:
    raise
  except BaseException as error:
    return _report(error)
  return 0


def _hint(error):
  """After an error about a name that is not there, says how to find all such names of a script."""
  from millrace.api import modules

  name = sys.modules["__main__"].__dict__.get("__file__")
  if name and (isinstance(error, modules.UnknownName) or "is not part of Millrace" in str(error)):
    sys.stderr.write("millrace: `python -m millrace --explain %s` lists all names that are not there.\n" % name)


def _is_ours(path):
  from millrace.framework import errors

  return errors.is_internal_file(path) or path.endswith(("/importlib/__init__.py", "/runpy.py"))


def _without_internal(trace):
  """A traceback without the frames of this package; if nothing else is in it, None."""
  frames = []
  while trace is not None:
    if not _is_ours(trace.tb_frame.f_code.co_filename):
      frames.append(trace)
    trace = trace.tb_next
  made = None
  for frame in reversed(frames):
    made = types.TracebackType(made, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
  return made


def _report(error):
  """Shows an error as Python does, with the script's frames only. Returns the exit code."""
  seen = set()
  pending = [error]
  while pending:
    one = pending.pop()
    if one is None or id(one) in seen:
      continue
    seen.add(id(one))
    one.__traceback__ = _without_internal(one.__traceback__)
    pending += [one.__cause__, one.__context__]
  sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
  sys.excepthook(type(error), error, error.__traceback__)
  _hint(error)
  if isinstance(error, KeyboardInterrupt):
    import signal

    sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
  return 1
