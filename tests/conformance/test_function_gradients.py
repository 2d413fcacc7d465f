"""Gradients of functions that are called by their name (Defun), on servers of ours and of stock."""

import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf
from compare_runs import compare
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

tf1 = tf.compat.v1
Defun = function.Defun


def gradients_of(result, seen, name):
  op = result[0].op if isinstance(result, (list, tuple)) else result.op
  seen.run(name, tf1.gradients(result, list(op.inputs)))


def test_gradients(clusters):
  def program(seen):
    resource = tf1.get_variable("resource", initializer=[3.0, 4.0], use_resource=True)

    @Defun(tf.float32, tf.float32)
    def product(x, y):
      return x * y + tf.sin(x)

    @Defun(tf.float32, tf.int32)
    def mixed(x, i):
      return x * 3.0, i + 1

    @Defun(tf.float32)
    def reads(x):
      return x * x * resource

    @Defun(tf.float32)
    def nested(x):
      return product(product(x, 2.0), x)

    @Defun(tf.float32)
    def layers(x):
      return tf1.nn.softmax(tf.matmul(tf.nn.relu(x), tf.ones([2, 3]) * 0.3))

    seen.run("init", tf1.global_variables_initializer())
    gradients_of(product(1.0, 2.0), seen, "product")
    gradients_of(product([1.0, 5.0], 2.0), seen, "broadcast")
    a, _ = mixed(1.0, 2)
    seen.run("mixed", tf1.gradients(a, a.op.inputs[0]))
    y = reads(2.0)
    seen.run("variable", tf1.gradients(y, [resource, y.op.inputs[0]]))
    gradients_of(nested(1.5), seen, "nested")
    gradients_of(layers([[1.0, -2.0]]), seen, "layers")
    symbolic = functional_ops.symbolic_gradient(
      input=[tf.constant(1.5), tf.constant(2), tf.constant(1.0), tf.constant(0)], Tout=[tf.float32, tf.int32], f=mixed
    )
    seen.run("symbolic", symbolic)

  compare(clusters, program)


def test_named_gradients(clusters):
  def program(seen):
    @Defun(tf.float32, tf.float32)
    def slope(x, dy):
      return dy * 100.0 + x

    @Defun(tf.float32, grad_func=slope)
    def line(x):
      return x + 1.0

    @Defun(tf.float32)
    def calls(x):
      return line(x) * 2.0

    gradients_of(line(3.0), seen, "named")
    gradients_of(calls(3.0), seen, "in a body")

  compare(clusters, program)


def symbolic(name, inputs, types, attributes):
  graph = tf1.get_default_graph()
  f = tf1.AttrValue()
  f.func.name = name
  for key, dtype in attributes.items():
    f.func.attr[key].type = dtype.as_datatype_enum
  enums = [t.as_datatype_enum for t in types]
  lists = {
    "Tin": tf1.AttrValue(list=tf1.AttrValue.ListValue(type=[i.dtype.as_datatype_enum for i in inputs])),
    "Tout": tf1.AttrValue(list=tf1.AttrValue.ListValue(type=enums)),
  }
  return graph.create_op("SymbolicGradient", inputs, types, attrs={"f": f, **lists}).outputs


def test_symbolic_gradients(clusters):
  def program(seen):
    resource = tf1.get_variable("resource", initializer=1.0, use_resource=True)

    @Defun(tf.float32)
    def square(x):
      return x * x

    @Defun(tf.float32)
    def changes(x):
      resource.assign_add(1.0)
      return x * x

    seen.run("init", tf1.global_variables_initializer())
    one, three = tf.constant(1.0), tf.constant(3.0)
    square.add_to_graph(tf1.get_default_graph())
    floats = [tf.float32]
    seen.run("op", symbolic("Mul", [three, tf.constant(2.0), one], floats * 2, {"T": tf.float32}))
    seen.run("no function", symbolic("Nowhere", [three, one], floats, {}), None)
    seen.run("too few", symbolic(square.name, [three], floats, {}))
    seen.run("too many", symbolic(square.name, [three, one, one], floats, {}))
    seen.run("wrong type", symbolic(square.name, [tf.constant(3), one], [tf.int32], {}))
    seen.run("wrong number", symbolic(square.name, [three, one], floats * 2, {}))
    y = changes(3.0)
    seen.run(
      "with effects", functional_ops.symbolic_gradient(input=[*y.op.inputs, one], Tout=[tf.float32, tf.float32], f=changes)
    )
    seen.run("changed once", resource)

  compare(clusters, program)
