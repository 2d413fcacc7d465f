"""tf.contrib.framework and tf.contrib.layers where no package of today has them: values by formulas in numpy, and errors."""

import numpy as np
import pytest

import millrace as tf

framework = tf.contrib.framework
layers = tf.contrib.layers


def data(*shape):
  return np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)


def filled(shape, dtype=None, partition_info=None):
  sizes = [int(s) for s in shape]
  return tf.constant(np.random.RandomState(sum(sizes)).randn(*sizes), dtype or tf.float32)


def run(fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches, feed)


def test_values_of_checkpoints(tmp_path):
  one = framework.variable("one", shape=[2, 2], initializer=filled)
  two = framework.model_variable("two", shape=[4], initializer=filled, partitioner=tf.fixed_size_partitioner(2))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, str(tmp_path / "model"))
    values = session.run([one, *two])
    whole = np.concatenate(values[1:])
    assert framework.list_variables(path) == [("one", [2, 2]), ("two", [4])]
    np.testing.assert_array_equal(framework.load_variable(path, "two"), whole)
    np.testing.assert_array_equal(framework.load_checkpoint(str(tmp_path)).get_tensor("one"), values[0])
    # Parts get their parts of the whole.
    session.run([part.assign(tf.zeros([2])) for part in two])
    op, feed = framework.assign_from_checkpoint(path, [one, *two])
    session.run(op, feed)
    np.testing.assert_array_equal(np.concatenate(session.run(list(two))), whole)
    op, feed = framework.assign_from_checkpoint(path, {"two": two}, ignore_missing_vars=False)
    session.run(op, feed)
  with tf.Graph().as_default():
    other = tf.get_variable("other", [2, 2])
    framework.init_from_checkpoint(path, {"one": other})
    np.testing.assert_array_equal(run(other), values[0])


def test_zeros_without_a_constant():
  for resource in (False, True):
    v = tf.get_variable("v%d" % resource, [2, 3], initializer=tf.ones_initializer(), use_resource=resource)
    zeros = framework.zero_initializer(v, use_locking=False, name="zeros")
    with tf.Session() as session:
      session.run(zeros)
      np.testing.assert_array_equal(session.run(v), np.zeros([2, 3]))


def test_scopes_as_decorators():
  @framework.add_arg_scope
  def f(x, a=1):
    return x, a

  @framework.arg_scope([f], a=2)
  def g():
    return f(0)

  assert g() == (0, 2) and f(0) == (0, 1)
  with pytest.raises(ValueError, match="not decorated"):
    framework.arg_scoped_arguments(g.__wrapped__)
  with pytest.raises(ValueError, match="not decorated with @add_arg_scope"):
    framework.arg_scope([len], a=1).__enter__()


def test_checks_of_types():
  x, y = tf.constant([1.0]), tf.constant([1.0], tf.float64)
  assert framework.assert_same_float_dtype([x, None, x]) == tf.float32
  assert framework.assert_same_float_dtype(tensors=[y], dtype=tf.float64) == tf.float64
  assert framework.assert_same_float_dtype() == tf.float32
  with pytest.raises(ValueError, match="mismatch"):
    framework.assert_same_float_dtype([x, y])
  with pytest.raises(ValueError, match="floating"):
    framework.assert_same_float_dtype(dtype=tf.int32)
  assert run(framework.assert_scalar(3.0, name="s")) == 3.0
  assert run(framework.assert_scalar_int(tf.constant(3), name="i")) == 3
  with pytest.raises(ValueError, match="Expected scalar shape"):
    framework.assert_scalar(x)
  with pytest.raises(ValueError, match="Expected integer type"):
    framework.assert_scalar_int(tf.constant(1.0))
  sparse = framework.convert_to_tensor_or_sparse_tensor(tf.SparseTensorValue([[0]], [1.0], [2]), dtype=tf.float32, name="c")
  assert isinstance(sparse, tf.SparseTensor)
  assert framework.convert_to_tensor_or_sparse_tensor([1, 2]).dtype == tf.int32
  assert framework.is_tensor(x) and not framework.is_tensor(1.0)
  assert framework.nest.flatten([1, (2,)]) == [1, 2]


