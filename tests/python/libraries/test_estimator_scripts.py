"""Programs of 2016 to 2018 with estimators, run unchanged by `python -m millrace`."""

import package
import pytest

SCRIPTS = {}

SCRIPTS["convolutions of tf.layers with hooks"] = """
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)


def cnn_model_fn(features, labels, mode):
  input_layer = tf.reshape(features["x"], [-1, 8, 8, 1])
  conv1 = tf.layers.conv2d(inputs=input_layer, filters=8, kernel_size=[3, 3], padding="same", activation=tf.nn.relu)
  pool1 = tf.layers.max_pooling2d(inputs=conv1, pool_size=[2, 2], strides=2)
  flat = tf.reshape(pool1, [-1, 4 * 4 * 8])
  dense = tf.layers.dense(inputs=flat, units=32, activation=tf.nn.relu)
  dropout = tf.layers.dropout(inputs=dense, rate=0.1, training=mode == tf.estimator.ModeKeys.TRAIN)
  logits = tf.layers.dense(inputs=dropout, units=2)
  predictions = {
    "classes": tf.argmax(input=logits, axis=1),
    "probabilities": tf.nn.softmax(logits, name="softmax_tensor"),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode=mode, predictions=predictions)
  onehot_labels = tf.one_hot(indices=tf.cast(labels, tf.int32), depth=2)
  loss = tf.losses.softmax_cross_entropy(onehot_labels=onehot_labels, logits=logits)
  if mode == tf.estimator.ModeKeys.TRAIN:
    optimizer = tf.train.AdamOptimizer(learning_rate=0.01)
    train_op = optimizer.minimize(loss=loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)
  eval_metric_ops = {"accuracy": tf.metrics.accuracy(labels=labels, predictions=predictions["classes"])}
  return tf.estimator.EstimatorSpec(mode=mode, loss=loss, eval_metric_ops=eval_metric_ops)


def main(unused_argv):
  random = np.random.RandomState(0)
  labels = random.randint(2, size=200).astype(np.int32)
  data = random.rand(200, 64).astype(np.float32)
  data[labels == 1, :32] += 0.5
  classifier = tf.estimator.Estimator(model_fn=cnn_model_fn, model_dir="convnet_model")
  logging_hook = tf.train.LoggingTensorHook(tensors={"probabilities": "softmax_tensor"}, every_n_iter=50)
  train_input_fn = tf.estimator.inputs.numpy_input_fn(x={"x": data}, y=labels, batch_size=50, num_epochs=None, shuffle=True)
  classifier.train(input_fn=train_input_fn, steps=60, hooks=[logging_hook])
  eval_input_fn = tf.estimator.inputs.numpy_input_fn(x={"x": data}, y=labels, num_epochs=1, shuffle=False)
  results = classifier.evaluate(input_fn=eval_input_fn)
  assert results["accuracy"] > 0.95, results
  print("accuracy is good at step", results["global_step"])


if __name__ == "__main__":
  tf.app.run()
"""

