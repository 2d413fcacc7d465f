"""tf.nondifferentiable_batch_function: joins the arguments of several steps to one batch."""

import functools

from millrace import gen
from millrace.framework import convert, nest
from millrace.ops.gradients import defun


def nondifferentiable_batch_function(
  num_batch_threads, max_batch_size, batch_timeout_micros, allowed_batch_sizes=None, max_enqueued_batches=10, autograph=True
):
  """Decorates a function of tensors so that its calls by steps that run at the same time become one call.

  The arguments of the steps are joined along dimension 0 up to `max_batch_size` rows, or as many as came within
  `batch_timeout_micros`; sizes are padded to the next of `allowed_batch_sizes`, whose last is `max_batch_size`. Each step gets
  its rows of the results. There is no gradient. `autograph` is taken and not used: write control flow as tf.cond.
  """

  def decorator(fn):
    @functools.wraps(fn)
    def decorated(*args):
      flat = [convert.convert_to_tensor(arg) for arg in args]
      structure = []

      def body(*inner):
        structure.append(fn(*inner))
        return nest.flatten(structure[-1])

      function = defun.Defun(*[value.dtype for value in flat])(defun.with_arguments(body, len(flat)))
      results = gen.batch_function(
        flat,
        function.captured_inputs,
        function,
        num_batch_threads=num_batch_threads,
        max_batch_size=max_batch_size,
        batch_timeout_micros=batch_timeout_micros,
        allowed_batch_sizes=[] if allowed_batch_sizes is None else allowed_batch_sizes,
        max_enqueued_batches=max_enqueued_batches,
        Tout=[argument.type for argument in function.definition.signature.output_arg],
      )
      results = list(results) if isinstance(results, (list, tuple)) else [results]
      return nest.pack_sequence_as(structure[-1], results) if nest.is_nested(structure[-1]) else results[0]

    return decorated

  return decorator
