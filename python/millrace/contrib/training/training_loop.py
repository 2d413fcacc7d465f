"""The loop of a training."""

import millrace as tf


def train(
  train_op,
  logdir,
  master="",
  is_chief=True,
  scaffold=None,
  hooks=None,
  chief_only_hooks=None,
  save_checkpoint_secs=600,
  save_summaries_steps=100,
  config=None,
  max_wait_secs=7200,
  run_metadata=None,
):
  """Runs `train_op` until a hook ends the training; returns its last value.

  The chief saves checkpoints in `logdir` every `save_checkpoint_secs` seconds, and summaries every `save_summaries_steps` steps, or
  none for None. The others wait `max_wait_secs` seconds at most for it. `run_metadata` gets what runs tell. Raises ValueError for no
  `logdir` where something is to be saved.
  """
  if logdir is None and is_chief:
    if save_summaries_steps:
      raise ValueError("logdir cannot be None when save_summaries_steps is not None")
    if save_checkpoint_secs:
      raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
  with tf.train.MonitoredTrainingSession(
    master=master,
    is_chief=is_chief,
    checkpoint_dir=logdir,
    scaffold=scaffold,
    hooks=hooks,
    chief_only_hooks=chief_only_hooks,
    save_checkpoint_secs=save_checkpoint_secs,
    save_summaries_steps=save_summaries_steps,
    config=config,
    max_wait_secs=max_wait_secs,
  ) as session:
    loss = None
    while not session.should_stop():
      loss = session.run(train_op, run_metadata=run_metadata)
  return loss
