"""tf.layers' classes: what a layer says of itself, layers in layers, layers that programs write, and tf.Module."""

import numpy as np


def _data(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).randn(*shape).astype(np.float32)


def _constant(tf, value=0.5):
  return tf.constant_initializer(value)


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _shape(shape):
  return shape if isinstance(shape, list) else tuple(shape.as_list())


def _run(tf, fetches):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches)


def program_shapes_of_outputs(tf):
  layers = tf.layers
  first = {"data_format": "channels_first"}
  return [
    _shape(layer.compute_output_shape(shape))
    for layer, shape in [
      (layers.Dense(4), [None, 3]),
      (layers.Dense(4), tf.TensorShape([2, None, 3])),
      (layers.Conv1D(4, 3, padding="causal", dilation_rate=2), [None, None, 3]),
      (layers.Conv1D(4, 3, strides=2), [None, 9, 3]),
      (layers.Conv2D(4, 3), [None, 8, 7, 3]),
      (layers.Conv2D(4, 3, strides=2, padding="same", **first), [None, 3, 8, 7]),
      (layers.Conv3D(4, 3, dilation_rate=2), [None, 8, 7, 6, 3]),
      (layers.Conv2DTranspose(4, 3, strides=2), [None, 8, None, 3]),
      (layers.Conv2DTranspose(4, 3, strides=2, padding="same", **first), [None, 3, 8, 7]),
      (layers.Conv3DTranspose(4, (3, 2, 1), strides=2), [None, 8, 7, 6, 3]),
      (layers.SeparableConv1D(4, 3), [None, 8, 3]),
      (layers.SeparableConv2D(4, 3, **first), [None, 3, 8, 7]),
      (layers.MaxPooling1D(2, 2), [None, 7, 3]),
      (layers.AveragePooling1D(2, 2, padding="same"), [None, 7, 3]),
      (layers.MaxPooling2D(2, 2, **first), [None, 3, 7, 6]),
      (layers.AveragePooling2D((2, 3), 1), [None, 7, 6, 3]),
      (layers.MaxPooling3D(2, 2, padding="same"), [None, 7, 6, 5, 3]),
      (layers.AveragePooling3D(2, 1, **first), [None, 3, 7, 6, 5]),
      (layers.Flatten(), [None, 7, 3]),
      (layers.Flatten(), [2, None, 3]),
      (layers.Dropout(0.5), [None, 3]),
      (layers.BatchNormalization(), [None, 3]),
    ]
  ] + [_error(lambda: layers.Dense(4).compute_output_shape([None, None]))]


def program_signature_of_outputs(tf):
  spec = tf.layers.Dense(4, dtype=tf.float64).compute_output_signature(tf.TensorSpec([None, 3], tf.float64))
  other = tf.layers.Dense(4).compute_output_signature(tf.TensorSpec([2, 3], tf.float32))
  return [(s.shape.as_list(), s.dtype.name) for s in (spec, other)] + [
    _error(lambda: tf.layers.Dense(4).compute_output_signature([2, 3]))
  ]


def program_attributes(tf):
  x = _data(4, 3)
  layer = tf.layers.Dense(2, kernel_initializer=_constant(tf), name="one", trainable=True, dtype=tf.float32)
  before = [layer.name, layer.built, layer.dtype, layer.trainable, layer.dynamic, layer.losses, layer.updates]
  errors = [
    _error(lambda: layer.scope_name),
    _error(lambda: layer.input),
    _error(lambda: layer.output),
    _error(lambda: layer.input_shape),
    _error(lambda: layer.output_shape),
    _error(lambda: layer.get_output_at(0)),
    _error(lambda: layer.get_input_at(0)),
    _error(lambda: layer.get_input_shape_at(0)),
    _error(lambda: layer.get_output_shape_at(0)),
    _error(lambda: layer.count_params()),
    _error(lambda: tf.layers.Dense(2, other=1)),
    _error(lambda: layer.compute_mask(x, x)),
  ]
  y = layer(x)
  z = layer.apply(2 * x)
  other = tf.layers.Dense(2)
  other(x)
  after = [
    layer.built,
    layer.scope_name,
    layer.count_params(),
    y.op.name,
    z.op.name,
    other.scope_name,
    other.name,
    layer.use_bias,
  ]
  names = [[v.name for v in w] for w in (layer.weights, layer.variables, layer.trainable_weights, layer.trainable_variables)]
  layer.trainable = False
  names += [[v.name for v in w] for w in (layer.non_trainable_weights, layer.non_trainable_variables, layer.trainable_weights)]
  return [before, errors, after, names, _run(tf, [y, z, layer.kernel, layer.bias])]


