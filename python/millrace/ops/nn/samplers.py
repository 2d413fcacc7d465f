"""Samplers of classes, for losses that look at a few of many."""

from millrace import gen
from millrace.framework import seeds


def _seeds(seed):
  graph_seed, op_seed = seeds.get_seed(seed)
  return {"seed": graph_seed or 0, "seed2": op_seed or 0}


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
  """Returns (sampled classes, how often true ones are expected, how often sampled ones are): all equally probable."""
  return gen.uniform_candidate_sampler(
    true_classes,
    num_true=num_true,
    num_sampled=num_sampled,
    unique=unique,
    range_max=range_max,
    name=name,
    **_seeds(seed),
  )


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
  """Returns samples as uniform_candidate_sampler; class k has the probability log((k + 2) / (k + 1)) / log(range_max + 1)."""
  return gen.log_uniform_candidate_sampler(
    true_classes,
    num_true=num_true,
    num_sampled=num_sampled,
    unique=unique,
    range_max=range_max,
    name=name,
    **_seeds(seed),
  )


def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
  """Returns samples as uniform_candidate_sampler; probabilities are those of the true classes seen so far."""
  return gen.learned_unigram_candidate_sampler(
    true_classes,
    num_true=num_true,
    num_sampled=num_sampled,
    unique=unique,
    range_max=range_max,
    name=name,
    **_seeds(seed),
  )


def fixed_unigram_candidate_sampler(
  true_classes,
  num_true,
  num_sampled,
  unique,
  range_max,
  vocab_file="",
  distortion=1.0,
  num_reserved_ids=0,
  num_shards=1,
  shard=0,
  unigrams=(),
  seed=None,
  name=None,
):
  """Returns samples as uniform_candidate_sampler; probabilities are counts in a file or list, to the power `distortion`."""
  return gen.fixed_unigram_candidate_sampler(
    true_classes,
    num_true=num_true,
    num_sampled=num_sampled,
    unique=unique,
    range_max=range_max,
    vocab_file=vocab_file,
    distortion=distortion,
    num_reserved_ids=num_reserved_ids,
    num_shards=num_shards,
    shard=shard,
    unigrams=list(unigrams),
    name=name,
    **_seeds(seed),
  )


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
  """Returns all classes as samples: for tests of losses that sample."""
  return gen.all_candidate_sampler(
    true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique, name=name, **_seeds(seed)
  )


def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
  """Returns (rows, positions, weights) of samples that are true classes of the row; the weights are -FLOAT_MAX."""
  return gen.compute_accidental_hits(true_classes, sampled_candidates, num_true=num_true, name=name, **_seeds(seed))
