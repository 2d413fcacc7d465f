"""Steps of tf.data.experimental that bring elements to a device before they are asked for."""

from millrace import gen
from millrace.data import element_specs, functions
from millrace.data.dataset import DatasetV1Adapter
from millrace.framework import constants, convert, dtypes, scopes, tensor_shape

_HANDLE = [(dtypes.resource, tensor_shape.TensorShape([]))]


def copy_to_device(target_device, source_device="/cpu:0"):
  """A step: elements that are made on one device are taken on another."""
  return lambda dataset: _copied(dataset, target_device, source_device)


def prefetch_to_device(device, buffer_size=None):
  """A step: keeps elements ready on a device. It is the last one of a pipeline."""

  def apply(dataset):
    return _copied(dataset, device, "/cpu:0").prefetch(buffer_size)

  return apply


def _copied(dataset, target_device, source_device):
  spec = dataset.element_spec
  attrs = element_specs.attrs_of(spec)
  types = attrs["output_types"]
  source = convert.convert_to_tensor(source_device)
  wrapped = gen.wrap_dataset_variant(dataset._variant_tensor)

  # The state is the iterator itself: it lives as long as somebody holds its handle.
  def init(inputs):
    resource = gen.anonymous_iterator(**attrs)
    with scopes.control_dependencies([gen.make_iterator(gen.unwrap_dataset_variant(inputs[0]), resource)]):
      return [gen.identity(resource)]

  def following(inputs):
    return list(gen.iterator_get_next(inputs[0], **attrs))

  def final(inputs):
    with scopes.control_dependencies([gen.destroy_resource_op(inputs[0], ignore_lookup_error=True)]):
      return [constants.constant(0, dtypes.int64)]

  variant = [(dtypes.variant, tensor_shape.TensorShape([]))]
  init_local = functions.build("init_func", variant, init)
  next_local = functions.build("next_func", _HANDLE, following)
  final_local = functions.build("finalize_func", _HANDLE, final)

  def remote(function, out_types, with_dataset=False):
    def call(inputs):
      arguments = [wrapped] if with_dataset else inputs
      return list(gen.remote_call(source, arguments, Tout=out_types, f=function))

    return call

  init_far = functions.build("remote_init_func", [], remote(init_local, [dtypes.resource], True))
  next_far = functions.build("remote_next_func", _HANDLE, remote(next_local, types))
  final_far = functions.build("remote_finalize_func", _HANDLE, remote(final_local, [dtypes.int64]))
  with scopes.device(target_device):
    made = gen.generator_dataset(
      init_far.captured_inputs,
      next_far.captured_inputs,
      final_far.captured_inputs,
      init_func=init_far,
      next_func=next_far,
      finalize_func=final_far,
      **attrs,
    )
  return DatasetV1Adapter(made, spec, [dataset])
