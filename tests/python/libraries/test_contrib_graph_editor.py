"""tf.contrib.graph_editor: selecting, views, rerouting, detaching and copying, by what graphs give afterwards."""

import re

import numpy as np
import pytest

import millrace as tf

ge = tf.contrib.graph_editor


def run(tensors, feed=None):
  with tf.Session() as session:
    return session.run(tensors, feed)


class Chain:
  """a, b -> c = a + b -> d = c * 2 -> e = d - 1, the last two below the scope inner; f waits for c."""

  def __init__(self):
    self.graph = tf.get_default_graph()
    self.a, self.b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    self.c = tf.add(self.a, self.b, name="c")
    with tf.name_scope("inner"):
      self.two = tf.constant(2.0, name="two")
      self.d = tf.multiply(self.c, self.two, name="d")
      self.e = tf.subtract(self.d, 1.0, name="e")
    with tf.control_dependencies([self.c]):
      self.f = tf.no_op(name="f")


def names(values):
  return [value.name for value in values]


# Elements


def test_lists_of_elements():
  g = Chain()
  assert ge.make_list_of_op([g.c.op, [g.d.op]]) == [g.c.op, g.d.op]
  assert ge.make_list_of_op([g.c, g.d.op], ignore_ts=True) == [g.d.op]
  assert len(ge.make_list_of_op(g.graph)) == len(g.graph.get_operations())
  assert ge.make_list_of_t([g.c, [g.d]]) == [g.c, g.d]
  assert ge.make_list_of_t([g.c, g.d.op], ignore_ops=True) == [g.c]
  assert ge.make_list_of_t(g.graph) == ge.get_tensors(g.graph)
  with tf.Graph().as_default():
    other = tf.constant(1.0)
  for make, value in ((ge.make_list_of_op, g.c.op), (ge.make_list_of_t, g.c)):
    mixed = [value, other.op if make is ge.make_list_of_op else other]
    with pytest.raises(ValueError, match="several graphs"):
      make(mixed)
    assert make(mixed, check_graph=False) == mixed
    with pytest.raises(TypeError, match="allow_graph"):
      make(g.graph, allow_graph=False)
  with pytest.raises(TypeError, match="Expected a"):
    ge.make_list_of_op([g.c])
  with pytest.raises(TypeError, match="Expected a graph"):
    ge.get_tensors(1)


def test_makers_and_readers():
  g = Chain()
  assert ge.get_generating_ops([g.c, g.d]) == [g.c.op, g.d.op]
  assert ge.get_consuming_ops([g.c, g.a]) == [g.d.op, g.c.op]
  outputs = ge.ControlOutputs(g.graph)
  assert outputs.get(g.c.op) == [g.f] and outputs.get(g.a.op) == () and outputs.graph is g.graph
  with tf.control_dependencies([g.c]):
    later = tf.no_op()
  assert outputs.update().get_all() == {g.c.op: [g.f, later]}
  with pytest.raises(TypeError):
    ge.ControlOutputs(1)


def test_placeholders_for_tensors():
  g = Chain()
  assert ge.placeholder_name() == "geph" and ge.placeholder_name(scope="s", prefix="p") == "s/p"
  assert ge.placeholder_name(g.d) == "inner/geph__d_0" and ge.placeholder_name(g.d, scope="x/", prefix="q") == "x/q__d_0"
  made = ge.make_placeholder_from_tensor(g.d, scope="there", prefix="in")
  other = ge.make_placeholder_from_dtype_and_shape(tf.int32, shape=[2, None], scope="here", prefix="ph")
  third = ge.ph(tf.int32, shape=[3], scope="here", prefix="x")
  assert (made.op.name, made.dtype, made.shape.as_list()) == ("there/in__d_0", tf.float32, [])
  assert (other.op.name, other.shape.as_list()) == ("here/ph", [2, None]) and third.op.name == "here/x"
  with pytest.raises(TypeError, match="Expected a tf.Tensor"):
    ge.placeholder_name(3)


# Selecting


