"""A graph with gradients of its own that is traced, frozen in three ways, imported again and served."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.client import timeline
from tensorflow.python.framework import graph_util, ops
from tensorflow.python.tools import freeze_graph, inspect_checkpoint, optimize_for_inference_lib

folder = tempfile.mkdtemp()
rows = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]], np.float32)


@ops.RegisterGradient("OnlyPositive")
def _only_positive(op, grad):
  return tf.where(grad > 0, grad * tf.to_float(op.inputs[0] > 0), tf.zeros_like(grad))


def squares(x):
  """By numpy, with a gradient."""
  tf.RegisterGradient("OfSquares")(lambda op, grad: 2.0 * grad * op.inputs[0])
  with tf.get_default_graph().gradient_override_map({"PyFunc": "OfSquares"}):
    return tf.py_func(lambda a: np.square(a).astype(np.float32), [x], tf.float32, name="squares")


@tf.custom_gradient
def gently(x):
  return tf.identity(x), lambda grad: tf.clip_by_norm(grad, 0.5)


with tf.Graph().as_default() as graph, tf.Session() as sess:
  x = tf.placeholder(tf.float32, [None, 3], name="input")
  first = tf.constant_initializer([[1.0, -1.0, 2.0, 0.0], [0.0, 1.0, 1.0, -2.0], [1.0, 1.0, -1.0, 1.0]])
  with graph.gradient_override_map({"Relu": "OnlyPositive"}):
    hidden = tf.nn.relu(tf.layers.dense(x, 4, kernel_initializer=first, name="hidden"))
  y = tf.identity(tf.layers.dense(hidden, 2, kernel_initializer=tf.constant_initializer(0.5), name="last"), name="output")
  slopes = [tf.gradients(y[:, 0], x)[0], tf.gradients(squares(x), x)[0], tf.gradients(3.0 * tf.reduce_sum(gently(x)), x)[0]]
  saver = tf.train.Saver()
  sess.run(tf.global_variables_initializer())
  wanted = sess.run(y, {x: rows})
  for value in [wanted] + sess.run(slopes, {x: rows}):
    print(np.round(value, 4).tolist())
  metadata = tf.RunMetadata()
  sess.run(y, {x: rows}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
  trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True))
  print("traced:", any("hidden/" in json.dumps(event) for event in trace["traceEvents"]))
  part = sess.partial_run_setup([hidden, y], [x])
  print(sess.partial_run(part, hidden, {x: rows}).shape, sess.partial_run(part, y).shape)
  saver.save(sess, os.path.join(folder, "model.ckpt"))
  tf.train.write_graph(sess.graph_def, folder, "graph.pbtxt", as_text=True)
  constant = graph_util.convert_variables_to_constants(sess, sess.graph_def, ["output"])
  print(len(constant.node), sorted(set(node.op for node in constant.node)))
  with tf.gfile.GFile(os.path.join(folder, "one.pb"), "wb") as f:
    f.write(constant.SerializeToString())
  builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(folder, "saved"))
  signature = tf.saved_model.signature_def_utils.build_signature_def(
    inputs={"rows": tf.saved_model.utils.build_tensor_info(x)},
    outputs={"scores": tf.saved_model.utils.build_tensor_info(y)},
    method_name=tf.saved_model.signature_constants.PREDICT_METHOD_NAME,
  )
  tags = [tf.saved_model.tag_constants.SERVING]
  builder.add_meta_graph_and_variables(sess, tags, signature_def_map={"scores": signature})
  builder.save()

checkpoint = os.path.join(folder, "model.ckpt")
text, two, three = [os.path.join(folder, name) for name in ("graph.pbtxt", "two.pb", "three.pb")]
freeze_graph.freeze_graph(text, "", False, checkpoint, "output", "save/restore_all", "save/Const:0", two, True, "")
freeze_graph.freeze_graph(
  "", "", True, checkpoint, "output", "", "", three, False, "", input_meta_graph=os.path.join(folder, "model.ckpt.meta")
)
for name in ("one.pb", "two.pb", "three.pb"):
  definition = tf.GraphDef()
  with tf.gfile.FastGFile(os.path.join(folder, name), "rb") as f:
    definition.ParseFromString(f.read())
  small = optimize_for_inference_lib.optimize_for_inference(definition, ["input"], ["output"], tf.float32.as_datatype_enum)
  for one in (definition, small):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
      given = tf.placeholder(tf.float32, [None, 3])
      (out,) = tf.import_graph_def(one, input_map={"input:0": given}, return_elements=["output:0"], name="again")
      print(name, out.name, np.allclose(sess.run(out, {given: rows}), wanted))
with tf.Session(graph=tf.Graph()) as sess:
  found = tf.saved_model.loader.load(sess, tags, os.path.join(folder, "saved")).signature_def["scores"]
  value = sess.run(found.outputs["scores"].name, {found.inputs["rows"].name: rows})
  print(found.method_name, np.allclose(value, wanted))
inspect_checkpoint.print_tensors_in_checkpoint_file(checkpoint, tensor_name="last/bias", all_tensors=False)
