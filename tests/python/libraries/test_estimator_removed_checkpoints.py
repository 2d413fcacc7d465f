"""A training that saves often may remove a checkpoint while it is evaluated or exported."""

import os

import pytest
from millrace.estimator import evaluator

import millrace as tf


class Estimator:
  """Evaluates files; `removing` are those that are gone by the time that they are read."""

  def __init__(self, folder, checkpoints, removing=()):
    self.model_dir, self.asked = folder, []
    self._checkpoints, self._removing = list(checkpoints), removing
    for checkpoint in checkpoints:
      open(checkpoint + ".index", "w").close()

  def latest_checkpoint(self):
    return self._checkpoints[0] if self._checkpoints else None

  def evaluate(self, input_fn, steps, name, checkpoint_path, hooks):
    self.asked.append(os.path.basename(checkpoint_path))
    if checkpoint_path in self._removing:
      os.remove(checkpoint_path + ".index")
      self._checkpoints.remove(checkpoint_path)
    if not os.path.exists(checkpoint_path + ".index"):
      raise ValueError("The passed save_path is not a valid checkpoint: " + checkpoint_path)
    return {"global_step": 7}


class Exporter(tf.estimator.Exporter):
  name = "own"

  def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
    os.remove(checkpoint_path + ".index")
    raise ValueError("The passed save_path is not a valid checkpoint: " + checkpoint_path)


def made(tmp_path, removing, exporters=(), names=("one", "two")):
  checkpoints = [str(tmp_path / name) for name in names]
  estimator = Estimator(str(tmp_path), checkpoints, [str(tmp_path / name) for name in removing])
  spec = tf.estimator.EvalSpec(lambda: None, exporters=list(exporters))
  return estimator, evaluator.Evaluator(estimator, spec, None)


def test_the_newest_one_is_evaluated_then(tmp_path):
  estimator, evaluating = made(tmp_path, ["one"])
  result, _ = evaluating.evaluate_and_export()
  assert result.status == "evaluated" and os.path.basename(result.checkpoint_path) == "two"
  assert estimator.asked == ["one", "two"]


def test_without_another_one_the_error_stays(tmp_path):
  _, evaluating = made(tmp_path, ["one"], names=("one",))
  with pytest.raises(ValueError, match="is not a valid checkpoint"):
    evaluating.evaluate_and_export()


def test_an_export_of_a_removed_one_is_left_out(tmp_path):
  _, evaluating = made(tmp_path, [], [Exporter()])
  assert evaluating.evaluate_and_export()[1] == [None]
  _, evaluating = made(tmp_path, [], [Exporter()])
  with pytest.raises(ValueError, match="is not a valid checkpoint"):
    evaluating.evaluate_and_export(is_over=True)