def test_checks_of_shapes():
  x = tf.placeholder(tf.float32, name="x")
  known = tf.constant(data(2, 3))
  checked = framework.with_shape([2, None], x)
  same = framework.with_same_shape(known, x)
  dynamic = framework.with_shape(tf.placeholder_with_default([2, 3], [2]), x)
  constant = framework.with_shape(tf.constant([2, 3]), x)
  by_tensor = framework.with_same_shape(tf.placeholder_with_default(data(2, 3), [None, 3]), x)
  assert checked.shape.as_list() == [2, None] and same.shape.as_list() == [2, 3] and constant.shape.as_list() == [2, 3]
  assert framework.with_shape([2, 3], known) is known
  with tf.Session() as session:
    for tensor in (checked, same, dynamic, constant, by_tensor):
      np.testing.assert_array_equal(session.run(tensor, {x: data(2, 3)}), data(2, 3))
      with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape for x"):
        session.run(tensor, {x: data(3, 3)})
  with pytest.raises(ValueError, match="Invalid shape"):
    framework.with_shape([3, 3], known)
  with pytest.raises(ValueError, match="Invalid shape"):
    framework.with_shape([3, None], known)


def test_sums_and_squeezed_dimensions():
  assert run(framework.reduce_sum_n([tf.constant([1.0, 2.0]), tf.constant(3.0)], name="sum")) == 6.0
  assert run(framework.reduce_sum_n([tf.constant([1.0, 2.0])])) == 3.0
  with pytest.raises(ValueError, match="No tensors"):
    framework.reduce_sum_n([])
  p, l = framework.remove_squeezable_dimensions(tf.ones([2, 1]), tf.ones([2]), name="r")
  assert p.shape.as_list() == [2] and l.shape.as_list() == [2]
  p, l = framework.remove_squeezable_dimensions(tf.ones([2]), tf.ones([2, 1]))
  assert p.shape.as_list() == [2] and l.shape.as_list() == [2]
  x = tf.placeholder(tf.float32)
  p, l = framework.remove_squeezable_dimensions(x, tf.ones([2]))
  assert [v.shape for v in run([p, l], {x: np.ones([2, 1])})] == [(2,), (2,)]
  assert [v.shape for v in run([p, l], {x: np.ones([2])})] == [(2,), (2,)]


def test_graphs_and_functions_in_them():
  x = tf.placeholder(tf.float32, [2], name="x")
  assert framework.get_placeholders(tf.get_default_graph()) == [x]
  assert framework.get_graph_from_inputs([x]) is tf.get_default_graph()
  assert framework.get_graph_from_inputs([], graph=x.graph) is x.graph
  with tf.name_scope("a"), tf.name_scope("b"):
    assert framework.get_name_scope() == "a/b"

  def both(first, second, scale=1.0):
    return {"sum": (first + second) * scale, "rest": [first]}

  result = framework.py_func(
    both,
    args=(x, np.float32(2.0)),
    kwargs={"scale": tf.constant(3.0)},
    output_types={"sum": tf.float32, "rest": [tf.float32]},
    output_shapes={"sum": [2], "rest": [[2]]},
    stateful=False,
    name="both",
  )
  assert result["sum"].shape.as_list() == [2]
  values = run(result, {x: [1.0, 2.0]})
  np.testing.assert_array_equal(values["sum"], [9.0, 12.0])
  np.testing.assert_array_equal(values["rest"][0], [1.0, 2.0])
  seen = []
  with tf.Session() as session:
    session.run(framework.py_func(seen.append, [tf.constant(5)]))
  assert seen == [5]
  with pytest.raises(ValueError, match="output_types"):
    framework.py_func(both, output_shapes=[2])
  flag = tf.placeholder_with_default(True, [])
  cases = [(tf.constant(False), lambda: 1), (True, lambda: 2)]
  assert framework.smart_case(cases) == 2 and framework.smart_case({False: lambda: 1}, default=lambda: 3) == 3
  one = framework.smart_case([(flag, lambda: tf.constant(1)), (True, lambda: tf.constant(2))], exclusive=True, name="case")
  assert run([one, one], {flag: False})[0] == 2 and run(one) == 1
  with pytest.raises(ValueError, match="no default"):
    framework.smart_case([(False, lambda: 1)])
  assert framework.smart_cond(True, lambda: 1, lambda: 2) == 1 and framework.smart_constant_value(tf.constant(True))


