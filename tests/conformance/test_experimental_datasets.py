"""Data sets of tf.data.experimental by the stock client, on servers of ours and of stock: the same elements, ends and errors."""

import gzip

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402
from data_elements import PLENTY, drain, numbers  # noqa: E402
from tensorflow.python.data.experimental.ops import readers  # noqa: E402
from tensorflow.python.data.ops import dataset_ops  # noqa: E402

tf1 = tf.compat.v1
Dataset = tf1.data.Dataset
experimental = tf1.data.experimental
raw = tf.raw_ops


class Made(dataset_ops.DatasetSource):
  """A data set that a raw op gives."""

  def __init__(self, variant, spec):
    self._spec = spec
    super().__init__(variant)

  @property
  def element_spec(self):
    return self._spec


NUMBER = tf.TensorSpec([], tf.int64)


def variant(dataset):
  return dataset._variant_tensor


def function_of(body, *specs):
  return tf.function(body, input_signature=specs, autograph=False).get_concrete_function()


def as_written(dataset):
  """Without stock's own rewriting, which makes other words of errors."""
  options = tf.data.Options()
  options.experimental_optimization.apply_default_optimizations = False
  return dataset.with_options(options)


def windows(dataset, key, size, reduce=lambda _, window: window.batch(10)):
  return dataset.apply(experimental.group_by_window(key, reduce, window_size_func=size))


def reduced(dataset, key, init, reduce, finalize=lambda state: state):
  return dataset.apply(experimental.group_by_reducer(key, experimental.Reducer(init, reduce, finalize)))