SCRIPTS["premade network on a csv file"] = """
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", default=20, type=int)
parser.add_argument("--train_steps", default=200, type=int)

COLUMNS = ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth", "Species"]
TYPES = [[0.0], [0.0], [0.0], [0.0], [0]]


def parse_line(line):
  fields = tf.decode_csv(line, record_defaults=TYPES)
  features = dict(zip(COLUMNS, fields))
  label = features.pop("Species")
  return features, label


def csv_input_fn(path, batch_size, repeat=True):
  dataset = tf.data.TextLineDataset(path).skip(1).map(parse_line)
  if repeat:
    dataset = dataset.shuffle(100).repeat()
  return dataset.batch(batch_size)


def main(argv):
  args = parser.parse_args(argv[1:])
  with open("iris.csv", "w") as file:
    file.write("60,4,a,b,c\\n")
    for i in range(60):
      file.write("%.1f,%.1f,%.1f,%.1f,%d\\n" % (5 + i % 3, 3 + i % 2 * 0.1, 1 + 2 * (i % 3), 0.5 * (i % 3), i % 3))
  columns = [tf.feature_column.numeric_column(key=key) for key in COLUMNS[:-1]]
  config = tf.estimator.RunConfig(tf_random_seed=1)  # from some first weights ten units learn nothing
  classifier = tf.estimator.DNNClassifier(feature_columns=columns, hidden_units=[10, 10], n_classes=3, config=config)
  classifier.train(input_fn=lambda: csv_input_fn("iris.csv", args.batch_size), steps=args.train_steps)
  result = classifier.evaluate(input_fn=lambda: csv_input_fn("iris.csv", args.batch_size, repeat=False))
  assert result["accuracy"] > 0.9, result
  predict_x = {"SepalLength": [5.0, 7.0], "SepalWidth": [3.0, 3.0], "PetalLength": [1.0, 5.0], "PetalWidth": [0.0, 1.0]}
  predictions = classifier.predict(
    input_fn=lambda: tf.data.Dataset.from_tensor_slices(predict_x).batch(args.batch_size)
  )
  template = 'Prediction is "{}" ({})'
  for pred_dict, expected in zip(predictions, [0, 2]):
    class_id = pred_dict["class_ids"][0]
    print(template.format(class_id, expected))
    assert class_id == expected and pred_dict["probabilities"][class_id] > 0.5


if __name__ == "__main__":
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run(main)
"""

SCRIPTS["the first steps of tf.contrib.learn"] = """
import numpy as np
import tensorflow as tf

x_train = np.array([1., 2., 3., 4.])
y_train = np.array([0., -1., -2., -3.])
x_eval = np.array([2., 5., 8., 1.])
y_eval = np.array([-1.01, -4.1, -7, 0.])

features = [tf.contrib.layers.real_valued_column("x", dimension=1)]
estimator = tf.contrib.learn.LinearRegressor(feature_columns=features)
input_fn = tf.contrib.learn.io.numpy_input_fn({"x": x_train}, y_train, batch_size=4, num_epochs=300)
eval_input_fn = tf.contrib.learn.io.numpy_input_fn({"x": x_eval}, y_eval, batch_size=4, num_epochs=300)
estimator.fit(input_fn=input_fn, steps=300)
train_loss = estimator.evaluate(input_fn=input_fn)
eval_loss = estimator.evaluate(input_fn=eval_input_fn)
assert train_loss["loss"] < 0.3 and eval_loss["loss"] < 0.6, (train_loss, eval_loss)


def model(features, labels, mode):
  W = tf.get_variable("W", [1], dtype=tf.float64)
  b = tf.get_variable("b", [1], dtype=tf.float64)
  y = W * features["x"] + b
  loss = tf.reduce_sum(tf.square(y - labels))
  global_step = tf.train.get_global_step()
  optimizer = tf.train.GradientDescentOptimizer(0.01)
  train = tf.group(optimizer.minimize(loss), tf.assign_add(global_step, 1))
  return tf.contrib.learn.ModelFnOps(mode=mode, predictions=y, loss=loss, train_op=train)


estimator = tf.contrib.learn.Estimator(model_fn=model)
input_fn = tf.contrib.learn.io.numpy_input_fn({"x": x_train}, y_train, 4, num_epochs=300)
estimator.fit(input_fn=input_fn, steps=300)
train_loss = estimator.evaluate(input_fn=input_fn)
print("train loss: %r" % train_loss)
assert train_loss["loss"] < 0.1
"""

