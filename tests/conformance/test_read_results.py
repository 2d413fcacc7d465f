"""What runs of a conditional and of a loop of which a part is fetched, beside stock, for both generations of control flow."""

import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1


class Effects:
  """Two variables that branches change. The values after a run tell what ran."""

  def __init__(self):
    self._variables = [tf1.get_variable(name, initializer=0.0, use_resource=True) for name in "uv"]
    self.u, self.v = self._variables

  def both(self, amount=1.0):
    return [tf.identity(self.u.assign_add(amount)) + 0.0, tf.identity(self.v.assign_add(10.0 * amount)) + 0.0]

  def after(self, cluster, fetches):
    """The variables after the run of each of {name: fetch}, from zero."""
    results = {}
    for name, fetch in fetches.items():
      with tf1.Session(cluster.target("worker")) as session:
        session.run([v.initializer for v in self._variables])
        error = outcome(lambda fetch=fetch, session=session: (session.run(fetch), None)[1])
        results[name] = [float(v) for v in session.run(self._variables)], error and error[0]
    return results


def given(value):
  """A value that no rewriting knows."""
  return tf1.placeholder_with_default(tf.constant(value), [])


def the_node():
  """The functional conditional or loop of the graph, which may be fetched."""
  graph = tf1.get_default_graph()
  (node,) = [op for op in graph.get_operations() if op.type in ("If", "While", "Case")]
  graph._unfetchable_ops.discard(node)
  return node


def behind(node):
  with tf.control_dependencies([node]):
    return given(1.0) + 0.0


def test_one_result_of_a_conditional(on_both, era):
  def program(cluster):
    effects = Effects()
    inner = lambda: tf1.cond(given(True), effects.both, lambda: effects.both(2.0))
    results = {}
    for taken in (True, False):
      a, b = tf1.cond(given(taken), effects.both, lambda: effects.both(3.0))
      results[str(taken)] = effects.after(cluster, {"a": a, "b": b, "both": [a, b], "sum": a + b, "behind": behind(a.op)})
    a, b = tf1.cond(given(True), inner, lambda: effects.both(3.0))
    results["nested"] = effects.after(cluster, {"a": a, "b": b, "both": [a, b]})
    return results

  expected = on_both(program)
  assert expected["True"]["a"] == ([1.0, 0.0], None) and expected["False"]["b"] == ([0.0, 30.0], None)


def test_effects_that_no_result_needs(on_both, era):
  def program(cluster):
    effects = Effects()

    def unread():
      effects.both()
      return tf.constant(1.0)

    def waits():
      with tf.control_dependencies(effects.both()):
        return tf.constant(1.0)

    def fails():
      with tf.control_dependencies([tf1.assert_equal(given(1), 2)]):
        return tf.identity(effects.u.assign_add(1.0)), tf.identity(effects.v.assign_add(1.0)) + 0.0

    def half_fails():
      with tf.control_dependencies([tf1.assert_equal(given(1), 2)]):
        bad = tf.identity(effects.u.assign_add(1.0))
      return bad, tf.identity(effects.v.assign_add(1.0)) + 0.0

    results = {}
    for branch in (unread, waits):
      results[branch.__name__] = effects.after(cluster, {"result": tf1.cond(given(True), branch, lambda: tf.constant(2.0)) + 0.0})
    for branch in (fails, half_fails):
      a, b = tf1.cond(given(True), branch, lambda: (tf.constant(1.0), tf.constant(2.0)))
      results[branch.__name__] = effects.after(cluster, {"a": a, "b": b})
    return results

  expected = on_both(program)
  assert expected["unread"]["result"] == ([0.0, 0.0], None) and expected["waits"]["result"] == ([1.0, 10.0], None)
  assert expected["half_fails"]["b"] == ([0.0, 1.0], None)


def test_parts_of_a_loop(on_both, era):
  def program(cluster):
    effects = Effects()

    def body(i, x, y):
      a, b = effects.both()
      return i + 1, x + a, y + x + b

    i, x, y = tf1.while_loop(lambda i, *_: i < 3, body, [given(0), given(0.0), given(0.0)])
    return effects.after(cluster, {"i": i + 0, "x": x + 0.0, "y": y + 0.0, "all": [i, x, y]})

  expected = on_both(program)
  assert expected["i"] == ([0.0, 0.0], None) and expected["x"] == ([3.0, 0.0], None) and expected["y"] == ([3.0, 30.0], None)


def test_a_condition_with_effects(on_both, era):
  def program(cluster):
    effects = Effects()
    loop = tf1.while_loop(
      lambda i, _: tf.identity(effects.u.assign_add(1.0)) < 3.0,
      lambda i, x: (i + 1, x + tf.identity(effects.v.assign_add(1.0))),
      [given(0), given(0.0)],
    )
    return effects.after(cluster, {"i": loop[0] + 0, "x": loop[1] + 0.0})

  on_both(program)


def test_a_conditional_in_a_loop(on_both, era):
  def program(cluster):
    effects = Effects()

    def body(i, x):
      return i + 1, x + tf1.cond(i > 1, lambda: effects.both()[0], lambda: effects.both()[1])

    i, x = tf1.while_loop(lambda i, _: i < 3, body, [given(0), given(0.0)])
    return effects.after(cluster, {"i": i + 0, "x": x + 0.0})

  on_both(program)


@pytest.fixture
def functional():
  """The control flow of functions, whatever the default is."""
  before = tf1.control_flow_v2_enabled()
  tf1.enable_control_flow_v2()
  yield
  if not before:
    tf1.disable_control_flow_v2()


def conditional(effects):
  return tf1.cond(given(True), effects.both, lambda: effects.both(2.0))


def case(effects):
  return tf.switch_case(given(1), [effects.both, lambda: effects.both(2.0)])


def loop(effects):
  return tf1.while_loop(lambda x, _: x < 3.0, lambda x, y: effects.both(), [given(0.0), given(0.0)])


@pytest.mark.parametrize("build", [conditional, case, loop])
def test_the_node_itself(on_both, functional, build):
  """As a target, fetched, and waited for."""

  def program(cluster):
    effects = Effects()
    a, b = build(effects)
    node = the_node()
    return effects.after(cluster, {"a": a + 0.0, "b": b + 0.0, "target": node, "fetch": node.outputs[0], "behind": behind(node)})

  expected = on_both(program)
  assert all(value > 0.0 for value in expected["target"][0])


def test_calls_run_whole(on_both, functional):
  def program(cluster):
    effects = Effects()

    def chooses():
      return tf1.cond(given(True), effects.both, effects.both)

    call, inside = tf.function(effects.both, autograph=False)(), tf.function(chooses, autograph=False)()
    return effects.after(cluster, {"call": call[0] + 0.0, "inside": inside[0] + 0.0})

  assert on_both(program) == {"call": ([1.0, 10.0], None), "inside": ([1.0, 10.0], None)}
