"""tf.contrib.tpu in programs that train without TPUs: one shard, whose gradients are those of all."""

import millrace as tf
import numpy as np
import pytest


def test_an_optimizer_of_shards_is_the_one_within():
  with tf.Graph().as_default(), tf.Session() as session:
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    step = tf.train.get_or_create_global_step()
    outer = tf.contrib.tpu.CrossShardOptimizer(tf.train.MomentumOptimizer(0.5, 0.9))
    train = outer.minimize(tf.reduce_sum(v * v), global_step=step)
    total = tf.contrib.tpu.cross_replica_sum(v)
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(total), [0.0, 0.0])
    np.testing.assert_allclose(session.run(outer.get_slot(v, "momentum")), [2.0, 4.0])
    assert session.run(step) == 1 and outer.get_slot_names() == ["momentum"] and len(outer.variables()) == 1


def test_there_is_one_shard():
  from millrace.contrib.tpu.python.ops import tpu_ops
  from millrace.contrib.tpu.python.tpu import tpu_function

  assert tpu_function.get_tpu_context().number_of_shards is None
  with tpu_function.tpu_shard_context(1):
    assert tpu_function.get_tpu_context().number_of_shards == 1
  assert tpu_function.get_tpu_context().number_of_shards is None and tpu_ops.cross_replica_sum is tf.tpu.cross_replica_sum
  with pytest.raises(NotImplementedError, match="number of shards has to be 1, not 8"):
    tpu_function.tpu_shard_context(8).__enter__()