def inverse(*values):
  """6 divided by each, an error for 0."""
  return as_written(numbers(*values).map(lambda x: 6 // x))


def first_branch(dataset, *branches):
  variants = tf.TensorSpec([], tf.variant)
  return Made(
    raw.ChooseFastestBranchDataset(
      input_dataset=variant(dataset),
      ratio_numerator=np.int64(2),
      ratio_denominator=np.int64(1),
      other_arguments=[],
      num_elements_per_branch=2,
      branches=[function_of(branch, variants) for branch in branches],
      other_arguments_lengths=[0] * len(branches),
      output_types=[tf.int64],
      output_shapes=[[None]],
    ),
    tf.TensorSpec([None], tf.int64),
  )


def pairs(dataset):
  return raw.BatchDatasetV2(
    input_dataset=dataset, batch_size=np.int64(2), drop_remainder=False, output_types=[tf.int64], output_shapes=[[None]]
  )


def old_group_by_window():
  """By the op's first name, whose functions the client's wrapper does not make."""
  variants = tf.TensorSpec([], tf.variant)
  return Made(
    raw.ExperimentalGroupByWindowDataset(
      input_dataset=variant(Dataset.range(9)),
      key_func_other_arguments=[],
      reduce_func_other_arguments=[],
      window_size_func_other_arguments=[],
      key_func=function_of(lambda x: x % 2, NUMBER),
      reduce_func=function_of(lambda _, window: pairs(window), NUMBER, variants),
      window_size_func=function_of(lambda key: 3 - key, NUMBER),
      output_types=[tf.int64],
      output_shapes=[[None]],
    ),
    tf.TensorSpec([None], tf.int64),
  )


SEQUENCES = {
  "windows": lambda: windows(Dataset.range(11), lambda x: x % 3, lambda key: key + 2),
  "windows_of_one": lambda: windows(Dataset.range(6), lambda x: x % 2, lambda key: 2 * key + 1),
  "windows_negative_keys": lambda: windows(Dataset.range(6), lambda x: -x, lambda _: np.int64(2)),
  "windows_of_nothing": lambda: windows(Dataset.range(0), lambda x: x, lambda _: np.int64(2)),
  "windows_repeated": lambda: windows(Dataset.range(7), lambda x: x % 2, lambda _: np.int64(2)).repeat(2),
  "windows_twice": lambda: windows(Dataset.range(5), lambda x: x % 2, lambda _: np.int64(2), lambda k, w: w.repeat(2)),
  "windows_dropped": lambda: windows(Dataset.range(6), lambda x: x % 2, lambda _: np.int64(2), lambda k, w: w.take(0)),
  "windows_pairs": lambda: windows(
    Dataset.zip((Dataset.range(7), numbers(*range(7)).map(tf.as_string))),
    lambda x, _: x % 2,
    lambda _: np.int64(3),
    lambda k, w: Dataset.zip((Dataset.from_tensors(k), w.batch(9))),
  ),
  "windows_capture": lambda: windows(
    Dataset.range(8), lambda x, m=tf.constant(3, tf.int64): x % m, lambda _: tf.constant(2, tf.int64)
  ),
  "windows_no_size": lambda: windows(Dataset.range(4), lambda x: x % 2, lambda key: key),
  "windows_key_error": lambda: windows(numbers(1, 0, 2, 3), lambda x: 6 // x, lambda _: np.int64(2)),
  "windows_size_error": lambda: windows(Dataset.range(6), lambda x: x % 2, lambda key: 2 // key),
  "windows_input_error": lambda: windows(inverse(1, 0, 2, 3), lambda x: x % 2, lambda _: np.int64(2)),
  "windows_result_error": lambda: windows(
    Dataset.range(8), lambda x: x % 2, lambda _: np.int64(2), lambda k, _: as_written(Dataset.range(2).map(lambda y: y // k))
  ),
  "old_windows": old_group_by_window,
  "buckets": lambda: (
    Dataset.range(1, 9)
    .map(lambda x: tf.fill([x % 5], x))
    .apply(experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 4], [2, 2, 3]))
  ),
  "reducer": lambda: reduced(Dataset.range(10), lambda x: -(x % 3), lambda key: key * 100, lambda s, x: s + x),
  "reducer_pairs": lambda: reduced(
    Dataset.range(5), lambda x: x % 2, lambda key: (key, "s"), lambda s, x: (s[0] + x, s[1] + "x"), lambda a, b: (b, a)
  ),
  "reducer_of_nothing": lambda: reduced(Dataset.range(0), lambda x: x, lambda key: key, lambda s, x: s + x),
  "reducer_key_error": lambda: reduced(numbers(1, 0, 2, 3), lambda x: 6 // x, lambda key: key, lambda s, x: s + x),
  "reducer_init_error": lambda: reduced(Dataset.range(4), lambda x: x % 2, lambda key: 6 // key, lambda s, x: s + x),
  "reducer_error": lambda: reduced(Dataset.range(4), lambda x: x % 2, lambda key: key, lambda s, x: s // x),
  "reducer_final_error": lambda: reduced(
    Dataset.range(6), lambda x: x % 3, lambda key: key - 1, lambda s, x: s, lambda s: 6 // s
  ),
  "unique": lambda: numbers(3, 1, 3, 2, 1).apply(experimental.unique()),
  "unique_error": lambda: inverse(1, 0, 2, 2, 0, 6).apply(experimental.unique()),
  "choose": lambda: experimental.choose_from_datasets([Dataset.range(2), Dataset.range(10, 14)], numbers(0, 1, 1, 0, 0, 1, 0, 1)),
  "choose_error": lambda: experimental.choose_from_datasets([inverse(1, 0, 2), Dataset.range(3)], numbers(0, 0, 1, 0, 1)),
  "sample": lambda: experimental.sample_from_datasets([Dataset.range(9), Dataset.range(20, 29)], [0.3, 0.7], seed=4).take(9),
  "random": lambda: experimental.RandomDataset(seed=7).take(5),
  "sampling": lambda: Made(
    raw.SamplingDataset(
      input_dataset=variant(Dataset.range(20)),
      rate=0.4,
      seed=np.int64(3),
      seed2=np.int64(9),
      output_types=[tf.int64],
      output_shapes=[[]],
    ),
    NUMBER,
  ),
  "ignore_errors": lambda: inverse(1, 0, 2, 0, 0, 3).apply(experimental.ignore_errors()),
  "sliding_error": lambda: Made(
    raw.SlidingWindowDataset(
      input_dataset=variant(inverse(1, 0, 2, 3, 0, 6)),
      window_size=np.int64(2),
      window_shift=np.int64(1),
      window_stride=np.int64(1),
      output_types=[tf.int64],
      output_shapes=[[None]],
    ),
    tf.TensorSpec([None], tf.int64),
  ),
  "sparse_batch": lambda: Dataset.range(1, 6).map(lambda x: tf.fill([x], x)).apply(experimental.dense_to_sparse_batch(2, [6])),
  "sparse_slices": lambda: Dataset.from_tensor_slices(tf1.SparseTensor([[0, 1], [0, 2], [2, 0]], [1.5, 2.5, 3.5], [4, 3])),
  "first_branch": lambda: first_branch(Dataset.range(7), pairs, pairs),
  "rejection": lambda: (
    Dataset.range(40).map(lambda x: x % 2).apply(experimental.take_while(lambda x: x >= 0)).apply(experimental.unique())
  ),
}


@pytest.mark.parametrize("name", sorted(SEQUENCES))
def test_sequence(on_both, name):
  """On a ps, by an iterator that is begun twice."""

  def program(cluster):
    with tf.device("/job:ps/task:1"):
      iterator = tf1.data.make_initializable_iterator(SEQUENCES[name]())
      following = iterator.get_next()
    with tf1.Session(cluster.target("worker")) as session:
      seen = []
      for _ in range(2):
        session.run(iterator.initializer)
        seen.append(drain(session, following))
      return seen

  on_both(program)


SAVED = {
  "windows": lambda: windows(Dataset.range(23), lambda x: x % 3, lambda key: key + 2, lambda _, w: w.repeat(2)),
  "reducer": lambda: reduced(Dataset.range(10), lambda x: x % 7, lambda key: key, lambda s, x: s + x),
  "choose": lambda: experimental.choose_from_datasets([Dataset.range(9), Dataset.range(10, 14)], numbers(0, 1, 1, 0, 0, 1, 0, 1)),
  "unique": lambda: numbers(*[(7 * i) % 13 for i in range(40)]).apply(experimental.unique()),
  "sampling": lambda: experimental.RandomDataset(seed=3).take(9),
}


@pytest.mark.parametrize("name", sorted(SAVED))
@pytest.mark.parametrize("taken", [1, 2, 5])
def test_saved(our_cluster, name, taken):
  """An iterator that is restored goes on as the one that was saved."""
  with tf1.Graph().as_default(), tf.device("/job:ps/task:0"):
    dataset = SAVED[name]()
    iterator = tf1.data.make_initializable_iterator(dataset)
    other = tf1.data.make_initializable_iterator(dataset)
    state = raw.SerializeIterator(resource_handle=iterator._iterator_resource)
    restore = raw.DeserializeIterator(resource_handle=other._iterator_resource, serialized=state)
    following, after = iterator.get_next(), other.get_next()
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run([iterator.initializer, other.initializer])
      for _ in range(taken):
        session.run(following, options=PLENTY)
      session.run(restore)
      elements, restored = drain(session, following)[:-1], drain(session, after)[:-1]
      assert elements
      np.testing.assert_equal(restored, elements)


def test_matching_files(on_both, tmp_path):
  for name in ("b.txt", "a.txt", "a.csv", "folder/c.txt"):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("x")

  def program(cluster):
    seen = {}
    patterns = {
      "star": [str(tmp_path / "*.txt")],
      "all": str(tmp_path / "*"),
      "twice": [str(tmp_path / "a*"), str(tmp_path / "*.txt")],
      "nested": [str(tmp_path / "*" / "*.txt")],
      "plain": [str(tmp_path / "a.txt")],
      "some": [str(tmp_path / "*.zip"), str(tmp_path / "a.*")],
      "none": [str(tmp_path / "*.zip")],
      "no_folder": [str(tmp_path / "gone" / "*")],
    }
    with tf.device("/job:ps/task:0"):
      nexts = {}
      for name, pattern in patterns.items():
        made = Made(raw.MatchingFilesDataset(patterns=pattern), tf.TensorSpec([], tf.string))
        nexts[name] = tf1.data.make_one_shot_iterator(made).get_next()
    with tf1.Session(cluster.target("worker")) as session:
      for name, following in nexts.items():
        seen[name] = drain(session, following, 5)
      return seen

  on_both(program)


CSV = {
  "types": (b"1,2,3.5,4.5,x\n-1,7,1e3,nan,\n", [tf.int32, tf.int64, tf.float32, tf.float64, [""]], {}),
  "line_ends": (b"1,a\r\n2,b\r3,c\n4,d", [tf.int32, tf.string], {}),
  "header": (b'"h\nh",i\n1,2\n', [tf.int32, tf.int32], dict(header=True)),
  "header_only": (b"h,i", [tf.int32, tf.int32], dict(header=True)),
  "quotes": (b'"a,""b""","c\nd"\n"e",f\n"",""\n', [[""], [""]], {}),
  "no_quotes": (b'"a,b"\n', [tf.string, tf.string], dict(use_quote_delim=False)),
  "bad_quotes": (b'a"b,c\nd,e\n"f"g",h\ni,j\n', [tf.string, tf.string], {}),
  "open_quote": (b'a,b\n"c,d\n', [tf.string, tf.string], {}),
  "missing": (b"1,\n,2\nNA,3\n", [tf.int32, [8]], dict(na_value="NA")),
  "fields": (b"1\n2,3,4\n5,6\n\n7,8,\n9,0\n", [tf.int32, tf.int32], {}),
  "numbers": (b"1,x\nx,1\n99999999999,1\n2,3\n", [tf.int32, tf.float32], {}),
  "selected": (b"1,2,3\n4,5,6\n7,8\n", [tf.int32, tf.int32], dict(select_cols=[0, 2])),
  "excluded": (b"1,2,3\n4,5,6\n", [tf.int32, tf.int32], dict(exclude_cols=[1])),
  "delimiter": (b"1;2\n", [tf.int32, tf.int32], dict(field_delim=";")),
  "empty": (b"", [tf.int32], {}),
}


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_csv(on_both, tmp_path, compression):
  files = {}
  for name, (text, _, _) in CSV.items():
    files[name] = str(tmp_path / name)
    with open(files[name], "wb") as f:
      f.write(gzip.compress(text) if compression else text)
  many = str(tmp_path / "many")
  with gzip.open(many, "wb") if compression else open(many, "wb") as f:
    for i in range(3000):
      f.write(b'%d,"%s"\n' % (i, b"text " * (i % 40)))

  def program(cluster):
    with tf.device("/job:ps/task:0"):
      nexts = {}
      for name, (_, defaults, options) in CSV.items():
        made = readers.CsvDatasetV2([files[name]] * 2, defaults, compression or None, **options)
        nexts[name] = tf1.data.make_one_shot_iterator(made).get_next()
      made = readers.CsvDatasetV2([many], [tf.int64, [""]], compression or None).batch(1000)
      nexts["many"] = tf1.data.make_one_shot_iterator(made).get_next()
      gone = readers.CsvDatasetV2([str(tmp_path / "gone")], [tf.int32])
      nexts["gone"] = tf1.data.make_one_shot_iterator(gone.take(2)).get_next()
    with tf1.Session(cluster.target("worker")) as session:
      return {name: drain(session, following, 12) for name, following in nexts.items()}

  on_both(program)


CSV_BAD = {
  "delimiter": dict(field_delim=";;"),
  "columns": dict(select_cols=[1, 0]),
  "negative": dict(select_cols=[-1, 0]),
  "count": dict(select_cols=[0]),
  "buffer": dict(buffer_size=0),
  "compression": dict(compression_type="ZIP"),
}


@pytest.mark.parametrize("name", sorted(CSV_BAD))
def test_bad_csv(on_both, tmp_path, name):
  def program(cluster):
    iterator = tf1.data.make_initializable_iterator(
      readers.CsvDatasetV2([str(tmp_path / "x")], [tf.int32, tf.int32], **CSV_BAD[name])
    )
    with tf1.Session(cluster.target("worker")) as session:
      return outcome(lambda: session.run(iterator.initializer))

  on_both(program)


def test_parsed_examples(on_both):
  def example(**features):
    made = {}
    for key, values in features.items():
      if isinstance(values[0], bytes):
        made[key] = tf1.train.Feature(bytes_list=tf1.train.BytesList(value=values))
      elif isinstance(values[0], float):
        made[key] = tf1.train.Feature(float_list=tf1.train.FloatList(value=values))
      else:
        made[key] = tf1.train.Feature(int64_list=tf1.train.Int64List(value=values))
    return tf1.train.Example(features=tf1.train.Features(feature=made)).SerializeToString()

  messages = [example(a=[1, 2], b=[1.5], c=[b"x"]), example(a=[3], b=[2.5]), example(a=[5, 6, 7], b=[3.5], c=[b"y", b"z"])]

  def program(cluster):
    features = {
      "a": tf1.io.VarLenFeature(tf.int64),
      "b": tf1.io.FixedLenFeature([], tf.float32),
      "c": tf1.io.VarLenFeature(tf.string),
      "d": tf1.io.FixedLenFeature([2], tf.int64, [7, 8]),
    }
    required = {"c": tf1.io.FixedLenFeature([], tf.string)}
    batches = Dataset.from_tensor_slices(messages * 3).batch(2)
    with tf.device("/job:ps/task:1"):
      nexts = [
        tf1.data.make_one_shot_iterator(batches.apply(experimental.parse_example_dataset(wanted, 2))).get_next()
        for wanted in (features, required)
      ]
    with tf1.Session(cluster.target("worker")) as session:
      return [drain(session, following, 7) for following in nexts]

  on_both(program)


WRITTEN = {
  "plain": (lambda: Dataset.range(3000).map(tf.as_string), ""),
  "gzip": (lambda: Dataset.range(30).map(tf.as_string), "GZIP"),
  "zlib": (lambda: Dataset.range(30).map(tf.as_string), "ZLIB"),
  "empty": (lambda: Dataset.from_tensor_slices(["a"]).take(0), ""),
  "error": (lambda: as_written(inverse(1, 2, 0, 3).map(tf.as_string)), ""),
  "numbers": (lambda: Dataset.range(3), ""),
  "pairs": (lambda: Dataset.zip((Dataset.from_tensors("a"), Dataset.from_tensors("b"))), ""),
  "no/folder": (lambda: Dataset.from_tensors("a"), ""),
}


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_written_records(on_both, tmp_path, name):
  make, kind = WRITTEN[name]

  def program(cluster):
    path = str(tmp_path / (name if "/" in name else cluster.kind + name))
    with tf.device("/job:ps/task:0"):
      write = raw.DatasetToTFRecord(input_dataset=variant(make()), filename=path, compression_type=kind)
    with tf1.Session(cluster.target("worker")) as session:
      seen = outcome(lambda: session.run(write))
    if name in ("numbers", "pairs", "no/folder"):
      return seen
    options = tf1.io.TFRecordOptions({"": 0, "ZLIB": 1, "GZIP": 2}[kind])
    return seen, list(tf1.io.tf_record_iterator(path, options))

  on_both(program)


def test_sharded_files(on_both, tmp_path):
  """By files where the data set, or a function of it, reads them, else by elements."""
  files = []
  for i in range(5):
    files.append(str(tmp_path / str(i)))
    (tmp_path / str(i)).write_text("".join(f"{i}{j}\n" for j in range(3)))

  def shard(dataset, policy, spec):
    return Made(
      raw.AutoShardDataset(
        input_dataset=variant(dataset),
        num_workers=np.int64(2),
        index=np.int64(1),
        auto_shard_policy=policy,
        output_types=[spec.dtype],
        output_shapes=[spec.shape],
      ),
      spec,
    )

  text = tf.TensorSpec([], tf.string)

  def program(cluster):
    lines = tf1.data.TextLineDataset(files)
    made = {
      "files": shard(lines, 1, text),
      "files_or_data": shard(lines, 0, text),
      "data": shard(lines, 2, text),
      "off": shard(lines, -1, text),
      "interleaved": shard(Dataset.from_tensor_slices(files).interleave(tf1.data.TextLineDataset, 2), 0, text),
      "listed": shard(Dataset.list_files(str(tmp_path / "*"), shuffle=False).flat_map(tf1.data.TextLineDataset), 1, text),
      "mapped": shard(lines.map(lambda x: x + "!").repeat(2), 1, text),
      "numbers": shard(Dataset.range(7), 0, NUMBER),
    }
    with tf.device("/job:ps/task:0"):
      nexts = {name: tf1.data.make_one_shot_iterator(ds).get_next() for name, ds in made.items()}
    with tf1.Session(cluster.target("worker")) as session:
      return {name: drain(session, following) for name, following in nexts.items()}

  on_both(program)


def test_a_sleep_that_times_out_loses_nothing(our_cluster):
  with tf1.Graph().as_default(), tf.device("/job:ps/task:0"):
    slow = Made(
      raw.SleepDataset(
        input_dataset=variant(Dataset.range(3)), sleep_microseconds=np.int64(600_000), output_types=[tf.int64], output_shapes=[[]]
      ),
      NUMBER,
    )
    iterator = tf1.data.make_initializable_iterator(slow)
    following = iterator.get_next()
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(iterator.initializer)
      late = outcome(lambda: session.run(following, options=tf1.RunOptions(timeout_in_ms=100)))
      assert late[0] == "DeadlineExceededError"
      assert drain(session, following)[:-1] == [0, 1, 2]


def test_an_endless_window_ends_with_its_step(our_cluster):
  """No window is ever full, and the input has no end."""
  with tf1.Graph().as_default(), tf.device("/job:ps/task:0"):
    endless = windows(Dataset.range(3).repeat(), lambda x: x, lambda _: np.int64(1 << 40))
    iterator = tf1.data.make_initializable_iterator(endless)
    following = iterator.get_next()
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(iterator.initializer)
      late = outcome(lambda: session.run(following, options=tf1.RunOptions(timeout_in_ms=500)))
      assert late[0] == "DeadlineExceededError"
      assert session.run(tf.constant(3), options=PLENTY) == 3


def test_a_file_that_is_not_there_ends_what_ignores_errors(our_cluster, tmp_path):
  """It is an error at every call, so that stock passes over it for ever. Damaged files are passed over, as there."""
  for name, text in (("damaged", "no record"), ("some", None)):
    if text is None:
      with tf.io.TFRecordWriter(str(tmp_path / name)) as writer:
        writer.write(b"one")
    else:
      (tmp_path / name).write_text(text * 9)
  with tf1.Graph().as_default(), tf.device("/job:ps/task:0"):
    names = tf1.placeholder(tf.string, [None])
    records = tf1.data.TFRecordDataset(names).apply(experimental.ignore_errors())
    iterator = tf1.data.make_initializable_iterator(records)
    following = iterator.get_next()
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(iterator.initializer, {names: [str(tmp_path / n) for n in ("damaged", "some", "absent", "some")]})
      assert session.run(following, options=PLENTY) == b"one"
      for _ in range(2):
        assert outcome(lambda: session.run(following, options=PLENTY))[0] == "NotFoundError"
      session.run(iterator.initializer, {names: [str(tmp_path / n) for n in ("damaged", "some", "damaged")]})
      assert session.run(following, options=PLENTY) == b"one"
      assert outcome(lambda: session.run(following, options=PLENTY))[0] == "OutOfRangeError"


def test_shards_wait_for_each_other(our_cluster):
  """An element that nobody takes stops the other shard, and an operation that times out takes none."""
  with tf1.Graph().as_default(), tf.device("/job:ps/task:0"):
    handle = raw.MultiDeviceIterator(
      devices=["/cpu:0", "/cpu:1"], shared_name="", container="", output_types=[tf.int64], output_shapes=[[]]
    )
    begin = raw.MultiDeviceIteratorInit(
      dataset=variant(Dataset.range(7)), multi_device_iterator=handle, max_buffer_size=np.int64(1)
    )
    first, second = (
      raw.MultiDeviceIteratorGetNextFromShard(
        multi_device_iterator=handle, shard_num=shard, incarnation_id=np.int64(1), output_types=[tf.int64], output_shapes=[[]]
      )[0]
      for shard in (0, 1)
    )
    with tf1.Session(our_cluster.target("worker")) as session:
      assert session.run(begin) == 1
      assert [session.run(first, options=PLENTY) for _ in range(2)] == [0, 2]
      late = outcome(lambda: session.run(first, options=tf1.RunOptions(timeout_in_ms=300)))
      assert late[0] == "DeadlineExceededError"
      assert session.run(second, options=PLENTY) == 1
      assert session.run([first, second], options=PLENTY) == [4, 3]
      assert drain(session, second)[:-1] == [5]  # the other way round the end would wait for 5 to be taken
      assert drain(session, first)[:-1] == [6]


def test_the_place_in_the_first_branch(our_cluster):
  """The branch makes its data set again."""
  with tf1.Graph().as_default():
    made = first_branch(Dataset.range(12), pairs, pairs)
    elements = {"output_types": [tf.int64], "output_shapes": [[None]]}
    iterator = raw.IteratorV2(shared_name="", container="", **elements)
    begin = raw.MakeIterator(dataset=variant(made), iterator=iterator)
    element = raw.IteratorGetNext(iterator=iterator, **elements)
    state = raw.SerializeIterator(resource_handle=iterator, external_state_policy=1)
    restore = raw.DeserializeIterator(resource_handle=iterator, serialized=state)
    for after in range(4):
      with tf1.Session(our_cluster.target("worker")) as session:
        session.run(begin)
        seen = [session.run(element)[0] for _ in range(after)]
        session.run(restore)
        # Also of a state that nobody has used yet.
        session.run(restore)
        seen += [got[0] for got in drain(session, element)[:-1]]
        np.testing.assert_array_equal(seen, np.arange(12).reshape(6, 2))


def test_the_place_of_a_generator_is_not_saved(our_cluster):
  """In stock neither."""
  with tf1.Graph().as_default():
    elements = {"output_types": [tf.int64], "output_shapes": [[]]}
    made = raw.GeneratorDataset(
      init_func_other_args=[],
      next_func_other_args=[],
      finalize_func_other_args=[],
      init_func=function_of(lambda: tf.constant(7, tf.int64)),
      next_func=function_of(lambda state: state, NUMBER),
      finalize_func=function_of(lambda state: state, NUMBER),
      **elements,
    )
    iterator = raw.IteratorV2(shared_name="", container="", **elements)
    begin = raw.MakeIterator(dataset=made, iterator=iterator)
    element = raw.IteratorGetNext(iterator=iterator, **elements)
    state = raw.SerializeIterator(resource_handle=iterator, external_state_policy=1)
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(begin)
      assert session.run(element) == [7]
      with pytest.raises(tf.errors.UnimplementedError, match="GeneratorDataset does not support checkpointing"):
        session.run(state.op)
      assert session.run(element) == [7]