def test_patterns():
  g = Chain()
  assert ge.can_be_regex("a") and ge.can_be_regex(re.compile("a")) and not ge.can_be_regex(1)
  assert ge.make_regex("a.c").search("abc") and ge.make_regex(re.compile("x")).pattern == "x"
  with pytest.raises(ValueError, match="regex"):
    ge.make_regex(1)
  assert names(ge.filter_ops(g.graph, lambda op: op.type == "Mul")) == ["inner/d"]
  assert len(ge.filter_ops(g.graph, True)) == len(g.graph.get_operations())
  assert names(ge.filter_ts([g.c.op, g.d.op], lambda t: t.op.type == "Mul")) == ["inner/d:0"]
  assert names(ge.filter_ops_from_regex(g.graph, "^inner/[de]$")) == ["inner/d", "inner/e"]
  assert names(ge.filter_ts_from_regex(g.graph, "^[ab]:0$")) == ["a:0", "b:0"]
  assert names(ge.get_name_scope_ops(g.graph, "inner/")) == ["inner/two", "inner/d", "inner/e/y", "inner/e"]


def test_selections():
  g = Chain()
  assert names(ge.select_ops("^inner/[de]$", g.c.op)) == ["inner/d", "inner/e", "c"]
  assert names(ge.select_ops("^c$", "(?#ops)^a$", "(?#ts)^b", restrict_ops_regex=True)) == ["a"]
  assert names(ge.select_ops(".*", graph=g.graph, positive_filter=lambda op: op.type == "Sub")) == ["inner/e"]
  assert names(ge.select_ts("^c:0$", [g.a])) == ["c:0", "a:0"]
  assert names(ge.select_ts("^c", "(?#ts)^a", graph=g.graph, restrict_ts_regex=True)) == ["a:0"]
  assert names(ge.select_ts(".*", positive_filter=lambda t: t.op.type == "Sub")) == ["inner/e:0"]
  ops, ts = ge.select_ops_and_ts(g.c.op, g.a, "(?#ops)^inner/d$", "(?#ts)^b:0$", graph=g.graph)
  assert names(ops) == ["c", "inner/d"] and names(ts) == ["a:0", "b:0"]
  with pytest.raises(ValueError, match="has to begin"):
    ge.select_ops_and_ts("^c$")
  with pytest.raises(TypeError, match=r"tf\.Graph"):
    ge.select_ops("a", graph=1)
  with pytest.raises(ValueError, match="Unexpected keyword"):
    ge.select_ops("a", other=1)


def test_walks():
  g = Chain()
  assert names(ge.get_forward_walk_ops(g.a.op)) == ["a", "c", "inner/d", "inner/e"]
  assert names(ge.get_forward_walk_ops(g.c, inclusive=False)) == ["inner/e"]
  assert names(ge.get_forward_walk_ops([g.c.op], control_outputs=g.graph)) == ["c", "inner/d", "f", "inner/e"]
  assert names(ge.get_forward_walk_ops(g.a.op, within_ops=[g.a.op, g.c.op])) == ["a", "c"]
  assert names(ge.get_forward_walk_ops(g.a.op, within_ops_fn=lambda op: op.type != "Mul")) == ["a", "c"]
  assert names(ge.get_forward_walk_ops(g.a.op, stop_at_ts=[g.d])) == ["a", "c", "inner/d"]
  assert names(ge.get_backward_walk_ops(g.d.op, inclusive=False)) == ["c", "inner/two", "a", "b"]
  assert names(ge.get_backward_walk_ops(g.f, control_inputs=True)) == ["f", "c", "a", "b"]
  assert names(ge.get_backward_walk_ops([g.d], within_ops=[g.d.op, g.c.op], stop_at_ts=[g.a])) == ["inner/d", "c"]
  assert names(ge.get_backward_walk_ops(g.d, within_ops_fn=lambda op: op.type != "Const")) == ["inner/d", "c"]
  between = ge.get_walks_intersection_ops([g.a.op], [g.d.op], forward_inclusive=False, backward_inclusive=False)
  assert names(between) == ["c"]
  assert names(ge.get_walks_intersection_ops(g.a.op, g.f, control_ios=g.graph)) == ["a", "c", "f"]
  limited = ge.get_walks_intersection_ops(g.a.op, g.d.op, within_ops=[g.c.op], within_ops_fn=lambda op: op.type != "Const")
  assert names(limited) == ["c"]
  union = ge.get_walks_union_ops([g.d.op], [g.c.op], forward_inclusive=False, backward_inclusive=False, control_inputs=True)
  assert names(union) == ["inner/e", "a", "b"]
  with_f = ge.get_walks_union_ops([g.c.op], [g.a.op], control_outputs=g.graph, within_ops_fn=lambda op: op.type != "Mul")
  assert names(with_f) == ["c", "f", "a"]
  assert names(ge.get_walks_union_ops(g.d.op, g.d.op, within_ops=[g.d.op], control_ios=None)) == ["inner/d"]


