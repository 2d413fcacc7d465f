"""WarmStartSettings: the checkpoint whose values a new model begins with."""

import collections
import os

import millrace as tf

_FIELDS = ("ckpt_to_initialize_from", "vars_to_warm_start", "var_name_to_vocab_info", "var_name_to_prev_var_name")


class WarmStartSettings(collections.namedtuple("WarmStartSettings", _FIELDS)):
  """The arguments of `tf.train.warm_start`: a checkpoint or its folder, which variables, their vocabularies and former names.

  Raises ValueError without a checkpoint.
  """

  def __new__(cls, ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
    if not ckpt_to_initialize_from:
      raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
    return super().__new__(
      cls, ckpt_to_initialize_from, vars_to_warm_start, var_name_to_vocab_info or {}, var_name_to_prev_var_name or {}
    )


def settings_of(warm_start_from):
  """The settings of a constructor's argument: None, settings, a checkpoint, or the folder of a SavedModel."""
  if warm_start_from is None:
    return None
  if isinstance(warm_start_from, (str, bytes)):
    # The variables of a SavedModel are a checkpoint of their own.
    path = tf.compat.as_str_any(warm_start_from)
    variables = os.path.join(path, "variables", "variables")
    if tf.saved_model.maybe_saved_model_directory(path):
      tf.logging.info("Warm-starting from a SavedModel")
      return WarmStartSettings(ckpt_to_initialize_from=variables)
    return WarmStartSettings(ckpt_to_initialize_from=warm_start_from)
  if isinstance(warm_start_from, WarmStartSettings):
    return warm_start_from
  raise ValueError(f"warm_start_from must be a string or a WarmStartSettings, instead got {type(warm_start_from)}")
