"""Programs as they were written from 2016 to 2018, with slim, profiles, generative networks and edited graphs, run unchanged."""

import os

import package

SLIM = """
from __future__ import absolute_import, division, print_function
import math
import os

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

flags = tf.app.flags
flags.DEFINE_string('train_dir', 'flowers', 'Directory where checkpoints go.')
flags.DEFINE_integer('batch_size', 8, 'batch')
flags.DEFINE_float('learning_rate', 0.05, 'lr')
flags.DEFINE_float('moving_average_decay', 0.99, 'decay')
flags.DEFINE_integer('max_number_of_steps', 60, 'steps')
FLAGS = flags.FLAGS
_FILE_PATTERN = 'shapes_%s_*.tfrecord'
SPLITS_TO_SIZES = {'train': 64, 'validation': 24}
_ITEMS = {'image': 'A color image of varying size.', 'label': 'A single integer between 0 and 2'}


def int64_feature(values):
  if not isinstance(values, (tuple, list)):
    values = [values]
  return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def bytes_feature(values):
  return tf.train.Feature(bytes_list=tf.train.BytesList(value=[values]))


def image_to_tfexample(image_data, image_format, height, width, class_id):
  return tf.train.Example(features=tf.train.Features(feature={
      'image/encoded': bytes_feature(image_data),
      'image/format': bytes_feature(image_format),
      'image/class/label': int64_feature(class_id),
      'image/height': int64_feature(height),
      'image/width': int64_feature(width),
  }))


class ImageReader(object):
  def __init__(self):
    self._decode_png_data = tf.placeholder(dtype=tf.string)
    self._decode_png = tf.image.decode_png(self._decode_png_data, channels=3)
    self._image = tf.placeholder(tf.uint8, [None, None, 3])
    self._encode = tf.image.encode_png(self._image)

  def read_image_dims(self, sess, image_data):
    image = sess.run(self._decode_png, feed_dict={self._decode_png_data: image_data})
    assert len(image.shape) == 3 and image.shape[2] == 3
    return image.shape[0], image.shape[1]

  def encode(self, sess, image):
    return sess.run(self._encode, {self._image: image})


def convert(split, dataset_dir, num_shards=2):
  rng = np.random.RandomState(0 if split == 'train' else 1)
  per_shard = int(math.ceil(SPLITS_TO_SIZES[split] / float(num_shards)))
  with tf.Graph().as_default():
    reader = ImageReader()
    with tf.Session('') as sess:
      for shard in range(num_shards):
        name = os.path.join(dataset_dir, 'shapes_%s_%05d-of-%05d.tfrecord' % (split, shard, num_shards))
        with tf.python_io.TFRecordWriter(name) as writer:
          for i in range(per_shard):
            label = (shard * per_shard + i) % 3
            image = rng.randint(0, 60, size=(20, 24, 3)).astype(np.uint8)
            image[:, :, label] += 150
            data = reader.encode(sess, image)
            h, w = reader.read_image_dims(sess, data)
            writer.write(image_to_tfexample(data, b'png', h, w, label).SerializeToString())
  with tf.gfile.Open(os.path.join(dataset_dir, 'labels.txt'), 'w') as f:
    for i, n in enumerate(['red', 'green', 'blue']):
      f.write('%d:%s\\n' % (i, n))


def get_split(split_name, dataset_dir, file_pattern=None, reader=None):
  if split_name not in SPLITS_TO_SIZES:
    raise ValueError('split name %s was not recognized.' % split_name)
  if not file_pattern:
    file_pattern = _FILE_PATTERN
  file_pattern = os.path.join(dataset_dir, file_pattern % split_name)
  if reader is None:
    reader = tf.TFRecordReader
  keys_to_features = {
      'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
      'image/format': tf.FixedLenFeature((), tf.string, default_value='png'),
      'image/class/label': tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
  }
  items_to_handlers = {
      'image': slim.tfexample_decoder.Image(),
      'label': slim.tfexample_decoder.Tensor('image/class/label'),
  }
  decoder = slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
  with tf.gfile.Open(os.path.join(dataset_dir, 'labels.txt'), 'rb') as f:
    lines = filter(None, f.read().decode().split('\\n'))
  labels = dict((int(l.split(':')[0]), l.split(':')[1]) for l in lines)
  return slim.dataset.Dataset(
      data_sources=file_pattern, reader=reader, decoder=decoder, num_samples=SPLITS_TO_SIZES[split_name],
      items_to_descriptions=_ITEMS, num_classes=3, labels_to_names=labels)


def network(images, num_classes, is_training, scope='Small'):
  with tf.variable_scope(scope, 'Small', [images, num_classes]):
    net = slim.conv2d(images, 8, [3, 3], scope='conv1')
    net = slim.max_pool2d(net, [2, 2], 2, scope='pool1')
    net = slim.repeat(net, 2, slim.conv2d, 8, [3, 3], scope='conv2')
    net = slim.flatten(net)
    net = slim.fully_connected(net, 16, scope='fc3')
    net = slim.dropout(net, 0.8, is_training=is_training, scope='dropout3')
    return slim.fully_connected(net, num_classes, activation_fn=None, normalizer_fn=None, scope='logits')


def arg_scope(is_training, weight_decay=0.0004):
  with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(weight_decay),
                      weights_initializer=slim.variance_scaling_initializer(), normalizer_fn=slim.batch_norm,
                      normalizer_params={'is_training': is_training, 'decay': 0.9}) as sc:
    return sc


def load_batch(dataset, is_training):
  provider = slim.dataset_data_provider.DatasetDataProvider(
      dataset, num_readers=2 if is_training else 1, shuffle=is_training,
      common_queue_capacity=20 * FLAGS.batch_size, common_queue_min=FLAGS.batch_size)
  [image, label] = provider.get(['image', 'label'])
  image = tf.image.convert_image_dtype(image, tf.float32)
  image = tf.image.resize_bilinear(tf.expand_dims(image, 0), [16, 16], align_corners=False)
  image = tf.squeeze(image, [0])
  image.set_shape([16, 16, 3])
  if is_training:
    image = tf.image.random_flip_left_right(image)
  image = tf.multiply(tf.subtract(image, 0.5), 2.0)
  images, labels = tf.train.batch([image, label], batch_size=FLAGS.batch_size, num_threads=2, capacity=5 * FLAGS.batch_size)
  return images, labels


def train():
  with tf.Graph().as_default():
    global_step = slim.create_global_step()
    with tf.device('/cpu:0'):
      dataset = get_split('train', FLAGS.train_dir)
      images, labels = load_batch(dataset, True)
      labels = slim.one_hot_encoding(labels, dataset.num_classes)
      batch_queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=4)
      images, labels = batch_queue.dequeue()
    with slim.arg_scope(arg_scope(True)):
      logits = network(images, dataset.num_classes, True)
    slim.losses.softmax_cross_entropy(logits, labels, label_smoothing=0.1, weights=1.0)
    total_loss = slim.losses.get_total_loss()
    summaries = set(tf.get_collection(tf.GraphKeys.SUMMARIES))
    for loss in tf.get_collection(tf.GraphKeys.LOSSES):
      summaries.add(tf.summary.scalar('losses/%s' % loss.op.name, loss))
    for variable in slim.get_model_variables():
      summaries.add(tf.summary.histogram(variable.op.name, variable))
    learning_rate = tf.train.exponential_decay(FLAGS.learning_rate, global_step, 20, 0.9, staircase=True, name='exponential_decay_learning_rate')
    optimizer = tf.train.RMSPropOptimizer(learning_rate, decay=0.9, momentum=0.5, epsilon=1.0)
    moving_average_variables = slim.get_model_variables()
    variable_averages = tf.train.ExponentialMovingAverage(FLAGS.moving_average_decay, global_step)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, variable_averages.apply(moving_average_variables))
    train_op = slim.learning.create_train_op(total_loss, optimizer, summarize_gradients=True, clip_gradient_norm=4)
    slim.model_analyzer.analyze_vars(slim.get_model_variables(), print_info=True)
    loss = slim.learning.train(
        train_op, logdir=FLAGS.train_dir, master='', is_chief=True, number_of_steps=FLAGS.max_number_of_steps,
        log_every_n_steps=20, save_summaries_secs=1, save_interval_secs=600,
        saver=tf.train.Saver(max_to_keep=2))
    print('trained', loss < 1.2)


def evaluate():
  with tf.Graph().as_default():
    tf_global_step = slim.get_or_create_global_step()
    dataset = get_split('validation', FLAGS.train_dir)
    images, labels = load_batch(dataset, False)
    with slim.arg_scope(arg_scope(False)):
      logits = network(images, dataset.num_classes, False)
    variable_averages = tf.train.ExponentialMovingAverage(FLAGS.moving_average_decay, tf_global_step)
    variables_to_restore = variable_averages.variables_to_restore(slim.get_model_variables())
    variables_to_restore[tf_global_step.op.name] = tf_global_step
    variables_to_restore = slim.get_variables_to_restore()
    predictions = tf.argmax(logits, 1)
    names_to_values, names_to_updates = slim.metrics.aggregate_metric_map({
        'Accuracy': slim.metrics.streaming_accuracy(predictions, labels),
        'Recall_2': slim.metrics.streaming_recall_at_k(logits, labels, 2),
    })
    for name, value in names_to_values.items():
      op = tf.summary.scalar('eval/%s' % name, value, collections=[])
      op = tf.Print(op, [value], name)
      tf.add_to_collection(tf.GraphKeys.SUMMARIES, op)
    path = FLAGS.train_dir
    if tf.gfile.IsDirectory(path):
      path = tf.train.latest_checkpoint(path)
    tf.logging.info('Evaluating %s' % path)
    values = slim.evaluation.evaluate_once(
        master='', checkpoint_path=path, logdir=FLAGS.train_dir + '/eval', num_evals=3,
        eval_op=list(names_to_updates.values()), final_op=names_to_values, variables_to_restore=variables_to_restore)
    print('accuracy', values['Accuracy'] > 0.9, 'recall', values['Recall_2'] >= values['Accuracy'])
    print(slim.evaluation.evaluation_loop('', FLAGS.train_dir, FLAGS.train_dir + '/eval2', num_evals=1,
        eval_op=list(names_to_updates.values()), final_op=names_to_values['Accuracy'], eval_interval_secs=0, max_number_of_evaluations=1) > 0.5)


def main(_):
  tf.logging.set_verbosity(tf.logging.INFO)
  if not tf.gfile.Exists(FLAGS.train_dir):
    tf.gfile.MakeDirs(FLAGS.train_dir)
  for split in ('train', 'validation'):
    convert(split, FLAGS.train_dir)
  train()
  evaluate()


if __name__ == '__main__':
  tf.app.run()
"""


