"""Scaffold: the ops and the saver that a training session needs, each of which may be given or is made."""

import millrace as tf
from millrace.ops.variables import resources

USE_DEFAULT = object()


class Scaffold:
  """Init ops, readiness ops, summary and saver of a graph.

  What isn't given is found in the graph's collections or made by `finalize()`, which also finalizes the graph.
  `copy_from_scaffold` is where values come from that aren't given.
  """

  def __init__(
    self,
    init_op=None,
    init_feed_dict=None,
    init_fn=None,
    ready_op=None,
    ready_for_local_init_op=None,
    local_init_op=None,
    summary_op=None,
    saver=None,
    copy_from_scaffold=None,
  ):
    if copy_from_scaffold is not None:
      if not isinstance(copy_from_scaffold, Scaffold):
        raise TypeError("copy_from_scaffold is not a Scaffold instance.")

      # A value that isn't given is that of the other one, but a function is wrapped to say which scaffold it gets.
      def coalesce(a, b):
        return a if a is not None else b

      init_op = coalesce(init_op, copy_from_scaffold.init_op)
      init_feed_dict = coalesce(init_feed_dict, copy_from_scaffold.init_feed_dict)
      # The other one's function is called already with its own scaffold.
      init_fn = coalesce(init_fn, copy_from_scaffold._user_init_fn)
      ready_op = coalesce(ready_op, copy_from_scaffold.ready_op)
      ready_for_local_init_op = coalesce(ready_for_local_init_op, copy_from_scaffold.ready_for_local_init_op)
      local_init_op = coalesce(local_init_op, copy_from_scaffold.local_init_op)
      summary_op = coalesce(summary_op, copy_from_scaffold.summary_op)
      saver = coalesce(saver, copy_from_scaffold.saver)

    # Sessions call it with the session; users' functions get the scaffold, too.
    self._user_init_fn = init_fn
    if init_fn:
      self._init_fn = lambda sess: init_fn(self, sess)
    else:
      self._init_fn = None

    self._init_op = init_op
    self._init_feed_dict = init_feed_dict
    self._ready_op = ready_op
    self._ready_for_local_init_op = ready_for_local_init_op
    self._local_init_op = local_init_op
    self._summary_op = summary_op
    self._saver = saver

  def finalize(self):
    """Makes what isn't there yet and finalizes the graph; returns itself."""
    keys = tf.GraphKeys
    if self._init_op is None:

      def default_init_op():
        return tf.group(
          tf.global_variables_initializer(),
          resources.initialize_resources(resources.shared_resources()),
        )

      self._init_op = Scaffold.get_or_default("init_op", keys.INIT_OP, default_init_op)
    if self._ready_op is None:

      def default_ready_op():
        return tf.concat([tf.report_uninitialized_variables(), resources.report_uninitialized_resources()], 0)

      self._ready_op = Scaffold.get_or_default("ready_op", keys.READY_OP, default_ready_op)
    if self._ready_for_local_init_op is None:

      def default_ready_for_local_init_op():
        return tf.concat(
          [
            tf.report_uninitialized_variables(tf.global_variables()),
            resources.report_uninitialized_resources(resources.shared_resources()),
          ],
          0,
        )

      self._ready_for_local_init_op = Scaffold.get_or_default(
        "ready_for_local_init_op", keys.READY_FOR_LOCAL_INIT_OP, default_ready_for_local_init_op
      )
    if self._local_init_op is None:
      self._local_init_op = Scaffold.get_or_default("local_init_op", keys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
    if self._summary_op is None:
      self._summary_op = Scaffold.get_or_default("summary_op", keys.SUMMARY_OP, tf.summary.merge_all)
    if self._saver is None:
      self._saver = _get_saver_or_default()
    if not self._saver._is_built:
      self._saver.build()
    tf.get_default_graph().finalize()
    tf.logging.info("Graph was finalized.")
    return self

  @property
  def init_fn(self):
    return self._init_fn

  @property
  def init_op(self):
    return self._init_op

  @property
  def ready_op(self):
    return self._ready_op

  @property
  def ready_for_local_init_op(self):
    return self._ready_for_local_init_op

  @property
  def local_init_op(self):
    return self._local_init_op

  @property
  def summary_op(self):
    return self._summary_op

  @property
  def saver(self):
    return self._saver

  @property
  def init_feed_dict(self):
    return self._init_feed_dict

  @staticmethod
  def get_or_default(arg_name, collection_key, default_constructor):
    """The one item of a collection, or what the constructor makes, which is put there.

    Raises RuntimeError if the collection has several.
    """
    elements = tf.get_collection(collection_key)
    if elements:
      if len(elements) > 1:
        raise RuntimeError(
          f'More than one item in the collection "{collection_key}". '
          f"Please indicate which one to use by passing it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
        )
      return elements[0]
    op = default_constructor()
    if op is not None:
      tf.add_to_collection(collection_key, op)
    return op

  @staticmethod
  def default_local_init_op():
    """Initializes local variables, tables and local resources."""
    return tf.group(
      tf.local_variables_initializer(),
      tf.tables_initializer(),
      resources.initialize_resources(resources.local_resources()),
    )


def _get_saver_or_default():
  """The saver of the collection SAVERS, or a new sharded one. Raises RuntimeError if there are several."""
  key = tf.GraphKeys.SAVERS
  savers = tf.get_collection(key)
  if savers:
    if len(savers) > 1:
      raise RuntimeError(
        f"More than one item in collection {key}. Please indicate which one to use by passing it to the constructor."
      )
    return savers[0]
  saver = tf.train.Saver(sharded=True, allow_empty=True)
  tf.add_to_collection(key, saver)
  return saver
