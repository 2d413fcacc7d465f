"""Every optimizer with gradients that are given: variables of both kinds, dense and sparse gradients, all options."""

import numpy as np


def _steps(tf, optimizer, resource, sparse):
  """The variables and slots after each of three steps."""
  with tf.variable_scope("s", use_resource=resource):
    x = tf.get_variable("x", initializer=np.array([[1, 2], [3, 4], [-1, 0], [0.5, 0.25]], np.float32))
  step = tf.train.get_or_create_global_step()
  if sparse:
    values = tf.constant([[0.1, 0.2], [0.3, -0.4], [0.5, 0.5]])
    gradient = tf.IndexedSlices(values, tf.constant([1, 3, 1]), tf.constant([4, 2]))
  else:
    gradient = tf.constant([[0.1, 0.2], [0.3, -0.4], [0.5, 0.5], [0, 1]])
  update = optimizer(tf).apply_gradients([(gradient, x)], global_step=step)
  found = [update.name, update.type]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
      session.run(update)
      found.append(session.run(tf.global_variables()))
  return found


def _gradient_descent(tf):
  return tf.train.GradientDescentOptimizer(0.1)


def program_gradient_descent_reference_dense(tf):
  return _steps(tf, _gradient_descent, False, False)


program_gradient_descent_reference_dense.rtol = 1e-6


def program_gradient_descent_reference_sparse(tf):
  return _steps(tf, _gradient_descent, False, True)


program_gradient_descent_reference_sparse.rtol = 1e-6


def program_gradient_descent_resource_dense(tf):
  return _steps(tf, _gradient_descent, True, False)


program_gradient_descent_resource_dense.rtol = 1e-6


def program_gradient_descent_resource_sparse(tf):
  return _steps(tf, _gradient_descent, True, True)


program_gradient_descent_resource_sparse.rtol = 1e-6


def _gradient_descent_locking(tf):
  return tf.train.GradientDescentOptimizer(tf.constant(0.5), use_locking=True, name="descent")


def program_gradient_descent_locking_reference_dense(tf):
  return _steps(tf, _gradient_descent_locking, False, False)


program_gradient_descent_locking_reference_dense.rtol = 1e-6


def program_gradient_descent_locking_reference_sparse(tf):
  return _steps(tf, _gradient_descent_locking, False, True)


program_gradient_descent_locking_reference_sparse.rtol = 1e-6


def program_gradient_descent_locking_resource_dense(tf):
  return _steps(tf, _gradient_descent_locking, True, False)


program_gradient_descent_locking_resource_dense.rtol = 1e-6


def program_gradient_descent_locking_resource_sparse(tf):
  return _steps(tf, _gradient_descent_locking, True, True)


program_gradient_descent_locking_resource_sparse.rtol = 1e-6


def _momentum(tf):
  return tf.train.MomentumOptimizer(0.1, 0.9)


def program_momentum_reference_dense(tf):
  return _steps(tf, _momentum, False, False)


program_momentum_reference_dense.rtol = 1e-6


def program_momentum_reference_sparse(tf):
  return _steps(tf, _momentum, False, True)


program_momentum_reference_sparse.rtol = 1e-6


def program_momentum_resource_dense(tf):
  return _steps(tf, _momentum, True, False)


program_momentum_resource_dense.rtol = 1e-6


def program_momentum_resource_sparse(tf):
  return _steps(tf, _momentum, True, True)


program_momentum_resource_sparse.rtol = 1e-6


def _nesterov(tf):
  return tf.train.MomentumOptimizer(0.1, 0.8, use_locking=True, name="nest", use_nesterov=True)


def program_nesterov_reference_dense(tf):
  return _steps(tf, _nesterov, False, False)


program_nesterov_reference_dense.rtol = 1e-6


def program_nesterov_reference_sparse(tf):
  return _steps(tf, _nesterov, False, True)


program_nesterov_reference_sparse.rtol = 1e-6


def program_nesterov_resource_dense(tf):
  return _steps(tf, _nesterov, True, False)


program_nesterov_resource_dense.rtol = 1e-6


def program_nesterov_resource_sparse(tf):
  return _steps(tf, _nesterov, True, True)


program_nesterov_resource_sparse.rtol = 1e-6


def _adam(tf):
  return tf.train.AdamOptimizer()


def program_adam_reference_dense(tf):
  return _steps(tf, _adam, False, False)


program_adam_reference_dense.rtol = 1e-6