def test_a_slim_program_from_records_to_its_evaluation(tmp_path):
  ran = package.script(tmp_path, SLIM, "--train_dir", str(tmp_path / "flowers"))
  assert ran.returncode == 0, ran.stderr
  lines = ran.stdout.splitlines()
  assert lines[-3:] == ["trained True", "accuracy True recall True", "True"]
  assert "Small/conv1/weights:0 (float32_ref 3x3x3x8) [216, bytes: 864]" in lines
  assert "INFO:tensorflow:Stopping Training." in ran.stderr
  names = os.listdir(str(tmp_path / "flowers"))
  assert "model.ckpt-60.index" in names and "eval" in names


PROFILE = """
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.client import timeline

slim = tf.contrib.slim
images = tf.placeholder(tf.float32, [4, 8, 8, 3])
labels = tf.placeholder(tf.int32, [4])
net = slim.conv2d(images, 4, [3, 3], scope='init')
for i in range(2):
  with tf.variable_scope('unit_%d' % i):
    net += slim.conv2d(net, 4, [3, 3], scope='a', normalizer_fn=slim.batch_norm)
logits = slim.fully_connected(tf.reduce_mean(net, [1, 2]), 10, activation_fn=None, scope='logits')
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)

param_stats = tf.contrib.tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(),
    tfprof_options=tf.contrib.tfprof.model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS)
sys.stdout.write('total_params: %d\\n' % param_stats.total_parameters)
tf.contrib.tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(), tfprof_options=tf.contrib.tfprof.model_analyzer.FLOAT_OPS_OPTIONS)

run_options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
run_metadata = tf.RunMetadata()
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  profiler = tf.profiler.Profiler(sess.graph)
  for i in range(3):
    feed = {images: np.random.rand(4, 8, 8, 3), labels: [0, 1, 2, 3]}
    sess.run([train_op, loss], feed, options=run_options, run_metadata=run_metadata)
    profiler.add_step(i, run_metadata)
  builder = tf.profiler.ProfileOptionBuilder
  opts = builder(builder.time_and_memory()).with_step(1).with_max_depth(20).order_by('micros').build()
  total = profiler.profile_operations(options=opts)
  print('time', total.total_exec_micros > 0)
  opts = builder(builder.time_and_memory()).with_max_depth(2).with_node_names(
      start_name_regexes=['script.py.*'], show_name_regexes=['script.py.*']).with_empty_output().build()
  code = tf.profiler.profile(sess.graph, run_meta=run_metadata, cmd='code', options=opts)
  print('line', code.children[0].name.split(':')[0])
  with open('timeline.json', 'w') as f:
    f.write(timeline.Timeline(run_metadata.step_stats).generate_chrome_trace_format(show_memory=True))
"""


