"""tf.contrib.learn: texts, data sets of local files, queues of Examples, frames; tf.estimator.inputs of frames."""

import os

import numpy as np
import pytest

import millrace as tf

learn = tf.contrib.learn


def test_vocabulary_processor(tmp_path):
  documents = ["The cat sat on the mat", "the dog didn't"]
  processor = learn.preprocessing.VocabularyProcessor(max_document_length=4)
  rows = list(processor.fit_transform(documents))
  # The, cat, sat, on are 1 to 4, the is 5, mat 6.
  np.testing.assert_array_equal(rows[0], [1, 2, 3, 4])
  np.testing.assert_array_equal(rows[1], [5, 7, 8, 0])
  assert rows[0].dtype == np.int64 and len(processor.vocabulary_) == 9
  np.testing.assert_array_equal(next(processor.transform(["cat bird sat"])), [2, 0, 3, 0])
  assert list(processor.reverse([[2, 3, 0, 1]])) == ["cat sat <UNK> The"]
  path = str(tmp_path / "vocabulary")
  processor.save(path)
  again = learn.preprocessing.VocabularyProcessor.restore(path)
  np.testing.assert_array_equal(next(again.transform(["mat cat"])), [6, 2, 0, 0])
  frequent = learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
  np.testing.assert_array_equal(list(frequent.fit_transform(["b a a", "b a c"])), [[2, 1, 1], [2, 1, 0]])
  own = learn.preprocessing.VocabularyProcessor(2, tokenizer_fn=lambda texts: (text.split("|") for text in texts))
  np.testing.assert_array_equal(list(own.fit_transform(["x y|z", "z"])), [[1, 2], [2, 0]])
  given = learn.preprocessing.CategoricalVocabulary()
  given.add("known")
  shared = learn.preprocessing.VocabularyProcessor(2, vocabulary=given)
  np.testing.assert_array_equal(next(shared.fit(["other"]).transform(["other known"])), [2, 1])


def test_categories_of_columns(tmp_path):
  rows = [["red", "small"], ["blue", float("nan")], ["red", "large"]]
  processor = learn.preprocessing.CategoricalProcessor()
  assert [row.tolist() for row in processor.fit_transform(rows)] == [[1, 1], [2, 0], [1, 2]]
  (unknown,) = processor.transform([["green", "small"]])
  assert unknown.tolist() == [0, 1] and unknown.dtype == np.int64
  processor.save(str(tmp_path / "categories"))
  again = learn.preprocessing.CategoricalProcessor.restore(str(tmp_path / "categories"))
  assert isinstance(again, learn.preprocessing.CategoricalProcessor) and next(again.transform([["blue", "large"]])).tolist() == [
    2,
    2,
  ]
  frequent = learn.preprocessing.CategoricalProcessor(min_frequency=1).fit(rows)
  assert [row.tolist() for row in frequent.transform(rows)] == [[1, 0], [0, 0], [1, 0]]
  shared = learn.preprocessing.CategoricalProcessor(share=True)
  assert [row.tolist() for row in shared.fit_transform([["a", "b"], ["b", "a"]])] == [[1, 2], [2, 1]]
  given = learn.preprocessing.CategoricalVocabulary()
  own = learn.preprocessing.CategoricalProcessor(vocabularies=[given, given])
  own.fit([["x", "y"]])
  assert given.get("y") == 2


def test_tokens():
  (tokens,) = learn.preprocessing.tokenizer(["The HTMLParser isn't a well-known toolKit CamelCase, NASA_2"])
  # Runs of capitals are words where no small letter follows, and so is the capital's word before another capital.
  assert tokens == ["The", "HTML", "Parser", "isn't", "a", "well-known", "toolKit", "Camel", "Case", "NASA", "_2"]


