"""What a layer adds to the training: losses of its weights and activities, and ops that update its state."""

from millrace.framework import convert, nest, tensor_values
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.framework.operation import Operation
from millrace.framework.tensor import Tensor
from millrace.layers import attributes


class _Added:
  """A loss or an update: the value or a function that makes it, and the inputs that it may depend on (None: on none)."""

  def __init__(self, value, inputs):
    self.value = value
    self.inputs = inputs

  def is_function(self):
    return callable(self.value) and not tensor_values.is_tensor(self.value)

  def made(self):
    return self.value() if self.is_function() else self.value


class LossesAndUpdates:
  """The part of a layer that has its losses and updates."""

  def add_loss(self, losses, inputs=None):
    """Adds losses, scalars or functions that return them, to those of the layer and to REGULARIZATION_LOSSES.

    `inputs` are tensors that the losses depend on; None says that they depend on none, as those of weights.
    """
    made = []
    for loss in nest.flatten(losses):
      if callable(loss) and not tensor_values.is_tensor(loss):
        value = loss()
      elif loss is None:
        continue
      else:
        loss = value = loss if tensor_values.is_tensor(loss) else convert.convert_to_tensor(loss)
      self._losses.append(_Added(loss, inputs))
      if value is not None:
        made.append(value)
    _add_to_collection(GraphKeys.REGULARIZATION_LOSSES, made)

  def add_update(self, updates, inputs=None):
    """Adds ops that are to run with each training step, or functions that return them.

    They come into UPDATE_OPS when the call of the layer ends. Whether they depend on inputs is found in the graph; `inputs`
    changes nothing.
    """
    del inputs
    for update in updates if isinstance(updates, (list, tuple)) else [updates]:
      if callable(update) and not tensor_values.is_tensor(update):
        update = update()
      if not isinstance(update, Operation):
        update = update.op if hasattr(update, "op") else convert.convert_to_tensor(update)
      self._updates.append(_Added(update, list(self._call_inputs)))

  def _all_losses(self):
    """Returns (loss, its _Added) of this layer, those that functions make last, and of those inside."""
    found = [(added.made(), added) for added in sorted(self._losses, key=_Added.is_function)]
    for layer in self._parts()[0]:
      if isinstance(layer, LossesAndUpdates):
        found += layer._all_losses()
    return [(loss, added) for loss, added in found if loss is not None]

  def _all_updates(self):
    found = []
    if self._trainable or self.stateful:
      found = [(added.value, added) for added in self._updates]
      for layer in self._parts()[0]:
        if isinstance(layer, LossesAndUpdates):
          found += layer._all_updates()
    return found

  @property
  def losses(self):
    """The losses of this layer and of those inside. Losses that functions make are made anew."""
    return [loss for loss, _ in self._all_losses()]

  @property
  def updates(self):
    """The updates of this layer and of those inside; none where the layer is not `trainable`."""
    return [update for update, _ in self._all_updates()]

  def get_losses_for(self, inputs):
    """Returns the losses that depend on these inputs; those that depend on none for None."""
    if inputs is None:
      return [loss for loss, added in self._all_losses() if added.inputs is None]
    inputs = nest.flatten(inputs)
    return [loss for loss, added in self._all_losses() if added.inputs is not None and depends_on(loss, inputs)]

  def get_updates_for(self, inputs):
    """Returns the updates that depend on these inputs; those that depend on no input of the layer for None."""
    found = [(update, depends_on(update, added.inputs)) for update, added in self._all_updates()]
    if inputs is None:
      return [update for update, conditional in found if not conditional]
    inputs = nest.flatten(inputs)
    return [update for update, conditional in found if conditional and depends_on(update, inputs)]

  def _collect_updates(self):
    """Adds the updates to UPDATE_OPS, those that are there already not again."""
    updates = self.updates
    if updates:
      _add_to_collection(GraphKeys.UPDATE_OPS, updates)

  def _regularize_activity(self, inputs, outputs):
    """Adds the loss of the activity regularizer for each output: a mean over the batch."""
    if self._activity_regularizer is None:
      return
    import millrace as tf

    with ops.name_scope("ActivityRegularizer"):
      for output in nest.flatten(outputs):
        loss = self._activity_regularizer(output)
        batch = tf.cast(tf.shape(output)[0], loss.dtype)
        self.add_loss(loss / batch, inputs=inputs)


def _add_to_collection(name, values):
  there = ops.get_collection_ref(name)
  known = {id(value) for value in there}
  there.extend(value for value in attributes.once(values) if id(value) not in known)


def depends_on(value, inputs):
  """Returns whether a tensor or operation is computed from one of the inputs."""
  wanted = {id(i.op) if isinstance(i, Tensor) else id(getattr(i, "op", i)) for i in inputs}
  todo = [value if isinstance(value, Operation) else value.op]
  seen = set()
  while todo:
    op = todo.pop()
    if id(op) in wanted:
      return True
    if id(op) not in seen:
      seen.add(id(op))
      todo.extend(tensor.op for tensor in op.inputs)
      todo.extend(op.control_inputs)
  return False
