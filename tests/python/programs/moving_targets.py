"""Deterministic policy gradients: target networks as moving averages behind a getter, then the checkpoint under other names."""

import os

import numpy as np
import tensorflow as tf

np.random.seed(1)
tf.set_random_seed(1)
ACTIONS, STATES, MEMORY = 1, 3, 60
uniform = tf.random_uniform_initializer


class DDPG(object):
  def __init__(self):
    self.memory = np.zeros((MEMORY, STATES * 2 + ACTIONS + 1), dtype=np.float32)
    self.count = 0
    self.sess = tf.Session()
    self.S = tf.placeholder(tf.float32, [None, STATES], "s")
    self.S_ = tf.placeholder(tf.float32, [None, STATES], "s_")
    self.R = tf.placeholder(tf.float32, [None, 1], "r")
    self.a = self._actor(self.S)
    q = self._critic(self.S, self.a)
    actor = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Actor")
    critic = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Critic")
    self.ema = ema = tf.train.ExponentialMovingAverage(decay=0.99)
    self.update = [ema.apply(actor), ema.apply(critic)]

    def average(getter, name, *args, **kwargs):
      return ema.average(getter(name, *args, **kwargs))

    a_ = self._actor(self.S_, reuse=True, custom_getter=average)
    q_ = self._critic(self.S_, a_, reuse=True, custom_getter=average)
    self.gain = -tf.reduce_mean(q)
    self.train_actor = tf.train.AdamOptimizer(0.001).minimize(self.gain, var_list=actor)
    self.error = tf.losses.mean_squared_error(labels=self.R + 0.9 * q_, predictions=q)
    self.train_critic = tf.train.AdamOptimizer(0.002).minimize(self.error, var_list=critic)
    self.sess.run(tf.global_variables_initializer())

  def choose(self, s):
    return self.sess.run(self.a, {self.S: s[np.newaxis, :]})[0]

  def learn(self):
    rows = self.memory[np.random.choice(MEMORY, size=32), :]
    s, a, r, s_ = np.split(rows, [STATES, STATES + ACTIONS, STATES + ACTIONS + 1], axis=1)
    gain, _ = self.sess.run([self.gain, self.train_actor], {self.S: s})
    # The action is fed although it is no placeholder.
    error, _ = self.sess.run([self.error, self.train_critic], {self.S: s, self.a: a, self.R: r, self.S_: s_})
    self.sess.run(self.update)
    return gain, error

  def remember(self, *parts):
    self.memory[self.count % MEMORY, :] = np.hstack(parts)
    self.count += 1

  def _actor(self, s, reuse=None, custom_getter=None):
    with tf.variable_scope("Actor", reuse=reuse, custom_getter=custom_getter):
      net = tf.layers.dense(s, 30, tf.nn.relu, name="l1", trainable=reuse is None, kernel_initializer=uniform(-0.5, 0.5, seed=1))
      a = tf.layers.dense(net, ACTIONS, tf.tanh, name="a", trainable=reuse is None, kernel_initializer=uniform(-0.5, 0.5, seed=2))
      return tf.multiply(a, [2.0], name="scaled_a")

  def _critic(self, s, a, reuse=None, custom_getter=None):
    trainable = reuse is None
    with tf.variable_scope("Critic", reuse=reuse, custom_getter=custom_getter):
      w1_s = tf.get_variable("w1_s", [STATES, 30], trainable=trainable, initializer=tf.random_normal_initializer(0, 0.1, seed=3))
      w1_a = tf.get_variable("w1_a", [ACTIONS, 30], trainable=trainable, initializer=tf.random_normal_initializer(0, 0.1, seed=4))
      b1 = tf.get_variable("b1", [1, 30], trainable=trainable, initializer=tf.constant_initializer(0.1))
      net = tf.nn.relu(tf.matmul(s, w1_s) + tf.matmul(a, w1_a) + b1)
      return tf.layers.dense(net, 1, trainable=trainable, kernel_initializer=tf.random_normal_initializer(0, 0.3, seed=5))


agent = DDPG()
for v in tf.global_variables():
  print(v)
print(agent.a, [v.op.name for v in tf.moving_average_variables()])
s = np.random.randn(STATES)
for t in range(MEMORY + 10):
  a = np.clip(np.random.normal(agent.choose(s), 0.3), -2, 2)
  s_ = s * 0.9 + np.random.randn(STATES) * 0.1
  agent.remember(s, a, [-np.square(a - s[:1]).sum() / 10], s_)
  if agent.count > MEMORY:
    print("%d gain %.4f error %.4f" % ((t,) + agent.learn()))
  s = s_
print(sorted((name, v.op.name) for name, v in agent.ema.variables_to_restore().items() if "Adam" not in name))
saver = tf.train.Saver(agent.ema.variables_to_restore(), max_to_keep=2)
for step in range(4):
  path = saver.save(agent.sess, "./DDPG/model.ckpt", global_step=step, write_meta_graph=(step == 3))
print(path, saver.last_checkpoints, sorted(os.listdir("DDPG")))
state = tf.train.get_checkpoint_state("DDPG")
print(state.model_checkpoint_path, list(state.all_model_checkpoint_paths), tf.train.list_variables("DDPG")[:4])
tf.reset_default_graph()


def fails(call):
  try:
    print(call())
  except Exception as error:
    print(type(error).__name__, str(error).split(".")[0])


with tf.Session() as sess:
  new = tf.train.import_meta_graph("DDPG/model.ckpt-3.meta")
  new.restore(sess, tf.train.latest_checkpoint("./DDPG"))
  graph = tf.get_default_graph()
  print(graph.get_tensor_by_name("Actor/scaled_a:0"), sess.run("Actor/scaled_a:0", {"s:0": np.ones([2, 3])}).shape)
  # The averages are restored into the variables and have no value of their own.
  print(sess.run(tf.report_uninitialized_variables())[:2])
  fails(lambda: graph.get_tensor_by_name("Actor/scaled_a"))
  fails(lambda: graph.get_tensor_by_name("Actor/scaled_a:3"))
  fails(lambda: graph.get_operation_by_name("nope"))
  fails(lambda: sess.run("a", {"s": 1}))
  fails(lambda: tf.train.import_meta_graph("nowhere.meta"))
  fails(lambda: new.restore(sess, "DDPG/model.ckpt-9"))
  fails(lambda: new.restore(sess, None))