SCRIPTS["flowers by tf.contrib.learn with a monitor"] = """
import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn
from tensorflow.contrib.learn.python.learn.metric_spec import MetricSpec

random = np.random.RandomState(1)
target = random.randint(3, size=120)
data = (random.rand(120, 4) + target[:, np.newaxis]).astype(np.float32)
with open("iris_training.csv", "w") as file:
  file.write("120,4,setosa,versicolor,virginica\\n")
  for row, label in zip(data, target):
    file.write(",".join("%f" % number for number in row) + ",%d\\n" % label)
training_set = learn.datasets.base.load_csv_with_header(filename="iris_training.csv", target_dtype=int, features_dtype=np.float32)
feature_columns = [tf.contrib.layers.real_valued_column("", dimension=4)]
metrics = {
  "accuracy": MetricSpec(metric_fn=tf.contrib.metrics.streaming_accuracy, prediction_key=learn.PredictionKey.CLASSES),
}
monitor = learn.monitors.ValidationMonitor(
  training_set.data, training_set.target, every_n_steps=50, metrics=metrics, early_stopping_metric="loss",
  early_stopping_metric_minimize=True, early_stopping_rounds=200,
)
classifier = learn.DNNClassifier(
  feature_columns=feature_columns, hidden_units=[10, 20, 10], n_classes=3, model_dir="iris_model",
  config=learn.RunConfig(save_checkpoints_secs=1),
)
classifier.fit(x=training_set.data, y=training_set.target, steps=400, monitors=[monitor])
accuracy_score = classifier.evaluate(x=training_set.data, y=training_set.target)["accuracy"]
print("Accuracy: {0:f}".format(accuracy_score))
assert accuracy_score > 0.9
new_samples = np.array([[0.4, 0.4, 0.4, 0.4], [2.6, 2.6, 2.6, 2.6]], dtype=float)
y = list(classifier.predict(new_samples, as_iterable=True))
print("Predictions: {}".format(str(y)))
assert y == [0, 2]
"""

SCRIPTS["texts by bags of words"] = """
import numpy as np
import tensorflow as tf

learn = tf.contrib.learn
MAX_DOCUMENT_LENGTH = 6
EMBEDDING_SIZE = 8
n_words = 0


def bag_of_words_model(features, target):
  target = tf.one_hot(target, 2, 1, 0) if target is not None else None
  features = tf.contrib.layers.embed_sequence(features, vocab_size=n_words, embed_dim=EMBEDDING_SIZE, scope="words")
  features = tf.reduce_max(features, axis=1)
  logits = tf.contrib.layers.fully_connected(features, 2, activation_fn=None)
  loss, train_op = None, None
  if target is not None:
    loss = tf.contrib.losses.softmax_cross_entropy(logits, target)
    train_op = tf.contrib.layers.optimize_loss(
      loss, tf.contrib.framework.get_global_step(), optimizer="Adam", learning_rate=0.05
    )
  return {"class": tf.argmax(logits, 1), "prob": tf.nn.softmax(logits)}, loss, train_op


texts = ["good film", "a very good one", "bad film", "this is bad", "good good", "bad bad story"] * 5
labels = np.array([1, 1, 0, 0, 1, 0] * 5)
vocab_processor = learn.preprocessing.VocabularyProcessor(MAX_DOCUMENT_LENGTH)
x_train = np.array(list(vocab_processor.fit_transform(texts)))
n_words = len(vocab_processor.vocabulary_)
print("Total words: %d" % n_words)
classifier = learn.SKCompat(learn.Estimator(model_fn=bag_of_words_model))
classifier.fit(x_train, labels, steps=200)
x_test = np.array(list(vocab_processor.transform(["good good", "bad bad story"])))
predictions = classifier.predict(x_test)
assert predictions["class"].tolist() == [1, 0], predictions
print("classes", predictions["class"])
"""