def test_neighbours_and_boundaries():
  g = Chain()
  assert names(ge.get_ops_ios([g.d.op])) == ["c", "inner/two", "inner/e"]
  assert names(ge.get_ops_ios([g.f], control_inputs=True)) == ["c"]
  assert names(ge.get_ops_ios([g.c.op], control_outputs=g.graph)) == ["a", "b", "inner/d", "f"]
  assert names(ge.get_ops_ios([g.f], control_ios=g.graph)) == ["c"]
  inputs, outputs, within = ge.compute_boundary_ts([g.c.op, g.d.op])
  assert (names(inputs), names(outputs), names(within)) == (["a:0", "b:0", "inner/two:0"], ["inner/d:0"], ["c:0"])
  found = ge.get_within_boundary_ops(g.graph, [g.c.op], boundary_ops=[g.d.op])
  assert set(names(found)) == {"c", "a", "b", "inner/d"}
  inner = ge.get_within_boundary_ops(g.graph, [g.c.op], [g.d.op], inclusive=False, control_ios=g.graph)
  assert set(names(inner)) == {"c", "a", "b", "f"}
  waiting = ge.get_within_boundary_ops(g.graph, [g.f], control_inputs=True, control_outputs=g.graph, boundary_ops=[g.c.op])
  assert set(names(waiting)) == {"f", "c"}
  with pytest.raises(ValueError, match="intersecting"):
    ge.get_within_boundary_ops(g.graph, [g.c.op], [g.c.op])
  assert ge.check_cios(control_inputs=True) == (True, None)
  assert ge.check_cios(control_ios=g.graph)[0] and isinstance(ge.check_cios(control_outputs=g.graph)[1], ge.ControlOutputs)
  with pytest.raises(ValueError, match="control_ios"):
    ge.check_cios(control_inputs=True, control_ios=g.graph)
  with pytest.raises(TypeError, match="ControlOutputs"):
    ge.check_cios(control_outputs=3)


def test_op_matcher():
  g = Chain()
  matcher = ge.OpMatcher("d$").input_ops("c$", ge.op_type("Const")).output_ops([g.e.op])
  assert matcher(g.d.op) and not matcher(g.e.op)
  assert ge.OpMatcher(g.f).control_input_ops(lambda op: op.type.startswith("Add"))(g.f)
  assert not ge.OpMatcher("c").input_ops("b$", None)(g.c.op)
  assert ge.op_type(["Mul", "Sub"], g.d.op) and not ge.op_type("Mul", g.e.op)
  with pytest.raises(TypeError):
    matcher(g.d)


# Views


def test_views():
  g = Chain()
  view = ge.sgv(g.c.op, g.d.op, g.e)
  assert (names(view.ops), names(view.inputs)) == (["c", "inner/d"], ["a:0", "b:0", "inner/two:0", "inner/e:0"])
  assert names(view.outputs) == ["inner/d:0", "inner/e:0"] and names(view.passthroughs) == ["inner/e:0"]
  assert names(view.connected_inputs) == ["a:0", "b:0", "inner/two:0"] and names(view.connected_outputs) == ["inner/d:0"]
  assert view.graph is g.graph and view.op(1) is g.d.op and view.is_passthrough(g.e) and bool(view)
  assert view.input_index(g.b) == 1 and view.output_index(g.d.op) == 0
  assert view.find_op_by_name("c") is g.c.op and names(view.consumers()) == ["inner/e"]
  assert "inner/two:0" in str(view)
  with pytest.raises(ValueError, match="not found"):
    view.find_op_by_name("x")
  with pytest.raises(ValueError, match="Can't find"):
    view.input_index(g.c)
  assert ge.make_view(view) is view
  assert not ge.SubGraphView()
  with ge.make_view(g.c.op) as copied:
    assert names(copied.ops) == ["c"]
  assert names(ge.sgv_scope("inner", graph=g.graph).ops) == names(ge.make_view_from_scope("inner", g.graph).ops)
  with pytest.raises(TypeError, match="Expected a graph"):
    ge.make_view_from_scope("inner", 1)


