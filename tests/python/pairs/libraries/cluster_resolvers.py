"""Resolvers of clusters: from a ClusterSpec, and from TF_CONFIG."""

import json
import os


def _resolvers(tf):
  return tf.contrib.cluster_resolver if hasattr(tf, "contrib") else tf.distribute.cluster_resolver


def _error(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001
    return error


def _facts(resolver):
  return resolver.task_type, resolver.task_id, resolver.rpc_layer, resolver.environment, resolver.cluster_spec().as_dict()


def program_simple(tf):
  simple = _resolvers(tf).SimpleClusterResolver
  spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": ["c:3"]})
  all_told = simple(spec, "m:1", "worker", 1, "here", {"GPU": 2}, "grpc")
  found = [
    _facts(all_told),
    all_told.master(),
    all_told.master("ps", 0),
    all_told.master("worker", 1, "http"),
    all_told.master("ps"),
  ]
  found += [all_told.num_accelerators(), _error(lambda: all_told.master("ps", 4)), _error(lambda: all_told.master("x", 0))]
  all_told.task_type, all_told.task_id, all_told.rpc_layer = "ps", 0, "http"
  found += [_facts(all_told), all_told.master()]
  plain = simple(spec)
  found += [_facts(plain), plain.master(), plain.master(task_type="worker", task_id=0, rpc_layer=None)]
  local = simple(tf.train.ClusterSpec({}))
  found += [dict(local.num_accelerators()), isinstance(local, _resolvers(tf).ClusterResolver)]
  return [*found, _error(lambda: simple(3))]


def _with_config(config, call):
  before = os.environ.pop("TF_CONFIG", None)
  try:
    if config is not None:
      os.environ["TF_CONFIG"] = json.dumps(config)
    return call()
  finally:
    os.environ.pop("TF_CONFIG", None)
    if before is not None:
      os.environ["TF_CONFIG"] = before


def program_of_the_environment(tf):
  make = _resolvers(tf).TFConfigClusterResolver
  two = {"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc"}
  one = {"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}

  def of_two():
    found = [make(), make("worker", 0, "http", "e")]
    facts = [(_facts(one), one.master(), one.master("worker", 0), one.master("worker", 0, "x")) for one in found]
    found[1].task_type, found[1].task_id, found[1].rpc_layer = "q", 3, "z"
    return facts, _facts(found[1]), _error(found[1].master)

  return [
    _with_config(two, of_two),
    _with_config(one, lambda: (_facts(make()), make().master())),
    _with_config(None, lambda: (_facts(make()), make().master())),
  ]
