"""Well-known networks of slim: their variables, layers and end points by name, values of small ones, and errors."""

import numpy as np


def _nets_of(tf):
  """The module of each network: ours in tf.contrib, TensorFlow's in a package of its own, with the names that it misses in 2.15."""
  if tf.__name__.startswith("millrace"):
    return tf.contrib.slim, tf.contrib.slim.nets
  import tf_slim
  import tf_slim.nets
  from tensorflow.python.framework import ops
  from tensorflow.python.layers import normalization
  from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope

  ops.Tensor, ops.IndexedSlices = tf.Tensor, tf.IndexedSlices
  array_ops.stack, array_ops.unstack = tf.stack, tf.unstack
  control_flow_ops.cond, variable_scope.variable = tf.cond, tf.Variable
  normalization.normalization = tf.layers
  return tf_slim, tf_slim.nets


_LAYERS = {
  "Conv2D": ("strides", "padding", "dilations"),
  "DepthwiseConv2dNative": ("strides", "padding"),
  "MaxPool": ("ksize", "strides", "padding"),
  "AvgPool": ("ksize", "strides", "padding"),
  "FusedBatchNormV3": ("epsilon", "is_training"),
  "BiasAdd": (),
  "Relu": (),
  "ConcatV2": (),
  "Squeeze": ("squeeze_dims",),
  "Softmax": (),
  "Mean": ("keep_dims",),
  "Pad": (),
  "L2Loss": (),
}


def _plain(value):
  return value.decode() if isinstance(value, bytes) else value


def _stddevs(tf, graph):
  """The deviations of first weights, by variable."""
  found = []
  for op in graph.get_operations():
    if op.type == "Const" and op.name.endswith(("/stddev", "/Initializer/Const")):
      found.append((op.name, round(float(np.ravel(tf.make_ndarray(op.get_attr("value")))[0]), 5)))
  return found


def _described(tf, net, end_points):
  graph = tf.get_default_graph()
  layers = [
    (op.name, op.type, [_plain(op.get_attr(a)) for a in _LAYERS[op.type]], [i.op.name for i in op.inputs][:4])
    for op in graph.get_operations()
    if op.type in _LAYERS
  ]
  return [
    net.name,
    str(net.shape),
    [(name, value.op.name, str(value.shape)) for name, value in end_points.items()],
    [(v.name, v.shape.as_list()) for v in tf.global_variables()],
    layers,
    _stddevs(tf, graph),
    sorted((key, len(graph.get_collection(key))) for key in graph.get_all_collection_keys() if key != "update_ops"),
  ]


def _images(tf, size, batch=2):
  return tf.placeholder(tf.float32, [batch, size, size, 3])


def program_alexnet(tf):
  slim, nets = _nets_of(tf)
  with slim.arg_scope(nets.alexnet.alexnet_v2_arg_scope(weight_decay=0.01)):
    first = _described(tf, *nets.alexnet.alexnet_v2(_images(tf, 224), 10, is_training=False))
    second = nets.alexnet.alexnet_v2(_images(tf, 300), 7, True, dropout_keep_prob=0.9, spatial_squeeze=False, scope="n")
  return first, _described(tf, *second), nets.alexnet.alexnet_v2.default_image_size


def program_overfeat(tf):
  slim, nets = _nets_of(tf)
  with slim.arg_scope(nets.overfeat.overfeat_arg_scope(weight_decay=0.01)):
    first = _described(tf, *nets.overfeat.overfeat(_images(tf, 231), 10, is_training=False))
    second = nets.overfeat.overfeat(_images(tf, 281), 7, True, dropout_keep_prob=0.9, spatial_squeeze=False, scope="n")
  return first, _described(tf, *second)


def program_vgg(tf):
  slim, nets = _nets_of(tf)
  found = []
  for name in ("vgg_a", "vgg_16", "vgg_19", "vgg_d", "vgg_e"):
    with tf.Graph().as_default(), slim.arg_scope(nets.vgg.vgg_arg_scope(weight_decay=0.01)):
      build = getattr(nets.vgg, name)
      found.append(_described(tf, *build(_images(tf, 224), 10, is_training=False)))
      found.append(build.default_image_size)
  with slim.arg_scope(nets.vgg.vgg_arg_scope()):
    net = nets.vgg.vgg_a(_images(tf, 256), 7, True, dropout_keep_prob=0.9, spatial_squeeze=False, scope="n")
  return found, _described(tf, *net)


