"""Random programs on servers of ours and of stock TensorFlow: what they give must be the same."""

import collections
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "tools", "dev")]

import command  # noqa: E402
import generate  # noqa: E402
import program as p  # noqa: E402
import script  # noqa: E402
import shrink  # noqa: E402
import source  # noqa: E402


class Progress:
  """A line in place on a terminal, else one every ten seconds."""

  def __init__(self, total):
    self.total, self.shown, self.tty = total, time.monotonic(), sys.stdout.isatty()

  def show(self, done, counts):
    if self.tty or time.monotonic() - self.shown > 10:
      self.shown = time.monotonic()
      text = "%d of %d: %d agree, %d differ" % (done, self.total, counts["agree"], counts["differ"])
      print("\033[K" + text if self.tty else text, end="\r" if self.tty else "\n", flush=True)


def report(args, judge, k, made, verdict):
  """Shrinks a program that differs and prints it."""
  print(f"program {k} differs: {verdict.text}", flush=True)
  if args.shrink:
    made = shrink.shrink(made, lambda smaller: judge(smaller).kind() == verdict.kind())
    verdict = judge(made, again=5) if verdict.word == "differ" else verdict
  text = script.script(made, f"Program {k} of seed {args.seed}, {p.size(made)} statements.", verdict.text)
  if args.out:
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, f"seed{args.seed}_program{k}.py")
    with open(path, "w") as f:
      f.write(text)
    print(f"  {p.size(made)} statements ({verdict.word}): {path}", flush=True)
  else:
    print(text)
  print(f"again: ./dev fuzz programs --seed {args.seed} --only {k}{'' if args.variables == 'both' else ' --variables ' + args.variables}", flush=True)


def run(args, judge):
  counts, reasons = collections.Counter(), collections.Counter()
  numbers = range(args.count) if args.only is None else [args.only]
  progress = Progress(len(numbers))
  for done, k in enumerate(numbers):
    made = generate.program(args.seed, k, args.variables)
    if args.show:
      print("\n".join(text for _, text in source.blocks_of(made)))
    verdict = judge(made)
    counts[verdict.word] += 1
    if verdict.word in ("differ", "unstable"):
      report(args, judge, k, made, verdict)
    elif verdict.word != "agree":
      if verdict.word == "refused":
        print(f"program {k} is refused by the client: {verdict.text.strip().splitlines()[-1]}", flush=True)
      if verdict.word == "skipped":
        print(f"program {k} is skipped: {verdict.text}", flush=True)
      reasons[verdict.text.strip().splitlines()[-1]] += 1
    if counts["differ"] >= args.stop:
      print(f"{args.stop} programs differ, and that is enough", flush=True)
      break
    progress.show(done + 1, counts)
  for reason, count in reasons.most_common():
    print(f"{count} skipped: {reason}")
  skipped = counts["skipped"] + counts["refused"]
  unstable = f", {counts['unstable']} with several answers" if counts["unstable"] else ""
  print(f"{counts['agree']} agree, {counts['differ']} differ, {skipped} skipped with reason{unstable}")
  return 1 if counts["differ"] or counts["refused"] or counts["unstable"] else 0


def main():
  args = command.parser().parse_args()
  if args.against and args.against != "stock":
    os.environ["MILLRACE_COMMAND"] = os.path.abspath(args.against)
  import judge as j
  import sides as s
  s.tf1.logging.set_verbosity("ERROR")
  s.tf1.disable_v2_behavior()
  sides = [s.Side("stock" if args.against == "stock" else "millrace"), s.Side("stock")]
  start = time.monotonic()
  try:
    for side in sides:  # by this thread, with which they would end
      side.start()
    print(f"servers are up ({time.monotonic() - start:.1f} s)", flush=True)
    return run(args, j.Judge(*sides))
  finally:
    for side in sides:
      side.stop()


if __name__ == "__main__":
  sys.exit(main())