def test_a_program_that_profiles_its_network(tmp_path):
  ran = package.script(tmp_path, PROFILE)
  assert ran.returncode == 0, ran.stderr
  parameters = (27 * 4 + 4) + 2 * (36 * 4 + 4) + (4 * 10 + 10)
  assert f"total_params: {parameters}" in ran.stdout
  assert "unit_0/a/weights (3x3x4x4, 144/144 params)" in ran.stdout
  # Of a convolution: two for each element of its kernel and each of the images' pixels.
  operations = f"{2 * (9 * 4 * 4) * (4 * 8 * 8) / 1000:.2f}k"
  assert f"unit_0/a/Conv2D ({operations}/{operations} flops)" in ran.stdout
  assert ran.stdout.splitlines()[-2:] == ["time True", "line script.py"]
  assert os.path.getsize(str(tmp_path / "timeline.json")) > 1000


GAN = """
import numpy as np
import tensorflow as tf

tfgan = tf.contrib.gan
layers = tf.contrib.layers


def generator(noise):
  with tf.contrib.framework.arg_scope([layers.fully_connected], weights_regularizer=layers.l2_regularizer(2.5e-5)):
    net = layers.fully_connected(noise, 16)
    return layers.fully_connected(net, 2, activation_fn=None)


def discriminator(data, unused_conditioning):
  net = layers.fully_connected(data, 16, activation_fn=tf.nn.leaky_relu)
  return layers.linear(net, 1)


tf.set_random_seed(1)
points = np.random.RandomState(0).randn(256, 2) * 0.1 + [2., -1.]
dataset = tf.contrib.data.Dataset.from_tensor_slices(points.astype(np.float32))
real = dataset.repeat().batch(32).make_one_shot_iterator().get_next()
real.set_shape([32, 2])
gan_model = tfgan.gan_model(generator, discriminator, real_data=real, generator_inputs=tf.random_normal([32, 4]))
gan_loss = tfgan.gan_loss(
    gan_model,
    generator_loss_fn=tfgan.losses.wasserstein_generator_loss,
    discriminator_loss_fn=tfgan.losses.wasserstein_discriminator_loss,
    gradient_penalty_weight=1.0)
train_ops = tfgan.gan_train_ops(
    gan_model, gan_loss,
    generator_optimizer=tf.train.AdamOptimizer(2e-3, 0.5),
    discriminator_optimizer=tf.train.AdamOptimizer(4e-3, 0.5),
    summarize_gradients=True)
status = tf.string_join(['Starting train step: ', tf.as_string(tf.train.get_or_create_global_step())], name='status')
tfgan.gan_train(
    train_ops,
    hooks=[tf.train.StopAtStepHook(num_steps=800), tf.train.LoggingTensorHook([status], every_n_iter=400)],
    logdir='gan', get_hooks_fn=tfgan.get_joint_train_hooks())
with tf.variable_scope('Generator', reuse=True):
  fake = generator(tf.random_normal([256, 4]))
with tf.Session() as sess:
  tf.train.Saver().restore(sess, tf.train.latest_checkpoint('gan'))
  print(np.abs(sess.run(fake).mean(0) - [2., -1.]).max() < 0.5)
"""


