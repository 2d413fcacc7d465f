"""What counts as the same: integers, strings and booleans exactly, floats within a part of the tensor's largest value."""

import numpy as np

RELATIVE = {"half": 2e-2, "bfloat16": 2e-2, "float16": 2e-2}
OTHERS = 1e-4


class Failure:
  """A step that failed: its code and what was said."""

  def __init__(self, error):
    self.code, self.text = type(error).__name__, str(getattr(error, "message", error))

  def __repr__(self):
    # The client puts before what was said where the node was made.
    said = [
      line
      for line in self.text.splitlines()
      if line.strip() and not line.startswith(("Graph execution error", "Detected at", "From /job", " "))
    ]
    return f"{self.code}: {said[0][:200] if said else ''}"


def difference(ours, stock, relative=None):
  """Why two values of a tensor differ, or None."""
  if ours is None or stock is None:
    return None if ours is stock else f"{ours!r}, not {stock!r}"
  a, b = np.asarray(ours), np.asarray(stock)
  if a.dtype != b.dtype or a.shape != b.shape:
    return f"{a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
  name = b.dtype.name
  if b.dtype.kind not in "fc" and name != "bfloat16":
    return None if np.array_equal(a, b) else "other values"
  part = RELATIVE.get(name, OTHERS if relative is None else relative) if relative != 0 else 0
  if part == 0:
    return None if a.tobytes() == b.tobytes() else "other bits"
  wide = np.complex128 if b.dtype.kind == "c" else np.float64
  a, b = a.astype(wide), b.astype(wide)
  if wide is np.complex128:
    a, b = np.stack([a.real, a.imag]), np.stack([b.real, b.imag])
  finite = np.isfinite(b)
  if not np.array_equal(np.isfinite(a), finite) or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
    return "other NaNs or infinities"
  if not finite.any():
    return None
  allowed = part * np.abs(b[finite]).max()
  return None if (np.abs(a[finite] - b[finite]) <= allowed).all() else "other values"


def differences(names, ours, stock, relative=None):
  """Lines that say which of a run's results differ. Results are lists, or a Failure."""
  if isinstance(ours, Failure) or isinstance(stock, Failure):
    if isinstance(ours, Failure) and isinstance(stock, Failure):
      # The failure cancels the step, which sometimes is what stock tells.
      if ours.code == stock.code or "CancelledError" in (ours.code, stock.code):
        return []
    return [f"ends with {_short(ours)}\n  stock: {_short(stock)}"]
  lines = []
  for name, a, b in zip(names, ours, stock):
    why = difference(a, b, relative)
    if why:
      lines.append(f"{name}: {why}: {_short(a)}\n  stock: {_short(b)}")
  return lines


def _short(value):
  if isinstance(value, Failure):
    return repr(value)
  if isinstance(value, list):
    return "values"
  array = np.asarray(value)
  text = repr(
    array.tolist()
    if array.dtype.kind in "OSU"
    else array.astype(array.dtype if array.dtype.kind in "biufc" else np.float32).tolist()
  )
  return text if len(text) < 160 else text[:157] + "..."
