"""Programs as people wrote them, with feature columns and premade estimators, which run unchanged."""

import package

WIDE_AND_DEEP = '''
"""Trains a wide and a deep model on rows of a census."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import os
import shutil
import sys
import tempfile

import tensorflow as tf

_CSV_COLUMNS = ['age', 'workclass', 'education', 'hours_per_week', 'income_bracket']
_CSV_COLUMN_DEFAULTS = [[0], [''], [''], [0], ['']]
ROWS = [
    '39,State-gov,Bachelors,40,<=50K', '50,Self-emp-not-inc,Bachelors,13,>50K', '38,Private,HS-grad,40,<=50K',
    '53,Private,11th,40,<=50K', '28,Private,Bachelors,40,<=50K', '37,Private,Masters,60,>50K',
    '49,Private,9th,16,<=50K', '52,Self-emp-not-inc,HS-grad,45,>50K']

parser = argparse.ArgumentParser()
parser.add_argument('--train_epochs', type=int, default=80)


def build_model_columns():
  age = tf.feature_column.numeric_column('age')
  hours_per_week = tf.feature_column.numeric_column('hours_per_week')
  education = tf.feature_column.categorical_column_with_vocabulary_list(
      'education', ['Bachelors', 'HS-grad', '11th', 'Masters', '9th'])
  workclass = tf.feature_column.categorical_column_with_hash_bucket('workclass', hash_bucket_size=10)
  age_buckets = tf.feature_column.bucketized_column(age, boundaries=[18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
  base_columns = [education, workclass, age_buckets]
  crossed_columns = [
      tf.feature_column.crossed_column(['education', 'workclass'], hash_bucket_size=1000),
      tf.feature_column.crossed_column([age_buckets, 'education', 'workclass'], hash_bucket_size=1000)]
  deep_columns = [
      age, hours_per_week, tf.feature_column.indicator_column(education),
      tf.feature_column.embedding_column(workclass, dimension=8)]
  return base_columns + crossed_columns, deep_columns


def build_estimator(model_dir):
  wide_columns, deep_columns = build_model_columns()
  run_config = tf.estimator.RunConfig(tf_random_seed=1).replace(session_config=tf.ConfigProto(device_count={'GPU': 0}))
  return tf.estimator.DNNLinearCombinedClassifier(
      model_dir=model_dir, linear_feature_columns=wide_columns, linear_optimizer=tf.train.FtrlOptimizer(0.5),
      dnn_feature_columns=deep_columns, dnn_hidden_units=[10, 5], config=run_config)


def input_fn(data_file, num_epochs, shuffle, batch_size):
  assert tf.gfile.Exists(data_file)

  def parse_csv(value):
    columns = tf.decode_csv(value, record_defaults=_CSV_COLUMN_DEFAULTS)
    features = dict(zip(_CSV_COLUMNS, columns))
    labels = features.pop('income_bracket')
    return features, tf.equal(labels, '>50K')

  dataset = tf.data.TextLineDataset(data_file)
  if shuffle:
    dataset = dataset.shuffle(buffer_size=100)
  dataset = dataset.map(parse_csv, num_parallel_calls=5).repeat(num_epochs).batch(batch_size)
  return dataset.make_one_shot_iterator().get_next()


def example(age, workclass, education, hours):
  f = tf.train.Feature
  return tf.train.Example(features=tf.train.Features(feature={
      'age': f(float_list=tf.train.FloatList(value=[age])),
      'hours_per_week': f(float_list=tf.train.FloatList(value=[hours])),
      'workclass': f(bytes_list=tf.train.BytesList(value=[workclass])),
      'education': f(bytes_list=tf.train.BytesList(value=[education]))})).SerializeToString()


def main(_):
  model_dir = tempfile.mkdtemp()
  data = os.path.join(model_dir, 'adult.data')
  with open(data, 'w') as f:
    f.write('\\n'.join(ROWS) + '\\n')
  model = build_estimator(model_dir)
  model.train(input_fn=lambda: input_fn(data, FLAGS.train_epochs, True, 8))
  results = model.evaluate(input_fn=lambda: input_fn(data, 1, False, 8))
  print(sorted(results))
  print('accuracy: %.2f' % results['accuracy'])
  wide_columns, deep_columns = build_model_columns()
  feature_spec = tf.feature_column.make_parse_example_spec(wide_columns + deep_columns)
  receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(feature_spec)
  path = model.export_savedmodel(os.path.join(model_dir, 'export'), receiver)
  with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], path)
    print(sorted(meta.signature_def))
    signature = meta.signature_def['serving_default']
    scores = sess.run(signature.outputs['scores'].name, {signature.inputs['inputs'].name: [
        example(39., b'State-gov', b'Bachelors', 40.), example(52., b'Self-emp-not-inc', b'HS-grad', 45.)]})
    print(scores.argmax(axis=1))
  shutil.rmtree(model_dir)


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.ERROR)
  FLAGS, unparsed = parser.parse_known_args()
  tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
'''