def test_other_ends_of_views():
  g = Chain()
  tf.identity(g.d, name="other")
  view = ge.SubGraphView(inside_ops=[g.c.op, g.d.op, g.two.op], passthrough_ts=[])
  assert names(view.remap_inputs([1, 0]).inputs) == ["b:0", "a:0"]
  assert names(view.remap_inputs([g.b]).inputs) == ["b:0"] and names(view.inputs) == ["a:0", "b:0"]
  twice = view.remap_outputs([0, g.d])
  assert names(twice.outputs) == ["inner/d:0"] * 2 and names(twice.remap_outputs_make_unique().outputs) == ["inner/d:0"]
  assert names(view.remap_outputs_to_consumers().outputs) == ["inner/d:0", "inner/d:0"]
  both = view.remap(new_input_indices=[0], new_output_indices=[])
  assert (len(both.inputs), len(both.outputs)) == (1, 0)
  assert len(both.remap_default(remove_input_map=True, remove_output_map=False).inputs) == 2
  assert len(both.remap_default(remove_input_map=False, remove_output_map=True).outputs) == 1
  unused = ge.SubGraphView([g.c.op, g.d.op, g.f]).remap_outputs([g.d])
  assert names(unused.remove_unused_ops(control_inputs=False).ops) == ["c", "inner/d"]
  assert names(unused.copy().ops) == ["c", "inner/d", "f"]


# Rerouting


def test_tensors_swapped_and_rerouted():
  x, y = tf.constant(1.0), tf.constant(10.0)
  p, q, r = x + 1.0, y + 1.0, x * 3.0
  assert ge.swap_ts([x], [y], cannot_modify=[r.op]) == 2
  assert run([p, q, r]) == [11.0, 2.0, 3.0]
  assert ge.reroute_ts(x, y, can_modify=[p.op]) == 1
  assert run([p, q, r]) == [2.0, 2.0, 3.0]
  assert ge.reroute_ts([y], [x], can_modify=[r.op, q.op], cannot_modify=[q.op]) == 1 and run(r) == 30.0
  assert ge.swap_ts(x, y, can_modify=[r.op]) == 1 and run(r) == 3.0
  with pytest.raises(ValueError, match="different sizes"):
    ge.swap_ts([x], [x, y])


def two_steps():
  """Two chains of two steps: (x * 2) + 1 and (y * 3) + 5."""
  x, y = tf.constant(1.0), tf.constant(10.0)
  a, b = tf.multiply(x, 2.0), tf.multiply(y, 3.0)
  return a, b, a + 1.0, b + 5.0


def views_of(*tensors):
  """The view of each tensor's op and of the constant that it reads second."""
  return [ge.sgv(tensor.op, tensor.op.inputs[1].op) for tensor in tensors]


def test_inputs_of_views():
  a, b, c, d = two_steps()
  first, second = ge.swap_inputs(*views_of(a, b))
  assert run([c, d]) == [21.0, 8.0] and first.inputs == [a.op.inputs[0]] and second.inputs == [b.op.inputs[0]]
  ge.reroute_inputs(*views_of(a, b))
  assert run([c, d]) == [21.0, 35.0]


def test_outputs_of_views():
  a, b, c, d = two_steps()
  ge.swap_outputs(*views_of(a, b))
  assert run([c, d]) == [31.0, 7.0]
  ge.reroute_outputs(*views_of(a, b))
  assert run([c, d]) == [3.0, 7.0]


def test_both_ends_of_views():
  a, b, c, d = two_steps()
  ge.swap_ios(*views_of(a, b))
  assert run([c, d]) == [4.0, 25.0]
  tf.reset_default_graph()
  a, b, c, d = two_steps()
  ge.reroute_ios(*views_of(a, b))
  assert run([c, d]) == [21.0, 25.0]


def test_waiting():
  g = Chain()
  ge.add_control_inputs(g.e.op, [g.f])
  assert names(g.e.op.control_inputs) == ["f"]
  with pytest.raises(ValueError, match="is already a control_input"):
    ge.add_control_inputs(g.e.op, g.f)
  ge.remove_control_inputs(g.e.op, g.f)
  assert list(g.e.op.control_inputs) == []
  with pytest.raises(ValueError, match="is not a control_input"):
    ge.remove_control_inputs(g.e.op, g.f)
  for function in (ge.add_control_inputs, ge.remove_control_inputs):
    with pytest.raises(TypeError, match=r"Expected a tf\.Operation"):
      function(g.e, g.f)


