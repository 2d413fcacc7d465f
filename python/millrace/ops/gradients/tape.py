"""tf.GradientTape in graphs: gradients through the ops that were made while the tape recorded."""

import contextlib

from millrace.framework import dtypes
from millrace.framework import graph as graphs
from millrace.framework import nest, tensor
from millrace.ops.gradients import backprop


class GradientTape:
  """Records the ops that are made within it, and builds gradients through them.

  Trainable variables are watched when they are read, if `watch_accessed_variables`; tensors are if `watch` says so. The
  gradients can be asked for once, or more often if `persistent`.
  """

  def __init__(self, persistent=False, watch_accessed_variables=True):
    self._persistent = persistent
    self._watch_accessed_variables = watch_accessed_variables
    self._watched = []
    self._spans = []  # [graph, begin, end]: numbers of ops; the end is None while the tape records
    self._used = False

  def __enter__(self):
    self._start()
    return self

  def __exit__(self, kind, value, trace):
    if self._recording:
      self._stop()

  @property
  def _recording(self):
    return bool(self._spans) and self._spans[-1][2] is None

  def _start(self):
    if self._recording:
      raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
    graph = graphs.get_default_graph()
    self._spans.append([graph, graph._last_id, None])

  def _stop(self):
    if not self._recording:
      raise ValueError("Tape is not recording.")
    span = self._spans[-1]
    span[2] = span[0]._last_id

  def _has(self, op):
    return any(op.graph is graph and begin <= op._id and (end is None or op._id < end) for graph, begin, end in self._spans)

  def watch(self, tensor):
    """Watches a tensor or a structure of tensors. Raises ValueError for what is neither a tensor nor a variable."""
    for value in nest.flatten(tensor, expand_composites=True):
      if not hasattr(value, "dtype") or not hasattr(value, "graph"):
        raise ValueError("Passed in object %s of type %s, not tf.Tensor or tf.Variable or ExtensionType." % (value, type(value)))
      self._watched.append(value)

  @contextlib.contextmanager
  def stop_recording(self):
    """A context in which ops are not recorded."""
    if not self._recording:
      raise RuntimeError("Trying to exit GradientTape without an active tape.")
    self._stop()
    try:
      yield
    finally:
      self._start()

  def reset(self):
    """Forgets all that was recorded and watched."""
    self._stop()
    self._watched = []
    self._spans = []
    self._start()

  def watched_variables(self):
    """The trainable variables that were read while the tape recorded, and the watched ones, as a tuple in order of being made."""
    graph = graphs.get_default_graph()
    trainable = graph.get_collection(graphs.GraphKeys.TRAINABLE_VARIABLES)
    found = [v for v in self._watched if not isinstance(v, tensor.Tensor)]
    if self._watch_accessed_variables:
      found += [v for v in trainable if not any(v is w for w in found) and self._reads(v)]
    return tuple(found)

  def _reads(self, variable):
    handle = getattr(variable, "handle", None)
    if handle is None or handle.dtype != dtypes.resource:
      return False
    waiting = [handle]
    while waiting:
      for op in waiting.pop().consumers():
        if op.type == "ReadVariableOp" and self._has(op):
          return True
        if op.type in ("Enter", "Switch", "ResourceGather") and (op.type != "ResourceGather" or self._has(op)):
          if op.type == "ResourceGather":
            return True
          waiting.extend(op.outputs)
    return False

  def _is_watched(self, source):
    if isinstance(source, tensor.Tensor):
      return any(source is w for w in self._watched) or self._has(source.op)
    return any(source is v for v in self.watched_variables())

  def gradient(self, target, sources, output_gradients=None, unconnected_gradients=backprop.UnconnectedGradients.NONE):
    """Returns the gradients of `target` with respect to `sources`, in the structure of `sources`; None where there is none.

    `target` and `output_gradients` may be structures, too. Raises RuntimeError if the tape is not persistent and has been used.
    """
    if self._used and not self._persistent:
      raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")
    if self._recording:
      self._stop_for_good()
    flat_sources = nest.flatten(sources)
    targets = [t for t in nest.flatten(target) if t is not None]
    given = None if output_gradients is None else nest.flatten(output_gradients)
    watched = [source for source in flat_sources if self._is_watched(source)]
    unconnected = backprop.UnconnectedGradients(unconnected_gradients)
    grads = {}
    if watched and targets:
      values = [t if isinstance(t, tensor.Tensor) else t._as_graph_element() for t in targets]
      found = backprop.gradients_through(values, watched, given, self._has)
      grads = {id(source): grad for source, grad in zip(watched, found)}
    result = [grads.get(id(source)) for source in flat_sources]
    if unconnected == backprop.UnconnectedGradients.ZERO:
      result = [backprop.zeros_of(source) if grad is None else grad for source, grad in zip(flat_sources, result)]
    self._used = True
    return nest.pack_sequence_as(sources, result)

  def _stop_for_good(self):
    if not self._persistent:
      self._stop()

  def jacobian(
    self,
    target,
    sources,
    unconnected_gradients=backprop.UnconnectedGradients.NONE,
    parallel_iterations=None,
    experimental_use_pfor=True,
  ):
    """Returns, for each source, the derivatives of each element of `target`, of shape target.shape + source.shape."""
    from millrace.ops.array import gathering, joining, shapes

    flat_sources = nest.flatten(sources)
    begin = graphs.get_default_graph()._last_id
    shape = shapes.shape(target)
    flat = shapes.reshape(target, [-1])
    self._count_as_recorded(begin)
    persistent, self._persistent = self._persistent, True
    try:
      rows = self._rows(
        lambda i: gathering.gather(flat, i), shapes.size(target), flat_sources, unconnected_gradients, parallel_iterations
      )
    finally:
      self._persistent = persistent
    results = []
    for row, source in zip(rows, flat_sources):
      if row is not None:
        row = shapes.reshape(row, joining.concat([shape, shapes.shape(source)], axis=0))
        row.set_shape(target.get_shape().concatenate(source.get_shape()))
      results.append(row)
    return nest.pack_sequence_as(sources, results)

  def batch_jacobian(
    self,
    target,
    source,
    unconnected_gradients=backprop.UnconnectedGradients.NONE,
    parallel_iterations=None,
    experimental_use_pfor=True,
  ):
    """Returns the jacobian of each row of `target` with respect to the same row of `source`: [rows, target's, source's].

    Raises ValueError if the shapes do not have the same, known rows.
    """
    from millrace.ops.array import gathering, joining, moving, shapes

    rows = target.get_shape().with_rank_at_least(1)[0]
    if not rows.is_compatible_with(source.get_shape().with_rank_at_least(1)[0]):
      raise ValueError(
        "Need first dimension of target shape (%s) and source shape (%s) to match." % (target.get_shape(), source.get_shape())
      )
    begin = graphs.get_default_graph()._last_id
    shape = shapes.shape(target)
    flat = shapes.reshape(target, [shape[0], -1])
    self._count_as_recorded(begin)
    persistent, self._persistent = self._persistent, True
    try:
      found = self._rows(
        lambda i: gathering.gather(flat, i, axis=1), shapes.shape(flat)[1], [source], unconnected_gradients, parallel_iterations
      )[0]
    finally:
      self._persistent = persistent
    if found is None:
      return None
    source_shape = shapes.shape(source)
    found = shapes.reshape(found, joining.concat([[shapes.shape(flat)[1], shape[0]], [-1]], axis=0))
    found = moving.transpose(found, [1, 0, 2])
    found = shapes.reshape(found, joining.concat([shape, source_shape[1:]], axis=0))
    found.set_shape(target.get_shape().concatenate(source.get_shape()[1:]))
    return found

  def _count_as_recorded(self, begin):
    """Ops that take the elements of a target are made after the tape stopped: those from number `begin` on are recorded."""
    graph = graphs.get_default_graph()
    self._spans.insert(0, [graph, begin, graph._last_id])

  def _rows(self, element, count, sources, unconnected_gradients, parallel_iterations):
    """The gradients of the elements of a target, stacked, for each source; None where there is none."""
    from millrace.ops.control_flow import tensor_array, while_loop

    known = {}
    arrays = [
      tensor_array.TensorArray(source.dtype.base_dtype, size=count, element_shape=source.get_shape()) for source in sources
    ]

    def body(i, arrays):
      begin = graphs.get_default_graph()._last_id
      value = element(i)
      self._count_as_recorded(begin)
      grads = nest.flatten(self.gradient(value, list(sources), unconnected_gradients=unconnected_gradients))
      known.update({j: grad is not None for j, grad in enumerate(grads)})
      return i + 1, [array if grad is None else array.write(i, grad) for array, grad in zip(arrays, grads)]

    _, arrays = while_loop.while_loop(lambda i, _: i < count, body, (0, arrays), parallel_iterations=parallel_iterations or 10)
    self._used = True
    return [array.stack() if known[j] else None for j, array in enumerate(arrays)]
