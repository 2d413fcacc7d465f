"""A network whose layers are on several devices, as a pipeline: while one device works on a part of the batch, the next one works
on the part before."""

from millrace.parallel.tensorflow_in_use import tf


def pipeline(stages, devices, inputs, micro_batches=None, name=None):
  """What the last of the `stages` makes of `inputs`, a batch that goes through them in parts, `micro_batches` in number.

  A stage is a function of what the one before has returned, and runs on its device; the first one gets `inputs`. These are a
  tensor, or a structure of tensors (tuple, list, dictionary), of which each has the batch as its first dimension. A tensor
  that a stage hands on, such as labels for the last one, goes straight to where it is used. By default there are as many
  micro-batches as stages; with m of them and p stages, a device is idle for (p - 1) / (m + p - 1) of the time.

  A stage begins with a micro-batch when it has ended the one before: control edges keep this order. Gradients go back the
  same way, with `minimize(..., colocate_gradients_with_ops=True)` on the devices of the stages.

  Returns a structure as that of the last stage: of outputs for single examples all of the batch, joined along the first
  dimension; of scalars, such as a loss, the mean of all micro-batches. As these are of one size, losses that are means over the
  examples, and their gradients, are those of the network without a pipeline, but for the order of sums. A scalar that is a sum
  over the batch becomes the 1 / m of it, and a mean with weights or masks is one for each micro-batch: return a value an example
  instead. What looks at a batch as a whole, such as batch normalization, looks at a micro-batch. A loss of `tf.losses` that a
  stage makes is in its collection once for each micro-batch, unless it is made with `loss_collection=None`.

  Stages make variables by `get_variable` or layers, which have the names that they would have without a pipeline, and are
  made once. Raises ValueError where a stage makes others, where the numbers of stages and devices differ, or where the size
  of the batch is known and no multiple of micro_batches; where it is not known, the run fails with InvalidArgumentError.
  """
  api = tf()
  stages, devices = list(stages), list(devices)
  if not stages or len(stages) != len(devices):
    raise ValueError(
      "pipeline: stages and devices are as many, one or more; there are %d stages and %d devices" % (len(stages), len(devices))
    )
  count = len(stages) if micro_batches is None else micro_batches
  if count < 1:
    raise ValueError("pipeline: micro_batches is 1 or more, not %r" % (micro_batches,))
  scope = api.get_variable_scope()
  used, ended, results = [], [()] * len(stages), []
  with api.name_scope(name, "pipeline"):
    for number, value in enumerate(_micro_batches(inputs, count)):
      variables = len(api.global_variables()) if number else None
      # A scope that is opened again counts names from where it did before, so that each micro-batch finds the same variables.
      with (
        _opened_again(scope, reuse=True if number else None, custom_getter=_recorder(used)),
        api.name_scope("micro_batch_%d" % number),
      ):
        for i, (stage, device) in enumerate(zip(stages, devices)):
          with api.device(device), api.control_dependencies(ended[i]):
            value = stage(value)
            ended[i] = [api.convert_to_tensor(tensor) for tensor in api.nest.flatten(value)]
            value = api.nest.pack_sequence_as(value, ended[i])
      if variables is not None:
        _check_no_others(api.global_variables()[variables:])
      results.append(value)
    _take_names(scope, used)
    joined = [_joined(tensors) for tensors in zip(*map(api.nest.flatten, results))]
    return api.nest.pack_sequence_as(results[0], joined)


def _micro_batches(inputs, count):
  """Cuts each tensor where it is, so that a device gets only its part at a time; returns a structure a micro-batch."""
  api = tf()
  cut = []
  for tensor in api.nest.flatten(inputs):
    tensor = api.convert_to_tensor(tensor)
    size = tensor.shape.as_list()[0] if tensor.shape.ndims else None
    if tensor.shape.ndims == 0 or (size is not None and size % count):
      raise ValueError("pipeline: %s cannot be cut into %d micro-batches of one size" % (tensor, count))
    with api.device(tensor.device):
      cut.append(api.split(tensor, count))
  return [api.nest.pack_sequence_as(inputs, list(parts)) for parts in zip(*cut)]


def _opened_again(scope, **options):
  return tf().variable_scope(scope, auxiliary_name_scope=False, **options)


def _recorder(used):
  """A custom getter that remembers the names of variables."""

  def get(getter, name, *args, **kwargs):
    used.append(name)
    return getter(name, *args, **kwargs)

  return get


def _check_no_others(variables):
  if variables:
    raise ValueError(
      "pipeline: a stage made the variable %s again for another micro-batch; stages make variables by get_variable or layers"
      % variables[0].name
    )


def _take_names(scope, variables):
  """Opens the scopes that `variables` are in, as the stages did, so that default names behind the pipeline are others."""
  below = scope.name + "/" if scope.name else ""
  inside = [name[len(below) :].split("/")[0] for name in variables if name.startswith(below) and "/" in name[len(below) :]]
  for name in dict.fromkeys(inside):
    with tf().variable_scope(name, auxiliary_name_scope=False):
      pass


def _joined(tensors):
  """The outputs of all micro-batches as one: scalars as their mean, others as a batch."""
  api = tf()
  if tensors[0].shape.ndims != 0:
    return api.concat(tensors, 0)
  if not (tensors[0].dtype.is_floating or tensors[0].dtype.is_complex):
    raise TypeError(
      "pipeline: scalars of micro-batches are averaged, which takes floats, not %s; return a value an example" % tensors[0]
    )
  return api.add_n(tensors) / len(tensors)
