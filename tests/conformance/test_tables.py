"""Lookup tables by the stock client: values, codes and first words of ours and of stock are the same."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome, outcome_of_failure  # noqa: E402
from tensorflow.python.ops import lookup_ops  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops
lookup = tf.lookup


def static_table(keys, values, default, key_dtype=None, value_dtype=None, **options):
  return lookup.StaticHashTable(lookup.KeyValueTensorInitializer(keys, values, key_dtype, value_dtype), default, **options)


def session_of(cluster, **options):
  return tf1.Session(cluster.target("worker"), config=tf1.ConfigProto(operation_timeout_in_ms=60_000), **options)


def exported(session, table):
  """Keys and values of a table whose order is nobody's business."""
  keys, values = session.run(table.export())
  order = np.argsort(keys.astype(str))
  return {"keys": keys[order].tolist(), "values": values[order].tolist()}


PAIRS = [
  (tf.int32, tf.float64),
  (tf.int32, tf.string),
  (tf.int64, tf.float32),
  (tf.int64, tf.int64),
  (tf.int64, tf.string),
  (tf.string, tf.bool),
  (tf.string, tf.int32),
  (tf.string, tf.string),
]


def some(dtype, numbers):
  if dtype == tf.string:
    return [f"word {n}" for n in numbers]
  return [bool(n % 2) for n in numbers] if dtype == tf.bool else list(numbers)


@pytest.mark.parametrize("key,value", PAIRS, ids=[f"{k.name}-{v.name}" for k, v in PAIRS])
def test_static_tables(on_both, key, value):
  def program(cluster):
    table = static_table(some(key, [1, 2, 3]), some(value, [10, 20, 31]), some(value, [99])[0], key, value)
    fed = tf1.placeholder(key)
    found = table.lookup(fed)
    sparse = table.lookup(tf.SparseTensor([[0, 0], [1, 2]], tf.constant(some(key, [3, 7]), key), [2, 3]))
    with session_of(cluster) as session:
      before = outcome(lambda: session.run(found, {fed: some(key, [1])}))
      empty = session.run(table.size())
      session.run(tf1.tables_initializer())
      session.run(tf1.tables_initializer())
      return {
        "before": before,
        "empty": empty,
        "size": session.run(table.size()),
        "vector": session.run(found, {fed: some(key, [3, 4, 1])}),
        "matrix": session.run(found, {fed: [some(key, [1, 2]), some(key, [0, 5])]}),
        "scalar": session.run(found, {fed: some(key, [2])[0]}),
        "none": session.run(found, {fed: np.zeros([0, 3], key.as_numpy_dtype)}),
        "sparse": list(session.run(sparse)),
        "all": exported(session, table),
      }

  on_both(program)


def test_tables_that_are_filled_twice(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:1"):
      handle = raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="twice")
      fill = {
        "first": (["a", "b"], [1, 2]),
        "same": (["a", "b"], [1, 2]),
        "values": (["a", "b"], [3, 4]),
        "longer": (["a", "b", "c"], [1, 2, 3]),
        "conflict": (["a", "a"], [1, 2]),
      }
      fill = {
        name: raw.InitializeTableV2(table_handle=handle, keys=k, values=tf.constant(v, tf.int64)) for name, (k, v) in fill.items()
      }
      insert = raw.LookupTableInsertV2(table_handle=handle, keys=["x"], values=tf.constant([1], tf.int64))
      remove = raw.LookupTableRemoveV2(table_handle=handle, keys=["x"])
      wrong = raw.InitializeTableV2(table_handle=handle, keys=["x"], values=[1.0])
      content = raw.LookupTableExportV2(table_handle=handle, Tkeys=tf.string, Tvalues=tf.int64)
      size = raw.LookupTableSizeV2(table_handle=handle)
    with session_of(cluster) as session:
      seen = {
        "content": outcome_of_failure(cluster, lambda: session.run(content))[:2],
        "size": session.run(size),
        "wrong": outcome(lambda: session.run(wrong)),
        "insert": outcome(lambda: session.run(insert)),
        "remove": outcome(lambda: session.run(remove)),
        "conflict": outcome(lambda: session.run(fill["conflict"])),
      }
    tf1.Session.reset(cluster.target("worker"))
    with session_of(cluster) as session:
      for name in ("first", "same", "values", "longer"):
        seen[name] = outcome(lambda name=name: session.run(fill[name]))
      seen["then"] = session.run(size), sorted(session.run(content)[0].tolist())
    return seen

  on_both(program)


