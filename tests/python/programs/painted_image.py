"""An image in the style of another one: a network of constants, frozen twice, imported beside itself, and a picture as the variable."""

from functools import reduce

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import graph_util

LAYERS = ("conv1_1", "relu1_1", "conv1_2", "relu1_2", "pool1", "conv2_1", "relu2_1", "pool2", "conv3_1", "relu3_1")
STYLES = ("relu1_1", "relu2_1")
SIZES = {"conv1_1": (3, 6), "conv1_2": (6, 6), "conv2_1": (6, 8), "conv3_1": (8, 8)}
rng = np.random.RandomState(2)
weights = [
  (rng.randn(3, 3, *SIZES[n]).astype(np.float32) * 0.2, rng.randn(SIZES[n][1]).astype(np.float32) * 0.1) if n in SIZES else None
  for n in LAYERS
]
content, style = rng.rand(1, 12, 12, 3) * 255, rng.rand(1, 12, 10, 3) * 255
mean_pixel = np.array([123.68, 116.779, 103.939])


def network(image):
  net, current = {}, image
  for name, parts in zip(LAYERS, weights):
    if name.startswith("conv"):
      kernels, bias = np.transpose(parts[0], (1, 0, 2, 3)), parts[1].reshape(-1)
      conv = tf.nn.conv2d(current, tf.constant(kernels), strides=(1, 1, 1, 1), padding="SAME")
      current = tf.nn.bias_add(conv, bias)
    elif name.startswith("relu"):
      current = tf.nn.relu(current, name=name)
    else:
      current = tf.nn.max_pool(current, ksize=(1, 2, 2, 1), strides=(1, 2, 2, 1), padding="SAME")
    net[name] = current
  return net


def size_of(tensor):
  return reduce(lambda a, b: a * b, (d.value for d in tensor.get_shape()), 1)


style_features = {}
graph = tf.Graph()
with graph.as_default(), graph.device("/cpu:0"), tf.Session():
  image = tf.placeholder("float", shape=content.shape)
  content_features = network(image)["relu3_1"].eval(feed_dict={image: content - mean_pixel})
  image = tf.placeholder("float", shape=style.shape)
  net = network(image)
  for layer in STYLES:
    features = net[layer].eval(feed_dict={image: np.array([style[0] - mean_pixel])})
    features = np.reshape(features, (-1, features.shape[3]))
    style_features[layer] = np.matmul(features.T, features) / features.size
  print(sorted(set(op.device for op in graph.get_operations())), net["relu2_1"])

with tf.Graph().as_default(), tf.Session() as sess:
  image = tf.placeholder(tf.float32, [1, 12, 12, 3], name="in")
  scale = tf.Variable(1.0, name="scale")
  net = network(image * scale)
  sess.run(tf.global_variables_initializer())
  frozen = graph_util.convert_variables_to_constants(sess, sess.graph_def, ["relu1_1", "relu2_1", "relu3_1"])
  print(len(frozen.node), sorted(set(n.op for n in frozen.node)))
  with tf.gfile.GFile("net.pb", "wb") as f:
    f.write(frozen.SerializeToString())
  print([n.name for n in graph_util.remove_training_nodes(graph_util.extract_sub_graph(frozen, ["relu1_1"])).node])

with tf.Graph().as_default() as graph, tf.Session() as sess:
  image = tf.Variable(tf.random_normal((1, 12, 12, 3), seed=8) * 0.256)
  graph_def = tf.GraphDef()
  with tf.gfile.FastGFile("net.pb", "rb") as f:
    graph_def.ParseFromString(f.read())
  mapped = {"in": image}
  r11, r21, r31 = tf.import_graph_def(
    graph_def, input_map=mapped, return_elements=["relu1_1:0", "relu2_1:0", "relu3_1"], name="vgg"
  )
  print(r11, r31.type, graph.get_operations()[-1].name)
  r31 = r31.outputs[0]
  loss_of_content = 5e0 * (2 * tf.nn.l2_loss(r31 - content_features) / content_features.size)
  losses_of_style = []
  for layer, features in zip(STYLES, (r11, r21)):
    _, height, width, number = map(lambda i: i.value, features.get_shape())
    features = tf.reshape(features, (-1, number))
    gram = tf.matmul(tf.transpose(features), features) / (height * width * number)
    losses_of_style.append(2 * tf.nn.l2_loss(gram - style_features[layer]) / style_features[layer].size)
  loss_of_style = 1e-3 * reduce(tf.add, losses_of_style)
  down, right = image[:, 1:, :, :] - image[:, :-1, :, :], image[:, :, 1:, :] - image[:, :, :-1, :]
  variation = 1e2 * 2 * (tf.nn.l2_loss(down) / size_of(down) + tf.nn.l2_loss(right) / size_of(right))
  loss = loss_of_content + loss_of_style + variation
  train = tf.train.AdamOptimizer(10.0, 0.9, 0.999, 1e-08).minimize(loss)
  sess.run(tf.global_variables_initializer())
  best_loss, best = float("inf"), None
  for i in range(6):
    train.run()
    parts = sess.run([loss_of_content, loss_of_style, variation, loss])
    print("%d content %.1f style %.2f variation %.1f all %.1f" % ((i,) + tuple(parts)))
    if parts[-1] < best_loss:
      best_loss, best = parts[-1], image.eval()
  out = np.clip(best.reshape(content.shape[1:]) + mean_pixel, 0, 255).astype(np.uint8)
  with open("out.png", "wb") as f:
    f.write(sess.run(tf.image.encode_png(tf.constant(out, name="picture"))))
  back = tf.image.decode_image(tf.read_file("out.png"))
  print(back, (sess.run(back) == out).all(), sess.run(tf.image.resize_images(out, [3, 4])).shape)
  # Two networks beside each other without scopes: names that are taken get numbers that no node has.
  for _ in range(2):
    found = tf.import_graph_def(
      graph_def, name="", return_elements=["in:0", "scale", "Const", "Const_1:0", "Conv2D_1", "relu3_1:0"]
    )
    print([element.name for element in found])
    print("%.3f" % sess.run(found[-1], {found[0]: content - mean_pixel}).mean(), "%.3f" % content_features.mean())
  for call in (
    lambda: tf.import_graph_def(graph_def, input_map={"nope": image}),
    lambda: tf.import_graph_def(graph_def, return_elements=["nope:0"]),
    lambda: tf.import_graph_def("text"),
  ):
    try:
      print(call())
    except Exception as error:
      print(type(error).__name__, str(error).split(" [")[0])
