"""Names from before TensorFlow 1.0: they work in scripts that are run unchanged, with a warning that says the new name.

`compat/old_names.txt` has them: the old name, the new one, and for arguments that are called differently pairs `old=new`. A whole
module may stand under an old name as well. With version 0.12, functions whose arguments had another order have it again (`before_1_0`) in the modules that scripts import.
"""

import functools
import os

from millrace.api.tables import read_lines, tables

_FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "compat", "old_names.txt")

# Public name and the function of `before_1_0` that takes its place with version 0.12.
REORDERED = {
  "tf.concat": "concat",
  "tf.split": "split",
  "tf.sparse_split": "sparse_split",
  "tf.reverse": "reverse",
  "tf.nn.softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits",
  "tf.nn.sparse_softmax_cross_entropy_with_logits": "sparse_softmax_cross_entropy_with_logits",
  "tf.nn.sigmoid_cross_entropy_with_logits": "sigmoid_cross_entropy_with_logits",
  "tf.nn.nce_loss": "nce_loss",
  "tf.nn.sampled_softmax_loss": "sampled_softmax_loss",
  "tf.SparseTensor": "SparseTensor",
  "tf.SparseTensorValue": "SparseTensorValue",
}


def since_1_0(name):
  """Returns the function of a public name, with its present arguments."""
  from millrace.api import modules

  return modules.resolve(tables().places[name])


def _renamed(old, new, arguments):
  """Returns the function or class `new`, which says its name when it is first called by the old one."""

  def find():
    return since_1_0(new)

  def called(*args, **kwargs):
    from millrace.framework import deprecation

    deprecation._tell(old, old, None, "Use %s." % new)
    for before, now in arguments.items():
      if before in kwargs:
        kwargs[now] = kwargs.pop(before)
    return find()(*args, **kwargs)

  target = find()
  if isinstance(target, type):
    # A class stays one, so that programs can derive from it.
    return target
  return functools.wraps(target)(called)


def names():
  """Returns {old name: (new name, {old argument: new argument})}."""
  found = {}
  for old, rest in read_lines(_FILE):
    words = rest.split()
    found[old] = (words[0], dict(word.split("=") for word in words[1:]))
  return found


class _Lazy:
  """Attributes of this object are the functions under old names."""

  def __getattr__(self, name):
    known = names()
    old = name.replace("__", ".")
    if old not in known:
      raise AttributeError(name)
    return _renamed(old, *known[old])


old = _Lazy()


def install():
  """Adds the old names to the public ones."""
  public = tables()
  for name, (new, _) in names().items():
    if name in public.places:
      continue
    if new in public.members:
      public.add(name, new[len("tf.") :])
    elif new in public.places:
      public.add(name, "scripts.old_names:old.%s" % name.replace(".", "__"))
