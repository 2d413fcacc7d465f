"""Whether the ops that programs leave out are missing still."""

import sides as s
from generate import NOT_THERE

tf, tf1 = s.tf, s.tf1


def _node(name):
  """A node of an op of NOT_THERE that would run."""
  if name.startswith("Resource"):
    handle = tf1.Variable([1.0, 2.0], use_resource=True).handle
    if name == "ResourceGatherNd":
      return tf.raw_ops.ResourceGatherNd(resource=handle, indices=[[0]], dtype=tf.float32)
  else:
    handle = tf1.Variable([1.0, 2.0], use_resource=False)._ref()  # pylint: disable=protected-access
  if name == "RefSelect":
    return tf.raw_ops.RefSelect(index=0, inputs=[handle, handle])
  return getattr(tf.raw_ops, name)(ref=handle, indices=[[0]], updates=[1.0])


def now_there(side):
  """The ops of NOT_THERE that a side has."""
  found = []
  for name in NOT_THERE:
    with tf.Graph().as_default() as graph:
      node = _node(name)
      try:
        side.session(0, graph, "default").run([v.initializer for v in graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES)])
        side.session(0, graph, "default").run(node)
        found.append(name)
      except tf.errors.NotFoundError as e:
        if "not registered" not in e.message:
          raise
      finally:
        side.close()
  return found
