"""Convolutions, pooling and layers."""

import numpy as np

from ops.rows import MILLION, OPS, doubles, gradients_of, halves, ints, normal, op, uniform

op("conv/1x1", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME"), uniform(16, 28, 28, 64), normal(1, 1, 64, 64))
op("conv/5x5", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME"), uniform(16, 28, 28, 32), normal(5, 5, 32, 32))
op("conv/first", lambda tf, x, w: tf.nn.conv2d(x, w, 2, "SAME"), uniform(8, 112, 112, 3), normal(7, 7, 3, 32))
op("conv/dilated", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=2), uniform(16, 28, 28, 32), normal(3, 3, 32, 32))
op("conv/stride2", lambda tf, x, w: tf.nn.conv2d(x, w, 2, "SAME"), uniform(16, 56, 56, 32), normal(3, 3, 32, 64))
op(
  "conv/depthwise",
  lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
  uniform(16, 28, 28, 64),
  normal(3, 3, 64, 1),
)
op(
  "conv/depthwise_m2",
  lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
  uniform(16, 28, 28, 32),
  normal(3, 3, 32, 2),
)
op(
  "conv/separable",
  lambda tf, x, w, v: tf.nn.separable_conv2d(x, w, v, [1, 1, 1, 1], "SAME"),
  uniform(16, 28, 28, 32),
  normal(3, 3, 32, 1),
  normal(1, 1, 32, 64),
)
op(
  "conv/transpose",
  lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [16, 56, 56, 32], 2),
  uniform(16, 28, 28, 64),
  normal(3, 3, 32, 64),
)
op("conv/1d", lambda tf, x, w: tf.nn.conv1d(x, w, 1, "SAME"), uniform(32, 200, 64), normal(5, 64, 64))
op("conv/3d", lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"), uniform(4, 16, 28, 28, 8), normal(3, 3, 3, 8, 16))
op("conv/double", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME"), doubles(4, 28, 28, 16), doubles(3, 3, 16, 16))
op("conv/half", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME"), halves(4, 28, 28, 16), halves(3, 3, 16, 16))
op("pool/max2", lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "SAME"), uniform(16, 56, 56, 64))
op("pool/avg2", lambda tf, x: tf.nn.avg_pool2d(x, 2, 2, "SAME"), uniform(16, 56, 56, 64))
op("pool/max3d", lambda tf, x: tf.nn.max_pool3d(x, 2, 2, "SAME"), uniform(4, 16, 28, 28, 16))
op("pool/avg3d", lambda tf, x: tf.nn.avg_pool3d(x, 2, 2, "SAME"), uniform(4, 16, 28, 28, 16))
op("pool/lrn", lambda tf, x: tf.nn.local_response_normalization(x), uniform(16, 28, 28, 64))
op(
  "pool/dilation",
  lambda tf, x, w: tf.raw_ops.Dilation2D(input=x, filter=w, strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"),
  uniform(4, 28, 28, 16),
  uniform(3, 3, 16),
)
op(
  "nn/softmax_xent",
  lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot(y, 100), logits=x),
  normal(1000, 100),
  ints(100, 1000),
)
op(
  "nn/sigmoid_xent",
  lambda tf, x, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y),
  uniform(1000, 1000),
  normal(1000, 1000),
)
op(
  "nn/batch_norm_inf",
  lambda tf, x, s: tf.nn.fused_batch_norm(x, s, s, s, s + 1, is_training=False)[0],
  uniform(16, 28, 28, 64),
  uniform(64),
)
op(
  "nn/layer_norm",
  lambda tf, x: (x - tf.reduce_mean(x, -1, keepdims=True)) * tf.math.rsqrt(tf.math.reduce_variance(x, -1, keepdims=True) + 1e-06),
  uniform(1000, 1000),
)
op("nn/dropout", lambda tf, x: tf.nn.dropout(x, rate=0.5), uniform(1000, 1000))
op("nn/l2n", lambda tf, x: tf.math.l2_normalize(x, 1), uniform(1000, 1000))
op("nn/bias_add", lambda tf, x, y: tf.nn.bias_add(x, y), uniform(16, 56, 56, 64), uniform(64))
op("nn/bias_add_grad", lambda tf, x: tf.raw_ops.BiasAddGrad(out_backprop=x), uniform(16, 56, 56, 64))
op("nn/bias_nchw", lambda tf, x, y: tf.nn.bias_add(x, y, data_format="NCHW"), uniform(16, 64, 28, 28), uniform(64))
op(
  "nn/ctc_loss",
  lambda tf, x, y: tf.nn.ctc_loss(tf.sparse.from_dense(y + 1), tf.transpose(x, [1, 0, 2]), tf.fill([16], 100), time_major=True),
  normal(16, 100, 30),
  ints(28, 16, 20),
)
op("nn/ctc_greedy", lambda tf, x: tf.nn.ctc_greedy_decoder(x, tf.fill([16], 100))[1], normal(100, 16, 30))
op("nn/ctc_beam", lambda tf, x: tf.nn.ctc_beam_search_decoder(x, tf.fill([16], 100), beam_width=10)[1], normal(100, 16, 30))
op("nn/fake_quant", lambda tf, x: tf.quantization.fake_quant_with_min_max_args(x), uniform(MILLION))
op("nn/quantize", lambda tf, x: list(tf.quantization.quantize(x, 0.0, 1.0, tf.quint8)), uniform(MILLION))
op(
  "nn/erosion",
  lambda tf, x, w: tf.nn.erosion2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
  uniform(4, 28, 28, 16),
  uniform(3, 3, 16),
)
op("nn/l2loss", lambda tf, x: tf.nn.l2_loss(x), uniform(MILLION))
op("nn/log_softmax_small", lambda tf, x: tf.nn.log_softmax(x), uniform(10000, 10))
op("nn/softmax_small", lambda tf, x: tf.nn.softmax(x), uniform(10000, 10))
op("nn/softmax_axis1", lambda tf, x: tf.nn.softmax(x, axis=1), uniform(100, 100, 100))
op("nn/gelu", lambda tf, x: 0.5 * x * (1 + tf.math.erf(x / np.sqrt(2).astype(np.float32))), uniform(MILLION))
op("nn/swish", lambda tf, x: tf.nn.swish(x), uniform(MILLION))
op("pool/argmax", lambda tf, x: list(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")), uniform(16, 28, 28, 64))
for name in "conv/1x1 conv/5x5 conv/first conv/stride2 conv/depthwise conv/transpose conv/1d conv/3d conv/dilated".split():
  op("grad/" + name.replace("/", "_"), gradients_of(OPS[name].build), *OPS[name].inputs)
for name in "pool/max2 pool/avg2 pool/max3d pool/avg3d pool/lrn".split():
  op("grad/" + name.replace("/", "_"), gradients_of(OPS[name].build), *OPS[name].inputs)
