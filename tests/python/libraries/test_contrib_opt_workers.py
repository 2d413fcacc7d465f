"""tf.contrib.opt: optimizers of several workers, on a cluster in this process."""

import threading

import numpy as np
import pytest

import millrace as tf

opt = tf.contrib.opt


@pytest.fixture(scope="module")
def targets():
  workers, servers = tf.test.create_local_cluster(2, 1)
  yield [worker.target for worker in workers]
  for server in workers + servers:
    server.stop()


class Worker:
  """A worker's graph: a variable that begins with 1.0 and has the constant gradient `gradient`."""

  def __init__(self, index, target, getter, optimizer, gradient, name):
    self.target = target
    device = f"/job:worker/task:{index}"
    self.graph = tf.Graph()
    with self.graph.as_default():
      custom_getter = getter(device + "/cpu:0")
      setter = tf.train.replica_device_setter(worker_device=device, ps_device="/job:ps/task:0/cpu:0", ps_tasks=1)
      with tf.device(setter), tf.variable_scope(name, custom_getter=custom_getter):
        self.step = tf.Variable(0, trainable=False, name="global_step")
        self.x = tf.get_variable("x", initializer=[1.0])
        self.plain = tf.get_variable("plain", initializer=[5.0], trainable=False)
        with tf.device(device):
          self.optimizer = optimizer(custom_getter)
          self.train = self.optimizer.apply_gradients([(tf.constant([gradient]), self.x)], self.step, name="train")
      (self.center,) = [v for v in tf.global_variables() if "global_center_variable" in v.op.name]
      self.global_init = tf.global_variables_initializer()
      self.local_init = tf.local_variables_initializer()

  def session(self):
    return tf.Session(self.target, graph=self.graph)