def program_adam_reference_sparse(tf):
  return _steps(tf, _adam, False, True)


program_adam_reference_sparse.rtol = 1e-6


def program_adam_resource_dense(tf):
  return _steps(tf, _adam, True, False)


program_adam_resource_dense.rtol = 1e-6


def program_adam_resource_sparse(tf):
  return _steps(tf, _adam, True, True)


program_adam_resource_sparse.rtol = 1e-6


def _adam_options(tf):
  return tf.train.AdamOptimizer(0.02, beta1=0.8, beta2=0.95, epsilon=1e-3, use_locking=True, name="other")


def program_adam_options_reference_dense(tf):
  return _steps(tf, _adam_options, False, False)


program_adam_options_reference_dense.rtol = 1e-6


def program_adam_options_reference_sparse(tf):
  return _steps(tf, _adam_options, False, True)


program_adam_options_reference_sparse.rtol = 1e-6


def program_adam_options_resource_dense(tf):
  return _steps(tf, _adam_options, True, False)


program_adam_options_resource_dense.rtol = 1e-6


def program_adam_options_resource_sparse(tf):
  return _steps(tf, _adam_options, True, True)


program_adam_options_resource_sparse.rtol = 1e-6


def _adagrad(tf):
  return tf.train.AdagradOptimizer(0.1)


def program_adagrad_reference_dense(tf):
  return _steps(tf, _adagrad, False, False)


program_adagrad_reference_dense.rtol = 1e-6


def program_adagrad_reference_sparse(tf):
  return _steps(tf, _adagrad, False, True)


program_adagrad_reference_sparse.rtol = 1e-6


def program_adagrad_resource_dense(tf):
  return _steps(tf, _adagrad, True, False)


program_adagrad_resource_dense.rtol = 1e-6


def program_adagrad_resource_sparse(tf):
  return _steps(tf, _adagrad, True, True)


program_adagrad_resource_sparse.rtol = 1e-6


def _adagrad_options(tf):
  return tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.4, use_locking=True, name="grad")


def program_adagrad_options_reference_dense(tf):
  return _steps(tf, _adagrad_options, False, False)


program_adagrad_options_reference_dense.rtol = 1e-6


def program_adagrad_options_reference_sparse(tf):
  return _steps(tf, _adagrad_options, False, True)


program_adagrad_options_reference_sparse.rtol = 1e-6


def program_adagrad_options_resource_dense(tf):
  return _steps(tf, _adagrad_options, True, False)


program_adagrad_options_resource_dense.rtol = 1e-6


def program_adagrad_options_resource_sparse(tf):
  return _steps(tf, _adagrad_options, True, True)


program_adagrad_options_resource_sparse.rtol = 1e-6


def _adagrad_da(tf):
  return tf.train.AdagradDAOptimizer(0.1, tf.train.get_or_create_global_step())


def program_adagrad_da_reference_dense(tf):
  return _steps(tf, _adagrad_da, False, False)


program_adagrad_da_reference_dense.rtol = 1e-6


def program_adagrad_da_reference_sparse(tf):
  return _steps(tf, _adagrad_da, False, True)


program_adagrad_da_reference_sparse.rtol = 1e-6


def program_adagrad_da_resource_dense(tf):
  return _steps(tf, _adagrad_da, True, False)


program_adagrad_da_resource_dense.rtol = 1e-6


def program_adagrad_da_resource_sparse(tf):
  return _steps(tf, _adagrad_da, True, True)


program_adagrad_da_resource_sparse.rtol = 1e-6


def _adagrad_da_options(tf):
  return tf.train.AdagradDAOptimizer(
    0.3,
    tf.train.get_or_create_global_step(),
    initial_gradient_squared_accumulator_value=0.2,
    l1_regularization_strength=0.01,
    l2_regularization_strength=0.02,
    use_locking=True,
    name="da",
  )


def program_adagrad_da_options_reference_dense(tf):
  return _steps(tf, _adagrad_da_options, False, False)


program_adagrad_da_options_reference_dense.rtol = 1e-6


def program_adagrad_da_options_reference_sparse(tf):
  return _steps(tf, _adagrad_da_options, False, True)


program_adagrad_da_options_reference_sparse.rtol = 1e-6


def program_adagrad_da_options_resource_dense(tf):
  return _steps(tf, _adagrad_da_options, True, False)


program_adagrad_da_options_resource_dense.rtol = 1e-6


