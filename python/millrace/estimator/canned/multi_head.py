"""Several heads at the end of one model."""

import millrace as tf
from millrace.estimator.canned import head as heads_lib
from millrace.estimator.canned.head import LossSpec, ModelHead
from millrace.estimator.mode_keys import ModeKeys
from millrace.estimator.spec import EstimatorSpec


class MultiHead(ModelHead):
  """Several heads whose losses are added, each times its weight.

  Labels are a dict from the heads' names. Logits are such a dict as well, or one tensor that has those of all heads, one behind
  the other, as its last dimension.

  Args:
    heads: Heads with names that differ.
    head_weights: A number for each head, or None for 1.

  Raises:
    ValueError: There are no heads, a name is missing, or weights are not as many.
  """

  def __init__(self, heads, head_weights=None):
    if not heads:
      raise ValueError("Must specify heads. Given: {}".format(heads))
    if head_weights and len(head_weights) != len(heads):
      raise ValueError(
        f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. Given len(head_weights): "
        f"{len(head_weights)}."
      )
    for head in heads:
      if head.name is None:
        raise ValueError(f"All given heads must have name specified. Given: {head}")
    self._heads = tuple(heads)
    self._head_weights = tuple(head_weights) if head_weights else ()
    super().__init__("_".join(head.name for head in heads), None, heads[0].loss_reduction)

  @property
  def logits_dimension(self):
    return sum(head.logits_dimension for head in self._heads)

  @property
  def loss_reduction(self):
    """How losses of examples become one number. Raises ValueError if heads differ in it."""
    found = [head.loss_reduction for head in self._heads]
    if len(set(found)) > 1:
      raise ValueError(f"The loss_reduction must be the same for different heads. Given: {found}")
    return self._loss_reduction

  def _logits_by_head(self, logits):
    """Returns a dict from names to the logits of heads."""
    if isinstance(logits, dict):
      self._check_names(logits, "logits")
      return logits
    with tf.name_scope("split_logits", values=[logits]):
      logits = self._check_logits(logits)
      sizes = [head.logits_dimension for head in self._heads]
      parts = tf.split(logits, num_or_size_splits=sizes, axis=-1)
      return {head.name: part for head, part in zip(self._heads, parts)}

  def _check_labels(self, labels):
    from millrace.estimator.canned import labels_and_logits

    labels_and_logits.check_given(labels)
    if not isinstance(labels, dict):
      raise ValueError(f"labels must be a dict. Given: {labels}")  # noqa: TRY004
    self._check_names(labels, "labels")
    return labels

  def _check_names(self, values, what):
    """Raises ValueError if a dict lacks heads."""
    missing = [head.name for head in self._heads if head.name not in values]
    if missing:
      raise ValueError(f"{what} has missing values for head(s): {missing}")

  def _sum(self, losses):
    if not self._head_weights:
      return tf.add_n(losses)
    return tf.add_n([loss * weight for loss, weight in zip(losses, self._head_weights)])

  def create_loss(self, features, mode, logits, labels):
    """Returns the LossSpec of all heads; losses, weights and labels are dicts from their names."""
    logits = self._logits_by_head(logits)
    labels = self._check_labels(labels)
    specs = {head.name: head.create_loss(features, mode, logits[head.name], labels[head.name]) for head in self._heads}
    total = self._sum([spec.training_loss for spec in specs.values()])
    return LossSpec(
      total,
      {name: spec.unreduced_loss for name, spec in specs.items()},
      {name: spec.weights for name, spec in specs.items()},
      {name: spec.processed_labels for name, spec in specs.items()},
    )

  def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
    """Returns the weighted sum of the heads' losses, with the regularization losses added."""
    logits = self._logits_by_head(logits)
    labels = self._check_labels(labels)
    total = self._sum(
      [head.loss(labels=labels[head.name], logits=logits[head.name], features=features, mode=mode) for head in self._heads]
    )
    regularization = tf.add_n(regularization_losses) if regularization_losses else None
    return total if regularization is None else tf.add_n([total, regularization])

  def predictions(self, logits, keys=None):
    """Returns a dict from (name of a head, key) to what is predicted; `keys` are those of the heads."""
    logits = self._logits_by_head(logits)
    found = {}
    with tf.name_scope("merge_predictions", values=list(logits.values())):
      for head in self._heads:
        all_of_head = head.predictions(logits[head.name])
        for key, value in all_of_head.items():
          if keys is None or key in keys:
            found[(head.name, key)] = value
    return found

  def metrics(self, regularization_losses=None):
    """Returns a dict of the loss of each head; update_metrics adds the heads' own metrics."""
    from millrace.estimator.canned.head_metrics import HeadMetric

    keys = [f"loss/{head.name}" for head in self._heads]
    if regularization_losses is not None:
      keys.insert(0, self._key("regularization_loss"))
    return {key: HeadMetric(key) for key in keys}

  def update_metrics(self, eval_metrics, features, logits, labels, regularization_losses=None):
    """Returns `eval_metrics`, those of metrics(), which have got values and ops that update them with a batch."""
    logits = self._logits_by_head(logits)
    labels = self._check_labels(labels)
    for head in self._heads:
      loss = head.loss(labels[head.name], logits[head.name], features)
      eval_metrics[f"loss/{head.name}"].fill(tf.metrics.mean(loss, name=f"loss/{head.name}"))
    for head in self._heads:
      eval_metrics.update(head.update_metrics(head.metrics(), features, logits[head.name], labels[head.name]))
    if regularization_losses:
      pair = tf.metrics.mean(tf.add_n(regularization_losses), name="regularization_loss")
      eval_metrics[self._key("regularization_loss")].fill(pair)
    return eval_metrics

  def create_estimator_spec(
    self,
    features,
    mode,
    logits,
    labels=None,
    optimizer=None,
    trainable_variables=None,
    train_op_fn=None,
    update_ops=None,
    regularization_losses=None,
  ):
    """Returns the EstimatorSpec of a model. The rest: see Head."""
    with tf.name_scope(self.name, "multi_head"):
      by_head = self._logits_by_head(logits)
      labels = labels if mode == ModeKeys.PREDICT else self._check_labels(labels)
      specs = [
        head.create_estimator_spec(
          features=features,
          mode=mode,
          logits=by_head[head.name],
          labels=None if mode == ModeKeys.PREDICT else labels[head.name],
          train_op_fn=_no_training,
        )
        for head in self._heads
      ]
      predictions = {(head.name, key): value for head, spec in zip(self._heads, specs) for key, value in spec.predictions.items()}
      if mode == ModeKeys.PREDICT:
        return EstimatorSpec(mode=mode, predictions=predictions, export_outputs=self._merged_outputs(specs))
      regularization = tf.add_n(regularization_losses) if regularization_losses else None
      loss = self._sum([spec.loss for spec in specs])
      if regularization is not None:
        loss = tf.add_n([loss, regularization])
      if mode == ModeKeys.EVAL:
        return EstimatorSpec(
          mode=mode,
          predictions=predictions,
          loss=loss,
          eval_metric_ops=self._merged_metrics(specs, regularization),
        )
      train_op = heads_lib.training_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
    with tf.name_scope(""):
      tf.summary.scalar("loss", loss)
      if regularization is not None:
        tf.summary.scalar("regularization_loss", regularization)
    return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, train_op=train_op)

  def _merged_metrics(self, specs, regularization):
    found = {}
    with tf.name_scope("merge_eval"):
      if regularization is not None:
        found[self._key("regularization_loss")] = tf.metrics.mean(regularization, name="regularization_loss")
      for head, spec in zip(self._heads, specs):
        key = f"loss/{head.name}"
        found[key] = tf.metrics.mean(spec.loss, name=key)
        found.update(spec.eval_metric_ops)
    return found

  def _merged_outputs(self, specs):
    """Returns the outputs of all heads by their names; those of the first are the usual ones."""
    found = {"serving_default": specs[0].export_outputs["serving_default"]}
    merged = {}
    for head, spec in zip(self._heads, specs):
      for key, output in spec.export_outputs.items():
        found[head.name if key == "serving_default" else f"{head.name}/{key}"] = output
        if key == "predict":
          merged.update({f"{head.name}/{k}": value for k, value in output.outputs.items()})
    found["predict"] = tf.estimator.export.PredictOutput(merged)
    return found


def _no_training(loss):
  """What heads train with whose losses are added and trained together."""
  del loss
  return tf.no_op()
