"""tf.keras.datasets: data sets from local files, as Keras leaves them in ~/.keras/datasets. Nothing is loaded from the network.

$MILLRACE_DATASETS names another folder. Fashion-MNIST is also found where Debian's package dataset-fashion-mnist puts it.
"""

import json
import os
import pickle
import tarfile

import numpy as np

from millrace.compat import idx_files

DEBIAN_FASHION = "/usr/share/datasets/fashion-mnist"


def folders():
  """Where data sets are looked for."""
  home = os.path.join(os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras"), "datasets")
  given = os.environ.get("MILLRACE_DATASETS")
  return [given, home] if given else [home]


def _find(what, *names):
  """Returns the first path that exists: of the given ones, below any folder, or as they are if they are absolute."""
  candidates = [os.path.join(folder, name) for name in names for folder in folders()]
  for path in candidates:
    if os.path.exists(path):
      return path
  raise FileNotFoundError(
    "%s is read from local files and is not there: put it at %s" % (what, " or ".join(dict.fromkeys(candidates)))
  )


def _unpickled(data):
  return pickle.loads(data, encoding="bytes")


class _Mnist:
  @staticmethod
  def load_data(path="mnist.npz"):
    """Returns (x_train, y_train), (x_test, y_test): uint8 images [60000 or 10000, 28, 28], labels 0 to 9."""
    for folder in folders():
      for below in (folder, os.path.join(folder, "mnist")):
        if idx_files.has_all(below):
          x_train, y_train, x_test, y_test = idx_files.read_all(below)
          return (x_train, y_train), (x_test, y_test)
    with np.load(_find("mnist", path), allow_pickle=False) as arrays:
      return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])


class _FashionMnist:
  @staticmethod
  def load_data():
    """Returns (x_train, y_train), (x_test, y_test): uint8 images [60000 or 10000, 28, 28], labels 0 to 9."""
    given = os.environ.get("FASHION_MNIST_DIR")
    places = [os.path.join(folder, "fashion-mnist") for folder in folders()] + ([given] if given else []) + [DEBIAN_FASHION]
    for place in places:
      if idx_files.has_all(place):
        x_train, y_train, x_test, y_test = idx_files.read_all(place)
        return (x_train, y_train), (x_test, y_test)
    raise FileNotFoundError(
      "fashion_mnist is read from local files and is not there: put its four files in %s, or install Debian's dataset-fashion-mnist"
      % places[0]
    )


class _Cifar10:
  @staticmethod
  def load_data():
    """Returns (x_train, y_train), (x_test, y_test): uint8 images [50000 or 10000, 32, 32, 3], labels [number, 1]."""
    path = _find("cifar10", "cifar-10-batches-py", "cifar-10-batches-py.tar.gz", "cifar-10-python.tar.gz")
    names = ["data_batch_%d" % number for number in range(1, 6)] + ["test_batch"]
    if os.path.isdir(path):
      batches = []
      for name in names:
        with open(os.path.join(path, name), "rb") as file:
          batches.append(_unpickled(file.read()))
    else:
      with tarfile.open(path) as archive:
        batches = [_unpickled(archive.extractfile("cifar-10-batches-py/" + name).read()) for name in names]
    images = [batch[b"data"].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1) for batch in batches]
    labels = [np.array(batch[b"labels"]).reshape(-1, 1) for batch in batches]
    x_train, y_train = np.concatenate(images[:5]), np.concatenate(labels[:5]).astype(np.uint8)
    return (x_train, y_train), (images[5], labels[5])


class _Imdb:
  @staticmethod
  def load_data(
    path="imdb.npz", num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2, index_from=3, **kwargs
  ):
    """Returns (x_train, y_train), (x_test, y_test): object arrays of lists of word numbers, and labels 0 or 1.

    Words are numbered by how frequent they are, from `index_from` on; those of `num_words` and above, and the `skip_top` most
    frequent ones, become `oov_char`, or are left out if that is None. Reviews of `maxlen` words and more are left out.
    """
    num_words = kwargs.pop("nb_words", num_words)
    if kwargs:
      raise TypeError("Unrecognized keyword arguments: %s" % (kwargs,))
    with np.load(_find("imdb", path), allow_pickle=True) as arrays:
      sets = [(arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])]
    random = np.random.RandomState(seed)
    shuffled = []
    for x, y in sets:
      order = np.arange(len(x))
      random.shuffle(order)
      shuffled.append((x[order], y[order]))
    (x_train, y_train), (x_test, y_test) = shuffled
    reviews, labels = list(x_train) + list(x_test), list(y_train) + list(y_test)
    count = len(x_train)
    offset = index_from or 0
    prefix = [] if start_char is None else [start_char]
    reviews = [prefix + [word + offset for word in review] for review in reviews]
    if maxlen:
      kept = [index for index, review in enumerate(reviews) if len(review) < maxlen]
      count = sum(index < count for index in kept)
      reviews, labels = [reviews[index] for index in kept], [labels[index] for index in kept]
      if not reviews:
        raise ValueError("After filtering for sequences shorter than maxlen=%s, no sequence was kept. Increase maxlen." % maxlen)
    limit = num_words or max(max(review) for review in reviews) + 1
    if oov_char is None:
      reviews = [[word for word in review if skip_top <= word < limit] for review in reviews]
    else:
      reviews = [[word if skip_top <= word < limit else oov_char for word in review] for review in reviews]
    return (_objects(reviews[:count]), np.array(labels[:count])), (_objects(reviews[count:]), np.array(labels[count:]))

  @staticmethod
  def get_word_index(path="imdb_word_index.json"):
    """Returns a dictionary from words to their numbers."""
    with open(_find("the words of imdb", path), encoding="utf-8") as file:
      return json.load(file)


def _objects(lists):
  out = np.empty(len(lists), object)
  out[:] = lists
  return out


mnist_load_data = _Mnist.load_data
fashion_mnist_load_data = _FashionMnist.load_data
cifar10_load_data = _Cifar10.load_data
imdb_load_data = _Imdb.load_data
imdb_get_word_index = _Imdb.get_word_index