def _filled(tf):
  """Gives each variable numbers of its own, those that have to be above zero such ones."""
  ops = []
  for variable in tf.global_variables():
    shape = variable.shape.as_list()
    values = np.random.RandomState(sum(shape) + len(variable.name)).randn(*shape) / np.sqrt(np.prod(shape[:-1]) + 1)
    ops.append(variable.assign(np.abs(values) + 0.5 if "variance" in variable.name else values))
  return ops


def _value_of(tf, net, end_points, feed):
  with tf.Session() as session:
    session.run(_filled(tf))
    return session.run([net, end_points], feed)


def _small_blocks(module, number):
  block = getattr(module, f"resnet_v{number}_block")
  return [
    block("b1", base_depth=2, num_units=2, stride=2),
    block("b2", base_depth=2, num_units=2, stride=2),
    block("b3", base_depth=4, num_units=1, stride=1),
  ]


def _small_resnets(tf, number):
  slim, nets = _nets_of(tf)
  module = getattr(nets, f"resnet_v{number}")
  build = getattr(module, f"resnet_v{number}")
  images = np.random.RandomState(3).rand(2, 33, 33, 3).astype(np.float32)
  arguments = [
    {"scope": "n"},
    {"num_classes": 3, "is_training": False},
    {"num_classes": 3, "is_training": False, "global_pool": False, "output_stride": 8},
    {"num_classes": 3, "is_training": False, "include_root_block": False, "output_stride": 2, "scope": "m"},
    {"is_training": False, "global_pool": False},
  ]
  found = []
  for kwargs in arguments:
    with tf.Graph().as_default():
      inputs = tf.placeholder(tf.float32, images.shape)
      with slim.arg_scope(module.resnet_arg_scope(0.01, batch_norm_decay=0.9)):
        net, end_points = build(inputs, _small_blocks(module, number), **kwargs)
      found.append(_described(tf, net, end_points))
      # Sums over a batch differ in their last digits, and in more where they cancel.
      values = end_points if "is_training" in kwargs else {}
      found.append(_value_of(tf, net, values, {inputs: images}))
      found.append(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
  with tf.Graph().as_default():
    inputs = tf.placeholder(tf.float32, images.shape)
    with slim.arg_scope(module.resnet_arg_scope(batch_norm_epsilon=0.1, batch_norm_scale=False)):
      first, _ = build(inputs, _small_blocks(module, number), scope="n", is_training=False)
      second, _ = build(inputs, _small_blocks(module, number), scope="n", is_training=False, reuse=True)
    found.append([v.name for v in tf.global_variables()])
    found.append(_value_of(tf, first, {"second": second}, {inputs: images}))
  return found, build.default_image_size


def program_small_resnets_v1(tf):
  return _small_resnets(tf, 1)


def program_small_resnets_v2(tf):
  return _small_resnets(tf, 2)


def program_resnets(tf):
  slim, nets = _nets_of(tf)
  found = []
  for module, name, kwargs in (
    (nets.resnet_v1, "resnet_v1_50", {"num_classes": 10, "is_training": False}),
    (nets.resnet_v2, "resnet_v2_50", {"num_classes": 10, "is_training": False, "output_stride": 16}),
    (nets.resnet_v1, "resnet_v1_101", {"is_training": False, "global_pool": False, "scope": "n"}),
    (nets.resnet_v2, "resnet_v2_101", {"is_training": False, "global_pool": False, "scope": "n"}),
  ):
    with tf.Graph().as_default(), slim.arg_scope(module.resnet_arg_scope()):
      found.append(_described(tf, *getattr(module, name)(_images(tf, 64), **kwargs)))
  return found


def program_deepest_resnets(tf):
  """The convolutions of each block, and the images' size after it."""
  _, nets = _nets_of(tf)
  found = []
  for number, layers in ((1, 152), (1, 200), (2, 152), (2, 200)):
    with tf.Graph().as_default() as graph:
      name = f"resnet_v{number}_{layers}"
      build = getattr(getattr(nets, f"resnet_v{number}"), name)
      net, end_points = build(_images(tf, 64), output_stride=8, reuse=False, scope=f"n{layers}")
      convolutions = [op.name.split("/")[1] for op in graph.get_operations() if op.type == "Conv2D"]
      blocks = sorted(set(convolutions))
      found.append((net.name, str(net.shape), [(block, convolutions.count(block)) for block in blocks]))
      found.append([str(end_points[f"n{layers}/{block}"].shape) for block in blocks if "block" in block])
  return found


def program_resnet_blocks(tf):
  _, nets = _nets_of(tf)
  found = []
  for number in (1, 2):
    module = getattr(nets, f"resnet_v{number}")
    block = getattr(module, f"resnet_v{number}_block")("s", base_depth=8, num_units=3, stride=2)
    found += [
      block.scope,
      block.args,
      block.unit_fn is module.bottleneck,
      isinstance(block, nets.resnet_utils.Block),
      block._fields,
    ]
  for name in ("subsample", "conv2d_same"):
    x = tf.constant(np.random.RandomState(0).rand(1, 7, 7, 2).astype(np.float32))
    if name == "subsample":
      outputs = [nets.resnet_utils.subsample(x, 1), nets.resnet_utils.subsample(x, 2, scope="s")]
    else:
      outputs = [
        nets.resnet_utils.conv2d_same(x, 2, 3, stride, rate=rate, scope=f"c{stride}{rate}")
        for stride, rate in ((1, 1), (2, 1), (1, 2))
      ]
    found.append([o.op.name for o in outputs])
    with tf.Session() as session:
      session.run(_filled(tf))
      found.append(session.run(outputs))
  return found


def program_first_weights(tf):
  _, nets = _nets_of(tf)
  modules = (nets.alexnet, nets.overfeat, nets.inception_v1, nets.inception_v2, nets.inception_v3)
  return [module.trunc_normal(0.25).get_config() for module in modules]


def program_resnet_errors(tf):
  _, nets = _nets_of(tf)
  found = []
  v1, blocks = nets.resnet_v1, nets.resnet_utils
  images = _images(tf, 32)
  for act in (
    lambda: v1.resnet_v1_50(images, output_stride=6),
    lambda: v1.resnet_v1_50(images, output_stride=64, scope="b"),
    lambda: blocks.stack_blocks_dense(images, [v1.resnet_v1_block("c", 2, 2, 2)], output_stride=3),
    lambda: v1.bottleneck(tf.zeros([2, 8, 8]), 4, 2, 1),
  ):
    try:
      act()
      found.append("fine")
    except ValueError as e:
      found.append(str(e)[:60])
  return found


def program_inception_v1(tf):
  slim, nets = _nets_of(tf)
  with slim.arg_scope(nets.inception.inception_v1_arg_scope(weight_decay=0.01, batch_norm_var_collection="mine")):
    net = nets.inception.inception_v1(_images(tf, 224), 10, is_training=False, dropout_keep_prob=0.5)
  found = [_described(tf, *net), nets.inception.inception_v1.default_image_size]
  with tf.Graph().as_default():
    with slim.arg_scope(nets.inception_v1.inception_v1_arg_scope(use_batch_norm=False)):
      net = nets.inception_v1.inception_v1(
        _images(tf, 250), 10, spatial_squeeze=False, prediction_fn=lambda x, scope: tf.nn.sigmoid(x, scope), scope="n"
      )
    found.append(_described(tf, *net))
  return found


def program_inception_v2(tf):
  slim, nets = _nets_of(tf)
  with slim.arg_scope(nets.inception.inception_v2_arg_scope(weight_decay=0.01, batch_norm_var_collection="mine")):
    net = nets.inception.inception_v2(_images(tf, 224), 10, is_training=False, dropout_keep_prob=0.5)
  found = [_described(tf, *net), nets.inception.inception_v2.default_image_size]
  with tf.Graph().as_default():
    net = nets.inception_v2.inception_v2(
      _images(tf, 64),
      10,
      min_depth=4,
      depth_multiplier=0.25,
      prediction_fn=lambda x, scope: tf.nn.sigmoid(x, scope),
      spatial_squeeze=False,
      scope="n",
    )
    found.append(_described(tf, *net))
  return found


def program_inception_v3(tf):
  slim, nets = _nets_of(tf)
  collections = {"batch_norm_var_collection": "mine", "updates_collections": "updates"}
  with slim.arg_scope(nets.inception.inception_v3_arg_scope(weight_decay=0.01, **collections)):
    net = nets.inception.inception_v3(_images(tf, 299), 10, is_training=False, dropout_keep_prob=0.5)
  found = [_described(tf, *net), nets.inception.inception_v3.default_image_size]
  with tf.Graph().as_default():
    scope = nets.inception_v3.inception_v3_arg_scope(batch_norm_decay=0.9, batch_norm_epsilon=0.1, use_fused_batchnorm=False)
    with slim.arg_scope(scope):
      net = nets.inception_v3.inception_v3(
        _images(tf, 139),
        10,
        min_depth=4,
        depth_multiplier=0.1,
        prediction_fn=lambda x, scope: tf.nn.sigmoid(x, scope),
        spatial_squeeze=False,
        create_aux_logits=False,
        scope="n",
      )
    found.append(_described(tf, *net))
  with tf.Graph().as_default():
    net = nets.inception_v3.inception_v3(_images(tf, 139), 10, min_depth=4, depth_multiplier=0.1)
    found.append(_described(tf, *net))
  return found


def _means(tf, end_points):
  """The means over space: single values are sums of many, which cancel, and so differ in their last digits."""
  return {name: tf.reduce_mean(value, [1, 2]) if value.shape.ndims == 4 else value for name, value in end_points.items()}


def program_inception_reused_and_values(tf):
  slim, nets = _nets_of(tf)
  images = np.random.RandomState(5).rand(2, 64, 64, 3).astype(np.float32)
  found = []
  for name in ("inception_v1", "inception_v2"):
    with tf.Graph().as_default():
      inputs = tf.placeholder(tf.float32, images.shape)
      module = getattr(nets, name)
      with slim.arg_scope(getattr(module, f"{name}_arg_scope")()), slim.arg_scope([slim.batch_norm], is_training=False):
        net, end_points = getattr(module, f"{name}_base")(inputs, final_endpoint="Mixed_3c", scope="n")
        found.append(_value_of(tf, tf.reduce_mean(net), _means(tf, end_points), {inputs: images}))
  small = {"min_depth": 4, "depth_multiplier": 0.1, "is_training": False}
  with slim.arg_scope(nets.inception_v2.inception_v2_arg_scope()):
    inputs = tf.placeholder(tf.float32, images.shape)
    first, end_points = nets.inception_v2.inception_v2(inputs, 3, **small)
    second, _ = nets.inception_v2.inception_v2(inputs, 3, reuse=True, **small)
  return [*found, _value_of(tf, first, {"second": second, **_means(tf, end_points)}, {inputs: images})]


def program_inception_bases(tf):
  _, nets = _nets_of(tf)
  found = []
  for number, end in ((1, "Conv2d_2c_3x3"), (1, "MaxPool_4a_3x3"), (2, "Conv2d_1a_7x7"), (3, "Mixed_5d")):
    with tf.Graph().as_default():
      base = getattr(nets.inception, f"inception_v{number}_base")
      net, end_points = base(_images(tf, 80), final_endpoint=end)
      found.append(_described(tf, net, end_points))
  for number, kwargs in (
    (1, {"final_endpoint": "Mixed"}),
    (2, {"final_endpoint": "Mixed"}),
    (3, {"final_endpoint": "Mixed"}),
    (2, {"depth_multiplier": 0.0}),
    (3, {"depth_multiplier": -1.0}),
  ):
    with tf.Graph().as_default():
      try:
        getattr(nets.inception, f"inception_v{number}_base")(_images(tf, 299), **kwargs)
      except ValueError as e:
        found.append(str(e))
  return found
