"""Slim's scopes of arguments, variables, regularizers, summaries and steps of training."""

import os
import re

import numpy as np


def slim_of(tf):
  """slim: ours in tf.contrib, TensorFlow's in a package of its own, with the names that it misses in TensorFlow 2.15."""
  if tf.__name__.startswith("millrace"):
    return tf.contrib.slim
  import tf_slim
  from tensorflow.python.framework import ops
  from tensorflow.python.layers import normalization
  from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope

  ops.Tensor, ops.IndexedSlices = tf.Tensor, tf.IndexedSlices
  array_ops.stack, array_ops.unstack = tf.stack, tf.unstack
  control_flow_ops.cond, variable_scope.variable = tf.cond, tf.Variable
  normalization.normalization = tf.layers
  return tf_slim


def _data(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).randn(*shape).astype(np.float32) * 2 + 1


def _filled(tf, scale=0.3):
  def initializer(shape, dtype=None, partition_info=None):
    sizes = [int(s) for s in shape]
    values = np.random.RandomState(sum(sizes) * 3 + len(sizes)).randn(*sizes) * scale + 0.5
    return tf.constant(values, dtype or tf.float32)

  return initializer


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _named(key, tf):
  return [getattr(v, "name", str(v)) for v in tf.get_collection(key)]


def _trained(tf, y, feed=None, steps=2):
  """Outputs, gradients and variables as updates go on; names."""
  trained = tf.trainable_variables()
  grads = tf.gradients(tf.reduce_sum(y * y), trained) if trained else []
  updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection("u")
  variables = tf.global_variables()
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(steps):
      found.append(session.run([y, grads], feed))
      for update in updates:
        session.run(update, feed)
    found.append(session.run([y, variables], feed))
  names = [(v.name, v.shape.as_list(), v.dtype.base_dtype.name) for v in variables]
  keys = ("trainable_variables", "model_variables", "c", "o", "regularization_losses")
  return [
    re.sub(r"(batchnorm|Reshape)_\d", r"\1", y.op.name),
    y.shape.as_list(),
    found,
    names,
    [_named(key, tf) for key in keys],
    len(updates),
  ]


def _model(tf):
  x = tf.constant(_data(8, 3))
  w = tf.get_variable("w", [3, 1], initializer=_filled(tf))
  b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
  count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
  tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(count, 1.0))
  return tf.reduce_mean(tf.square(tf.matmul(x, w) + b - tf.reduce_sum(x, 1, keepdims=True))), w, b


def program_arg_scope(tf):
  slim = slim_of(tf)
  calls = []

  @slim.add_arg_scope
  def own(x, a=1, b=2, c=None):
    calls.append((x, a, b, c))

  @slim.add_arg_scope
  def other(x, a=10):
    calls.append((x, a))

  def plain(x):
    return x

  with slim.arg_scope([own, other], a=3):
    own(0)
    other(1)
    with slim.arg_scope([own], b=4) as scope:
      own(2)
      own(3, a=5)
      own(4, c=6, b=7)
    own(5)
  own(6)
  with slim.arg_scope(scope):
    own(7)
    other(8)
  with slim.arg_scope([own], c=1), slim.arg_scope(scope):
    own(9)

  def with_scope():
    with slim.arg_scope([own, plain], a=1):
      pass

  def with_dictionary():
    with slim.arg_scope({}, a=1):
      pass

  def without_list():
    with slim.arg_scope(own, a=1):
      pass

  return [
    calls,
    own.__name__,
    slim.has_arg_scope(own),
    slim.has_arg_scope(plain),
    slim.arg_scoped_arguments(own),
    slim.current_arg_scope(),
    list(scope.values()),
    [_error(f) for f in (with_dictionary, without_list)],
    type(_error(with_scope)).__name__,
    slim.arg_scope_func_key(own) == slim.arg_scope_func_key(own),
  ]