# Detaching


def test_detached_ends():
  g = Chain()
  view, inputs = ge.detach_inputs(ge.sgv(g.c.op, g.d.op, g.two.op), control_inputs=True)
  assert names(inputs) == ["geph__a_0:0", "geph__b_0:0"] and view.inputs == inputs
  assert run(g.e, {inputs[0]: 3.0, inputs[1]: 4.0}) == 13.0
  view, outputs = ge.detach_outputs(view, control_outputs=ge.ControlOutputs(g.graph))
  assert names(outputs) == ["inner/geph__d_0:0"] and run(g.e, {outputs[0]: 8.0}) == 7.0
  assert list(g.f.control_inputs) == []


def test_detached_views():
  g = Chain()
  view, inputs, outputs = ge.detach(ge.sgv(g.d.op, g.two.op), control_ios=g.graph)
  assert (names(inputs), names(outputs)) == (["geph__c_0:0"], ["inner/geph__d_0:0"])
  assert run(g.d, {inputs[0]: 5.0}) == 10.0 and names(view.ops) == ["inner/d", "inner/two"]
  other = ge.detach(ge.sgv(g.c.op), control_inputs=True, control_outputs=ge.ControlOutputs(g.graph))
  assert len(other[1]) == 2


def test_control_ends():
  g = Chain()
  with tf.control_dependencies([g.a]):
    inside = tf.no_op(name="inside")
  ge.detach_control_inputs(ge.sgv(inside))
  assert list(inside.control_inputs) == []
  ge.detach_control_outputs(ge.sgv(g.c.op), ge.ControlOutputs(g.graph))
  assert list(g.f.control_inputs) == []
  with pytest.raises(TypeError, match="ControlOutputs"):
    ge.detach_control_outputs(ge.sgv(g.c.op), g.graph)


def test_connected_views():
  x = tf.constant(3.0)
  a, y = tf.square(x), tf.constant(1.0)
  b = tf.negative(y)
  c = b + 0.0
  first, second = ge.connect(ge.sgv(a.op), ge.sgv(b.op))
  assert run(c) == -9.0 and second.inputs == [a] and first.outputs == [a]
  left = a + 1.0
  ge.connect(ge.sgv(b.op), ge.sgv(left.op, left.op.inputs[1].op), disconnect_first=True)
  assert run(left, {}) == -8.0


def test_bypassed_views():
  g = Chain()
  view, inputs = ge.bypass(ge.sgv(g.d.op, g.two.op))
  assert run(g.e) == 2.0 and run(g.d, {inputs[0]: 4.0}) == 8.0 and view.inputs == inputs


# Copying


def test_copies():
  g = Chain()
  view, info = ge.copy(ge.sgv(g.c.op, g.d.op, g.two.op), dst_scope="copied")
  assert names(view.ops) == ["copied/c", "copied/inner/two", "copied/inner/d"] and names(view.inputs) == ["a:0", "b:0"]
  assert names(view.outputs) == ["copied/inner/d:0"] and run(view.outputs[0]) == 6.0
  assert info.transformed(g.d).name == "copied/inner/d:0" and info.original(view.outputs[0]) is g.d
  assert info.transformed("c") == "copied/c" and info.transformed([g.e, {"x": g.c}])[0] is None
  assert info.transformed(g.e, missing_fn=lambda t: "none") == "none" and "copied/c" in str(info)
  again, _ = ge.copy(ge.sgv_scope("inner", g.graph), dst_scope="copied", src_scope="inner")
  assert names(again.ops) == ["copied_1/two", "copied_1/d", "copied_1/e/y", "copied_1/e"]
  with pytest.raises(ValueError, match="does not belong to source scope"):
    ge.copy(ge.sgv(g.c.op), dst_scope="x", src_scope="inner")
  beside, info = ge.copy(ge.sgv(g.c.op))
  assert names(beside.ops) == ["c_1"] and info._transformed_ops == {g.c.op: beside.ops[0]}


