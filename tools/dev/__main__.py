"""./dev: the one command of the repository. Each verb is a module of this folder."""

import importlib
import sys

# verb: (module, one line). Modules are loaded on use, so that `./dev build` starts fast.
VERBS = {
  "demo": ("demo", "build the release and run the demonstration cluster"),
  "test": ("test", "run every test, or those of a path or name"),
  "build": ("build", "build a preset (release, dev, asan, tsan)"),
  "wheel": ("wheel", "build the Python package as a wheel"),
  "bench": ("bench", "measure, alone or against stock TensorFlow"),
  "fmt": ("fmt", "format the sources, or check that they are"),
  "lint": ("lint", "rooms, format and clang-tidy"),
  "sim": ("sim", "run the simulated cluster from seeds"),
  "fuzz": ("fuzz", "random programs against stock TensorFlow (programs), ops with odd inputs (ops), and the fuzzers"),
  "parallel": ("parallel", "run the programs of parallel training; their tables and pictures go into docs/parallel.md"),
  "gpu-check": ("gpu_check", "check this machine's GPU: values of every kernel, speed, examples; or pack that for another one"),
  "docs": ("docs", "build the documentation as a site"),
}


def usage():
  lines = ["usage: ./dev VERB [options]", ""]
  lines += ["  %-9s %s" % (verb, text) for verb, (_, text) in VERBS.items()]
  lines += ["", "Each verb installs what it needs first (Debian packages; .venv for Python).", "./dev VERB --help says more."]
  return "\n".join(lines)


def main():
  if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help", "help"):
    print(usage())
    return 0 if len(sys.argv) > 1 else 2
  verb = sys.argv[1]
  if verb not in VERBS:
    import difflib

    near = difflib.get_close_matches(verb, VERBS, 1, 0.4) or [v for v in VERBS if v.startswith(verb[:1])]
    print("./dev: there is no verb '%s'%s" % (verb, "; did you mean './dev %s'?" % near[0] if near else ""), file=sys.stderr)
    print(usage(), file=sys.stderr)
    return 2
  try:
    return importlib.import_module("verb_" + VERBS[verb][0]).main(sys.argv[2:])
  except KeyboardInterrupt:
    print("\n./dev: interrupted", file=sys.stderr)
    return 130


if __name__ == "__main__":
  sys.exit(main())