SCRIPTS["wide and deep with exports"] = """
import sys
import tempfile
import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("model_type", "wide_n_deep", "")
tf.app.flags.DEFINE_integer("train_steps", 30, "")

JOBS = ["clerk", "farmer", "pilot"]


def build_estimator(model_dir, model_type):
  job = tf.feature_column.categorical_column_with_vocabulary_list("job", JOBS)
  native = tf.feature_column.categorical_column_with_hash_bucket("native", 10)
  age = tf.feature_column.numeric_column("age", normalizer_fn=lambda x: x / 50.0 - 1.0)
  buckets = tf.feature_column.bucketized_column(age, boundaries=[20 / 50.0 - 1, 40 / 50.0 - 1, 60 / 50.0 - 1])
  wide = [job, native, buckets, tf.feature_column.crossed_column(["job", buckets], hash_bucket_size=20)]
  deep = [age, tf.feature_column.indicator_column(job), tf.feature_column.embedding_column(native, dimension=2)]
  config = tf.estimator.RunConfig().replace(save_checkpoints_steps=60, keep_checkpoint_max=3, tf_random_seed=5)
  if model_type == "wide":
    return tf.estimator.LinearClassifier(feature_columns=wide, model_dir=model_dir, config=config)
  return tf.estimator.DNNLinearCombinedClassifier(
    model_dir=model_dir, linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[16, 8],
    dnn_optimizer=tf.train.AdamOptimizer(0.01), config=config
  )


def input_fn(num_epochs, shuffle):
  random = np.random.RandomState(2)
  age = random.randint(10, 70, size=200).astype(np.float32)
  job = np.array(JOBS)[random.randint(3, size=200)]
  label = ((age > 40) | (job == "pilot")).astype(np.int64)
  features = {"age": age, "job": job, "native": np.array(["here", "there"])[random.randint(2, size=200)]}
  dataset = tf.data.Dataset.from_tensor_slices((features, label))
  if shuffle:
    dataset = dataset.shuffle(200)
  return dataset.repeat(num_epochs).batch(100)


def main(_):
  for model_type in ("wide", FLAGS.model_type):
    estimator = build_estimator(tempfile.mkdtemp(), model_type)
    spec = {
      "age": tf.FixedLenFeature([1], tf.float32),
      "job": tf.FixedLenFeature([1], tf.string),
      "native": tf.FixedLenFeature([1], tf.string),
    }
    exporter = tf.estimator.FinalExporter("census", tf.estimator.export.build_parsing_serving_input_receiver_fn(spec))
    train_spec = tf.estimator.TrainSpec(input_fn=lambda: input_fn(None, True), max_steps=FLAGS.train_steps * 3)
    eval_spec = tf.estimator.EvalSpec(input_fn=lambda: input_fn(1, False), steps=None, exporters=[exporter], throttle_secs=0)
    metrics, exports = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
    assert metrics["accuracy"] > 0.8, metrics
    example = tf.train.Example()
    example.features.feature["age"].float_list.value.append(65.0)
    example.features.feature["job"].bytes_list.value.append(b"clerk")
    example.features.feature["native"].bytes_list.value.append(b"here")
    predict = tf.contrib.predictor.from_saved_model(exports[0].decode("utf-8"), signature_def_key="predict")
    output = predict({"examples": [example.SerializeToString()]})
    print(model_type, output["class_ids"][0][0])
    assert output["class_ids"][0][0] == 1


if __name__ == "__main__":
  tf.app.run(main=main, argv=[sys.argv[0]])
"""