def test_specs_with_bounds():
  spec = framework.BoundedTensorSpec((2, 3), tf.int32, minimum=0, maximum=[5, 6, 7], name="b")
  assert spec.minimum == 0 and spec.maximum.tolist() == [5, 6, 7] and framework.BoundedTensorSpec.is_bounded()
  assert spec == framework.BoundedTensorSpec((2, 3), tf.int32, 0, [5, 6, 7], "b")
  with pytest.raises(ValueError, match="read-only"):
    spec.minimum[...] = 1
  other = framework.BoundedTensorSpec.from_spec(framework.TensorSpec([2], tf.uint8, "u"), name="v")
  assert (other.minimum, other.maximum, other.name) == (0, 255, "v")
  assert "minimum=array(0" in repr(other)
  with pytest.raises(ValueError, match="must be provided"):
    framework.BoundedTensorSpec([], tf.float32, None, 1)
  with pytest.raises(ValueError, match="not compatible with shape"):
    framework.BoundedTensorSpec((2, 3), tf.float32, [0, 0], 1)


def test_what_is_deprecated_is_told(caplog):
  @framework.deprecated_arg_values("2017-01-01", "Use b.", warn_once=False, a=1)
  def f(a=0):
    return a

  @framework.deprecated("2017-01-01", "Use f.")
  def g():
    return 7

  @framework.deprecated_args(None, "Use c.", "b")
  def h(b=None):
    return b

  assert [f(), f(a=2), f(a=1), g(), h(b=3), h()] == [0, 2, 1, 7, 3, None]
  told = [record.getMessage() for record in caplog.records]
  assert [words in text for words, text in zip([") with a=1", "Use f.", "calling h (from"], told)] == [True] * 3
  assert len(told) == 3


def test_names_of_the_core():
  x = tf.constant([3, 1, 2])
  assert framework.sort is tf.sort and framework.argsort is tf.argsort and framework.CriticalSection is tf.CriticalSection
  np.testing.assert_array_equal(run(framework.sort(x, direction="DESCENDING")), [3, 2, 1])
  np.testing.assert_array_equal(run(framework.argsort(x)), [1, 2, 0])
  np.testing.assert_array_equal(run(framework.broadcast_to(x, [2, 3])), [[3, 1, 2]] * 2)


def test_rows_of_tables():
  table = tf.get_variable("table", [5, 2], initializer=filled)
  ids = tf.constant([[1, 3], [3, 3]])
  unique = layers.embedding_lookup_unique(table, ids, name="rows")
  parts = layers.embedding_lookup_unique([table, table], tf.constant([0, 3]), partition_strategy="div")
  sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 4], [4, 2])
  of_sparse = layers.embedding_lookup_unique(table, sparse)
  weights = tf.SparseTensor(sparse.indices, [1.0, 3.0, 2.0], sparse.dense_shape)
  safe = layers.safe_embedding_lookup_sparse(
    [table], sparse, sparse_weights=weights, combiner="sum", default_id=2, name="safe", partition_strategy="mod", max_norm=None
  )
  mean = layers.safe_embedding_lookup_sparse([table], sparse)
  t, *values = run([table, unique, parts, of_sparse, safe, mean])
  np.testing.assert_array_equal(values[0], t[[[1, 3], [3, 3]]])
  np.testing.assert_array_equal(values[1], t[[0, 3]])
  np.testing.assert_array_equal(values[2], t[[1, 3, 4]])
  np.testing.assert_allclose(values[3], [t[1] + 3 * t[3], t[2], 2 * t[4], t[2]], rtol=1e-5)
  np.testing.assert_allclose(values[4], [(t[1] + t[3]) / 2, [0, 0], t[4], [0, 0]], rtol=1e-5)


