"""Where a setter of devices puts the variables of replicas: TensorFlow counts variables beside others, too."""


def _parameters(tf, make):
  """The devices of the variables that `make` makes and of two more, in a graph of their own: TensorFlow 2 puts nodes of a moving
  average elsewhere than 1.15 did."""
  with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=3, worker_device="/job:worker/task:0")):
    make()
    tf.get_variable("then", [2])
    tf.get_variable("last", [2], use_resource=True)
    return [(variable.op.name, variable.device) for variable in tf.global_variables()]


def _optimizers(tf, use_resource):
  def make():
    v = tf.get_variable("v", [2], use_resource=use_resource)
    step = tf.train.get_or_create_global_step()
    for optimizer in (tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdamOptimizer(), tf.train.FtrlOptimizer(0.1)):
      optimizer.apply_gradients([(tf.ones([2]), v)], step)

  return _parameters(tf, make)


def program_slots(tf):
  return _optimizers(tf, use_resource=False)


def program_slots_of_resources(tf):
  return _optimizers(tf, use_resource=True)


def program_moving_averages(tf):
  def make():
    v = tf.get_variable("v", [2])
    tf.train.ExponentialMovingAverage(0.5, tf.train.get_or_create_global_step()).apply([v, v * 2.0])

  return _parameters(tf, make)


def program_replicas_that_wait(tf):
  def make():
    v = tf.get_variable("v", [2])
    optimizer = tf.train.SyncReplicasOptimizer(
      tf.train.AdagradOptimizer(0.1), 2, variable_averages=tf.train.ExponentialMovingAverage(0.5), variables_to_average=[v]
    )
    optimizer.apply_gradients([(tf.ones([2]), v)], tf.train.get_or_create_global_step())

  return _parameters(tf, make)


def program_which_devices_hold(tf):
  """A colocation hides devices; those in which its graph was entered, or which it has, hold for a variable."""
  seen = []

  def setter(op):
    seen.append((op.type, op.name))
    return "/job:ps/task:1"

  v = tf.get_variable("v", [])
  devices = []

  def add(name):
    devices.append(tf.get_variable(name, []).device)

  with tf.device(setter):
    with tf.colocate_with(v.op):
      add("beside")
      tf.constant(1.0)
      with tf.init_scope():
        tf.constant(2.0)
      with tf.device("/cpu:0"):
        add("beside_on_a_device")
        with tf.colocate_with(v.op):
          add("twice_beside")
      with tf.device(None):
        add("beside_nowhere")
      with tf.get_default_graph().as_default():
        add("entered_beside")
    with tf.get_default_graph().as_default(), tf.colocate_with(v.op):
      add("entered_on_a_device")
    with tf.Graph().as_default():
      add("of_another_graph")

    def branch():
      with tf.colocate_with(v.op):
        return tf.get_variable("of_a_branch", []) + 1.0

    tf.cond(tf.constant(True), branch, lambda: tf.constant(1.0))
  return [devices, [kind for kind, _ in seen].count("VariableV2"), [name for kind, name in seen if kind != "VariableV2"]]