@pytest.mark.parametrize("key", [tf.string, tf.int64], ids=["string", "int64"])
def test_vocabularies_with_buckets_for_the_rest(on_both, key):
  def program(cluster):
    words = some(key, [3, 1, 2])
    table = lookup.StaticVocabularyTable(
      lookup.KeyValueTensorInitializer(tf.constant(words, key), tf.range(3, dtype=tf.int64)), num_oov_buckets=5
    )
    ids = tf1.placeholder(key)
    found = table.lookup(ids)
    with session_of(cluster) as session:
      before = outcome(lambda: session.run(found, {ids: words}))
      session.run(tf1.tables_initializer())
      return {"before": before, "found": session.run(found, {ids: some(key, range(10))}), "size": session.run(table.size())}

  on_both(program)


def test_index_tables(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:0"):
      index = lookup_ops.index_table_from_tensor(["emerson", "lake", "palmer"], num_oov_buckets=2)
      numbers = lookup_ops.index_table_from_tensor(tf.constant([7, 5], tf.int64), default_value=-7, dtype=tf.int64)
      back = lookup_ops.index_to_string_table_from_tensor(["emerson", "lake", "palmer"], default_value="?")
    found = {
      "index": index.lookup(tf.constant([["lake", "and"], ["palmer", "tarkus"]])),
      "numbers": numbers.lookup(tf.constant([5, 6, 7], tf.int64)),
      "back": back.lookup(tf.constant([2, 0, 9], tf.int64)),
    }
    with session_of(cluster) as session:
      session.run(tf1.tables_initializer())
      return session.run(found)

  on_both(program)


def test_tables_from_files(on_both, tmp_path):
  (tmp_path / "words").write_text("emerson\nlake\r\npalmer")
  (tmp_path / "fields").write_text("1\tone\t1.5\n2\ttwo\t-inf\n30\tthirty\t1e3\n")
  (tmp_path / "bad").write_text("1\tone\t1.5\n\n")
  (tmp_path / "few").write_text("1\tone\n2\n")
  (tmp_path / "empty").write_text("")
  whole, line = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER

  def from_file(name, key, key_index, value, value_index, default, **options):
    initializer = lookup.TextFileInitializer(str(tmp_path / name), key, key_index, value, value_index, **options)
    return lookup.StaticHashTable(initializer, default)

  def program(cluster):
    tables = {
      "words": lambda: from_file("words", tf.string, whole, tf.int64, line, -1),
      "two": lambda: from_file("words", tf.string, whole, tf.int64, line, -1, vocab_size=2),
      "four": lambda: from_file("words", tf.string, whole, tf.int64, line, -1, vocab_size=4),
      "offset": lambda: from_file("words", tf.string, whole, tf.int64, line, -1, value_index_offset=7),
      "lines": lambda: from_file("words", tf.int64, line, tf.string, whole, "?"),
      "fields": lambda: from_file("fields", tf.string, 1, tf.float32, 2, 0.25),
      "numbers": lambda: from_file("fields", tf.int32, 0, tf.string, 1, "?"),
      "comma": lambda: from_file("fields", tf.string, 0, tf.string, 1, "?", delimiter=","),
      "no number": lambda: from_file("fields", tf.int64, 1, tf.string, 0, "?"),
      "bad": lambda: from_file("bad", tf.int32, 0, tf.string, 1, "?"),
      "few": lambda: from_file("few", tf.int64, 0, tf.string, 1, "?"),
      "empty": lambda: from_file("empty", tf.string, whole, tf.int64, line, -1),
      "gone": lambda: from_file("gone", tf.string, whole, tf.int64, line, -1),
    }
    seen = {}
    for name, make in tables.items():
      tf1.Session.reset(cluster.target("worker"))  # tables of one file share a name, whatever their types
      with tf1.Graph().as_default():
        with tf.device("/job:ps/task:0"):
          table = make()
        with session_of(cluster) as session:
          filled = outcome(lambda session=session: session.run(tf1.tables_initializer()))
          seen[name] = filled, exported(session, table) if filled is None else session.run(table.size())
    return seen

  on_both(program)


def test_index_tables_from_files(on_both, tmp_path):
  (tmp_path / "words").write_text("emerson\nlake\npalmer\n")

  def program(cluster):
    words = str(tmp_path / "words")
    with tf.device("/job:ps/task:1"):
      index = lookup_ops.index_table_from_file(words, num_oov_buckets=3, vocab_size=3)
      back = lookup_ops.index_to_string_table_from_file(words, default_value="?")
    found = {
      "index": index.lookup(tf.constant(["lake", "and", "palmer", "tarkus"])),
      "back": back.lookup(tf.constant([2, 0, 9], tf.int64)),
    }
    with session_of(cluster) as session:
      session.run(tf1.tables_initializer())
      return session.run(found)

  on_both(program)


@pytest.mark.parametrize("vectors", [False, True], ids=["scalars", "vectors"])
def test_mutable_tables(on_both, vectors):
  def program(cluster):
    default = [-1.0, -2.0] if vectors else -1.0
    with tf.device("/job:ps/task:0"):
      table = lookup.experimental.MutableHashTable(tf.string, tf.float32, default)
    keys, values = tf1.placeholder(tf.string), tf1.placeholder(tf.float32)
    insert, remove, find = table.insert(keys, values), None, table.lookup(keys)
    key_vector = tf1.placeholder(tf.string, [None])
    remove, each = table.remove(key_vector), table.lookup(keys, values)

    def row(*numbers):
      return [[n, n + 0.5] for n in numbers] if vectors else list(numbers)

    with session_of(cluster) as session:
      seen = [session.run(table.size())]
      session.run(insert, {keys: ["a", "b", "c"], values: row(1, 2, 3)})
      session.run(insert, {keys: [["b", "d"]], values: [row(20, 40)]})
      seen += [session.run(find, {keys: [["a", "b"], ["x", "d"]]}), exported(session, table), session.run(table.size())]
      seen += [session.run(each, {keys: ["a", "x", "y"], values: row(7, 8, 9)})]
      session.run(remove, {key_vector: ["a", "nobody", "d"]})
      seen += [exported(session, table), session.run(table.size()), session.run(find, {keys: ["a", "b"]})]
      seen += [
        outcome(lambda: session.run(insert, {keys: ["a", "b"], values: row(1)})),
        outcome(lambda: session.run(each, {keys: ["a", "b", "c"], values: row(1, 2)})),
      ]
      return seen

  on_both(program)


def test_dense_tables_have_stocks_buckets(on_both):
  def program(cluster):
    seen = {}
    for key in (tf.int32, tf.int64, tf.string):
      with tf1.Graph().as_default(), session_of(cluster) as session:
        empty, deleted = (b"", b"gone") if key == tf.string else (0, -1)
        with tf.device("/job:ps/task:1"):
          table = lookup.experimental.DenseHashTable(
            key,
            tf.int64 if key != tf.int32 else tf.int32,
            default_value=-5,
            empty_key=empty,
            deleted_key=deleted,
            initial_num_buckets=4,
            name=f"dense_{key.name}",
          )
        keys = tf1.placeholder(key, [None])
        values = tf.cast(tf.range(tf.size(keys)), table.value_dtype)
        insert, remove, find = table.insert(keys, values), table.remove(keys), table.lookup(keys)
        parts = seen[key.name] = []
        for numbers in ([3, 7, 11], [5, 7, 9, 13], range(100, 140)):
          session.run(insert, {keys: some(key, numbers)})
          parts.append(session.run(table.export()))
        session.run(remove, {keys: some(key, [7, 120, 121, 999])})
        parts += [session.run(table.export()), session.run(table.size())]
        session.run(insert, {keys: some(key, [555, 120])})
        parts += [session.run(table.export()), session.run(table.size()), session.run(find, {keys: some(key, range(1, 15))})]
        for op in (insert, remove, find):
          parts += [
            outcome(lambda op=op: session.run(op, {keys: [empty]})),
            outcome(lambda op=op: session.run(op, {keys: [deleted]})),
          ]
    return seen

  on_both(program)


def test_dense_tables_of_vectors(on_both):
  def program(cluster):
    table = lookup.experimental.DenseHashTable(
      tf.int64, tf.float32, default_value=[-1.0, -2.0, -3.0], empty_key=[0, 0], deleted_key=[-1, -1], initial_num_buckets=8
    )
    keys = tf1.placeholder(tf.int64)
    values = tf1.placeholder(tf.float32)
    insert, find = table.insert(keys, values), table.lookup(keys)
    with session_of(cluster) as session:
      rows = np.arange(30, dtype=np.float32).reshape(10, 3)
      session.run(insert, {keys: [[i, i * i] for i in range(1, 11)], values: rows})
      return {
        "all": session.run(table.export()),
        "size": session.run(table.size()),
        "found": session.run(find, {keys: [[3, 9], [9, 3], [10, 100]]}),
        "reserved": outcome(lambda: session.run(find, {keys: [[0, 0]]})),
        "narrow": outcome(lambda: session.run(find, {keys: [[1], [2]]})),
        "single": outcome(lambda: session.run(find, {keys: [3, 9]})),
        "values": outcome(lambda: session.run(insert, {keys: [[1, 1]], values: [[1, 2]]})),
      }

  on_both(program)


def test_options_of_dense_tables(on_both):
  def program(cluster):
    def size(**options):
      settings = dict(key_dtype=tf.int64, value_dtype=tf.int64, default_value=0, empty_key=0, deleted_key=-1)
      settings.update(options)
      with tf1.Graph().as_default(), session_of(cluster) as session:
        table = lookup.experimental.DenseHashTable(**settings)
        return session.run(table.size())

    return {
      name: outcome(lambda options=options: size(**options))
      for name, options in {
        "fine": {},
        "three": {"initial_num_buckets": 3},
        "two": {"initial_num_buckets": 2},
        "equal": {"deleted_key": 0},
      }.items()
    }

  on_both(program)


def test_a_table_on_ps_of_two_sessions(on_both):
  """A worker fills a table that the other one reads; a private table is its session's own."""

  def program(cluster):
    def build(worker):
      with tf.device("/job:ps/task:0"):
        shared = lookup.experimental.MutableHashTable(tf.int64, tf.string, "?", name="shared_words")
        named = raw.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.float32, shared_name="numbers")
        private = lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1, name="private")
      with tf.device(f"/job:worker/task:{worker}"):
        ids = tf.constant([1, 2, 3], tf.int64)
        return {
          "put": [
            raw.LookupTableInsertV2(table_handle=named, keys=ids, values=[0.5, 1.5, 2.5]),
            private.insert(ids, ids),
            shared.insert(ids, ["a", "b", "c"]),
          ],
          "named": raw.LookupTableFindV2(table_handle=named, keys=ids, default_value=-1.0) * 2,
          "private": private.lookup(ids) + 0,
          "words": tf.strings.join([shared.lookup(ids), "!"]),
        }

    with tf1.Graph().as_default():
      first = build(0)
      one = tf1.Session(cluster.target("worker", 0))
      one.run(first["put"])
    with tf1.Graph().as_default():
      second = build(1)
      two = tf1.Session(cluster.target("worker", 1))
      seen = {name: two.run(second[name]) for name in ("named", "private")}
    seen["first"] = {name: one.run(first[name]) for name in ("named", "private", "words")}
    one.close()
    seen["after"] = two.run(second["named"])
    two.close()
    return seen

  on_both(program)