def program_weights_as_arrays(tf):
  layer = tf.layers.Dense(2, kernel_initializer=_constant(tf))
  y = layer(_data(4, 3))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run([v.assign(tf.fill(v.shape, 0.25)) for v in layer.weights])
    return [session.run(y), _error(lambda: layer.set_weights([1.0]))]


def program_own_layer(tf):
  class Scale(tf.layers.Layer):
    def __init__(self, factor, **kwargs):
      super().__init__(**kwargs)
      self.factor = factor

    def build(self, input_shape):
      size = int(input_shape[-1])
      self.scale = self.add_weight(
        "scale", shape=[size], initializer=_constant(tf, 2.0), regularizer=lambda v: tf.reduce_sum(v) * self.factor
      )
      self.count = self.add_variable("count", shape=[], initializer=_constant(tf, 0.0), trainable=False)
      super().build(input_shape)

    def call(self, inputs, more=0.0):
      self.add_update(tf.assign_add(self.count, 1.0))
      self.add_update([tf.assign(self.count, tf.reduce_mean(inputs))])
      self.add_loss(tf.reduce_mean(inputs) * 0.1, inputs=inputs)
      return inputs * self.scale + more

  x = tf.constant(_data(4, 3))
  layer = Scale(0.5, activity_regularizer=lambda o: tf.reduce_sum(o))
  y = layer(x, more=1.0)
  z = layer(y)
  found = [
    layer.name,
    layer.scope_name,
    y.op.name,
    z.op.name,
    [v.name for v in layer.trainable_weights],
    [v.name for v in layer.non_trainable_weights],
    [u.name for u in layer.updates],
    [u.name for u in layer.get_updates_for(None)],
    [u.name for u in layer.get_updates_for(x)],
    len(layer.losses),
    len(layer.get_losses_for(None)),
    [loss.op.name for loss in layer.get_losses_for(x)],
    [u.name for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
    [loss.op.name for loss in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)],
    _error(lambda: layer.add_weight("new", [2])),
    _error(lambda: layer.add_weight("new", [2], other=1)),
    _error(lambda: layer.add_weight("new", [2], trainable=True, synchronization=tf.VariableSynchronization.ON_READ)),
    _error(layer.get_config),
  ]
  return found, _run(tf, [y, z] + tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))


def program_weights_with_all_arguments(tf):
  class Own(tf.layers.Layer):
    def build(self, input_shape):
      self.a = self.add_weight(
        "a",
        [4, 2],
        dtype=tf.float64,
        initializer=_constant(tf),
        trainable=True,
        constraint=tf.abs,
        use_resource=True,
        aggregation=tf.VariableAggregation.MEAN,
      )
      self.b = self.add_weight(
        "b",
        [4, 2],
        initializer=_constant(tf),
        partitioner=tf.fixed_size_partitioner(2),
        regularizer=lambda v: tf.reduce_sum(v),
      )
      self.c = self.add_weight("c", [2], initializer=_constant(tf), synchronization=tf.VariableSynchronization.ON_READ)
      super().build(input_shape)

    def call(self, inputs):
      return tf.reduce_sum(self.a) + tf.cast(tf.reduce_sum(self.b), tf.float64) + tf.cast(tf.reduce_sum(self.c), tf.float64)

  layer = Own(dtype=tf.float32)
  y = layer(_data(2, 2))
  return [
    sorted((v.name, v.dtype.base_dtype.name, v.op.type) for v in layer.weights),
    layer.a.constraint is tf.abs,
    layer.a.aggregation.name,
    [loss.op.name for loss in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)],
    _run(tf, y),
  ]


def program_scope_argument(tf):
  x = _data(4, 3)
  layer = tf.layers.Dense(2, kernel_initializer=_constant(tf))
  y = layer(x, scope="given")
  other = tf.layers.Dense(2, kernel_initializer=_constant(tf), _scope="given", _reuse=True)
  z = other(x)
  with tf.variable_scope("again") as scope:
    third = tf.layers.Dense(2, kernel_initializer=_constant(tf), _scope=scope)(x)
  return [y.op.name, z.op.name, third.op.name, [v.name for v in tf.global_variables()], layer.scope_name]


def program_keras_style(tf):
  x = _data(4, 3)
  with tf.layers.experimental.keras_style_scope():
    one, two = [tf.layers.Dense(2, kernel_initializer=_constant(tf)) for _ in range(2)]
    y = [one(x), two(x), one(x)]
    errors = [
      _error(lambda: one(x, scope="given")),
      _error(lambda: tf.layers.Dense(2, _scope="given")),
      _error(lambda: tf.layers.Dense(2, _reuse=True)),
    ]
  plain = tf.layers.Dense(2, kernel_initializer=_constant(tf))
  y.append(plain(x))
  kinds = [(v.name, v.op.type) for v in tf.global_variables()]
  return [kinds, errors, one.name, two.name, plain.scope_name, _run(tf, y)]