def test_models_are_averaged(targets):
  def worker(index, gradient):
    return Worker(
      index,
      targets[index],
      opt.ModelAverageCustomGetter,
      lambda getter: opt.ModelAverageOptimizer(
        tf.train.GradientDescentOptimizer(0.5),
        num_worker=2,
        is_chief=index == 0,
        ma_custom_getter=getter,
        interval_steps=2,
        use_locking=False,
        name="Average",
      ),
      gradient,
      "average",
    )

  workers = [worker(0, -1.0), worker(1, -3.0)]
  assert workers[0].x in workers[0].graph.get_collection(tf.GraphKeys.LOCAL_VARIABLES)
  assert workers[0].x.device.startswith("/job:worker/task:0") and workers[0].center.device.startswith("/job:ps")
  assert workers[0].plain in workers[0].graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
  assert workers[0].center.op.name.endswith("global_center_variable/average/x")
  hooks = []
  for each in workers:
    with each.graph.as_default():
      hooks.append(each.optimizer.make_session_run_hook())
      hooks[-1].begin()
  sessions = [each.session() for each in workers]
  sessions[0].run(workers[0].global_init)
  for each, session, hook in zip(workers, sessions, hooks):
    session.run(each.local_init)
    hook.after_create_session(session, None)
  for each, session in zip(workers, sessions):
    session.run(each.train)
  assert [s.run(w.x)[0] for w, s in zip(workers, sessions)] == [1.5, 2.5]
  assert sessions[1].run([workers[1].center, workers[1].step]) == [[1.0], 0]
  threads = [threading.Thread(target=s.run, args=(w.train,)) for w, s in zip(workers, sessions)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  # 1 + 2 * 0.5 and 1 + 2 * 1.5 become their mean.
  assert [s.run(w.x)[0] for w, s in zip(workers, sessions)] == [3.0, 3.0]
  assert sessions[1].run([workers[1].center, workers[1].step]) == [[3.0], 1]
  for session in sessions:
    session.close()
  with workers[0].graph.as_default():
    for pairs, step, words in (([], workers[0].step, "at least one variable"), ([(None, workers[0].x)], None, "Global step")):
      with pytest.raises(ValueError, match=words):
        workers[0].optimizer.apply_gradients(pairs, step)
    grads = workers[0].optimizer.compute_gradients(workers[0].x[0] * 2.0, var_list=[workers[0].x])
    assert grads[0][1] is workers[0].x
    assert workers[0].optimizer.get_init_op().type == "NoOp"


def elastic(index, target, **arguments):
  return Worker(
    index,
    target,
    opt.ElasticAverageCustomGetter,
    lambda getter: opt.ElasticAverageOptimizer(
      tf.train.AdamOptimizer(0.1) if arguments.pop("adam", False) else tf.train.GradientDescentOptimizer(0.5),
      num_worker=2,
      ea_custom_getter=getter,
      **arguments,
    ),
    -2.0,
    "elastic",
  )


def test_elastic_averages(targets, tmp_path):
  workers = [
    elastic(i, targets[i], communication_period=2, moving_rate=0.25, rho=0.0, use_locking=False, name="Elastic") for i in (0, 1)
  ]
  hooks = []
  for i, each in enumerate(workers):
    with each.graph.as_default():
      hooks.append(each.optimizer.make_session_run_hook(is_chief=i == 0, task_index=i))
      hooks[-1].begin()
  with workers[0].graph.as_default():
    saver = workers[0].optimizer.swapping_saver(name="swap", max_to_keep=2)
    of_some = workers[0].optimizer.swapping_saver({"other": workers[0].x, "plain": workers[0].plain})
  sessions = [each.session() for each in workers]
  sessions[0].run(workers[0].global_init)
  for each, session, hook in zip(workers, sessions, hooks):
    session.run(each.local_init)
    hook.after_create_session(session, None)
  x, center = [1.0, 1.0], 1.0
  for step in range(1, 4):
    for i in (0, 1):
      sessions[i].run(workers[i].train)
      x[i] += 1.0
      if step % 2 == 0:
        pull = 0.25 * (x[i] - center)
        x[i] -= pull
        center += pull
  assert [s.run(w.x)[0] for w, s in zip(workers, sessions)] == pytest.approx(x)
  assert sessions[1].run(workers[1].center) == pytest.approx([center]) and sessions[0].run(workers[0].step) == 2
  path = saver.save(sessions[0], str(tmp_path / "model"))
  assert tf.train.load_variable(path, "elastic/x") == pytest.approx([center])
  path = of_some.save(sessions[0], str(tmp_path / "other"))
  assert tf.train.load_variable(path, "other") == pytest.approx([center]) and tf.train.load_variable(path, "plain") == [5.0]
  for session in sessions:
    session.close()


def test_elastic_averages_pull_at_the_loss(targets):
  worker = elastic(0, targets[0], adam=False, communication_period=3)
  assert worker.optimizer._moving_rate == pytest.approx(0.9 / 3 / 2) and worker.optimizer.BETA == 0.9
  with worker.graph.as_default():
    grads = worker.optimizer.compute_gradients(
      worker.x[0] * 2.0,
      gate_gradients=worker.optimizer.GATE_NONE,
      aggregation_method=tf.AggregationMethod.ADD_N,
      colocate_gradients_with_ops=True,
      grad_loss=tf.constant(3.0),
    )
    (grad, var) = grads[0]
    assert var is worker.x
    own_center = worker.optimizer._own_centers[worker.x]
    with worker.session() as session:
      session.run([worker.global_init, worker.local_init])
      session.run([tf.assign(own_center, [0.5]).op])
      # rho is the moving rate by the learning rate.
      assert session.run(grad) == pytest.approx([3 * (2 + 0.15 / 0.5 * 0.5)])


def test_elastic_averages_keep_slots_with_the_worker(targets):
  worker = elastic(0, targets[0], adam=True, rho=0.0, communication_period=1)
  with worker.graph.as_default():
    kept = [v.op.name for v in tf.local_variables()]
    assert any(name.endswith("x/Adam") for name in kept) and any(name.endswith("beta1_power") for name in kept)
    with worker.session() as session:
      session.run([worker.global_init, worker.local_init])
      session.run(worker.optimizer.get_init_op(0))
      session.run(worker.train)
      # Adam's first step is the learning rate; 0.45 of it goes to the center.
      assert session.run([worker.x[0], worker.center[0]]) == pytest.approx([1.0 + 0.1 * 0.55, 1.0 + 0.1 * 0.45], rel=1e-4)
  with tf.Graph().as_default():
    getter = opt.ElasticAverageCustomGetter("/cpu:0")
    tf.get_variable("y", [1])
    optimizer = opt.ElasticAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), 1, getter)
    with pytest.raises(RuntimeError, match="ElasticAverageCustomGetter"):
      optimizer.swapping_saver()
    with pytest.raises(ValueError, match="should not be empty"):
      optimizer.get_init_op(0)