def test_a_reset_clears_tables(on_both):
  def program(cluster):
    table = static_table(["a"], tf.constant([1], tf.int64), -1)
    handle = raw.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.int64, shared_name="kept", container="box")
    one = tf.constant([1], tf.int64)
    put = raw.LookupTableInsertV2(table_handle=handle, keys=one, values=one)
    size = raw.LookupTableSizeV2(table_handle=handle)
    found = table.lookup(tf.constant(["a", "b"]))
    seen = {}
    for containers in (None, ["box"], ["other"]):
      with session_of(cluster) as session:
        session.run([tf1.tables_initializer(), put])
        seen[str(containers)] = [session.run([size, found])]
      tf1.Session.reset(cluster.target("worker"), containers)
      with session_of(cluster) as session:
        seen[str(containers)] += [session.run(size), outcome(lambda session=session: session.run(found))]
    return seen

  on_both(program)


def test_words_to_an_embedding(on_both, era):
  """A table on one ps gives rows of a variable on the others, which are trained."""

  def program(cluster):
    with tf1.device(
      tf1.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster.spec()), worker_device="/job:worker/task:1")
    ):
      rows = tf1.get_variable("rows", initializer=tf.reshape(tf.range(12, dtype=tf.float32) / 12, [6, 2]))
      with tf.device("/job:ps/task:1"):
        table = lookup.StaticVocabularyTable(
          lookup.KeyValueTensorInitializer(["red", "green", "blue"], tf.range(3, dtype=tf.int64)), 3
        )
      words = tf1.placeholder(tf.string, [None])
      loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(rows, table.lookup(words)) - 1.0))
      train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    with session_of(cluster) as session:
      session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
      losses = [session.run([loss, train], {words: ["blue", "red", "black", "blue"]})[0] for _ in range(5)]
      return {"losses": losses, "rows": session.run(rows)}

  on_both(program)