def program_arg_scope_of_layers(tf):
  slim = slim_of(tf)
  image, init = _data(2, 6, 5, 3), _filled(tf)

  def network(x, is_training):
    with slim.arg_scope(
      [slim.conv2d, slim.fully_connected],
      weights_initializer=init,
      weights_regularizer=slim.l2_regularizer(0.01),
      normalizer_fn=slim.batch_norm,
      outputs_collections="points",
    ):
      with slim.arg_scope([slim.batch_norm], is_training=is_training, decay=0.9, updates_collections=None):
        with slim.arg_scope([slim.conv2d], stride=2) as scope:
          net = slim.conv2d(x, 4, 3, scope="conv1")
        with slim.arg_scope(scope), tf.variable_scope("part"):
          net = slim.conv2d(net, 5, [1, 1])
        net = slim.flatten(net)
        return slim.fully_connected(net, 2, activation_fn=None, normalizer_fn=None, scope="logits")

  y = network(image, True)
  points = slim.utils.convert_collection_to_dict("points", clear_collection=True)
  return [_trained(tf, y), list(points), tf.get_collection("points"), [v.op.name for v in points.values()]]


def program_variables(tf):
  slim = slim_of(tf)
  init = _filled(tf)

  def own_getter(name, reuse=None, **arguments):
    return tf.get_variable("own_" + name, **arguments)

  with tf.variable_scope("a"):
    one = slim.variable("one", shape=[2, 3], initializer=init, regularizer=slim.l2_regularizer(0.5), collections=["c"])
    two = slim.model_variable("two", [2], initializer=init, device="/cpu:0", trainable=False, use_resource=True)
    cut = slim.variable("cut", [4, 2], tf.float64, init, partitioner=tf.fixed_size_partitioner(2), caching_device="/cpu:0")
  with tf.variable_scope("b"):
    three = slim.model_variable("one", shape=[3], initializer=init, collections=["c"], dtype=tf.float64)
    gotten = slim.variable("gotten", [2], initializer=init, custom_getter=own_getter)
  local = slim.local_variable(1.0, name="local")
  free = slim.local_variable([1.0, 2.0], validate_shape=False, name="free", use_resource=True)
  shared = slim.global_variable([1, 2], name="shared")
  other = slim.global_variable([1, 2], validate_shape=False, name="other", use_resource=True)
  plain = tf.get_variable("plain", [2], initializer=init)
  slim.add_model_variable(plain)
  slim.add_model_variable(plain)
  names = lambda found: [v.op.name for v in found]
  with tf.variable_scope("a") as scope:
    pass
  return [
    names(slim.get_variables()),
    names(slim.get_variables("a")),
    names(slim.get_variables(scope)),
    names(slim.get_variables(suffix="one")),
    names(slim.get_variables("b", suffix="one")),
    names(slim.get_variables(collection="c")),
    names(slim.get_model_variables()),
    names(slim.get_model_variables("a", "two")),
    names(slim.get_local_variables()),
    names(slim.get_local_variables("l", "local")),
    names(slim.get_trainable_variables()),
    names(slim.get_trainable_variables("b", "one")),
    names(slim.get_variables_to_restore()),
    names(slim.get_variables_to_restore(include=["a"], exclude=["a/two"])),
    names(slim.get_variables_to_restore(exclude=["a", "plain"])),
    names(slim.get_variables_by_suffix("one")),
    names(slim.get_variables_by_suffix("one", scope="b")),
    names(slim.get_variables_by_name("one")),
    names(slim.get_variables_by_name("one", scope="a")),
    slim.get_unique_variable("b/one").op.name,
    _error(lambda: slim.get_unique_variable("nothing")),
    _error(lambda: slim.get_unique_variable("b/on")),
    _error(lambda: slim.get_variables_to_restore(include="a")),
    _error(lambda: slim.get_variables_to_restore(exclude="a")),
    [slim.get_variable_full_name(v) for v in [one, *cut]],
    names(slim.filter_variables(slim.get_variables(), include_patterns=["one", "two"], exclude_patterns=["b/"])),
    names(slim.filter_variables(slim.get_variables(), include_patterns=["one", "a"], reg_search=False)),
    [(v.dtype.base_dtype.name, v.op.type, v.device, v.trainable) for v in (two, three, gotten, local, free, shared, other)],
    _named("regularization_losses", tf),
  ]


