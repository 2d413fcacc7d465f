"""What should_stop says after a thread of the coordinator has failed. TensorFlow 2.21 fails there itself, in a line of its log."""

import pytest

import millrace as tf


def _ended_by_a_thread(error):
  """Trains three steps with a coordinator whose thread fails once, before the first of them. Returns what is called."""
  calls = []

  class Fails(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
      calls.append("created")
      if calls.count("created") == 1:
        coord.request_stop(error)

    def end(self, session):
      calls.append("end")

  with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    train = tf.assign_add(step, 1)
    with tf.train.MonitoredTrainingSession(hooks=[Fails()]) as session:
      while not session.should_stop() and calls.count("run") < 3:
        calls.append("run")
        session.run(train)
  return calls


@pytest.mark.parametrize("kind", ["AbortedError", "UnavailableError"])
def test_a_lost_task_leads_to_another_session(kind):
  error = getattr(tf.errors, kind)(None, None, "a task went away")
  assert _ended_by_a_thread(error) == ["created", "created", "run", "run", "run", "end"]


def test_any_other_error_ends_the_training():
  with pytest.raises(ValueError, match="of a thread"):
    _ended_by_a_thread(ValueError("of a thread"))