def test_categorical_vocabulary():
  vocabulary = learn.preprocessing.CategoricalVocabulary(unknown_token="?", support_reverse=True)
  for word, count in (("a", 1), ("b", 3), ("c", 2), ("d", 3)):
    vocabulary.add(word, count)
  assert [vocabulary.get(word) for word in "abcd"] == [1, 2, 3, 4] and len(vocabulary) == 5
  vocabulary.trim(1)
  vocabulary.freeze()
  assert [vocabulary.get(word) for word in "abcd"] == [0, 1, 3, 2]
  assert [vocabulary.reverse(number) for number in range(4)] == ["?", "b", "d", "c"]
  vocabulary.freeze(False)
  assert vocabulary.get("new") == 4
  vocabulary.trim(1, max_frequency=3)
  vocabulary.freeze()
  assert [vocabulary.get(word) for word in "bcd"] == [0, 1, 0]
  with pytest.raises(ValueError, match="support_reverse"):
    learn.preprocessing.CategoricalVocabulary(support_reverse=False).reverse(0)


def test_bytes():
  processor = learn.preprocessing.ByteProcessor(max_document_length=4)
  rows = list(processor.fit(None).fit_transform(["ab", "äöü"]))
  np.testing.assert_array_equal(rows[0], [97, 98, 0, 0])
  np.testing.assert_array_equal(rows[1], list("äö".encode()))
  assert list(processor.reverse(rows)) == ["ab", "äö"] and rows[0].dtype == np.uint8


def test_csv_files(tmp_path, monkeypatch):
  base = learn.datasets.base
  path = str(tmp_path / "iris.csv")
  with open(path, "w") as file:
    file.write("3,2,a,b\n1.5,2.5,0\n3.5,4.5,1\n5.5,6.5,2\n")
  data = base.load_csv_with_header(path, target_dtype=int, features_dtype=np.float32)
  np.testing.assert_array_equal(data.data, [[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]])
  np.testing.assert_array_equal(data.target, [0, 1, 2])
  first = base.load_csv_with_header(path, target_dtype=np.float32, features_dtype=np.float32, target_column=0)
  np.testing.assert_array_equal(first.target, [1.5, 3.5, 5.5])
  plain = str(tmp_path / "plain.csv")
  with open(plain, "w") as file:
    file.write("1,x\n2,y\n3,z\n4,w\n")
  found = base.load_csv_without_header(plain, target_dtype=int, features_dtype=str, target_column=0)
  assert found.target.tolist() == [1, 2, 3, 4] and found.data[:, 0].tolist() == ["x", "y", "z", "w"]
  base.shrink_csv(plain, 2)
  assert open(str(tmp_path / "plain_small.csv")).read() == "1,x\n3,z\n"
  monkeypatch.setenv("MILLRACE_DATASETS", str(tmp_path))
  assert learn.datasets.load_iris().target.tolist() == [0, 1, 2] and learn.datasets.load_dataset("iris").data.shape == (3, 2)
  assert learn.datasets.load_iris(data_path=path).data.shape == base.load_iris(path).data.shape
  assert learn.datasets.load_boston(data_path=path).target.dtype == float and base.load_boston(path).data.shape == (3, 2)
  with pytest.raises(FileNotFoundError, match="boston is read from local files"):
    learn.datasets.load_dataset("boston")
  with pytest.raises(ValueError, match="Name of dataset is not found: other"):
    learn.datasets.load_dataset("other")
  os.makedirs(str(tmp_path / "dbpedia_csv"))
  for name, lines in (("train", 4), ("test", 2), ("train_small", 1), ("test_small", 1)):
    with open(str(tmp_path / "dbpedia_csv" / (name + ".csv")), "w") as file:
      file.write("".join(f"{i},title,text\n" for i in range(lines)))
  assert len(learn.datasets.load_dataset("dbpedia", size="large", test_with_fake_data=True).train.target) == 4
  assert len(base.load_dbpedia(size="small", test_with_fake_data=False).train.target) == 1
  assert base.maybe_download("plain.csv", str(tmp_path), "http://nowhere") == plain
  with pytest.raises(FileNotFoundError, match="load http://nowhere yourself"):
    base.maybe_download("absent", str(tmp_path), "http://nowhere")
  assert base.Datasets(1, 2, 3).validation == 2 and base.Dataset(1, 2).data == 1
  assert learn.datasets.mnist.read_data_sets("", fake_data=True).train.num_examples == 10000


