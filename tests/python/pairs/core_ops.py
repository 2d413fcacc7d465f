"""The making of ops: conversion of inputs, inferred attributes, and the errors of both."""

import numpy as np


def _fails(call):
  try:
    return repr(call())
  except Exception as error:
    return "%s: %s" % (type(error).__name__, str(error).split("\n")[0].split(" and with")[0])


def program_conversion(tf):
  a = tf.constant([1.0, 2.0])
  tf.add(a, 1)
  tf.add(1, a, name="first")
  tf.add(np.float32(1), a)
  tf.add(a, [3, 4], name="list")
  tf.add_n([a, [1.0, 2.0], a])
  tf.concat([a, [5.0]], 0)
  tf.concat([[1], [2]], 0)
  tf.stack([a, [1, 2]])
  tf.reshape(a, (2, 1))
  tf.reshape(a, a.shape)
  tf.gather([1, 2, 3], [0, 1])
  tf.where([True, False], a, a + 1)
  tf.pad(a, [[1, 1]])
  tf.tile([1.0], [2])
  tf.cast([1, 2], tf.float32)
  tf.cast([1, 2], "int64")
  tf.convert_to_tensor([1, 2], tf.float32)
  tf.convert_to_tensor([1, 2], preferred_dtype=tf.float64)
  tf.convert_to_tensor([1.5, 2], dtype_hint=tf.int32)
  tf.convert_to_tensor([a[0], 3.0])
  tf.convert_to_tensor(np.arange(3), name="named")
  tf.convert_to_tensor(tf.TensorShape([1, 2]))
  tf.convert_to_tensor(tf.Dimension(3) if hasattr(tf, "Dimension") else 3)


def program_errors(tf):
  a = tf.constant([1.0, 2.0])
  i = tf.constant([1, 2])
  s = tf.constant(["a", "b"])
  calls = [
    lambda: tf.add(a, i),
    lambda: tf.raw_ops.AddV2(x=a, y=i),
    lambda: tf.raw_ops.AddV2(x=i, y=1.5),
    lambda: tf.raw_ops.MatMul(a=a, b=i),
    lambda: tf.raw_ops.MatMul(a=s, b=s),
    lambda: tf.raw_ops.ConcatV2(values=[a, i], axis=0),
    lambda: tf.raw_ops.ConcatV2(values=[a], axis=0),
    lambda: tf.raw_ops.ConcatV2(values=a, axis=0),
    lambda: tf.raw_ops.AddN(inputs=[]),
    lambda: tf.raw_ops.AddN(inputs=[a, i]),
    lambda: tf.raw_ops.Sum(input=a, axis=1.5),
    lambda: tf.raw_ops.Sum(input=a, axis=[0], keep_dims="yes"),
    lambda: tf.raw_ops.Cast(x=a, DstT="none"),
    lambda: tf.raw_ops.Pack(values=[a, a], axis="x"),
    lambda: tf.raw_ops.Conv2D(input=a, filter=a, strides=[1, 1, 1, 1], padding="WRONG"),
    lambda: tf.raw_ops.Conv2D(input=a, filter=a, strides=3, padding="SAME"),
    lambda: tf.raw_ops.Placeholder(dtype=tf.float32, shape=[1, "a"]),
    lambda: tf.raw_ops.StringToNumber(string_tensor=1.5),
    lambda: tf.raw_ops.Assign(ref=a, value=a),
    lambda: tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0], [2.0]]),
    lambda: tf.raw_ops.Reshape(tensor=[1, 2, 3], shape=[2, 2]),
    lambda: tf.raw_ops.Sqrt(x=i),
    lambda: tf.raw_ops.Sqrt(x="text"),
    lambda: tf.raw_ops.Not(x=1) if hasattr(tf.raw_ops, "Not") else None,
    lambda: tf.raw_ops.LogicalAnd(x=True, y=1),
  ]
  return [_fails(call) for call in calls]


def program_results(tf):
  values = tf.raw_ops.Unique(x=[1, 1, 2])
  split = tf.raw_ops.Split(axis=0, value=[1.0, 2.0], num_split=2)
  top = tf.raw_ops.TopKV2(input=[1.0, 3.0, 2.0], k=2)
  nothing = tf.raw_ops.NoOp()
  made = [type(values).__name__, values._fields, type(split).__name__, len(split), top._fields, type(nothing).__name__]
  with tf.Session() as session:
    return made + [session.run([values, split, top])]


def program_reserved_names(tf):
  tf.raw_ops.Range(start=0, limit=3, delta=1)
  tf.raw_ops.Print(input=1.0, data=[1.0], message="m", first_n=1, summarize=2)
  tf.raw_ops.Assert(condition=True, data=["a"], summarize=4)
  tf.raw_ops.Where(condition=[True])


def program_ref_inputs(tf):
  with tf.device("/job:ps/task:0"):
    v = tf.Variable(1.0, use_resource=False, name="v")
  with tf.device("/job:worker/task:1"):
    a = tf.assign(v, 2.0)
    b = tf.assign_add(v, 1.0)
    c = v + 1.0
    d = tf.identity(v)
  return [x.device for x in (a, b, c, d)] + [a.op.colocation_groups(), a.dtype.name, c.dtype.name]
