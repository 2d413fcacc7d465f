"""slim from records to an evaluation: pictures of three colours in TFRecords, a small network by argument scopes, a training loop."""

from __future__ import print_function

import os
import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
SIZE, COLOURS = 12, 3


def write_pictures(folder, split, count, seed):
  """Two files of pictures in which the channel of the label is brighter."""
  rng = np.random.RandomState(seed)
  with tf.Graph().as_default(), tf.Session("") as sess:
    picture = tf.placeholder(tf.uint8, [SIZE, SIZE, 3])
    encoded = tf.image.encode_png(picture)
    for shard in range(2):
      with tf.python_io.TFRecordWriter(os.path.join(folder, "%s_%d.tfrecord" % (split, shard))) as writer:
        for _ in range(count // 2):
          label = rng.randint(COLOURS)
          value = rng.randint(0, 60, [SIZE, SIZE, 3])
          value[:, :, label] += 150
          features = {
            "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[sess.run(encoded, {picture: value})])),
            "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
            "image/class/label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
          }
          writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def dataset_of(folder, split):
  keys = {
    "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
    "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
    "image/class/label": tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
  }
  items = {
    "image": slim.tfexample_decoder.Image(shape=[SIZE, SIZE, 3], channels=3),
    "label": slim.tfexample_decoder.Tensor("image/class/label", shape=[]),
  }
  return slim.dataset.Dataset(
    data_sources=os.path.join(folder, split + "_*"),
    reader=tf.TFRecordReader,
    decoder=slim.tfexample_decoder.TFExampleDecoder(keys, items),
    num_samples=60,
    items_to_descriptions={"image": "Noise with a colour.", "label": "The colour."},
    num_classes=COLOURS,
  )


def batch_of(dataset, size, is_training):
  provider = slim.dataset_data_provider.DatasetDataProvider(
    dataset, num_readers=2 if is_training else 1, shuffle=is_training, common_queue_capacity=80, common_queue_min=20
  )
  image, label = provider.get(["image", "label"])
  image = tf.image.convert_image_dtype(image, dtype=tf.float32) - 0.5
  images, labels = tf.train.batch([image, label], batch_size=size, num_threads=1, capacity=5 * size)
  labels = slim.one_hot_encoding(labels, dataset.num_classes)
  return slim.prefetch_queue.prefetch_queue([images, labels], capacity=2).dequeue()


def scope_of(weight_decay=0.0005):
  with slim.arg_scope(
    [slim.conv2d, slim.fully_connected],
    weights_regularizer=slim.l2_regularizer(weight_decay),
    weights_initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1),
    activation_fn=tf.nn.relu,
  ) as scope:
    return scope


def network(images, is_training):
  points = {}
  norm = {"is_training": is_training, "decay": 0.8}
  with tf.variable_scope("Net", values=[images]):
    net = points["conv1"] = slim.conv2d(images, 8, [3, 3], normalizer_fn=slim.batch_norm, normalizer_params=norm, scope="conv1")
    net = points["pool1"] = slim.max_pool2d(net, [2, 2], 2, scope="pool1")
    net = slim.repeat(net, 2, slim.conv2d, 8, 3, scope="conv2")
    net = points["fc3"] = slim.fully_connected(slim.flatten(net), 16, scope="fc3")
    net = slim.dropout(net, 0.9, is_training=is_training, scope="dropout3")
    points["logits"] = slim.fully_connected(net, COLOURS, activation_fn=None, scope="fc4")
  return points["logits"], points


def train(folder, log):
  with tf.Graph().as_default():
    step = slim.create_global_step()
    images, labels = batch_of(dataset_of(folder, "train"), 16, True)
    with slim.arg_scope(scope_of()):
      logits, points = network(images, True)
    tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=0.05)
    summaries = set(tf.get_collection(tf.GraphKeys.SUMMARIES))
    for name, value in points.items():
      summaries.add(tf.summary.histogram("activations/" + name, value))
      summaries.add(tf.summary.scalar("sparsity/" + name, tf.nn.zero_fraction(value)))
    summaries.update(tf.summary.histogram(v.op.name, v) for v in slim.get_model_variables())
    rate = tf.train.exponential_decay(0.05, step, 20, 0.9, staircase=True)
    train_op = slim.learning.create_train_op(
      tf.losses.get_total_loss(), tf.train.MomentumOptimizer(rate, 0.9), clip_gradient_norm=4.0, summarize_gradients=True
    )
    print(sorted(v.op.name for v in slim.get_model_variables()))
    loss = slim.learning.train(
      train_op,
      logdir=log,
      number_of_steps=60,
      log_every_n_steps=20,
      save_summaries_secs=1,
      save_interval_secs=600,
      startup_delay_steps=0,
      summary_op=tf.summary.merge(list(summaries)),
    )
    print("the last loss is below 1:", loss < 1.0)


def evaluate(folder, log):
  with tf.Graph().as_default():
    slim.get_or_create_global_step()
    images, labels = batch_of(dataset_of(folder, "test"), 20, False)
    with slim.arg_scope(scope_of()):
      logits, _ = network(images, False)
    found, wanted = tf.argmax(logits, 1), tf.argmax(labels, 1)
    values, updates = slim.metrics.aggregate_metric_map(
      {
        "accuracy": slim.metrics.streaming_accuracy(found, wanted),
        "recall_2": slim.metrics.streaming_sparse_recall_at_k(logits, wanted, 2),
      }
    )
    for name, value in values.items():
      shown = tf.Print(tf.summary.scalar("eval/" + name, value, collections=[]), [value], name)
      tf.add_to_collection(tf.GraphKeys.SUMMARIES, shown)
    results = slim.evaluation.evaluate_once(
      master="",
      checkpoint_path=tf.train.latest_checkpoint(log),
      logdir=os.path.join(log, "eval"),
      num_evals=3,
      eval_op=list(updates.values()),
      final_op=values,
      variables_to_restore=slim.get_variables_to_restore(),
    )
    print(sorted(results), "accuracy above 0.9:", results["accuracy"] > 0.9)


folder = tempfile.mkdtemp()
write_pictures(folder, "train", 60, 0)
write_pictures(folder, "test", 60, 1)
log = os.path.join(folder, "log")
train(folder, log)
evaluate(folder, log)
print(os.path.basename(tf.train.latest_checkpoint(log)), any(name.startswith("events") for name in os.listdir(log)))