def saved_tables():
  """Tables that savers take along, one of each kind, with what fills, saves and shows them."""
  with tf.device("/job:ps/task:0"):
    plain = lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="plain")
    dense = lookup.experimental.DenseHashTable(
      tf.int64, tf.float32, default_value=-1.0, empty_key=0, deleted_key=-1, name="dense", initial_num_buckets=8
    )
    vectors = lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0], name="vectors")
    weight = tf1.get_variable("weight", initializer=2.0)
  ids = tf.range(1, 21, dtype=tf.int64)
  fill = [
    plain.insert(tf.as_string(ids), ids * 10),
    dense.insert(ids, tf.cast(ids, tf.float32) / 2),
    vectors.insert(ids[:3], tf.ones([3, 2])),
    weight.initializer,
  ]
  show = {
    "plain": plain.lookup(tf.constant(["1", "20", "21"])),
    "dense": dense.lookup(tf.range(19, 23, dtype=tf.int64)),
    "buckets": dense.export(),
    "vectors": vectors.lookup(tf.range(2, 5, dtype=tf.int64)),
    "weight": weight,
    "sizes": [plain.size(), dense.size(), vectors.size()],
  }
  return fill, show


def save(cluster, path):
  with tf1.Graph().as_default(), session_of(cluster) as session:
    fill, _ = saved_tables()
    session.run(fill)
    return tf1.train.Saver().save(session, str(path))