def test_elastic_averages_wait_for_all(targets):
  workers = [elastic(i, targets[i], rho=0.0, synchronous=True) for i in (0, 1)]
  inits = []
  for i, each in enumerate(workers):
    with each.graph.as_default():
      inits.append(each.optimizer.get_init_op(i))
  sessions = [each.session() for each in workers]
  sessions[0].run(workers[0].global_init)
  for each, session in zip(workers, sessions):
    session.run(each.local_init)
  order = []

  def begin(i):
    sessions[i].run(inits[i])
    order.append(i)

  first = threading.Thread(target=begin, args=(0,))
  first.start()
  begin(1)
  first.join()
  assert sorted(order) == [0, 1]
  for session in sessions:
    session.close()


def test_accumulated_gradients_are_normalized(targets):
  worker = Worker(
    0,
    targets[0],
    opt.AGNCustomGetter,
    lambda getter: opt.AGNOptimizer(
      tf.train.GradientDescentOptimizer(1.0),
      num_worker=1,
      custom_getter=getter,
      communication_period=4,
      use_locking=False,
      name="AGN",
    ),
    -1.0,
    "agn",
  )
  with worker.graph.as_default():
    hook = worker.optimizer.make_session_run_hook(is_chief=True, task_index=0)
    hook.begin()
    assert worker.optimizer.get_init_op(0).type == "NoOp"
    total = worker.optimizer._sums[worker.x]
    assert "grad_variable/agn/x" in total.op.name
  with worker.session() as session:
    session.run([worker.global_init, worker.local_init])
    hook.after_create_session(session, None)
    for done in range(1, 4):
      session.run(worker.train)
      assert session.run([worker.x, worker.center, total, worker.step]) == [[1.0 + done], [1.0], [-float(done)], 0]
    session.run(worker.train)
    assert session.run([worker.x, worker.center, total, worker.step]) == [[2.0], [2.0], [0.0], 1]
  with tf.Graph().as_default():
    optimizer = opt.AGNOptimizer(tf.train.GradientDescentOptimizer(1.0), 1, opt.AGNCustomGetter("/cpu:0"))
    with pytest.raises(ValueError, match="should not be empty"):
      optimizer.get_init_op(0)


def test_partitioned_variables_have_centers(tmp_path):
  with tf.Graph().as_default():
    getter = opt.ElasticAverageCustomGetter("/cpu:0")
    with tf.variable_scope("p", custom_getter=getter, partitioner=tf.fixed_size_partitioner(2)):
      whole = tf.get_variable("w", initializer=tf.constant(np.arange(4.0).reshape(4, 1), tf.float32))
    parts = list(whole)
    assert ["global_center_variable/p/w/part_%d" % i in getter.centers[part].op.name for i, part in enumerate(parts)] == [
      True
    ] * 2
    optimizer = opt.ElasticAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), 1, getter)
    init = optimizer.get_init_op(0)
    saver = optimizer.swapping_saver()
    with tf.Session() as session:
      session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
      session.run(init)
      session.run(tf.assign(parts[1], [[7.0], [8.0]]))
      path = saver.save(session, str(tmp_path / "model"))
    assert tf.train.load_variable(path, "p/w").ravel().tolist() == [0.0, 1.0, 2.0, 3.0]
