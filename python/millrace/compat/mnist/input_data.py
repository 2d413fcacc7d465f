"""read_data_sets: MNIST from local files, as the tutorials read it.

The four files of MNIST (or of Fashion-MNIST) are looked for in the given folder, in $MILLRACE_DATASETS/mnist, in ~/.keras/datasets
(mnist.npz too), and where Debian's package dataset-fashion-mnist puts them if the folder is called like that. Nothing is loaded
from the network.
"""

import collections
import os

import numpy as np

from millrace.compat import idx_files
from millrace.framework import dtypes, seeds

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
_DataSets = Datasets
SOURCE_URL = DEFAULT_SOURCE_URL = ""
DEBIAN_FASHION = "/usr/share/datasets/fashion-mnist"


def extract_images(f):
  """Returns the images of an open file that is packed by gzip: uint8 [number, rows, columns, 1]."""
  import gzip

  with gzip.GzipFile(fileobj=f) as file:
    return idx_files.parse(file.read(), getattr(f, "name", ""))[..., np.newaxis]


def extract_labels(f, one_hot=False, num_classes=10):
  """Returns the labels of an open file that is packed by gzip: uint8 [number], or one-hot vectors."""
  import gzip

  with gzip.GzipFile(fileobj=f) as file:
    labels = idx_files.parse(file.read(), getattr(f, "name", ""))
  return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense, num_classes):
  """Returns float64 [number, num_classes] with a 1 at each label."""
  return np.eye(num_classes)[labels_dense.ravel()]


class DataSet:
  """Images and labels, in batches. Images are float32 in [0, 1] (or uint8), flat if `reshape`."""

  def __init__(self, images, labels, fake_data=False, one_hot=False, dtype=dtypes.float32, reshape=True, seed=None):
    seed1, seed2 = seeds.get_seed(seed)
    np.random.seed(seed1 if seed is None else seed2)
    dtype = dtypes.as_dtype(dtype).base_dtype
    if dtype not in (dtypes.uint8, dtypes.float32):
      raise TypeError("Invalid image dtype %r, expected uint8 or float32" % dtype)
    self._one_hot = one_hot
    self._fake = fake_data
    if fake_data:
      self._num_examples = 10000
      images = labels = None
    else:
      if images.shape[0] != labels.shape[0]:
        raise AssertionError("images.shape: %s labels.shape: %s" % (images.shape, labels.shape))
      self._num_examples = images.shape[0]
      if reshape:
        if images.shape[3] != 1:
          raise AssertionError("images have %d channels" % images.shape[3])
        images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
      if dtype == dtypes.float32:
        images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
    self._images = images
    self._labels = labels
    self._epochs_completed = 0
    self._index_in_epoch = 0

  @property
  def images(self):
    return self._images

  @property
  def labels(self):
    return self._labels

  @property
  def num_examples(self):
    return self._num_examples

  @property
  def epochs_completed(self):
    return self._epochs_completed

  def _shuffle(self):
    order = np.arange(self._num_examples)
    np.random.shuffle(order)
    self._images, self._labels = self._images[order], self._labels[order]

  def next_batch(self, batch_size, fake_data=False, shuffle=True):
    """Returns (images, labels) of the next `batch_size` examples; at the end of an epoch it goes on with the next one."""
    if fake_data or self._fake:
      label = [1] + [0] * 9 if self._one_hot else 0
      return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
    start = self._index_in_epoch
    if self._epochs_completed == 0 and start == 0 and shuffle:
      self._shuffle()
    if start + batch_size <= self._num_examples:
      self._index_in_epoch = start + batch_size
      return self._images[start : self._index_in_epoch], self._labels[start : self._index_in_epoch]
    self._epochs_completed += 1
    rest = self._num_examples - start
    images, labels = self._images[start:], self._labels[start:]
    if shuffle:
      self._shuffle()
    self._index_in_epoch = batch_size - rest
    return (
      np.concatenate((images, self._images[: self._index_in_epoch])),
      np.concatenate((labels, self._labels[: self._index_in_epoch])),
    )


def _find(train_dir):
  """Returns (train images, train labels, test images, test labels) from the first place that has them."""
  home = os.path.join(os.path.expanduser("~"), ".keras", "datasets")
  folders = [train_dir, os.path.join(train_dir, "mnist"), os.path.join(os.environ.get("MILLRACE_DATASETS", ""), "mnist"), home]
  folders.append(os.path.join(home, "mnist"))
  if "fashion" in os.path.basename(os.path.normpath(train_dir)).lower():
    folders += [os.path.join(home, "fashion-mnist"), DEBIAN_FASHION]
  for folder in folders:
    if folder and idx_files.has_all(folder):
      return idx_files.read_all(folder)
  packed = os.path.join(home, "mnist.npz")
  if os.path.exists(packed):
    with np.load(packed) as arrays:
      return arrays["x_train"], arrays["y_train"], arrays["x_test"], arrays["y_test"]
  raise FileNotFoundError(
    "read_data_sets(%r) reads local files: put train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and "
    "t10k-labels-idx1-ubyte.gz there, or mnist.npz in %s" % (train_dir, home)
  )


def read_data_sets(
  train_dir,
  fake_data=False,
  one_hot=False,
  dtype=dtypes.float32,
  reshape=True,
  validation_size=5000,
  seed=None,
  source_url=DEFAULT_SOURCE_URL,
):
  """Returns Datasets(train, validation, test), the first `validation_size` examples of the training set being the validation set."""
  del source_url
  if fake_data:

    def fake():
      return DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed)

    return Datasets(train=fake(), validation=fake(), test=fake())
  train_images, train_labels, test_images, test_labels = _find(train_dir)
  train_images, test_images = train_images[..., np.newaxis], test_images[..., np.newaxis]
  if one_hot:
    train_labels, test_labels = dense_to_one_hot(train_labels, 10), dense_to_one_hot(test_labels, 10)
  if not 0 <= validation_size <= len(train_images):
    raise ValueError("Validation size should be between 0 and %d. Received: %d." % (len(train_images), validation_size))
  options = {"dtype": dtype, "reshape": reshape, "seed": seed}
  return Datasets(
    train=DataSet(train_images[validation_size:], train_labels[validation_size:], **options),
    validation=DataSet(train_images[:validation_size], train_labels[:validation_size], **options),
    test=DataSet(test_images, test_labels, **options),
  )


def load_mnist(train_dir="MNIST-data"):
  return read_data_sets(train_dir)