def test_a_program_with_a_generative_network(tmp_path):
  ran = package.script(tmp_path, GAN)
  assert ran.returncode == 0 and ran.stdout == "True\n", ran.stderr
  assert "model.ckpt-800.index" in os.listdir(str(tmp_path / "gan"))


SAVING = """
import numpy as np
import tensorflow as tf
import tensorflow.contrib.graph_editor as ge
from tensorflow.python.ops import gradients as gradients_module

tf_gradients = gradients_module.gradients


def gradients_that_compute_again(loss, xs, checkpoints):
  bwd_ops = ge.get_backward_walk_ops([loss.op], inclusive=True)
  fwd_ops = ge.get_forward_walk_ops([x.op for x in xs], inclusive=True, within_ops=bwd_ops)
  fwd_ops = [op for op in fwd_ops if op.inputs and '/Assign' not in op.name and '/read' not in op.name]
  print(len(ge.filter_ts_from_regex(fwd_ops, 'conv2d|Conv|MatMul')))
  checkpoints = [t for t in checkpoints if t in ge.filter_ts(fwd_ops, True)]
  disconnected = dict((x, tf.stop_gradient(x, name=x.op.name + '_sg')) for x in checkpoints)
  ops_to_copy = ge.get_backward_walk_ops([loss.op], stop_at_ts=checkpoints, within_ops=fwd_ops, inclusive=True)
  copied_sgv, info = ge.copy_with_input_replacements(ge.sgv(ops_to_copy), {})
  for origin_op, op in info._transformed_ops.items():
    op._set_device(origin_op.node_def.device)
  copied_ops = info._transformed_ops.values()
  ge.reroute_ts(disconnected.values(), disconnected.keys(), can_modify=copied_ops)
  copied_loss = info._transformed_ops[loss.op].outputs[0]
  boundary = list(disconnected.values())
  after = tf_gradients(ys=[copied_loss], xs=boundary + xs)
  list(copied_ops)[0]._add_control_inputs([loss.op])
  before = tf_gradients(ys=checkpoints, xs=xs, grad_ys=after[:len(boundary)])
  return [tf.add_n([g for g in gs if g is not None]) for gs in zip(after[len(boundary):], before)]


rng = np.random.RandomState(0)
h = tf.constant(rng.rand(4, 3), tf.float32)
outputs = []
for i in range(5):
  h = tf.layers.dense(h, 3, tf.nn.tanh, name='l%d' % i, kernel_initializer=tf.constant_initializer(rng.randn(3, 3)))
  outputs.append(h)
loss = tf.reduce_mean(h ** 2, name='loss')
xs = tf.trainable_variables()
plain = tf_gradients(loss, xs)
again = gradients_that_compute_again(loss, xs, [outputs[1]])
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  a, b = sess.run([plain, again])
  print(all(np.allclose(p, q, atol=1e-6) for p, q in zip(a, b)), np.abs(a[0]).max() > 0)
"""


