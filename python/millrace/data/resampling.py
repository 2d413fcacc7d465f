"""rejection_resample: changes how often classes come by leaving out elements by chance."""

import numpy as np

from millrace import gen
from millrace.data import interleaving, mapping, scanning, sources
from millrace.framework import convert, dtypes

_LEAST = np.finfo(np.float32).tiny
_SMOOTHING = 10


def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
  """A step: pairs (class, element) with classes distributed as `target_dist`; `class_func` returns the int32 class of an element.

  Without `initial_dist` the distribution of the input is estimated as it comes.
  """

  def apply(dataset):
    target = convert.convert_to_tensor(target_dist, name="target_dist")
    if initial_dist is not None:
      initial = convert.convert_to_tensor(initial_dist, name="initial_dist")
      accepted, original = _acceptance(initial, target)
      initial_ds = sources.from_tensors(initial).repeat()
      accepted_ds = sources.from_tensors(accepted).repeat()
      original_ds = sources.from_tensors(original).repeat()
    else:
      initial_ds = _estimated(target, dataset.map(class_func))
      both = mapping.map_(initial_ds, lambda initial: _acceptance(initial, target))
      accepted_ds = mapping.map_(both, lambda accepted, original: accepted)
      original_ds = mapping.map_(both, lambda accepted, original: original)
    filtered = _filtered(dataset, accepted_ds, initial_ds, class_func, seed)

    def add_class_value(*element):
      return (class_func(*element), element) if len(element) > 1 else (class_func(*element), element[0])

    with_class = dataset.map(add_class_value)
    weights = mapping.map_(original_ds, lambda prob: [(prob, 1.0 - prob)])
    return interleaving.sampled([with_class, filtered], weights, seed, stop_on_empty_dataset=True)

  return apply


def _acceptance(initial, target):
  """Probabilities with which elements of each class are kept, and that with which no element is left out at all."""
  from millrace.ops.math import reductions

  ratio = target / (initial + _LEAST)
  most, least = reductions.reduce_max(ratio), reductions.reduce_min(ratio)
  return (ratio - least) / (most - least), least


def _filtered(dataset, accepted_ds, initial_ds, class_func, seed):
  from millrace.ops.array import gathering
  from millrace.ops.control_flow import conditional
  from millrace.ops.debugging import printing
  from millrace.ops.math import reductions
  from millrace.ops.random import drawing

  def maybe_warn_on_large_rejection(accepted, initial):
    rejected = reductions.reduce_sum((1 - accepted) * initial)
    message = "Proportion of examples rejected by sampler is high: "
    return conditional.cond(
      gen.less(rejected, 0.5),
      lambda: accepted,
      lambda: printing.Print(accepted, [rejected, initial, accepted], message=message, summarize=100, first_n=10),
    )

  def gather_and_copy(accepted, element):
    parts = element if isinstance(element, tuple) else (element,)
    kind = class_func(*parts)
    return kind, gathering.gather(accepted, kind), element

  def reject(*parts):
    return drawing.random_uniform([], seed=seed) < parts[1]

  checked = mapping.map_(sources.zip_((accepted_ds, initial_ds)), maybe_warn_on_large_rejection)
  tagged = mapping.map_(sources.zip_((checked, dataset)), gather_and_copy)
  kept = tagged.filter(reject)
  return mapping.map_(kept, lambda kind, _, element: (kind, element)).prefetch(3)


def _estimated(target, classes):
  """A data set of estimates of the distribution of classes."""
  from millrace.ops.array import filling, moving, shapes
  from millrace.ops.math import casts, reductions

  number = target.shape.as_list()[0] or shapes.shape(target)[0]
  seen = filling.fill([number], np.int64(_SMOOTHING))

  def update_estimate_and_tile(seen, some_classes):
    one_hot = filling.one_hot(some_classes, number, dtype=dtypes.int64)
    updated = seen + reductions.reduce_sum(one_hot, 0)
    share = casts.cast(updated / reductions.reduce_sum(updated), dtypes.float32)
    return updated, moving.tile(shapes.expand_dims(share, 0), [32, 1])

  estimates = classes.batch(32).apply(scanning.scan(seen, update_estimate_and_tile))
  return mapping.unbatch(estimates, preserve_cardinality=True)
