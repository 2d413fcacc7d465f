"""Prints tests/gpu/kernels.txt: the kernels that TensorFlow's build for GPUs registers, read without a card.

  python3 -m venv /tmp/tf_gpu && /tmp/tf_gpu/bin/pip install --no-deps ... tensorflow==2.21.0
  /tmp/tf_gpu/bin/python tests/gpu/list_kernels.py > tests/gpu/kernels.txt

The wheel `tensorflow` of PyPI is that build; it needs 2 GB on disk, and none of NVIDIA's packages for this.
"""

import collections

from tensorflow.python.framework import kernels

TYPE_LIMIT = 24  # Millrace refuses the types from here on by name
NAMES = (
  "- float double int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16 qint16 quint16 uint16 "
  "complex128 half resource variant uint32 uint64"
).split()


def rows():
  """(op, {attr: types}, host arguments) of each kernel on GPU or DEFAULT; those with a label are other implementations."""
  for k in kernels.get_all_registered_kernels().kernel:
    if k.device_type not in ("GPU", "DEFAULT") or k.label:
      continue
    # Others, of strings and such, do not count.
    typed = [c for c in k.constraint if c.allowed_values.list.type]
    types = {c.name: frozenset(t for t in c.allowed_values.list.type if t < TYPE_LIMIT) for c in typed}
    if all(types.values()):
      yield k.op, types, frozenset(k.host_memory_arg)


def merged(group):
  """Joins kernels that differ in the types of one attribute, as long as there are some."""
  group = [dict(types) for types in group]
  changed = True
  while changed:
    changed = False
    for i, a in enumerate(group):
      for b in group[i + 1 :]:
        differ = [name for name in a if name not in b or a[name] != b[name]]
        if a.keys() == b.keys() and len(differ) <= 1:
          for name in differ:
            a[name] = a[name] | b[name]
          group.remove(b)
          changed = True
          break
      if changed:
        break
  return group


def main():
  by_op = collections.defaultdict(list)
  for op, types, host in rows():
    by_op[op, host].append(types)
  print(
    "# The kernels for GPUs of TensorFlow 2.21 (also those for any device), by tests/gpu/list_kernels.py. A line is an op, the"
  )
  print("# types of its attributes, and the arguments that lie in host memory.")
  for (op, host), group in sorted(by_op.items(), key=lambda item: (item[0][0], sorted(item[0][1]))):
    for types in merged(group):
      words = ["%s=%s" % (attr, ",".join(NAMES[t] for t in sorted(types[attr]))) for attr in sorted(types)]
      print(" ".join([op, *words, *(["host=" + ",".join(sorted(host))] if host else [])]))


main()