def test_sequences_and_bags():
  ids = np.array([[1, 2, 0], [3, 0, 0]])
  square = layers.l2_regularizer(1.0)
  one = layers.embed_sequence(ids, vocab_size=4, embed_dim=2, initializer=filled, regularizer=square, scope="words")
  two = layers.embed_sequence(ids, unique=True, scope="words", reuse=True)
  bag = layers.bow_encoder(ids, 4, 2, initializer=filled, regularizer=square, trainable=False, scope="bag")
  dense = layers.bow_encoder(ids, vocab_size=4, embed_dim=2, sparse_lookup=False, scope="bag", reuse=True)
  still = layers.embed_sequence(ids, 4, 2, trainable=False)
  assert [v.op.name for v in tf.global_variables()] == ["words/embeddings", "bag/embeddings", "EmbedSequence/embeddings"]
  assert [v.op.name for v in tf.trainable_variables()] == ["words/embeddings"]
  assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 2 and still.shape.as_list() == [2, 3, 2]
  table, *values = run([tf.global_variables()[0], one, two, bag, dense])
  np.testing.assert_array_equal(values[0], table[ids])
  np.testing.assert_array_equal(values[1], table[ids])
  np.testing.assert_allclose(values[2], [(table[1] + table[2]) / 2, table[3]], rtol=1e-6)
  np.testing.assert_allclose(values[3], table[ids].mean(1), rtol=1e-6)
  with pytest.raises(ValueError, match="Must specify vocab size"):
    layers.embed_sequence(ids)
  with pytest.raises(TypeError, match="dense Tensor"):
    layers.bow_encoder(tf.SparseTensor([[0, 0]], [1], [1, 1]), 4, 2, sparse_lookup=False)


def test_collections_of_the_temperature():
  layers.spatial_softmax(data(1, 2, 3, 2), variables_collections={"temperature": ["c"]})
  assert [v.op.name for v in tf.get_collection("c")] == ["spatial_softmax/temperature"]
  given = layers.spatial_softmax(data(1, 2, 3, 2), temperature=tf.constant(0.5))
  x = np.moveaxis(data(1, 2, 3, 2), -1, 1).reshape(2, 6) / 0.5
  p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
  height, width = np.repeat([-1.0, 1.0], 3), np.tile([-1.0, 0.0, 1.0], 2)
  expected = np.stack([p @ height, p @ width], 1).reshape(1, 4)
  np.testing.assert_allclose(run(given), expected, rtol=1e-5, atol=1e-6)


def test_recomputed_values():
  counted = []

  def f(x, y):
    counted.append(1)
    return layers.fully_connected(x, 3, weights_initializer=filled) + y, y * 2.0

  x, y = tf.constant(data(2, 4)), tf.constant(data(2, 3))
  for options in ({}, {"use_data_dep": True, "tupleize_grads": True}):
    with tf.variable_scope("plain%d" % len(options)):
      plain = f(x, y)
      variables = tf.trainable_variables(tf.get_variable_scope().name)
      expected = tf.gradients([plain[0] * plain[1]], variables + [x, y])
    with tf.variable_scope("again%d" % len(options)):
      calls = len(counted)
      again = layers.recompute_grad(**options)(f)(x, y) if options else layers.recompute_grad(f)(x, y)
      variables = tf.trainable_variables(tf.get_variable_scope().name)
      found = tf.gradients([again[0] * again[1]], variables + [x, y])
      assert len(counted) == calls + 2
    for one, two in zip(*run([expected, found])):
      np.testing.assert_allclose(two, one, rtol=1e-5, atol=1e-6)


def test_reversible_layers_find_their_inputs():
  def f(x, sides=None):
    return layers.fully_connected(x if sides is None else x + sides[0], 3, weights_initializer=filled)

  x = tf.constant(data(2, 3))
  with tf.variable_scope("outer", use_resource=True):
    block = layers.RevBlock(f, f, num_layers=2, f_side_input=[x], name="block")
    y = block(x, 2 * x)
    again = block.backward(*y)
  grads = tf.gradients(y[0] * y[1], block.trainable_weights)
  np.testing.assert_allclose(run(again), [data(2, 3), 2 * data(2, 3)], rtol=1e-4, atol=1e-5)
  assert len(block.trainable_weights) == 8 and all(g is not None for g in grads)
  assert block.trainable_weights[0].op.name == "outer/block/revlayer_0/f/fully_connected/weights"
  with pytest.raises(ValueError, match="num_layers"):
    layers.RevBlock([f], f, num_layers=2)
  with pytest.raises(ValueError, match="Length of g"):
    layers.rev_block(x, x, f, [f], num_layers=2, g_side_input=None, is_training=False)


