"""What attacks on a server's memory have in common: its limit, what it has taken, and nodes."""

import raw_client as raw

MB = 1 << 20
LIMIT = 200 * MB
# The server itself, and what it reads beyond the limit before it cancels calls.
SLACK = 120 * MB
LONG = raw.type_of(raw.INT64)


def peak(process):
  with open(f"/proc/{process.pid}/status") as status:
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def types(*dtypes):
  result = raw.new("AttrValue")
  result.list.SetInParent()
  result.list.type.extend(dtypes)
  return result


def filled(value, *dims):
  """An array as large as the numbers in it."""
  sizes = raw.tensor(raw.INT32, [len(dims)], int_val=dims)
  return [
    raw.node("v", "Placeholder", dtype=raw.type_of(value), shape=raw.shape_of()),
    raw.const("dims", sizes),
    raw.node("x", "Fill", "dims", "v", T=raw.type_of(value), index_type=raw.type_of(raw.INT32)),
  ]
