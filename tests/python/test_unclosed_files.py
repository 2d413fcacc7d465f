"""What a program wrote is in its files when it ends, though it never closed them, as TensorFlow's are."""

import os

import package

PROGRAM = """
import os, sys
import millrace as tf

def keeps_the_globals():
  pass

text = tf.gfile.GFile("text", "w")
text.write("written\\n")
more = tf.gfile.Open("more", "a")
more.write("x" * 5000)
records = tf.python_io.TFRecordWriter("records")
records.write(b"record")
writer = tf.summary.FileWriter("events", tf.get_default_graph())
with tf.Session() as session:
  for step in range(30):
    writer.add_summary(session.run(tf.summary.scalar("a", 1.0)), step)
"""

READ = """
import millrace as tf

assert tf.gfile.GFile("text").read() == "written\\n"
assert len(tf.gfile.GFile("more").read()) == 5000
assert list(tf.python_io.tf_record_iterator("records")) == [b"record"]
(name,) = tf.gfile.ListDirectory("events")
kinds = [event.WhichOneof("what") for event in tf.train.summary_iterator("events/" + name)]
assert kinds == ["file_version", "graph_def", "meta_graph_def"] + ["summary"] * 30, kinds
"""


def run(folder, program):
  ran = package.python("-c", program, cwd=str(folder))
  assert ran.returncode == 0, ran.stderr
  return ran


def test_files_that_nobody_closes(tmp_path):
  run(tmp_path, PROGRAM)
  run(tmp_path, READ)


def test_files_of_a_program_that_ends_by_an_error(tmp_path):
  ran = package.python("-c", PROGRAM + "raise ValueError('at the end')", cwd=str(tmp_path))
  assert ran.returncode == 1 and "at the end" in ran.stderr
  run(tmp_path, READ)


def test_a_forked_process_writes_nothing_of_its_parent(tmp_path):
  run(tmp_path, PROGRAM + "writer.flush()\nif os.fork() == 0:\n  sys.exit()\nos.wait()\n")
  run(tmp_path, READ)


def test_the_other_files_after_one_that_cannot_be_written(tmp_path):
  if not os.path.exists("/dev/full"):
    return
  ran = run(tmp_path, PROGRAM + "full = tf.gfile.GFile('/dev/full', 'w'); full.write('x')\n")
  assert "No space left" in ran.stderr
  run(tmp_path, READ)