def test_wide_and_deep(tmp_path):
  ran = package.script(tmp_path, WIDE_AND_DEEP, "--train_epochs", "60")
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.splitlines() == [
    "['accuracy', 'accuracy_baseline', 'auc', 'auc_precision_recall', 'average_loss', 'global_step', 'label/mean', 'loss', "
    "'precision', 'prediction/mean', 'recall']",
    "accuracy: 1.00",
    "['classification', 'predict', 'regression', 'serving_default']",
    "[0 1]",
  ]


OLD_COLUMNS = """
import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers
from tensorflow.contrib.layers.python.layers import feature_column as fc_old

language = layers.sparse_column_with_hash_bucket("language", hash_bucket_size=20)
country = layers.sparse_column_with_keys(column_name="country", keys=["us", "cn", "de"])
age = layers.real_valued_column("age")
age_buckets = layers.bucketized_column(age, boundaries=[18, 30, 50])
wide = [country, language, layers.crossed_column([country, language], hash_bucket_size=50), age_buckets]
deep = [layers.embedding_column(language, dimension=4), age]
assert isinstance(age, fc_old._RealValuedColumn)

placeholders = layers.make_place_holder_tensors_for_base_features(wide + deep)
labels = tf.placeholder(tf.int64, [None])
logits, weights, bias = layers.weighted_sum_from_feature_columns(placeholders, wide, num_outputs=1, scope="linear")
net = layers.input_from_feature_columns(placeholders, deep)
net = layers.stack(net, layers.fully_connected, [8, 4])
logits += layers.fully_connected(net, 1, activation_fn=None, scope="dnn_logits")
target = layers.multi_class_target(n_classes=2)
loss = target.loss(logits, labels, placeholders)
train_op = layers.optimize_loss(loss, tf.contrib.framework.get_or_create_global_step(), learning_rate=0.1, optimizer="Adagrad")


def sparse(words):
  return tf.SparseTensorValue([[i, 0] for i in range(len(words))], np.array(words, object), [len(words), 1])


feed = {placeholders["language"]: sparse(["en", "zh", "de", "en"]), placeholders["country"]: sparse(["us", "cn", "de", "de"]),
        placeholders["age"]: [[20.], [40.], [60.], [25.]], labels: [1, 0, 0, 1]}
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(tf.tables_initializer())
  for i in range(150):
    _, value = sess.run([train_op, loss], feed_dict=feed)
  print("trained", value < 0.1)
  print(sess.run(target.logits_to_predictions(logits), feed))
print(sorted(v.op.name for v in tf.trainable_variables() if v.op.name.startswith("linear")))
"""


def test_old_columns_in_a_graph_of_a_program(tmp_path):
  ran = package.script(tmp_path, OLD_COLUMNS)
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.splitlines() == [
    "trained True",
    "[1 0 0 1]",
    "['linear/age_bucketized/weights', 'linear/bias_weight', 'linear/country/weights', 'linear/country_X_language/weights', "
    "'linear/language/weights']",
  ]