def test_gradients_that_compute_activations_again(tmp_path):
  ran = package.script(tmp_path, SAVING)
  assert ran.returncode == 0 and ran.stdout == "5\nTrue True\n", ran.stderr


REPLICAS = """
import tensorflow as tf

slim = tf.contrib.slim
server = tf.train.Server.create_local_server()
with tf.device(tf.train.replica_device_setter(ps_tasks=0)):
  x = tf.random_normal([16, 4], seed=1)
  prediction = slim.fully_connected(x, 1, activation_fn=None)
  tf.losses.mean_squared_error(tf.reduce_sum(x, 1, keep_dims=True), prediction)
  optimizer = tf.train.SyncReplicasOptimizer(
      tf.train.GradientDescentOptimizer(.05), replicas_to_aggregate=1, total_num_replicas=1)
  train_op = slim.learning.create_train_op(tf.losses.get_total_loss(), optimizer)
loss = slim.learning.train(
    train_op, 'logs', master=server.target, is_chief=True, number_of_steps=60, sync_optimizer=optimizer)
print(loss < 0.2)
"""


def test_replicas_that_wait_for_each_other_end(tmp_path):
  ran = package.script(tmp_path, REPLICAS)
  assert ran.returncode == 0 and ran.stdout == "True\n", ran.stderr
