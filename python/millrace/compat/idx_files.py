"""Reads IDX files, in which MNIST and Fashion-MNIST come, plain or packed by gzip."""

import gzip
import os

import numpy as np

FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def find(folder, name):
  """Returns the path of a file in a folder, packed or not, with a dash or a dot before "idx"; None if there is none."""
  for variant in (name, name.replace("-idx", ".idx")):
    for end in (".gz", ""):
      path = os.path.join(folder, variant + end)
      if os.path.exists(path):
        return path
  return None


def has_all(folder):
  return all(find(folder, name) for name in FILES)


def read(path):
  """Returns the uint8 array of a file. Raises ValueError for what is none."""
  with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
    return parse(file.read(), path)


def parse(data, path):
  if len(data) < 4 or data[:3] != b"\0\0\x08":
    raise ValueError("Invalid magic number %d in file: %s" % (int.from_bytes(data[:4], "big"), path))
  rank = data[3]
  shape = np.frombuffer(data, ">u4", rank, 4).astype(np.int64)
  return np.frombuffer(data, np.uint8, int(np.prod(shape)), 4 + 4 * rank).reshape(shape)


def read_all(folder):
  """Returns (train images, train labels, test images, test labels)."""
  return tuple(read(find(folder, name)) for name in FILES)
