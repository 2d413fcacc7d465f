"""The demo's network on servers of ours and of stock: equal losses, and checkpoints that the other side goes on from."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import replica_model  # noqa: E402
import tensorflow as tf  # noqa: E402

STEPS = 100


def assert_equal_losses(ours, stock):
  difference = np.abs(ours - stock) / np.maximum(1, stock)
  assert difference.max() <= 1e-4, f"step {difference.argmax()}: {ours[difference.argmax()]}, {stock[difference.argmax()]}"


@pytest.fixture(
  scope="module",
  params=[
    "adam-ref",
    "momentum-ref",
    "adam-resource",
    "momentum-resource",
    pytest.param("nesterov-ref", marks=pytest.mark.long),
    pytest.param("nesterov-resource", marks=pytest.mark.long),
  ],
)
def trained(request, our_cluster, stock_cluster, tmp_path_factory):
  """What both clusters had after 100 steps: losses, values, checkpoint, accuracy; by kind."""
  optimizer, variables = request.param.split("-")
  resources = variables == "resource"
  folder = tmp_path_factory.mktemp(request.param)
  made = {"open": lambda cluster: replica_model.Replicas(cluster, optimizer, resources)}
  for cluster in (our_cluster, stock_cluster):
    with made["open"](cluster) as replicas:
      replicas.initialize()
      losses = replicas.train(STEPS)
      prefix = replicas.save(folder / cluster.kind)
      made[cluster.kind] = (losses, replicas.values(), prefix, replicas.test_accuracy())
  return made


def test_losses_of_100_steps(trained):
  losses, _, _, accuracy = trained["millrace"]
  stock_losses, _, _, stock_accuracy = trained["stock"]
  print(
    f"largest difference {np.abs(losses - stock_losses).max():.2e}, loss {losses[0]:.4f} to {losses[-1]:.4f}, "
    f"accuracy {accuracy:.3f} and {stock_accuracy:.3f}"
  )
  assert_equal_losses(losses, stock_losses)
  assert losses[-10:].mean() < 0.7 * losses[0]
  assert abs(accuracy - stock_accuracy) <= 0.02


def test_checkpoints_hold_every_variable_by_part(trained, our_cluster):
  _, values, prefix, _ = trained["millrace"]
  _, _, stock_prefix, _ = trained["stock"]
  reader = tf.train.load_checkpoint(prefix)
  stock_reader = tf.train.load_checkpoint(stock_prefix)
  assert reader.get_variable_to_shape_map() == stock_reader.get_variable_to_shape_map()
  assert reader.get_variable_to_dtype_map() == stock_reader.get_variable_to_dtype_map()
  assert set(values) == set(reader.get_variable_to_shape_map())
  for name, value in values.items():
    np.testing.assert_array_equal(reader.get_tensor(name), value, name)
  parts = lambda p: sorted(f[len(p) :] for f in tf.io.gfile.glob(p + ".*"))
  assert parts(prefix) == parts(stock_prefix)
  assert len([p for p in parts(prefix) if p.startswith(".data-")]) == 2


@pytest.mark.parametrize("writer", ["millrace", "stock"])
def test_the_other_side_goes_on_from_a_checkpoint(trained, our_cluster, stock_cluster, writer):
  _, values, prefix, _ = trained[writer]
  losses = {}
  for cluster in (our_cluster, stock_cluster):
    with trained["open"](cluster) as replicas:
      replicas.restore(prefix)
      assert replicas.step == STEPS
      restored = replicas.values()
      assert set(restored) == set(values)
      for name, value in values.items():
        np.testing.assert_array_equal(restored[name], value, name)
      losses[cluster.kind] = replicas.train(20)
  assert_equal_losses(losses["millrace"], losses["stock"])
