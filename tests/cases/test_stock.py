"""Our registry, kernels and cases against the installed TensorFlow wheel."""

import json
import os
import subprocess

import pytest

pytest.importorskip("tensorflow", reason="no TensorFlow wheel is installed")

import compare_stock  # noqa: E402
import exported_cases  # noqa: E402
import stock_registry  # noqa: E402
from exported_cases import PROGRAM, exceptions, fail_with  # noqa: E402

TYPE_NAMES = (
  "invalid float double int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16 qint16 "
  "quint16 uint16 complex128 half resource variant uint32 uint64"
).split()
RESOURCE, VARIANT = 20, 21


@pytest.fixture(scope="module")
def ours():
  if not os.path.exists(PROGRAM):
    pytest.skip("cases_tests is not built")
  return json.loads(subprocess.run([PROGRAM, "--dump_schema"], stdout=subprocess.PIPE, check=True).stdout)


def schema_problems(name, mine, stock):
  if stock is None:
    return ["%s: the wheel has no such op" % name]
  mine, stock = stock_registry.normalized(mine), stock_registry.normalized(stock)
  problems = []
  for field in sorted(stock):
    if field == "attrs":
      mine_by_name = {a["name"]: a for a in mine["attrs"]}
      stock_by_name = {a["name"]: a for a in stock["attrs"]}
      for attr in sorted(set(mine_by_name) | set(stock_by_name)):
        if mine_by_name.get(attr) != stock_by_name.get(attr):
          problems.append("%s, attribute %s: ours %s, stock %s" % (name, attr, mine_by_name.get(attr), stock_by_name.get(attr)))
    elif mine[field] != stock[field]:
      problems.append("%s, %s: ours %s, stock %s" % (name, field, mine[field], stock[field]))
  return problems


def test_schemas(ours):
  own = exceptions("own_ops.txt")
  problems = []
  for name, mine in sorted(ours["ops"].items()):
    if name not in own:
      problems += schema_problems(name, mine, stock_registry.schema(name))
  fail_with(problems)


def test_every_op_of_tensorflow_1(ours, record_property):
  """Each op type of 1.15 is declared, or has its reason."""
  names, excused = exceptions("ops_of_1_15.txt"), exceptions("not_declared.txt")
  problems = [
    "%s: an op of TensorFlow 1.15 that is not declared" % name for name in sorted(set(names) - set(ours["ops"]) - set(excused))
  ]
  for name, reason in sorted(excused.items()):
    if name not in names:
      problems.append("not_declared.txt: TensorFlow 1.15 has no op %s" % name)
    elif name in ours["ops"]:
      problems.append("not_declared.txt: %s needs no excuse, it is declared" % name)
    elif not reason:
      problems.append("not_declared.txt: %s has no reason" % name)
    elif "no CPU kernel" in reason and stock_registry.cpu_kernels(name):
      problems.append("not_declared.txt: the wheel has a CPU kernel for %s" % name)
    elif "does not know" in reason and stock_registry.schema(name) is not None:
      problems.append("not_declared.txt: the wheel knows %s" % name)
  record_property("summary", "%d of the %d op types of TensorFlow 1.15" % (len(set(names) & set(ours["ops"])), len(names)))
  fail_with(problems)


def test_gradients(ours):
  """A gradient where stock has one, and MR_NO_GRADIENT where stock says that there is none. Ours may have more."""
  excused, own = exceptions("no_gradients.txt"), exceptions("own_ops.txt")
  problems = ["no_gradients.txt: there is no op %s" % name for name in sorted(set(excused) - set(ours["ops"]))]
  for name in sorted(set(ours["ops"]) - set(own)):
    mine, stock = ours["gradients"].get(name), stock_registry.gradient(name)
    lacking = stock is True and mine is not True
    if name in excused:
      if not lacking:
        problems.append(
          "no_gradients.txt: %s needs no excuse, %s" % (name, "it has a gradient" if mine else "stock has no gradient")
        )
    elif lacking:
      problems.append("%s: stock has a gradient, ours %s" % (name, "says MR_NO_GRADIENT" if mine is False else "has none"))
    elif stock is False and mine is not False:
      problems.append("%s: stock says that there is no gradient, ours %s" % (name, "has one" if mine else "lacks MR_NO_GRADIENT"))
  fail_with(problems)


def show(names, combinations):
  texts = ["; ".join("%s: %s" % (n, TYPE_NAMES[t]) for n, t in zip(names, c)) or "any" for c in sorted(combinations)]
  return ", ".join(texts[:12]) + (" and %d more" % (len(texts) - 12) if len(texts) > 12 else "")


def test_kernel_types(ours):
  """A kernel for exactly the types for which stock has one."""
  allowed, own = exceptions("kernel_types.txt"), exceptions("own_ops.txt")
  problems = []
  for name, rows in sorted(ours["kernels"].items()):
    if name in allowed or name in own:
      continue
    schema = ours["ops"][name]
    stock_rows = stock_registry.cpu_kernels(name)
    names = stock_registry.constrained(schema, rows, stock_rows)
    mine = stock_registry.expand(rows, names, schema)
    stock = stock_registry.expand(stock_rows, names, schema)
    if stock - mine:
      problems.append("%s: no kernel for %s" % (name, show(names, stock - mine)))
    if mine - stock:
      problems.append("%s: stock has no kernel for %s" % (name, show(names, mine - stock)))
  fail_with(problems)


def test_every_kernel_has_cases(ours, record_property):
  """A case for every op with a kernel, and for every type of every type attribute that a kernel of stock's or ours allows.

  Cases that fail count for the ops of refused_types.txt.
  """
  excused, own = exceptions("no_cases.txt"), exceptions("own_ops.txt")
  differ, refused = exceptions("kernel_types.txt"), exceptions("refused_types.txt")
  problems, pairs, without, elsewhere = [], set(), set(), 0
  for name, rows in sorted(ours["kernels"].items()):
    if name in excused:
      elsewhere += 1
      continue
    covered = ours["cases"].get(name)
    if covered is None:
      problems.append("%s has no cases" % name)
      covered = dict(types={}, refused={})
    schema = ours["ops"][name]
    if name not in own and name not in differ:
      rows = rows + stock_registry.cpu_kernels(name)
    for attr in [a["name"] for a in schema["attrs"] if a["type"] == "type"]:
      allowed = {c[0] for c in stock_registry.expand(rows, [attr], schema)} - {RESOURCE, VARIANT}
      missing = allowed - set(covered["types"].get(attr, []))
      if name in refused:
        missing -= set(covered["refused"].get(attr, []))
      pairs |= {(name, t) for t in allowed}
      without |= {(name, t) for t in missing}
      if missing:
        problems.append("%s: no case for %s" % (name, show([attr], {(t,) for t in missing})))
  record_property(
    "summary",
    "%s (op, dtype) pairs of %d ops, %d without a case; %d ops that need an executor or files "
    "have their tests elsewhere" % ("{:,}".format(len(pairs)), len(ours["kernels"]) - elsewhere, len(without), elsewhere),
  )
  fail_with(problems)


def test_results(ours, tmp_path, record_property):
  """All cases, or those of the ops and families that $MILLRACE_CASES names. A file has what deviates, and why."""
  del ours
  report = compare_stock.Report()
  for folder in exported_cases.folders(tmp_path):
    compare_stock.compare(folder, report)
  record_property("summary", exported_cases.write_deviations("deviations_from_stock.txt", report))
  fail_with(report.failures)