WALS = """
import numpy as np
import tensorflow as tf
from tensorflow.contrib.factorization.python.ops import factorization_ops

rng = np.random.RandomState(0)
truth = rng.rand(12, 2).dot(rng.rand(2, 8))
seen = rng.rand(12, 8) < 0.7
indices = np.argwhere(seen)
tf.set_random_seed(0)  # from other factors it may take longer
input_tensor = tf.SparseTensor(indices=indices, values=truth[seen].astype(np.float32), dense_shape=truth.shape)
model = factorization_ops.WALSModel(12, 8, 2, unobserved_weight=0.0, regularization=0.001, row_weights=[1.0] * 12,
                                    col_weights=[1.0] * 8)
row_factor = model.row_factors[0]
col_factor = model.col_factors[0]
row_update_op = model.update_row_factors(sp_input=input_tensor)[1]
col_update_op = model.update_col_factors(sp_input=input_tensor)[1]
with tf.Session() as sess:
  sess.run(model.initialize_op)
  sess.run(model.worker_init)
  for _ in range(40):
    sess.run(model.row_update_prep_gramian_op)
    sess.run(model.initialize_row_update_op)
    sess.run(row_update_op)
    sess.run(model.col_update_prep_gramian_op)
    sess.run(model.initialize_col_update_op)
    sess.run(col_update_op)
  found = row_factor.eval(session=sess).dot(col_factor.eval(session=sess).T)
print("seen", np.abs(found - truth)[seen].max() < 0.1)
"""


def test_recommendations(tmp_path):
  ran = package.script(tmp_path, WALS)
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.splitlines() == ["seen True"]


OWN_COLUMNS = """
import collections
import tensorflow as tf
from tensorflow.python.feature_column import feature_column as fc
from tensorflow.python.feature_column import feature_column_v2 as fc_v2


class LengthColumn(fc._DenseColumn, collections.namedtuple('LengthColumn', ['key'])):
  @property
  def name(self):
    return self.key + '_length'

  @property
  def _parse_example_spec(self):
    return {self.key: tf.FixedLenFeature([1], tf.string)}

  @property
  def _variable_shape(self):
    return tf.TensorShape([1])

  def _transform_feature(self, inputs):
    return tf.cast(tf.strings.length(inputs.get(self.key)), tf.float32)

  def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    return inputs.get(self)


class ParityColumn(fc._CategoricalColumn, collections.namedtuple('ParityColumn', ['key'])):
  @property
  def name(self):
    return self.key + '_parity'

  @property
  def _parse_example_spec(self):
    return {self.key: tf.VarLenFeature(tf.int64)}

  @property
  def _num_buckets(self):
    return 2

  def _transform_feature(self, inputs):
    value = inputs.get(self.key)
    return tf.SparseTensor(value.indices, value.values % 2, value.dense_shape)

  def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
    return fc._CategoricalColumn.IdWeightPair(inputs.get(self), None)


word, parity = LengthColumn('word'), ParityColumn('n')
features = {'word': tf.constant([['abc'], ['d']]), 'n': tf.SparseTensor([[0, 0], [1, 0]], tf.constant([3, 4], tf.int64), [2, 1])}
columns = [word, tf.feature_column.indicator_column(parity)]
net = tf.feature_column.input_layer(features, columns)
sums = tf.feature_column.linear_model(features, [word, parity])
print(isinstance(tf.feature_column.numeric_column('x'), fc_v2.NumericColumn))
print(sorted(tf.feature_column.make_parse_example_spec(columns)))
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  print(sess.run(net).tolist(), sess.run(sums).tolist())
"""


def test_columns_of_a_program(tmp_path):
  ran = package.script(tmp_path, OWN_COLUMNS)
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.splitlines() == ["True", "['n', 'word']", "[[0.0, 1.0, 3.0], [1.0, 0.0, 1.0]] [[0.0], [0.0]]"]
