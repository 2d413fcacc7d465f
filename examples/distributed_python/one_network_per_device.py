"""One network on each device (exercise 8): a search for good hyperparameters that gives the bad ones up early.

One client, one graph: a network a worker, trained at the same time by one session, each with a learning rate and a
momentum of its own. Every few steps the worst one that is still in the race is stopped.
"""

from local_cluster import LocalCluster, short, tf
from network import accuracy, loss, network, spirals

WORKERS = 4
ROUNDS, STEPS_A_ROUND = 4, 50
HYPERPARAMETERS = [(0.001, 0.0), (0.01, 0.9), (0.1, 0.0), (0.1, 0.9)]  # learning rate, momentum

cluster = LocalCluster(worker=WORKERS)
train_x, train_y = spirals(seed=1)
test_x, test_y = spirals(seed=2)

x = tf.placeholder(tf.float32, [None, 2], name="x")
y = tf.placeholder(tf.int32, [None], name="y")
losses, accuracies, train_ops = [], [], []
for i, (rate, momentum) in enumerate(HYPERPARAMETERS):
  with tf.device("/job:worker/task:%d" % i), tf.variable_scope("network%d" % i):
    logits = network(x, seed=42)
    losses.append(loss(logits, y))
    accuracies.append(accuracy(logits, y))
    train_ops.append(tf.train.MomentumOptimizer(rate, momentum).minimize(losses[i]))

with tf.Session(cluster.target("worker")) as session:
  session.run(tf.global_variables_initializer())
  racing = list(range(len(HYPERPARAMETERS)))
  for round_number in range(1, ROUNDS + 1):
    for _ in range(STEPS_A_ROUND):
      # The networks that are out cost nothing: their part of the graph is pruned away.
      session.run([train_ops[i] for i in racing], {x: train_x, y: train_y})
    now = dict(zip(racing, session.run([losses[i] for i in racing], {x: test_x, y: test_y})))
    print("round %d: " % round_number + "  ".join("network %d loss %.3f" % (i, now[i]) for i in racing))
    if len(racing) > 1:
      worst = max(racing, key=lambda i: now[i])
      racing.remove(worst)
      print("  network %d stops: rate %g, momentum %g" % (worst, *HYPERPARAMETERS[worst]))
  best = racing[0]
  print(
    "best: network %d on %s, rate %g, momentum %g, accuracy %.2f"
    % (
      best,
      short(train_ops[best].device + "/cpu:0"),
      *HYPERPARAMETERS[best],
      session.run(accuracies[best], {x: test_x, y: test_y}),
    )
  )