def test_batch_norm_needs_shapes():
  with pytest.raises(ValueError, match="batch_weights must be 1-D"):
    layers.batch_norm(data(4, 2), batch_weights=np.ones([4, 1], np.float32))
  with pytest.raises(ValueError, match="undefined rank"):
    layers.batch_norm(tf.placeholder(tf.float32), fused=False, updates_collections=None)
  with pytest.raises(ValueError, match="adjustment is not supported"):
    layers.batch_norm(data(4, 2), adjustment=lambda s: s, updates_collections=None)


def test_batch_norm_of_half_floats():
  x = (data(6, 3) * 2 + 1).astype(np.float16)
  y = [layers.batch_norm(x, fused=fused, updates_collections=None, scope="n%s" % fused) for fused in (True, False)]
  wide = x.astype(np.float32)
  expected = (wide - wide.mean(0)) / np.sqrt(wide.var(0) + 1e-3)
  for value in run(y):
    assert value.dtype == np.float16
    np.testing.assert_allclose(value, expected, rtol=1e-2, atol=1e-2)


def test_all_arguments_of_variables():
  seen = []

  def getter(name, **arguments):
    seen.append((name, arguments["reuse"], arguments["synchronization"], arguments["aggregation"], arguments["caching_device"]))
    arguments.pop("reuse")
    return tf.get_variable(name + "_own", **arguments)

  mean = tf.VariableAggregation.MEAN
  on_read = tf.VariableSynchronization.ON_READ
  one = framework.model_variable(
    "one",
    shape=[2],
    initializer=filled,
    regularizer=layers.l2_regularizer(1.0),
    caching_device="/cpu:0",
    custom_getter=getter,
    synchronization=on_read,
    aggregation=mean,
    trainable=False,
  )
  assert one.op.name == "one_own" and seen == [("one", False, on_read, mean, "/cpu:0")]
  assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1
  two = framework.variable(
    "two", [2], initializer=filled, trainable=False, device="/cpu:1", use_resource=True, synchronization=on_read, aggregation=mean
  )
  assert two.op.type == "VarHandleOp" and two.device == "/device:CPU:1"
  assert (two.synchronization, two.aggregation, tf.trainable_variables()) == (on_read, mean, [])


def test_steps_of_another_graph():
  graph = tf.Graph()
  step = framework.create_global_step(graph=graph)
  assert step.graph is graph and framework.get_or_create_global_step(graph=graph) is step
  assert framework.assert_or_get_global_step(graph=graph) is step and framework.get_global_step() is None


def test_divisive_normalization_by_formula():
  x = np.abs(data(2, 3, 4, 5))
  layer = layers.GDN(
    inverse=True,
    beta_min=0.5,
    gamma_init=0.25,
    reparam_offset=0.125,
    data_format="channels_first",
    activity_regularizer=layers.l2_regularizer(1.0),
    trainable=False,
    name="own",
  )
  y = layer(x)
  other = layers.gdn(
    first_to_last(x), gamma_init=0.25, activity_regularizer=layers.l2_regularizer(2.0), trainable=True, name="last"
  )
  values = run([y, other, layer.beta, layer.gamma])
  norms = np.sqrt(1.0 + 0.25 * x**2)
  np.testing.assert_allclose(values[0], x * norms, rtol=1e-4)
  np.testing.assert_allclose(values[1], first_to_last(x / norms), rtol=1e-4)
  np.testing.assert_allclose(values[3], 0.25 * np.eye(3), atol=1e-6)
  assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 2 and len(tf.trainable_variables()) == 2
  # A gradient that would raise what is at its bound goes through.
  with tf.variable_scope("bound"):
    small = layers.gdn(tf.ones([1, 1, 2]), beta_min=1.0, name="small")
  beta = tf.trainable_variables("bound/small/reparam_beta")[0]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(beta.assign([0.5, 0.5]))
    # Less of the output is more of beta.
    down, up = session.run([tf.gradients(small, beta)[0], tf.gradients(-small, beta)[0]])
    assert (down < 0).all() and (up == 0).all()


