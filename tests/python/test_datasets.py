"""Data sets from local files: tf.keras.datasets and the tutorials' input_data."""

import gzip
import json
import os
import pickle

import numpy as np
import package


def write_idx(path, array):
  header = b"\0\0\x08" + bytes([array.ndim]) + b"".join(int(d).to_bytes(4, "big") for d in array.shape)
  with gzip.open(path, "wb") as file:
    file.write(header + array.astype(np.uint8).tobytes())


def write_mnist(folder, train=6000, test=10):
  os.makedirs(folder, exist_ok=True)
  for name, count in (("train", train), ("t10k", test)):
    images = np.arange(count * 4, dtype=np.int64).reshape(count, 2, 2) % 256
    write_idx(os.path.join(folder, name + "-images-idx3-ubyte.gz"), images)
    write_idx(os.path.join(folder, name + "-labels-idx1-ubyte.gz"), np.arange(count) % 10)


def run(folder, program):
  os.environ["MILLRACE_DATASETS"] = str(folder)
  try:
    return package.said("import millrace as tf\nimport numpy as np\n" + program)
  finally:
    del os.environ["MILLRACE_DATASETS"]


def test_mnist(tmp_path):
  write_mnist(str(tmp_path / "mnist"))
  run(
    tmp_path,
    """
(x, y), (a, b) = tf.keras.datasets.mnist.load_data()
assert x.shape == (6000, 2, 2) and x.dtype == np.uint8 and y[11] == 1 and a.shape == (10, 2, 2) and b.tolist() == list(range(10))
""",
  )


def test_fashion_mnist(tmp_path):
  write_mnist(str(tmp_path / "fashion-mnist"), train=20)
  run(tmp_path, "assert tf.keras.datasets.fashion_mnist.load_data()[0][0].shape == (20, 2, 2)\n")


def test_cifar10(tmp_path):
  folder = tmp_path / "cifar-10-batches-py"
  folder.mkdir()
  for number, name in enumerate(["data_batch_%d" % i for i in range(1, 6)] + ["test_batch"]):
    data = np.full((2, 3072), number, np.uint8)
    data[:, 1024:2048] = 100
    (folder / name).write_bytes(pickle.dumps({b"data": data, b"labels": [number, 9]}))
  run(
    tmp_path,
    """
(x, y), (a, b) = tf.keras.datasets.cifar10.load_data()
assert x.shape == (10, 32, 32, 3) and y.shape == (10, 1) and a.shape == (2, 32, 32, 3)
assert x[4, 0, 0].tolist() == [2, 100, 2] and y[4:6].tolist() == [[2], [9]] and b.tolist() == [[5], [9]]
""",
  )


def test_imdb(tmp_path):
  def objects(lists):
    out = np.empty(len(lists), object)
    out[:] = lists
    return out

  x, y = objects([[1, 2, 3], [4, 50], [6]]), np.array([0, 1, 0])
  np.savez(tmp_path / "imdb.npz", x_train=x, y_train=y, x_test=x, y_test=y)
  (tmp_path / "imdb_word_index.json").write_text(json.dumps({"the": 1}))
  run(
    tmp_path,
    """
data = tf.keras.datasets.imdb
(x, y), (a, b) = data.load_data(num_words=10, maxlen=4)
assert sorted(x) == [[1, 7, 2], [1, 9]] and data.get_word_index() == {"the": 1}, x
(x, y), _ = data.load_data(start_char=None, oov_char=None, index_from=0, skip_top=2)
assert sorted(x) == [[2, 3], [4, 50], [6]]
""",
  )


def test_what_is_missing_is_said(tmp_path):
  said = run(
    tmp_path,
    """
import os
os.environ["KERAS_HOME"] = "/nowhere"
from millrace.compat import datasets
datasets.DEBIAN_FASHION = "/nowhere"
for name in ("mnist", "fashion_mnist", "cifar10", "imdb"):
  try:
    getattr(tf.keras.datasets, name).load_data()
  except FileNotFoundError as error:
    print(error)
""",
  ).splitlines()
  assert len(said) == 4 and all(str(tmp_path) in line for line in said)


def test_input_data(tmp_path):
  write_mnist(str(tmp_path))
  text = """
import numpy as np
from tensorflow.examples.tutorials.mnist import input_data, mnist
sets = input_data.read_data_sets(%r, one_hot=True, validation_size=1000, seed=3)
assert sets.train.num_examples == 5000 and sets.validation.num_examples == 1000 and sets.test.num_examples == 10
images, labels = sets.train.next_batch(100)
assert images.shape == (100, 4) and images.dtype == np.float32 and images.max() <= 1 and labels.shape == (100, 10)
plain = input_data.read_data_sets(%r, reshape=False, validation_size=0)
images, labels = plain.train.next_batch(7, shuffle=False)
assert images.shape == (7, 2, 2, 1) and labels.tolist() == [0, 1, 2, 3, 4, 5, 6]
for _ in range(60):
  sets.train.next_batch(100)
assert sets.train.epochs_completed == 1
assert mnist.IMAGE_PIXELS == 784
fake = input_data.read_data_sets("", fake_data=True)
assert len(fake.train.next_batch(3)[0]) == 3
try:
  input_data.read_data_sets("/nowhere")
except FileNotFoundError as error:
  print(error)
""" % (str(tmp_path), str(tmp_path))
  ran = package.script(tmp_path, text)
  assert ran.returncode == 0, ran.stderr
