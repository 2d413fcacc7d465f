"""tf.distribute where no strategy is chosen: libraries ask for it whatever they do."""


def _try(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_no_strategy(tf):
  strategy = tf.distribute.get_strategy()
  replica = tf.distribute.get_replica_context()
  variable = tf.get_variable("v", initializer=[1.0, 2.0])
  values = tf.constant([[1.0, 2.0], [3.0, 5.0]])
  reduce_op = tf.distribute.ReduceOp
  with strategy.scope():
    inside = tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_replica_context() is None
  context = tf.distribute.InputContext(num_input_pipelines=2, input_pipeline_id=1, num_replicas_in_sync=4)
  updated = strategy.extended.update(variable, lambda v, by: v.assign_add(by), args=([2.0, 3.0],))
  with tf.control_dependencies([updated]):
    later = tf.identity(variable)
  facts = [
    tf.distribute.has_strategy(),
    tf.distribute.in_cross_replica_context(),
    isinstance(strategy, tf.distribute.Strategy),
    tf.distribute.Server is tf.train.Server,
    strategy.num_replicas_in_sync,
    replica.num_replicas_in_sync,
    replica.strategy is strategy,
    inside,
    strategy.experimental_local_results(3),
    strategy.reduce(reduce_op.SUM, 5, axis=None),
    strategy.reduce("mean", 5, axis=None),
    replica.merge_call(lambda owner, x, y: (owner is strategy, x, y), args=(1,), kwargs={"y": 2}),
    strategy.extended.call_for_each_replica(lambda x: x + 1, args=(1,)),
    strategy.extended.update(variable, lambda v: v is variable, group=False),
    strategy.extended.update_non_slot(None, lambda x: [x, x], args=(1,)),
    [(value.name, value.value) for value in reduce_op],
    [context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync],
    context.get_per_replica_batch_size(8),
    _try(lambda: context.get_per_replica_batch_size(7)),
    _try(lambda: reduce_op("other")),
  ]
  tf.gradients(values, values)  # graphs are compared up to here: a mean may be made otherwise
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return facts + session.run(
      [
        strategy.reduce(reduce_op.SUM, values, axis=0),
        strategy.reduce(reduce_op.MEAN, values, axis=0),
        replica.all_reduce(reduce_op.SUM, values),
        tf.convert_to_tensor(replica.replica_id_in_sync_group),
        later,
      ]
    )