def first_to_last(x):
  return np.moveaxis(x, 1, -1)


def test_side_inputs_of_reversible_layers():
  side = tf.constant(data(1, 3))

  def f(x, sides=None):
    return tf.tanh(x if sides is None else x * sides[0])

  x1, x2 = data(2, 3), data(2, 3) + 1
  y = layers.rev_block(tf.constant(x1), tf.constant(x2), f, f, f_side_input=[side])
  z = layers.RevBlock(f, f, g_side_input=[side], name="other").forward(tf.constant(x1), tf.constant(x2))
  values = run([y, z, tf.gradients(y, side)])
  s = data(1, 3)
  y1 = x1 + np.tanh(x2 * s)
  np.testing.assert_allclose(values[0], [y1, x2 + np.tanh(y1)], rtol=1e-5)
  z1 = x1 + np.tanh(x2)
  np.testing.assert_allclose(values[1], [z1, x2 + np.tanh(z1 * s)], rtol=1e-5)
  through = (1 - np.tanh(x2 * s) ** 2) * x2 * (1 + 1 - np.tanh(y1) ** 2)
  np.testing.assert_allclose(values[2][0], through.sum(0, keepdims=True), rtol=1e-4)


def test_arguments_of_partial_functions():
  x = tf.constant(data(4, 3))
  relu = layers.relu(x, 2, weights_initializer=filled, normalizer_fn=layers.layer_norm, outputs_collections="o", scope="r")
  linear = layers.linear(x, 2, weights_initializer=filled, biases_initializer=None, reuse=tf.AUTO_REUSE, scope="l")
  kernel = tf.global_variables("l/weights")[0]
  values = run([relu, linear, kernel])
  np.testing.assert_allclose(values[1], data(4, 3) @ values[2], rtol=1e-5)
  z = data(4, 3) @ values[2]
  z = (z - z.mean(1, keepdims=True)) / z.std(1, keepdims=True)
  np.testing.assert_allclose(values[0], np.maximum(z, 0), rtol=1e-3, atol=1e-4)
  assert tf.get_collection("o") == [relu]
  sparse = layers.dense_to_sparse(np.array([[0, 1]]), outputs_collections="s")
  assert tf.get_collection("s") == [sparse]
  values = run([layers.xavier_initializer(dtype=tf.float64)([50, 50]), layers.xavier_initializer_conv2d(uniform=False)([50, 50])])
  assert values[0].dtype == np.float64 and 0.13 < values[0].std() < 0.15 and np.abs(values[0]).max() <= np.sqrt(6 / 100)
  assert 0.12 < values[1].std() < 0.16
  np.testing.assert_array_equal(run(layers.bucketize([-1.0, 0.0, 5.0], boundaries=[0.0, 2.0], name="b")), [0, 1, 2])
  assert tf.contrib.slim.utils.first_dimension(tf.TensorShape([4, None]), min_rank=2) == 4
  with pytest.raises(ValueError, match="must be known"):
    tf.contrib.slim.utils.first_dimension(tf.TensorShape([None]))


def test_names_that_are_not_there_say_what_to_use():
  with pytest.raises(AttributeError, match="tf.train.warm_start"):
    framework.load_embedding_initializer
  with pytest.raises(AttributeError, match="Use tf.placeholder"):
    tf.layers.Input


def test_summaries_of_some():
  kinds = (tf.GraphKeys.WEIGHTS, tf.GraphKeys.BIASES, tf.GraphKeys.ACTIVATIONS)
  for kind in kinds:
    for name in ("one", "two"):
      tf.add_to_collection(kind, tf.constant(1.0, name="%s_%s" % (name, kind)))
  tf.get_variable("one_v", [])
  tf.get_variable("two_v", [])
  seen = []
  for summarize in (layers.summarize_weights, layers.summarize_biases, layers.summarize_activations, layers.summarize_variables):
    summarize(name_filter="one", summarizer=lambda tensor: seen.append(tensor.op.name))
  assert seen == ["one_weights", "one_biases", "one_activations", "one_v"]