def program_assigning(tf):
  slim = slim_of(tf)
  one = tf.get_variable("one", [2, 3], initializer=_filled(tf))
  two = tf.get_variable("two", [4], initializer=_filled(tf))
  folder = os.path.join(os.getcwd(), "slim_layers_assigning")
  os.makedirs(folder, exist_ok=True)
  path = os.path.join(folder, "model")
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, path)
    op, feed = slim.assign_from_values({"one": np.arange(6.0).reshape(2, 3), "two": np.ones(4)})
    session.run(op, feed)
    found.append(session.run([one, two]))
    slim.assign_from_values_fn({"two": np.full(4, 7.0)})(session)
    found.append(session.run(two))
    op, feed = slim.assign_from_checkpoint(path, [one])
    session.run(op, feed)
    found.append(session.run([one, two]))
    op, feed = slim.assign_from_checkpoint(path, {"two": two, "missing": one}, ignore_missing_vars=True)
    session.run(op, feed)
    found.append(session.run([one, two]))
    slim.assign_from_values_fn({"two": np.full(4, 7.0)})(session)
    slim.assign_from_checkpoint_fn(path, [two])(session)
    found.append(session.run(two))
    other = tf.get_variable("other", [2, 2], initializer=tf.zeros_initializer())
    session.run(other.initializer)
    slim.assign_from_checkpoint_fn(path, {"two": other, "missing": one}, ignore_missing_vars=True, reshape_variables=True)(
      session
    )
    found.append(session.run(other))
    found.append(slim.assign_from_checkpoint_fn(path, {"missing": one}, ignore_missing_vars=True))
  found.append(_error(lambda: slim.assign_from_checkpoint_fn(path, [])))
  found.append(_error(lambda: slim.assign_from_checkpoint(path, {"missing": one})))
  found.append(_error(lambda: slim.assign_from_checkpoint(path, {"two": one})))
  found.append(_error(lambda: slim.assign_from_values({"missing": 1.0})))
  return found


def program_global_step(tf):
  slim = slim_of(tf)
  found = [slim.get_global_step()]
  step = slim.create_global_step()
  found += [
    step.op.name,
    slim.get_or_create_global_step() is step,
    slim.get_global_step(tf.get_default_graph()) is step,
    slim.assert_or_get_global_step() is step,
    slim.assert_or_get_global_step(global_step_tensor=step) is step,
    slim.assert_global_step(step),
    _error(lambda: slim.create_global_step()),
    _error(lambda: slim.assert_or_get_global_step(global_step_tensor=tf.constant(1.0))),
  ]
  return found


def program_device_chooser(tf):
  slim = slim_of(tf)
  one = slim.VariableDeviceChooser()
  two = slim.VariableDeviceChooser(num_tasks=2, job_name="store", device_type="GPU", device_index=1, replica=3)
  found = []
  for chooser in (one, two):
    with slim.arg_scope([slim.variable], device=chooser):
      found.extend(slim.variable("v%d_%d" % (len(found), i), [2]).device for i in range(3))
  return found


def program_regularizers(tf):
  slim = slim_of(tf)
  w = tf.constant(_data(3, 4), name="w")
  v = tf.constant(_data(2), name="v")
  l1, l2 = slim.l1_regularizer(0.5), slim.l2_regularizer(0.25, scope="two")
  losses = [
    l1(w),
    l2(w),
    slim.l1_regularizer(0.5, scope="one")(w),
    slim.l1_l2_regularizer(0.5, 0.25)(w),
    slim.l1_l2_regularizer()(w),
    slim.l1_l2_regularizer(scale_l1=0.0, scale_l2=2.0, scope="both")(w),
    slim.l1_l2_regularizer(2.0, 0.0)(w),
    slim.sum_regularizer([l1, None, l2])(w),
    slim.sum_regularizer([l1], scope="sum")(w),
    slim.apply_regularization(l2, [w, v]),
  ]
  tf.add_to_collection(tf.GraphKeys.WEIGHTS, v)
  losses.append(slim.apply_regularization(l1))
  none = [slim.l1_regularizer(0.0)(w), slim.l2_regularizer(0.0)(w), slim.sum_regularizer([]), slim.sum_regularizer([None])]
  errors = [
    _error(call)
    for call in (
      lambda: slim.l1_regularizer(1),
      lambda: slim.l1_regularizer(-1.0),
      lambda: slim.l2_regularizer(1),
      lambda: slim.l2_regularizer(-0.5),
      lambda: slim.l1_l2_regularizer(1, 1.0),
      lambda: slim.l1_l2_regularizer(1.0, 1),
      lambda: slim.apply_regularization(lambda x: x, [w]),
    )
  ]
  with tf.Session() as session:
    return [session.run(losses), [t.op.name for t in losses], none, errors, _named("regularization_losses", tf)]