def program_keras_style_for_all(tf):
  tf.layers.experimental.set_keras_style()
  layers = [tf.layers.Dense(2, kernel_initializer=_constant(tf)) for _ in range(2)]
  y = [layer(_data(4, 3)) for layer in layers]
  return [[(v.name, v.op.type) for v in tf.global_variables()], _run(tf, y)]


def program_input_spec(tf):
  spec = tf.layers.InputSpec

  def called(input_spec, x):
    layer = tf.layers.Layer(name="own")
    layer.input_spec = input_spec
    return layer(x).op.name

  x = tf.placeholder(tf.float32, [2, 4], name="x")
  made = [
    spec(shape=(None, 3), axes={-1: 3}),
    spec(dtype=tf.float32, ndim=2),
    spec(min_ndim=2, max_ndim=4),
    spec.from_config(spec(dtype="int32", min_ndim=1, max_ndim=3, axes={1: 4}).get_config()),
  ]
  return [
    [str(s) for s in made],
    [s.get_config() for s in made],
    called(spec(axes={1: 4}), x),
    _error(lambda: called(spec(shape=(None, 3)), x)),
    _error(lambda: called(spec(dtype=tf.int32), x)),
    _error(lambda: called(spec(max_ndim=1), x)),
    _error(lambda: called(spec(min_ndim=3), x)),
    _error(lambda: called(spec(ndim=1), x)),
    _error(lambda: called(spec(axes={1: 3}), x)),
    _error(lambda: called([spec(), spec()], x)),
    _error(lambda: called(3, x)),
    _error(lambda: spec(ndim=2, axes={3: 1})),
    _error(lambda: spec(axes={"a": 1})),
  ]


def program_configurations(tf):
  layers = tf.layers
  made = [
    layers.Dense(4, activation=tf.nn.relu, name="d"),
    layers.Dropout(0.3, noise_shape=(1, 2), seed=3, name="o"),
    layers.Flatten(data_format="channels_first", name="f"),
    layers.MaxPooling2D(2, (2, 1), padding="same", name="m"),
    layers.AveragePooling1D(2, 1, name="a"),
    layers.BatchNormalization(axis=1, momentum=0.5, name="b"),
    layers.Layer(name="l", trainable=False, dtype=tf.float64, input_shape=(2, 3)),
  ]
  configs = [layer.get_config() for layer in made]
  again = [type(layer).from_config(config).get_config() for layer, config in zip(made, configs)]
  return [configs, [one == two for one, two in zip(configs, again)]]


def program_named_values(tf):
  x = _data(4, 3)
  found = []
  for activation in [
    "relu",
    "elu",
    "selu",
    "softplus",
    "softsign",
    "softmax",
    "sigmoid",
    "tanh",
    "exponential",
    "linear",
    "hard_sigmoid",
  ]:
    layer = tf.layers.Dense(3, activation=activation, kernel_initializer=_constant(tf, 0.1), bias_initializer="ones")
    found.append(layer(x))
  for regularizer in ["l1", "l2"]:
    layer = tf.layers.Dense(3, kernel_initializer="ones", kernel_regularizer=regularizer)
    layer(x)
    found.append(layer.get_losses_for(None)[0])
  for constraint in ["non_neg", "max_norm", "unit_norm", "min_max_norm"]:
    layer = tf.layers.Dense(3, kernel_initializer=_constant(tf, -2.0), kernel_constraint=constraint)
    layer(x)
    found.append(layer.kernel.constraint(layer.kernel))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(found), _error(lambda: tf.layers.Dense(3, kernel_initializer="nothing"))]


def program_module(tf):
  class Inner(tf.Module):
    def __init__(self, name=None):
      super().__init__(name=name)
      self.w = tf.Variable([1.0, 2.0], name="w")

    @tf.Module.with_name_scope
    def __call__(self, x):
      return tf.multiply(x, self.w, name="product")

  class MyOuterModule(tf.Module):
    def __init__(self):
      super().__init__()
      self.b = tf.Variable(3.0, trainable=False, name="b")
      self.inner = [Inner(), Inner(name="second")]
      self.also = {"k": self.inner[0], "a": Inner("third")}

    def __call__(self, x):
      with self.name_scope:
        return [layer(x) for layer in self.inner] + [tf.identity(self.b, name="b")]

  outer = MyOuterModule()
  y = outer(tf.constant([1.0, 1.0]))
  return [
    outer.name,
    [m.name for m in outer.submodules],
    [v.name for v in outer.variables],
    [v.name for v in outer.trainable_variables],
    [t.op.name for t in y],
    _error(lambda: Inner(name="a b")),
    _run(tf, y),
  ]


program_attributes.rtol = 1e-6
program_own_layer.rtol = 1e-5
program_named_values.rtol = 1e-5
