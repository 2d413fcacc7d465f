"""Data sets of CSV files. Nothing is loaded from the network."""

import collections
import csv
import os

import numpy as np

import millrace as tf
from millrace.compat import datasets as local

Dataset = collections.namedtuple("Dataset", ["data", "target"])
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


def _target_of(row, target_column):
  return row.pop(target_column)


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
  """A Dataset of a CSV file whose first line has the numbers of rows and of features; one column is the target."""
  with tf.gfile.Open(filename) as file:
    rows = csv.reader(file)
    header = next(rows)
    num_rows, num_features = int(header[0]), int(header[1])
    data = np.zeros((num_rows, num_features), features_dtype)
    target = np.zeros(num_rows, target_dtype)
    for i, row in enumerate(rows):
      target[i] = np.asarray(_target_of(row, target_column), dtype=target_dtype)
      data[i] = np.asarray(row, dtype=features_dtype)
  return Dataset(data=data, target=target)


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
  """A Dataset of a CSV file all of whose lines are rows."""
  data, target = [], []
  with tf.gfile.Open(filename) as file:
    for row in csv.reader(file):
      target.append(_target_of(row, target_column))
      data.append(np.asarray(row, dtype=features_dtype))
  return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def shrink_csv(filename, ratio):
  """Writes every `ratio`th line of a CSV file into a file beside it, called with "_small"."""
  base, _, extension = filename.rpartition(".")
  with tf.gfile.Open(filename) as source, tf.gfile.Open(f"{base}_small.{extension}", "w") as target:
    for i, line in enumerate(source.read().splitlines()):
      if i % ratio == 0:
        target.write(line + "\n")


def maybe_download(filename, work_directory, source_url):
  """The path of a file in a folder. Raises FileNotFoundError if it isn't there: nothing is loaded from the network."""
  path = os.path.join(work_directory, filename)
  if not tf.gfile.Exists(path):
    raise FileNotFoundError(
      f"{filename} is read from local files and is not there: load {source_url} yourself and put it at {path}"
    )
  return path


def _local_csv(name, data_path):
  if data_path is not None:
    return data_path
  return local._find(name, name + ".csv")


def load_iris(data_path=None):
  """The Dataset of irises: four lengths, and one of three species; from iris.csv in the folder of data sets, or a given file."""
  return load_csv_with_header(_local_csv("iris", data_path), target_dtype=int, features_dtype=float)


def load_boston(data_path=None):
  """The Dataset of houses in Boston, from boston.csv in the folder of data sets, or a given file."""
  return load_csv_with_header(_local_csv("boston", data_path), target_dtype=float, features_dtype=float)


def load_dbpedia(size="small", test_with_fake_data=False):
  """Datasets of texts of fourteen classes, from train.csv and test.csv of the folder dbpedia_csv of data sets."""
  del test_with_fake_data
  folder = local._find("dbpedia", "dbpedia_csv")
  suffix = "_small" if size == "small" and os.path.exists(os.path.join(folder, "train_small.csv")) else ""
  train = load_csv_without_header(os.path.join(folder, f"train{suffix}.csv"), np.int32, str, target_column=0)
  test = load_csv_without_header(os.path.join(folder, f"test{suffix}.csv"), np.int32, str, target_column=0)
  return Datasets(train=train, validation=None, test=test)


def load_dataset(name, size="small", test_with_fake_data=False):
  """A data set by its name: iris, boston, mnist or dbpedia. Raises ValueError for another name."""
  from millrace.compat.mnist import input_data

  loaders = {"iris": load_iris, "boston": load_boston, "mnist": input_data.load_mnist, "dbpedia": load_dbpedia}
  if name not in loaders:
    raise ValueError(f"Name of dataset is not found: {name}")
  if name == "dbpedia":
    return load_dbpedia(size, test_with_fake_data)
  return loaders[name]()