def program_initializers(tf):
  slim = slim_of(tf)
  found = []
  for make in (
    lambda: slim.xavier_initializer(),
    lambda: slim.xavier_initializer(uniform=False, seed=3),
    lambda: slim.xavier_initializer_conv2d(seed=3, dtype=tf.float64),
    lambda: slim.variance_scaling_initializer(),
    lambda: slim.variance_scaling_initializer(factor=1.0, mode="FAN_OUT", uniform=True, seed=5),
    lambda: slim.initializers.variance_scaling_initializer(mode="FAN_AVG", seed=5, dtype=tf.float64),
  ):
    with tf.Graph().as_default():
      tf.set_random_seed(7)
      initializer = make()
      values = [initializer([40, 50]), initializer([3, 3, 8, 16]), initializer([7]), initializer([20, 30], dtype=tf.float32)]
      with tf.Session() as session:
        found.append([session.run(values), [v.dtype.name for v in values]])
  errors = [
    _error(lambda: slim.variance_scaling_initializer(mode="other")),
    _error(lambda: slim.variance_scaling_initializer(dtype=tf.int32)),
    _error(lambda: slim.xavier_initializer()([2, 3], dtype=tf.int32)),
  ]
  return found, errors


def program_summaries(tf):
  slim = slim_of(tf)
  x = tf.constant(_data(4, 6))
  relu, six, plus, scalar = (
    tf.nn.relu(x, name="r"),
    tf.nn.relu6(x * 4, name="s"),
    tf.nn.softplus(x, name="p"),
    tf.reduce_sum(x, name="t"),
  )
  made = [
    slim.summarize_tensor(x, tag="named"),
    slim.summarize_tensor(scalar),
    *slim.summarize_tensors([x, scalar]),
    slim.summarize_activation(relu),
    slim.summarize_activation(six),
    slim.summarize_activation(plus),
  ]
  for key in (tf.GraphKeys.ACTIVATIONS, tf.GraphKeys.WEIGHTS, tf.GraphKeys.BIASES, "own"):
    tf.add_to_collection(key, relu)
    tf.add_to_collection(key, scalar)
  tf.get_variable("v", [2], initializer=_filled(tf))
  made += slim.summarize_collection("own", name_filter="r", summarizer=slim.summarize_activation)
  made += slim.summarize_collection("own")
  made += slim.summarize_activations(name_filter="r")
  made += slim.summarize_weights() + slim.summarize_biases() + slim.summarize_variables()
  made += slim.summarize_tensors([scalar], summarizer=lambda t: slim.summarize_tensor(t, "again"))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    merged = session.run(tf.summary.merge_all())
  summary = tf.Summary.FromString(merged)
  values = [(v.tag, v.simple_value if v.HasField("simple_value") else v.histo.sum) for v in summary.value]
  return [[t.op.name for t in made], values]


def program_optimize_loss(tf):
  slim = slim_of(tf)
  found = []
  step_of = lambda: tf.train.get_or_create_global_step()
  for make in (
    lambda loss, w, b: slim.optimize_loss(loss, step_of(), 0.1, "SGD"),
    lambda loss, w, b: slim.optimize_loss(loss, None, learning_rate=0.1, optimizer="Adam", name="own"),
    lambda loss, w, b: slim.optimize_loss(loss, step_of(), 0.1, "Adagrad", summaries=["loss", "gradients", "gradient_norm"]),
    lambda loss, w, b: slim.optimize_loss(loss, step_of(), 0.1, "Ftrl", increment_global_step=False),
    lambda loss, w, b: slim.optimize_loss(loss, step_of(), 0.1, "Momentum", clip_gradients=0.5, colocate_gradients_with_ops=True),
    lambda loss, w, b: slim.optimize_loss(loss, step_of(), 0.1, "RMSProp", gradient_multipliers={w: 0.5, "b:0": 2.0}),
    lambda loss, w, b: slim.optimize_loss(
      loss,
      step_of(),
      0.1,
      tf.train.GradientDescentOptimizer,
      learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 1, 0.5),
      summaries=["learning_rate"],
    ),
    lambda loss, w, b: slim.optimize_loss(
      loss, step_of(), None, tf.train.GradientDescentOptimizer(0.1), update_ops=[], variables=[w]
    ),
    lambda loss, w, b: slim.optimize_loss(
      loss,
      step_of(),
      tf.constant(0.1),
      lambda rate: tf.train.GradientDescentOptimizer(rate),
      clip_gradients=slim.adaptive_clipping_fn(),
    ),
    lambda loss, w, b: slim.optimize_loss(
      loss,
      step_of(),
      0.1,
      "SGD",
      clip_gradients=slim.adaptive_clipping_fn(
        std_factor=1.0, decay=0.5, static_max_norm=0.5, global_step=step_of(), report_summary=True, epsilon=1e-6, name="clip"
      ),
    ),
    lambda loss, w, b: slim.optimize_loss(loss, step_of(), 0.0, "SGD", gradient_noise_scale=0.1),
  ):
    with tf.Graph().as_default():
      loss, w, b = _model(tf)
      train = make(loss, w, b)
      with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run(train) for _ in range(3)]
        merged = tf.summary.merge_all()
        tags = [v.tag for v in tf.Summary.FromString(session.run(merged)).value] if merged is not None else []
        values = session.run({v.name: v for v in tf.global_variables()})
      found.append([losses, values, tags])
  return found


