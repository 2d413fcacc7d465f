"""The output of bench.py run, compare and table: the measured figures, without a verdict."""

from harness import median

from case_process import FAILED


def fmt(x):
  return "%.3g" % x if abs(x) < 1000 else "%.0f" % x


def merge(records):
  """Merges all samples of the same (case, metric)."""
  table = {}
  for r in records:
    key = (r["case"], r["metric"])
    if r["metric"] == FAILED:
      table.setdefault(key, dict(r, samples=[]))
      continue
    m = table.setdefault(key, dict(r, samples=[], cpus=[]))
    m["samples"] = m["samples"] + r["samples"]
    m["others"] = max(m.get("others", 0), r.get("others", 0))
    if "server_cpu_us" in r:
      m["cpus"].append((r["server_cpu_us"], r["client_cpu_us"]))
  return table


def print_table(records):
  print(
    "%-16s %-34s %10s %24s %-8s %s"
    % ("case", "metric", "median", "[min..max]", "unit", "others' cores; cpu us/call server+client")
  )
  for (c, m), r in merge(records).items():
    if m == FAILED:
      print("%-16s FAILED %s" % (c, r["error"][:200].replace("\n", " ")))
      continue
    s = r["samples"]
    cpu = "%s+%s" % (fmt(median([x for x, _ in r["cpus"]])), fmt(median([y for _, y in r["cpus"]]))) if r["cpus"] else ""
    print(
      "%-16s %-34s %10s %24s %-8s %s"
      % (c, m, fmt(median(s)), "[%s..%s]" % (fmt(min(s)), fmt(max(s))), r["unit"], "%.1f; %s" % (r.get("others", 0), cpu))
    )


def print_ratios(a, b, name_a, name_b):
  ta, tb = merge(a), merge(b)
  print("A = %s\nB = %s" % (name_a, name_b))
  print(
    "%-16s %-34s %22s %22s %-8s %-12s %s"
    % ("case", "metric", "A median [min..max]", "B median [min..max]", "unit", "B better by", "server cpu us/call A, B")
  )
  for key, ra in ta.items():
    rb = tb.get(key)
    sa = ra["samples"]
    left = "%s [%s..%s]" % (fmt(median(sa)), fmt(min(sa)), fmt(max(sa))) if sa else "failed"
    if rb is None or not rb["samples"] or not sa:
      print("%-16s %-34s %22s %22s" % (key[0], key[1], left, "absent or failed"))
      continue
    sb = rb["samples"]
    ma, mb = median(sa), median(sb)
    num, den = (mb, ma) if ra["better"] == "more" else (ma, mb)
    cpu = ["%s" % fmt(median([x for x, _ in r["cpus"]])) if r.get("cpus") else "-" for r in (ra, rb)]
    print(
      "%-16s %-34s %22s %22s %-8s %-12s %s"
      % (
        key[0],
        key[1],
        left,
        "%s [%s..%s]" % (fmt(mb), fmt(min(sb)), fmt(max(sb))),
        ra["unit"],
        "x%.2f" % (num / den) if den else "-",
        "" if cpu == ["-", "-"] else ", ".join(cpu),
      )
    )
  for key, rb in tb.items():
    if key not in ta:
      print(
        "%-16s %-34s only on B: %s" % (key[0], key[1], rb.get("error", fmt(median(rb["samples"])) if rb["samples"] else "")[:200])
      )
