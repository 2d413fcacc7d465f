"""What a session begins with: an op that says whether a model is ready, and the one that a SavedModel has as a signature."""

import millrace as tf


def test_a_number_of_int32_says_that_a_model_is_ready():
  """As the count of what is missing that TensorFlow 1 had."""
  with tf.Graph().as_default():
    v = tf.get_variable("v", initializer=3.0)
    manager = tf.train.SessionManager(ready_op=tf.constant(1))
    with manager.prepare_session("", init_op=tf.global_variables_initializer()) as session:
      assert session.run(v) == 3.0


def test_the_init_op_that_is_a_signature(tmp_path):
  """As tf.saved_model.save of TensorFlow 2 writes it; tables have no values without it."""
  key = "__saved_model_init_op"
  with tf.Graph().as_default(), tf.Session() as session:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), -1)
    found = tf.identity(table.lookup(tf.constant(["a", "b"])), name="found")
    init = tf.identity(0, name="nothing")
    with tf.control_dependencies([tf.tables_initializer()]):
      init = tf.identity(init, name="init")
    signature = tf.saved_model.signature_def_utils.build_signature_def(
      outputs={key: tf.saved_model.utils.build_tensor_info(init)}
    )
    session.run(tf.tables_initializer())
    assert session.run(found).tolist() == [7, -1]
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    builder.add_meta_graph_and_variables(session, ["serve"], signature_def_map={key: signature})
    builder.save()
  with tf.Graph().as_default(), tf.Session() as session:
    tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "model"))
    assert session.run("found:0").tolist() == [7, -1]


def test_multipliers_of_gradients_may_be_tensors():
  with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=tf.constant([2.0, 4.0], tf.float64))
    half = tf.placeholder_with_default(0.5, [])
    for factor in (half, 0.5):
      train = tf.contrib.layers.optimize_loss(
        tf.reduce_sum(w * w), step, tf.constant(0.25, tf.float64), "SGD", gradient_multipliers={"w:0": factor}, summaries=[]
      )
      with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(w).tolist() == [1.5, 3.0]