def program_optimize_loss_errors(tf):
  slim = slim_of(tf)
  loss, w, b = _model(tf)
  step = tf.train.get_or_create_global_step()
  calls = (
    lambda: slim.optimize_loss(loss, step, 0.1, "Other"),
    lambda: slim.optimize_loss(loss, step, None, "SGD"),
    lambda: slim.optimize_loss(loss, step, None, tf.train.GradientDescentOptimizer),
    lambda: slim.optimize_loss(loss, step, 0.1, 3),
    lambda: slim.optimize_loss(loss, step, 0.1, lambda rate: 3),
    lambda: slim.optimize_loss(loss, step, "a", "SGD"),
    lambda: slim.optimize_loss(loss, step, -0.1, "SGD"),
    lambda: slim.optimize_loss(loss, step, 0.1, "SGD", summaries=["other"]),
    lambda: slim.optimize_loss(loss, step, 0.1, "SGD", clip_gradients="other"),
    lambda: slim.optimize_loss(w, step, 0.1, "SGD"),
  )
  return [_error(call) for call in calls] + [sorted(slim.OPTIMIZER_CLS_NAMES), slim.OPTIMIZER_SUMMARIES]


def program_sizes_and_names(tf):
  utils = slim_of(tf).utils
  x = tf.constant(_data(3, 4), name="x")
  shape = tf.TensorShape([2, 3, 4, 5])
  utils.append_tensor_alias(x, "one/")
  found = [
    utils.get_tensor_aliases(x),
    utils.gather_tensors_aliases([x, tf.constant(1, name="y")]),
    utils.collect_named_outputs("points", "two", x) is x,
    list(utils.convert_collection_to_dict("points")),
    utils.two_element_tuple(3),
    utils.two_element_tuple([3, 4]),
    utils.two_element_tuple(tf.TensorShape([3, 4])),
    utils.n_positive_integers(3, 2),
    utils.n_positive_integers(2, (2, 3)),
    utils.last_dimension(shape, min_rank=2),
    utils.channel_dimension(shape, "NCHW", min_rank=3),
    utils.channel_dimension(shape, "NHWC"),
    utils.constant_value(3),
    utils.constant_value(tf.constant(True), tf.bool),
    utils.constant_value(tf.placeholder(tf.bool, [])),
    utils.static_cond(False, lambda: 1, lambda: 2),
    utils.smart_cond(True, lambda: 1, lambda: 2),
    utils.smart_cond(tf.placeholder(tf.bool, []), lambda: x, lambda: x * 2, name="which").op.type,
    utils.get_variable_collections({"a": ["c"]}, "a"),
    utils.get_variable_collections({"a": ["c"]}, "b"),
    utils.get_variable_collections(["c"], "b"),
  ]
  errors = [
    lambda: utils.two_element_tuple([1, 2, 3]),
    lambda: utils.two_element_tuple("a"),
    lambda: utils.n_positive_integers(0, 2),
    lambda: utils.n_positive_integers(2, -1),
    lambda: utils.last_dimension(tf.TensorShape([2, None])),
    lambda: utils.last_dimension(tf.TensorShape([2]), min_rank=2),
    lambda: utils.constant_value(None),
    lambda: utils.static_cond(True, 1, lambda: 2),
    lambda: utils.static_cond(True, lambda: 1, 2),
  ]
  return found, [_error(call) for call in errors]


program_arg_scope_of_layers.rtol = 1e-3
program_arg_scope_of_layers.atol = 1e-3
program_regularizers.rtol = 1e-5
program_summaries.rtol = 1e-5
program_optimize_loss.rtol = 1e-4
program_optimize_loss.atol = 1e-5
