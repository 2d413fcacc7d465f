"""InMemoryEvaluatorHook: evaluations between the steps of a training, with the values as they are, without a checkpoint."""

import millrace as tf
from millrace.estimator import evaluation, result_summaries
from millrace.estimator.estimator import Estimator


class InMemoryEvaluatorHook(tf.train.SessionRunHook):
  """Evaluates before the first step, every `every_n_iter` steps, and at the end, in a graph and session of its own.

  `steps`, `hooks` and `name` are as in `evaluate`. Raises ValueError on a cluster, TypeError if `estimator` is none.
  """

  def __init__(self, estimator, input_fn, steps=None, hooks=None, name=None, every_n_iter=100):
    if every_n_iter is None or every_n_iter <= 0:
      raise ValueError(f"invalid every_n_iter={every_n_iter}.")
    if not isinstance(estimator, Estimator):
      raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}")
    if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
      raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
    self._estimator = estimator
    self._input_fn = input_fn
    self._steps = steps
    self._hooks = list(hooks or [])
    self._name = name
    self._every_n_iter = every_n_iter
    self._eval_dir = estimator.eval_dir(name)
    self._graph = None

  def begin(self):
    """Builds the graph of the evaluation. Raises ValueError if it has a saver or an `init_fn` of its own."""
    self._timer = tf.train.SecondOrStepTimer(every_steps=self._every_n_iter)
    self._iter_count = 0
    self._graph = tf.Graph()
    with self._graph.as_default():
      self._scaffold, self._update_op, self._eval_dict, self._all_hooks = self._estimator._evaluate_build_graph(
        self._input_fn, self._estimator._convert_eval_steps_to_hooks(self._steps), checkpoint_path=None
      )
      if self._scaffold.saver is not None:
        raise ValueError("InMemoryEvaluator does not support custom saver")
      if self._scaffold.init_fn is not None:
        raise ValueError("InMemoryEvaluator does not support custom init_fn")
      self._eval_variables = {v.name: v for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)}
      placeholders = {
        name: tf.placeholder(dtype=v.dtype.base_dtype, shape=v.get_shape()) for name, v in self._eval_variables.items()
      }
      self._placeholders = placeholders
      self._assigns = {name: tf.assign(v, placeholders[name]) for name, v in self._eval_variables.items()}
      self._init = None

  def after_create_session(self, session, coord):
    """Evaluates the model as it begins."""
    del coord
    self._evaluate(session)

  def after_run(self, run_context, run_values):
    del run_values
    self._iter_count += 1
    if self._timer.should_trigger_for_step(self._iter_count):
      self._evaluate(run_context.session)

  def end(self, session):
    self._evaluate(session)

  def _evaluate(self, train_session):
    """Takes over the values of the training's variables and evaluates with them. Variables of the evaluation alone begin anew."""
    train_variables = {v.name: v for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)}
    values = train_session.run({name: train_variables[name] for name in self._eval_variables if name in train_variables})
    with self._graph.as_default():
      if self._init is None:
        own = [v.initializer for name, v in self._eval_variables.items() if name not in values]
        self._init = tf.group(*(self._assigns[name] for name in values), *own)
      scaffold = tf.train.Scaffold(
        init_op=self._init,
        init_feed_dict={self._placeholders[name]: value for name, value in values.items()},
        copy_from_scaffold=self._scaffold,
      )
      results = evaluation.evaluate_once(
        checkpoint_path=None,
        master=self._estimator.config.evaluation_master,
        scaffold=scaffold,
        eval_ops=self._update_op,
        final_ops=self._eval_dict,
        hooks=[*self._hooks, *self._all_hooks],
        config=self._estimator._session_config,
      )
      result_summaries.write(self._eval_dir, results, results[tf.GraphKeys.GLOBAL_STEP])
    self._timer.update_last_triggered_step(self._iter_count)