def test_copies_into_another_graph():
  g = Chain()
  tf.add_to_collection("mine", g.d)
  target = tf.Graph()
  view, info = ge.copy(ge.sgv(g.c.op, g.d.op, g.two.op, g.f), dst_graph=target, dst_scope="to", reuse_dst_scope=True)
  assert names(view.inputs) == ["to/geph__a_0:0", "to/geph__b_0:0"] and target.get_collection("mine") == [info.transformed(g.d)]
  assert names(target.get_operation_by_name("to/f").control_inputs) == ["to/c"]
  with tf.Session(graph=target) as session:
    assert session.run("to/inner/d:0", {"to/geph__a_0:0": 4.0, "to/geph__b_0:0": 5.0}) == 18.0
  with pytest.raises(TypeError, match=r"Expected a tf\.Graph"):
    ge.copy(ge.sgv(g.c.op), dst_graph=3)


def test_copies_with_other_inputs():
  g = Chain()
  ten = tf.constant(10.0)
  view, _ = ge.copy_with_input_replacements(
    ge.sgv(g.c.op, g.d.op, g.two.op), {g.a: ten}, dst_graph=g.graph, dst_scope="other", src_scope="", reuse_dst_scope=False
  )
  assert run(view.outputs[0]) == 24.0 and run(g.e) == 5.0


def test_a_loop_is_copied():
  start = tf.placeholder_with_default(tf.constant(1.0), [])
  end = tf.while_loop(lambda x: x < 100.0, lambda x: x * 3.0, [start])
  ops = ge.get_walks_intersection_ops([start.op], [end.op], forward_inclusive=False)
  loop = ge.get_within_boundary_ops(tf.get_default_graph(), ops, boundary_ops=[start.op], inclusive=False)
  view, info = ge.copy_with_input_replacements(ge.sgv(loop), {start: tf.constant(5.0)}, dst_scope="again")
  assert run([end, info.transformed(end)]) == [243.0, 135.0] and len(view.inputs) == 1


def test_graph_replace():
  g = Chain()
  seven = tf.constant(7.0)
  replaced = ge.graph_replace({"e": g.e, "d": [g.d]}, {g.a: seven})
  assert run(replaced) == {"e": 17.0, "d": [18.0]} and run(g.e) == 5.0
  scoped = ge.graph_replace(g.e, {g.c: seven}, dst_scope="new")
  assert scoped.op.name == "new/inner/e" and run(scoped) == 13.0
  inner = ge.graph_replace(g.e, {g.c: seven}, dst_scope="short", src_scope="inner", reuse_dst_scope=True)
  assert inner.op.name == "short/e" and run(inner) == 13.0
  with pytest.raises(ValueError, match="not connected"):
    ge.graph_replace(g.a, {g.e: seven})


def test_weights_are_shared_by_a_replaced_input():
  """As programs use it: the same network on another input."""
  x = tf.placeholder(tf.float32, [None, 2])
  w = tf.get_variable("w", initializer=np.array([[1.0], [2.0]], np.float32))
  y = tf.nn.relu(tf.matmul(x, w))
  other = tf.constant([[3.0, 4.0]])
  z = ge.graph_replace(y, {x: other})
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run(z).tolist() == [[11.0]]
    session.run(tf.assign(w, [[0.0], [1.0]]))
    assert session.run(z).tolist() == [[4.0]]
  assert len(tf.global_variables()) == 1


def test_own_handlers():
  g = Chain()
  transformer = ge.Transformer()
  seen = []

  def handler(info, op, new_inputs):
    seen.append(op.name)
    return ge.copy_op_handler(info, op, new_inputs, copy_shape=True, nodedef_fn=lambda node_def: node_def)

  transformer.transform_op_handler = handler
  transformer.transform_external_input_handler = ge.replace_t_with_placeholder_handler
  transformer.assign_collections_handler = lambda info, old, new: None
  transformer.transform_control_input_handler = lambda info, op: ge.transform_op_if_inside_handler(
    info, op, keep_if_possible=False
  )
  view, info = transformer(ge.sgv(g.c.op, g.f), g.graph, "mine")
  assert seen == ["c", "f"] and names(view.inputs) == ["mine/geph__a_0:0", "mine/geph__b_0:0"]
  assert isinstance(info, ge.TransformerInfo) and names(info.transformed(g.f).control_inputs) == ["mine/c"]
  assert ge.keep_t_if_possible_handler(type("I", (), {"graph": g.graph, "graph_": g.graph})(), g.a) is g.a
  assert ge.transform.assign_renamed_collections_handler is ge.assign_renamed_collections_handler