def restore(cluster, path):
  tf1.Session.reset(cluster.target("worker"))
  with tf1.Graph().as_default(), session_of(cluster) as session:
    _, show = saved_tables()
    tf1.train.Saver().restore(session, str(path))
    return session.run(show)


def test_tables_in_checkpoints(our_cluster, stock_cluster, tmp_path):
  """What either saved, either restores."""
  results = []
  for saver in (our_cluster, stock_cluster):
    tf1.Session.reset(saver.target("worker"))
    path = save(saver, tmp_path / saver.kind / "model")
    results += [restore(cluster, path) for cluster in (our_cluster, stock_cluster)]
  assert results[0]["sizes"] == [20, 20, 3]
  for other in results[1:]:
    for name, value in results[0].items():
      for mine, theirs in zip(np.atleast_1d(value), np.atleast_1d(other[name])):
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


def test_anonymous_tables_live_for_a_step(on_both):
  def program(cluster):
    def chain(handle, key):
      keys = tf.constant([1, 2, 3], tf.int64)
      put = raw.LookupTableInsertV2(table_handle=handle, keys=keys, values=keys * 10)
      with tf.control_dependencies([put]):
        return [
          raw.LookupTableSizeV2(table_handle=handle),
          raw.LookupTableFindV2(table_handle=handle, keys=key, default_value=tf.constant(-1, tf.int64)),
        ]

    types = dict(key_dtype=tf.int64, value_dtype=tf.int64)
    key = tf.constant([3, 4], tf.int64)
    plain = chain(raw.AnonymousMutableHashTable(**types), key)
    dense = chain(
      raw.AnonymousMutableDenseHashTable(
        empty_key=tf.constant(0, tf.int64), deleted_key=tf.constant(-1, tf.int64), value_dtype=tf.int64
      ),
      key,
    )
    static = raw.AnonymousHashTable(**types)
    with tf.control_dependencies([raw.InitializeTableV2(table_handle=static, keys=key, values=key)]):
      found = raw.LookupTableFindV2(table_handle=static, keys=key + 1, default_value=tf.constant(-1, tf.int64))
    with session_of(cluster) as session:
      return [session.run({"plain": plain, "dense": dense, "static": found}) for _ in range(2)]

  on_both(program)


