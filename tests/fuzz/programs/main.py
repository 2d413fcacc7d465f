"""Random programs on servers of ours and of stock TensorFlow: what they give must be the same."""

import collections
import contextlib
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "tools", "dev"), os.path.join(HERE, "..", "..", "conformance")]

import cards  # noqa: E402
import command  # noqa: E402
import generate  # noqa: E402
import program as p  # noqa: E402
import script  # noqa: E402
import shrink  # noqa: E402
import source  # noqa: E402


# Verdicts that are faults of the generator, which is to make programs that have an answer.
UNWANTED = dict(refused="refused by the client", missing="with ops that are missing", unstable="with several answers")


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
  print(
    f"again: ./dev fuzz programs{' --client' if args.client else ''}{' --gpu' if args.gpu else ''} --seed {args.seed} --only {k}{'' if args.variables == 'both' else ' --variables ' + args.variables}",
    flush=True,
  )


def run(args, judge, least):
  """Returns the exit code. `least`: the share of the programs that have to agree."""
  counts, reasons = collections.Counter(), collections.Counter()
  numbers = range(args.count or 100) if args.only is None else [args.only]
  progress = Progress(len(numbers))
  for done, k in enumerate(numbers):
    made = generate.program(args.seed, k, args.variables, traces=not args.client)
    if args.show:
      print("\n".join(text for _, text in source.blocks_of(made)))
    verdict = judge(made)
    counts[verdict.word] += 1
    if verdict.word in ("differ", "unstable"):
      report(args, judge, k, made, verdict)
    elif verdict.word != "agree":
      reason = verdict.text.strip().splitlines()[-1]
      print(f"program {k} is {verdict.word}: {reason}", flush=True)
      reasons[reason] += 1
    if counts["differ"] >= args.stop:
      print(f"{args.stop} programs differ, and that is enough", flush=True)
      break
    progress.show(done + 1, counts)
  for reason, count in reasons.most_common():
    print(f"{count} skipped: {reason}")
  wrong = counts["refused"] + counts["missing"] + counts["unstable"]
  more = "".join(f", {counts[word]} {said}" for word, said in UNWANTED.items() if counts[word])
  print(f"{counts['agree']} agree, {counts['differ']} differ, {counts['skipped']} skipped with reason{more}", flush=True)
  if counts["agree"] < least * len(numbers):
    print(f"only {counts['agree']} of {len(numbers)} programs ran; {100 * least:.0f} % have to", flush=True)
    return 1
  return 1 if counts["differ"] or wrong else 0


def processor_seconds(sides):
  """Of this process and of the servers that run, in words."""
  parts = [f"client {time.process_time():.0f}"]
  for side in sides:
    ticks = 0
    for process in side.processes():
      with contextlib.suppress(OSError), open(f"/proc/{process.pid}/stat") as f:
        ticks += sum(int(n) for n in f.read().rpartition(")")[2].split()[11:13])
    parts.append(f"{side.kind} {ticks / os.sysconf('SC_CLK_TCK'):.0f}")
  return "processor seconds: " + ", ".join(parts)


def main():
  args = command.parser().parse_args()
  if args.gpu:
    args.variables = "resource"  # a view of another one may be copied between devices at any time
  if args.against and args.against != "stock":
    os.environ["MILLRACE_COMMAND"] = os.path.abspath(args.against)
  import judge as j
  import sides as s

  s.tf1.logging.set_verbosity("ERROR")
  s.tf1.disable_v2_behavior()
  ours, least = s.Side("stock" if args.against == "stock" else "millrace", **(cards.servers() if args.gpu else {})), 0
  if args.places:
    import places

    judge = places.Judge(ours)
    sides = judge.sides()
  elif args.client:
    import own_client

    judge, sides, least = own_client.Judge(ours), [ours], own_client.LEAST
  else:
    sides = [ours, s.Side("stock")]
    judge = cards.Judge(j.Judge(*sides)) if args.gpu else j.Judge(*sides)
  start = time.monotonic()
  try:
    for side in sides:  # by this thread, with which they would end
      side.start()
    print(f"servers are up ({time.monotonic() - start:.1f} s)", flush=True)
    code = run(args, judge, least)
    print(processor_seconds(sides), flush=True)
    return code
  finally:
    if args.client:
      judge.stop()
    for side in sides:
      side.stop()


if __name__ == "__main__":
  sys.exit(main())
