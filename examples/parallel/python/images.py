"""Images in ten classes: Fashion-MNIST where it is, else generated ones of the same form."""

import gzip
import os

import numpy as np

PIXELS = 28 * 28
CLASSES = 10
# That of Debian's package dataset-fashion-mnist.
DEBIAN_FOLDER = "/usr/share/datasets/fashion-mnist"
_TRAIN, _TEST = 60_000, 10_000
_SMALL_TRAIN, _SMALL_TEST = 2_000, 500
_IMAGES_MAGIC, _LABELS_MAGIC = 0x803, 0x801


class Images:
  """`train` and `test` are uint8 [n, 784], their labels int32 [n]; `source` says in words what they are."""

  def __init__(self, source, train, train_labels, test, test_labels):
    self.source = source
    self.train, self.train_labels = train, train_labels
    self.test, self.test_labels = test, test_labels

  def first(self, train, test):
    """The first images of each set alone."""
    return Images(self.source, self.train[:train], self.train_labels[:train], self.test[:test], self.test_labels[:test])


def load(folder=None, small=False):
  """The images of a folder, which has the four files of Fashion-MNIST; FileNotFoundError names the one that it lacks.

  Without a folder those of $FASHION_MNIST_DIR or Debian's package; where there are none, generated ones. With `small` the first 2,000
  and 500, and generated ones wherever no folder is given, so that tests do not depend on what is installed.
  """
  if folder is None and not small:
    places = [os.environ.get("FASHION_MNIST_DIR"), DEBIAN_FOLDER]
    folder = next((place for place in places if place and os.path.exists(place)), None)
  if folder is None:
    return generated(*((_SMALL_TRAIN, _SMALL_TEST) if small else (_TRAIN, _TEST)))
  train, test = (_read_set(folder, part, count) for part, count in (("train", _TRAIN), ("t10k", _TEST)))
  images = Images("Fashion-MNIST", *train, *test)
  return images.first(_SMALL_TRAIN, _SMALL_TEST) if small else images


def generated(train, test, seed=0):
  """Images that can be told apart, though not without mistakes: each class has three drawings, made of soft spots, and an image is one of
  them, shifted by up to two pixels, fainter or stronger, with another class's drawing faintly over it, and noise. The same seed gives
  the same images."""
  random = np.random.RandomState(seed)
  drawings = np.stack([_drawing(random) for _ in range(CLASSES * 3)])  # of class c: 3 c to 3 c + 2
  labels = random.randint(0, CLASSES, train + test).astype(np.int32)
  images = np.empty([train + test, 28, 28], np.uint8)
  for begin in range(0, len(labels), 10_000):
    rows = slice(begin, begin + 10_000)
    own = labels[rows] * 3 + random.randint(0, 3, len(labels[rows]))
    over = random.randint(0, len(drawings), len(own))
    strength = random.uniform(0.4, 1.0, [len(own), 1, 1]).astype(np.float32)
    noise = random.standard_normal([len(own), 28, 28]).astype(np.float32)
    pixels = _shifted(drawings[own], random) * strength + 0.35 * _shifted(drawings[over], random) + 0.15 * noise
    images[rows] = np.clip(pixels * 200, 0, 255).astype(np.uint8)
  images = images.reshape([-1, PIXELS])
  return Images("generated images", images[:train], labels[:train], images[train:], labels[train:])


def _drawing(random):
  """Six soft spots: float32 [28, 28], at most 1."""
  y, x = np.mgrid[0:28, 0:28]
  spots = [
    np.exp(-((x - random.uniform(5, 23)) ** 2 + (y - random.uniform(5, 23)) ** 2) / (2 * random.uniform(1.5, 3.5) ** 2))
    for _ in range(6)
  ]
  return (np.sum(spots, 0) / np.max(np.sum(spots, 0))).astype(np.float32)


def _shifted(pictures, random):
  """Each shifted by -2 to 2 pixels down and across."""
  out = np.empty_like(pictures)
  shifts = random.randint(-2, 3, [len(pictures), 2])
  for down in range(-2, 3):
    for across in range(-2, 3):
      chosen = (shifts[:, 0] == down) & (shifts[:, 1] == across)
      out[chosen] = np.roll(pictures[chosen], (down, across), (1, 2))
  return out


def _read_set(folder, part, count):
  images = _read(os.path.join(folder, part + "-images-idx3-ubyte.gz"), _IMAGES_MAGIC, [count, 28, 28])
  labels = _read(os.path.join(folder, part + "-labels-idx1-ubyte.gz"), _LABELS_MAGIC, [count])
  return images.reshape([count, PIXELS]), labels.astype(np.int32)


def _read(path, magic, shape):
  """A file of IDX: the magic number and the sizes, 4 bytes each with the highest first, then the bytes."""
  try:
    with gzip.open(path) as f:
      content = f.read()
  except FileNotFoundError:
    raise FileNotFoundError(
      "%s is not there: install the Debian package dataset-fashion-mnist, or give a folder with the four files of Fashion-MNIST"
      % path
    ) from None
  head = np.frombuffer(content, ">i4", 1 + len(shape)) if len(content) >= 4 + 4 * len(shape) else []
  if list(head) != [magic, *shape] or len(content) != 4 + 4 * len(shape) + np.prod(shape):
    raise ValueError("%s is no file of %s bytes of Fashion-MNIST: it begins with %s" % (path, shape, list(head)))
  return np.frombuffer(content, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)