def test_types_that_do_not_fit(on_both):
  def program(cluster):
    handle = raw.HashTableV2(key_dtype=tf.int64, value_dtype=tf.string, shared_name="typed")
    other = raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="typed")
    size, other_size = raw.LookupTableSizeV2(table_handle=handle), raw.LookupTableSizeV2(table_handle=other)
    find = raw.LookupTableFindV2(table_handle=handle, keys=["a"], default_value="?")
    with session_of(cluster) as session:
      seen = [session.run(size), outcome(lambda: session.run(other_size)), outcome(lambda: session.run(find))]
    with tf1.Graph().as_default(), session_of(cluster) as session:
      none = raw.LookupTableSizeV2(table_handle=raw.HashTableV2(key_dtype=tf.float32, value_dtype=tf.string))
      return seen + [outcome(lambda: session.run(none))[0]]

  on_both(program)


def test_many_sessions_fill_and_read_one_table(our_cluster):
  """No insertion is lost, and no lookup sees half a value."""
  import threading

  tf1.Session.reset(our_cluster.target("worker"))
  failed = []

  def work(index):
    try:
      with tf1.Graph().as_default(), tf1.Session(our_cluster.target("worker", index % 2)) as session:
        with tf.device("/job:ps/task:0"):
          handle = raw.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.int64, value_shape=[2], shared_name="busy")
          ids = tf1.placeholder(tf.int64, [None])
          put = raw.LookupTableInsertV2(table_handle=handle, keys=ids, values=tf.stack([ids, ids * 2], axis=1))
          find = raw.LookupTableFindV2(
            table_handle=handle, keys=tf.range(400, dtype=tf.int64), default_value=tf.zeros([2], tf.int64)
          )
        for i in range(25):
          session.run(put, {ids: np.arange(100) + 100 * index if i == 24 else [100 * index + 4 * i + k for k in range(4)]})
          pairs = session.run(find)
          assert (pairs[:, 1] == 2 * pairs[:, 0]).all()
    except Exception as e:  # pylint: disable=broad-except
      failed.append(e)

  threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join(120)
    assert not thread.is_alive()
  assert not failed, failed
  with tf1.Graph().as_default(), tf1.Session(our_cluster.target("worker")) as session:
    with tf.device("/job:ps/task:0"):
      handle = raw.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.int64, value_shape=[2], shared_name="busy")
    assert session.run(raw.LookupTableSizeV2(table_handle=handle)) == 400