@pytest.fixture
def records(tmp_path):
  for number in range(2):
    with tf.python_io.TFRecordWriter(str(tmp_path / f"part{number}")) as writer:
      for i in range(3):
        feature = {
          "x": tf.train.Feature(float_list=tf.train.FloatList(value=[number * 10.0 + i])),
          "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=list(range(i)))),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
  return str(tmp_path / "part*")


FEATURES = {"x": tf.FixedLenFeature([], tf.float32), "ids": tf.VarLenFeature(tf.int64)}
EVERYTHING = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]


def everything(tensors):
  found = []
  with tf.train.MonitoredSession() as session:
    while not session.should_stop():
      found.append(session.run(tensors))
  return found


def values_of(examples):
  return [
    tf.train.Example.FromString(example).features.feature["x"].float_list.value[0] for batch in examples for example in batch
  ]


def test_batches_of_examples(records):
  with tf.Graph().as_default():
    batch = learn.read_batch_examples(
      records,
      batch_size=4,
      reader=tf.TFRecordReader,
      randomize_input=False,
      num_epochs=1,
      queue_capacity=20,
      num_threads=1,
      read_batch_size=2,
      parse_fn=tf.identity,
      name="named",
      seed=3,
    )
    found = everything(batch)
    assert values_of(found) == EVERYTHING and [len(b) for b in found] == [4, 2] and batch.op.name == "named"
  with tf.Graph().as_default():
    keys, batch = learn.read_keyed_batch_examples(
      [records], 2, tf.TFRecordReader, randomize_input=True, num_epochs=2, queue_capacity=20, num_threads=2, read_batch_size=1
    )
    found = everything([keys, batch])
    assert sorted(values_of([b for _, b in found])) == sorted(EVERYTHING * 2)
    assert all(b"part" in key for keys, _ in found for key in keys)
  with tf.Graph().as_default():
    _, shared = learn.read_keyed_batch_examples_shared_queue(records, 3, tf.TFRecordReader, num_epochs=1, queue_capacity=10)
    assert sorted(values_of(everything(shared))) == EVERYTHING
  for arguments, words in [
    ({"batch_size": 0}, "Invalid batch_size 0"),
    ({"batch_size": 30, "queue_capacity": 20}, "Invalid batch_size 30"),
    ({"read_batch_size": 0}, "Invalid read_batch_size"),
    ({"num_threads": 0}, "Invalid num_threads"),
    ({"num_epochs": 0}, "Invalid num_epochs"),
    ({"file_pattern": "/nowhere*"}, "No files match"),
  ]:
    with pytest.raises(ValueError, match=words):
      learn.read_batch_examples(**{"file_pattern": records, "batch_size": 2, "reader": tf.TFRecordReader, **arguments})


def check_features(found):
  seen = []
  for batch in found:
    rows = {row: batch["ids"].indices[batch["ids"].indices[:, 0] == row, 1] for row in range(len(batch["x"]))}
    for row, x in enumerate(batch["x"]):
      assert len(rows[row]) == x % 10
      seen.append(float(x))
  assert sorted(seen) == EVERYTHING


def test_batches_of_features(records):
  with tf.Graph().as_default():
    features = learn.read_batch_features(
      records,
      4,
      FEATURES,
      tf.TFRecordReader,
      randomize_input=False,
      num_epochs=1,
      queue_capacity=30,
      feature_queue_capacity=3,
      reader_num_threads=1,
      num_enqueue_threads=1,
      parse_fn=None,
      name="n",
      read_batch_size=2,
    )
    check_features(everything(features))
  with tf.Graph().as_default():
    keys, features = learn.read_keyed_batch_features(
      records,
      2,
      FEATURES,
      tf.TFRecordReader,
      num_epochs=1,
      queue_capacity=30,
      reader_num_threads=2,
      feature_queue_capacity=5,
      num_enqueue_threads=2,
    )
    found = everything([keys, features])
    check_features([f for _, f in found])
    assert all(len(k) == len(f["x"]) for k, f in found)
  with tf.Graph().as_default():
    _, features = learn.read_keyed_batch_features_shared_queue(
      records, 2, FEATURES, tf.TFRecordReader, num_epochs=1, queue_capacity=30, num_queue_runners=1
    )
    check_features(everything(features))
  with tf.Graph().as_default():
    check_features(everything(learn.read_batch_record_features(records, 5, FEATURES, num_epochs=1, queue_capacity=30, name="d")))
  with tf.Graph().as_default():
    once = tf.train.limit_epochs(tf.constant([1.0, 2.0]), num_epochs=1)
    keys, features = learn.io.queue_parsed_features(
      {"x": once}, keys=None, feature_queue_capacity=2, num_enqueue_threads=1, name="q"
    )
    assert keys is None and [f["x"].tolist() for f in everything(features)] == [[1.0, 2.0]]