def program_adagrad_da_options_resource_sparse(tf):
  return _steps(tf, _adagrad_da_options, True, True)


program_adagrad_da_options_resource_sparse.rtol = 1e-6


def _adadelta(tf):
  return tf.train.AdadeltaOptimizer(1.0)


def program_adadelta_reference_dense(tf):
  return _steps(tf, _adadelta, False, False)


program_adadelta_reference_dense.rtol = 1e-6


def program_adadelta_reference_sparse(tf):
  return _steps(tf, _adadelta, False, True)


program_adadelta_reference_sparse.rtol = 1e-6


def program_adadelta_resource_dense(tf):
  return _steps(tf, _adadelta, True, False)


program_adadelta_resource_dense.rtol = 1e-6


def program_adadelta_resource_sparse(tf):
  return _steps(tf, _adadelta, True, True)


program_adadelta_resource_sparse.rtol = 1e-6


def _adadelta_options(tf):
  return tf.train.AdadeltaOptimizer(0.5, rho=0.8, epsilon=1e-4, use_locking=True, name="delta")


def program_adadelta_options_reference_dense(tf):
  return _steps(tf, _adadelta_options, False, False)


program_adadelta_options_reference_dense.rtol = 1e-6


def program_adadelta_options_reference_sparse(tf):
  return _steps(tf, _adadelta_options, False, True)


program_adadelta_options_reference_sparse.rtol = 1e-6


def program_adadelta_options_resource_dense(tf):
  return _steps(tf, _adadelta_options, True, False)


program_adadelta_options_resource_dense.rtol = 1e-6


def program_adadelta_options_resource_sparse(tf):
  return _steps(tf, _adadelta_options, True, True)


program_adadelta_options_resource_sparse.rtol = 1e-6


def _rmsprop(tf):
  return tf.train.RMSPropOptimizer(0.1)


def program_rmsprop_reference_dense(tf):
  return _steps(tf, _rmsprop, False, False)


program_rmsprop_reference_dense.rtol = 1e-6


def program_rmsprop_reference_sparse(tf):
  return _steps(tf, _rmsprop, False, True)


program_rmsprop_reference_sparse.rtol = 1e-6


def program_rmsprop_resource_dense(tf):
  return _steps(tf, _rmsprop, True, False)


program_rmsprop_resource_dense.rtol = 1e-6


def program_rmsprop_resource_sparse(tf):
  return _steps(tf, _rmsprop, True, True)


program_rmsprop_resource_sparse.rtol = 1e-6


def _rmsprop_centered(tf):
  return tf.train.RMSPropOptimizer(0.05, decay=0.8, momentum=0.3, epsilon=1e-3, use_locking=True, centered=True, name="rms")


def program_rmsprop_centered_reference_dense(tf):
  return _steps(tf, _rmsprop_centered, False, False)


program_rmsprop_centered_reference_dense.rtol = 1e-6


def program_rmsprop_centered_reference_sparse(tf):
  return _steps(tf, _rmsprop_centered, False, True)


program_rmsprop_centered_reference_sparse.rtol = 1e-6


def program_rmsprop_centered_resource_dense(tf):
  return _steps(tf, _rmsprop_centered, True, False)


program_rmsprop_centered_resource_dense.rtol = 1e-6


def program_rmsprop_centered_resource_sparse(tf):
  return _steps(tf, _rmsprop_centered, True, True)


program_rmsprop_centered_resource_sparse.rtol = 1e-6


def _ftrl(tf):
  return tf.train.FtrlOptimizer(0.1)


def program_ftrl_reference_dense(tf):
  return _steps(tf, _ftrl, False, False)


program_ftrl_reference_dense.rtol = 1e-6


def program_ftrl_reference_sparse(tf):
  return _steps(tf, _ftrl, False, True)


program_ftrl_reference_sparse.rtol = 1e-6


def program_ftrl_resource_dense(tf):
  return _steps(tf, _ftrl, True, False)


program_ftrl_resource_dense.rtol = 1e-6


def program_ftrl_resource_sparse(tf):
  return _steps(tf, _ftrl, True, True)


program_ftrl_resource_sparse.rtol = 1e-6


def _ftrl_options(tf):
  return tf.train.FtrlOptimizer(
    0.2,
    learning_rate_power=-0.4,
    initial_accumulator_value=0.3,
    l1_regularization_strength=0.01,
    l2_regularization_strength=0.02,
    use_locking=True,
    name="ftrl",
    accum_name="acc",
    linear_name="lin",
    l2_shrinkage_regularization_strength=0.03,
  )


