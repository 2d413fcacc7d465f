"""Resources that programs or their libraries list for being made before the first step, beside variables."""

import collections

import millrace as tf

_Resource = collections.namedtuple("_Resource", ("handle", "create", "is_initialized"))


def register_resource(handle, create_op, is_initialized_op, is_shared=True):
  """Lists a resource, which `create_op` makes, for this graph; one that is not shared is of one session."""
  key = tf.GraphKeys.RESOURCES if is_shared else tf.GraphKeys.LOCAL_RESOURCES
  tf.add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources():
  return tf.get_collection(tf.GraphKeys.RESOURCES)


def local_resources():
  return tf.get_collection(tf.GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(resource_list=None, name="report_uninitialized_resources"):
  """The names of resources, by default all, that are not there yet, as a vector of strings."""
  if resource_list is None:
    resource_list = shared_resources() + local_resources()
  # On the CPU, where strings are.
  with tf.name_scope(name), tf.device("/cpu:0"):
    if not resource_list:
      return tf.constant([], dtype=tf.string)
    missing = tf.logical_not(tf.stack([resource.is_initialized for resource in resource_list]))
    names = tf.constant([resource.handle.name for resource in resource_list])
    return tf.boolean_mask(names, missing)


def initialize_resources(resource_list, name="init"):
  """The op that makes the resources of a list."""
  if resource_list:
    return tf.group(*[resource.create for resource in resource_list], name=name)
  return tf.no_op(name=name)