class Frame:
  """What pandas' frames have that is needed, so that pandas is not."""

  __module__ = "pandas.core.frame"

  def __init__(self, **columns):
    self._columns = {name: np.asarray(values) for name, values in columns.items()}
    self.columns = list(columns)
    self.index = np.arange(len(next(iter(self._columns.values()))))

  def __getitem__(self, name):
    return self._columns[name]

  @property
  def dtypes(self):
    return [column.dtype for column in self._columns.values()]

  @property
  def values(self):
    return np.stack(list(self._columns.values()), 1)


class Series(np.ndarray):
  index = property(lambda self: np.arange(len(self)))


def test_frames_as_input():
  x = Frame(a=[1, 2, 3], s=["x", "y", "z"])
  y = np.array([7.0, 8.0, 9.0]).view(Series)

  def run(input_fn):
    with tf.Graph().as_default():
      return everything(input_fn())

  pandas_input_fn = tf.estimator.inputs.pandas_input_fn
  first, second = run(
    pandas_input_fn(x, y, batch_size=2, num_epochs=1, shuffle=False, queue_capacity=9, num_threads=1, target_column="t")
  )
  assert first[0]["a"].tolist() == [1, 2] and first[0]["s"].tolist() == [b"x", b"y"] and first[1].tolist() == [7.0, 8.0]
  assert second[0]["a"].tolist() == [3]
  both = run(pandas_input_fn(x, Frame(a=[1, 2, 3], b=[4, 5, 6]), batch_size=3, shuffle=False))
  assert both[0][1]["b"].tolist() == [4, 5, 6] and both[0][1]["a"].tolist() == [1, 2, 3]
  alone = run(pandas_input_fn(x, batch_size=2, num_epochs=2, shuffle=True))
  assert sorted(value for batch in alone for value in batch["a"]) == [1, 1, 2, 2, 3, 3]
  with pytest.raises(ValueError, match="shuffle must be provided"):
    pandas_input_fn(x)
  with pytest.raises(ValueError, match="Cannot use name a for target column"):
    pandas_input_fn(x, y, shuffle=False, target_column="a")
  with pytest.raises(TypeError, match="target_column must be a string"):
    pandas_input_fn(x, y, shuffle=False, target_column=3)
  with pytest.raises(ValueError, match="Index for x and y are mismatched"):
    pandas_input_fn(x, Frame(b=[1, 2]), shuffle=False)
  of_learn = run(learn.io.pandas_input_fn(x, y, 3, 1, False, 10, 1, "t"))
  assert of_learn[0][1].tolist() == [7.0, 8.0, 9.0]
  arrays = run(
    learn.io.numpy_input_fn(
      {"x": np.arange(4)}, np.arange(4), batch_size=4, num_epochs=1, shuffle=False, queue_capacity=9, num_threads=1
    )
  )
  assert arrays[0][0]["x"].tolist() == [0, 1, 2, 3]


def test_frames_as_arrays():
  frame = Frame(a=[1, 2], b=[0.5, 1.5])
  np.testing.assert_array_equal(learn.extract_pandas_data(frame), [[1.0, 0.5], [2.0, 1.5]])
  np.testing.assert_array_equal(learn.extract_pandas_matrix(frame), frame.values)
  np.testing.assert_array_equal(learn.extract_pandas_labels(Frame(l=[3, 4])), [3, 4])
  assert (
    learn.extract_pandas_data([1]) == [1] and learn.extract_pandas_matrix([1]) == [1] and learn.extract_pandas_labels([1]) == [1]
  )
  with pytest.raises(ValueError, match="must be int, float, or bool"):
    learn.extract_pandas_data(Frame(s=["a", "b"]))
  with pytest.raises(ValueError, match="Only one column for labels"):
    learn.extract_pandas_labels(frame)