SCRIPTS["an experiment by learn_runner"] = """
import json
import os
import tensorflow as tf
from tensorflow.contrib.learn import learn_runner
from tensorflow.contrib.learn.python.learn.estimators import run_config as run_config_lib
from tensorflow.contrib.learn.python.learn.utils import saved_model_export_utils
from tensorflow.contrib.training import HParams


def model_fn(features, labels, mode, params):
  y = tf.squeeze(tf.layers.dense(features["x"], 1, name="y"), 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
  loss = tf.losses.mean_squared_error(labels, y)
  train_op = tf.contrib.layers.optimize_loss(
    loss, tf.contrib.framework.get_global_step(), learning_rate=params.learning_rate, optimizer=tf.train.AdamOptimizer
  )
  metrics = {"rmse": tf.metrics.root_mean_squared_error(labels, y)}
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def make_input_fn(epochs):
  def _input_fn():
    x = tf.constant([[0.0], [1.0], [2.0], [3.0]])
    rows = tf.train.slice_input_producer([x, 2.0 * tf.squeeze(x, 1) - 1.0], num_epochs=epochs, shuffle=True)
    x, y = tf.train.batch(rows, batch_size=4, capacity=20)
    return {"x": x}, y

  return _input_fn


def serving_input_fn():
  x = tf.placeholder(tf.float32, [None, 1])
  return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def experiment_fn(run_config, hparams):
  estimator = tf.estimator.Estimator(model_fn=model_fn, config=run_config, params=hparams)
  return tf.contrib.learn.Experiment(
    estimator=estimator,
    train_input_fn=make_input_fn(None),
    eval_input_fn=make_input_fn(1),
    train_steps=hparams.train_steps,
    eval_steps=None,
    min_eval_frequency=100,
    export_strategies=[saved_model_export_utils.make_export_strategy(serving_input_fn, exports_to_keep=1)],
  )


hparams = HParams(learning_rate=0.1, train_steps=600)
hparams.parse("learning_rate=0.05")
run_config = run_config_lib.RunConfig(model_dir="experiment", save_checkpoints_steps=100)
metrics, exports = learn_runner.run(experiment_fn, run_config=run_config, schedule="train_and_evaluate", hparams=hparams)
print("rmse", metrics["rmse"] < 0.1, os.listdir("experiment/export"))
assert metrics["rmse"] < 0.1, metrics
assert tf.contrib.predictor.from_saved_model(exports[0].decode())({"x": [[5.0]]})["y"][0] > 8
"""

SCRIPTS["an estimator of sequences with embeddings and a warm start"] = """
import numpy as np
import tensorflow as tf


def lstm_model_fn(features, labels, mode, params):
  embeddings = tf.get_variable("embeddings", [params["vocab"], 8])
  inputs = tf.nn.embedding_lookup(embeddings, features["ids"])
  cell = tf.nn.rnn_cell.BasicLSTMCell(num_units=12)
  _, state = tf.nn.dynamic_rnn(cell, inputs, sequence_length=features["length"], dtype=tf.float32)
  logits = tf.layers.dense(state.h, 1)
  head = tf.contrib.estimator.binary_classification_head()
  optimizer = tf.train.AdamOptimizer(0.05)
  return head.create_estimator_spec(
    features=features, mode=mode, labels=labels, logits=logits,
    train_op_fn=lambda loss: optimizer.minimize(loss, global_step=tf.train.get_global_step()),
  )


def input_fn():
  random = np.random.RandomState(0)
  ids = random.randint(1, 10, size=(64, 5))
  labels = (ids == 3).any(axis=1).astype(np.int64)
  data = tf.data.Dataset.from_tensor_slices(({"ids": ids, "length": np.full(64, 5)}, labels))
  return data.repeat(50).batch(64)


estimator = tf.estimator.Estimator(lstm_model_fn, "sequences", params={"vocab": 10})
estimator.train(input_fn)
results = estimator.evaluate(input_fn, steps=2)
assert results["accuracy"] > 0.85, results
other = tf.estimator.Estimator(
  lstm_model_fn, "more", params={"vocab": 10},
  warm_start_from=tf.estimator.WarmStartSettings("sequences", vars_to_warm_start=".*"),
)
other.train(input_fn, steps=1)
again = other.evaluate(input_fn, steps=2)
print(results["global_step"], again["global_step"], again["accuracy"] > 0.85)
assert again["accuracy"] > 0.85, again
"""


@pytest.mark.parametrize("name", list(SCRIPTS))
def test_script(name, tmp_path):
  ran = package.script(tmp_path, SCRIPTS[name])
  assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
  assert ran.stdout.strip()