def program_ftrl_options_reference_dense(tf):
  return _steps(tf, _ftrl_options, False, False)


program_ftrl_options_reference_dense.rtol = 1e-3


def program_ftrl_options_reference_sparse(tf):
  return _steps(tf, _ftrl_options, False, True)


program_ftrl_options_reference_sparse.rtol = 1e-5


def program_ftrl_options_resource_dense(tf):
  return _steps(tf, _ftrl_options, True, False)


program_ftrl_options_resource_dense.rtol = 1e-3


def program_ftrl_options_resource_sparse(tf):
  return _steps(tf, _ftrl_options, True, True)


program_ftrl_options_resource_sparse.rtol = 1e-5


def _proximal_descent(tf):
  return tf.train.ProximalGradientDescentOptimizer(0.1)


def program_proximal_descent_reference_dense(tf):
  return _steps(tf, _proximal_descent, False, False)


program_proximal_descent_reference_dense.rtol = 1e-6


def program_proximal_descent_reference_sparse(tf):
  return _steps(tf, _proximal_descent, False, True)


program_proximal_descent_reference_sparse.rtol = 1e-6


def program_proximal_descent_resource_dense(tf):
  return _steps(tf, _proximal_descent, True, False)


program_proximal_descent_resource_dense.rtol = 1e-6


def program_proximal_descent_resource_sparse(tf):
  return _steps(tf, _proximal_descent, True, True)


program_proximal_descent_resource_sparse.rtol = 1e-6


def _proximal_descent_options(tf):
  return tf.train.ProximalGradientDescentOptimizer(
    0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02, use_locking=True, name="prox"
  )


def program_proximal_descent_options_reference_dense(tf):
  return _steps(tf, _proximal_descent_options, False, False)


program_proximal_descent_options_reference_dense.rtol = 1e-6


def program_proximal_descent_options_reference_sparse(tf):
  return _steps(tf, _proximal_descent_options, False, True)


program_proximal_descent_options_reference_sparse.rtol = 1e-6


def program_proximal_descent_options_resource_dense(tf):
  return _steps(tf, _proximal_descent_options, True, False)


program_proximal_descent_options_resource_dense.rtol = 1e-6


def program_proximal_descent_options_resource_sparse(tf):
  return _steps(tf, _proximal_descent_options, True, True)


program_proximal_descent_options_resource_sparse.rtol = 1e-6


def _proximal_adagrad(tf):
  return tf.train.ProximalAdagradOptimizer(0.1)


def program_proximal_adagrad_reference_dense(tf):
  return _steps(tf, _proximal_adagrad, False, False)


program_proximal_adagrad_reference_dense.rtol = 1e-6


def program_proximal_adagrad_reference_sparse(tf):
  return _steps(tf, _proximal_adagrad, False, True)


program_proximal_adagrad_reference_sparse.rtol = 1e-6


def program_proximal_adagrad_resource_dense(tf):
  return _steps(tf, _proximal_adagrad, True, False)


program_proximal_adagrad_resource_dense.rtol = 1e-6


def program_proximal_adagrad_resource_sparse(tf):
  return _steps(tf, _proximal_adagrad, True, True)


program_proximal_adagrad_resource_sparse.rtol = 1e-6


def _proximal_adagrad_options(tf):
  return tf.train.ProximalAdagradOptimizer(
    0.1,
    initial_accumulator_value=0.3,
    l1_regularization_strength=0.01,
    l2_regularization_strength=0.02,
    use_locking=True,
    name="proxada",
  )


def program_proximal_adagrad_options_reference_dense(tf):
  return _steps(tf, _proximal_adagrad_options, False, False)


program_proximal_adagrad_options_reference_dense.rtol = 1e-6


def program_proximal_adagrad_options_reference_sparse(tf):
  return _steps(tf, _proximal_adagrad_options, False, True)


program_proximal_adagrad_options_reference_sparse.rtol = 1e-6


def program_proximal_adagrad_options_resource_dense(tf):
  return _steps(tf, _proximal_adagrad_options, True, False)


program_proximal_adagrad_options_resource_dense.rtol = 1e-6


def program_proximal_adagrad_options_resource_sparse(tf):
  return _steps(tf, _proximal_adagrad_options, True, True)


program_proximal_adagrad_options_resource_sparse.rtol = 1e-6
