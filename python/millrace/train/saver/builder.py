"""The nodes of a saver: those that write a checkpoint and those that read it."""

import millrace as tf
from millrace import gen
from millrace.framework import device_spec, protos
from millrace.ops.control_flow.basics import with_dependencies
from millrace.train.saver import saveable as saveable_lib

V1 = 1
V2 = 2


def set_cpu0(device):
  """`device` with its CPU 0 instead of what it says of types: files are read and written there."""
  parsed = device_spec.DeviceSpec.from_string(device)
  parsed = parsed.replace(device_type="CPU", device_index=0)
  return parsed.to_string()


class BaseSaverBuilder:
  """Makes the nodes that save and restore; this one restores each object by a node of its own."""

  SaveSpec = saveable_lib.SaveSpec
  SaveableObject = saveable_lib.SaveableObject
  VariableSaveable = saveable_lib.ReferenceVariableSaveable
  ResourceVariableSaveable = saveable_lib.ResourceVariableSaveable

  def __init__(self, write_version=V2):
    self._write_version = write_version

  def save_op(self, filename_tensor, saveables):
    """The op that writes all `saveables` to the file. Raises RuntimeError for a version that there isn't."""
    names = []
    tensors = []
    slices = []
    for saveable in saveables:
      for spec in saveable.specs:
        names.append(spec.name)
        tensors.append(spec.tensor)
        slices.append(spec.slice_spec)
    if self._write_version == V1:
      return gen.save_slices(filename_tensor, names, slices, tensors, name="save")
    if self._write_version == V2:
      return gen.save_v2(filename_tensor, names, slices, tensors)
    raise RuntimeError(f"Unexpected write_version: {self._write_version}")

  def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
    """The tensors of all specs of `saveables`, as they are in the file."""
    tensors = []
    for saveable in saveables:
      with tf.device(set_cpu0(saveable.device) if saveable.device else None):
        tensors.extend(self.restore_op(filename_tensor, saveable, preferred_shard))
    return tensors

  def restore_op(self, filename_tensor, saveable, preferred_shard):
    """The tensors of the specs of one object."""
    tensors = []
    for spec in saveable.specs:
      tensors.append(gen.restore_v2(filename_tensor, [spec.name], [spec.slice_spec], [spec.dtype.base_dtype])[0])
    return tensors

  def sharded_filename(self, filename_tensor, shard, num_shards_tensor):
    return gen.sharded_filename(filename_tensor, shard, num_shards_tensor)

  def _add_save_ops(self, filename_tensor, saveables):
    """The name of the file, once it is written."""
    save = self.save_op(filename_tensor, saveables)
    return with_dependencies([save], filename_tensor)

  def _add_sharded_save_ops_v2(self, checkpoint_prefix, per_device):
    """Each device writes a part into a folder of its own; the last one puts them together."""
    with tf.device("CPU"):
      # Object stores have no cheap renaming of folders.
      is_s3 = gen.static_regex_full_match(checkpoint_prefix, "^s3://.*")
      suffix = gen.select(is_s3, tf.constant(".part"), tf.constant("_temp/part"))
      parts_prefix = tf.string_join([checkpoint_prefix, suffix])
    num_shards = tf.constant(len(per_device), name="num_shards")
    prefixes = []
    saves = []
    last_device = None
    for shard, (device, saveables) in enumerate(per_device):
      last_device = device
      with tf.device(set_cpu0(device)):
        filename = self.sharded_filename(parts_prefix, shard, num_shards)
        prefixes.append(filename)
        saves.append(self._add_save_ops(filename, saveables))
    with tf.control_dependencies([x.op for x in saves]), tf.device(set_cpu0(last_device)):
      merge = gen.merge_v2_checkpoints(prefixes, checkpoint_prefix, delete_old_dirs=True)
      with tf.control_dependencies([merge]):
        return tf.identity(checkpoint_prefix)

  def _add_sharded_save_ops(self, filename_tensor, per_device):
    if self._write_version == V2:
      return self._add_sharded_save_ops_v2(filename_tensor, per_device)
    num_shards = tf.constant(len(per_device), name="num_shards")
    saves = []
    for shard, (device, saveables) in enumerate(per_device):
      with tf.device(device):
        filename = self.sharded_filename(filename_tensor, shard, num_shards)
        saves.append(self._add_save_ops(filename, saveables))
    with tf.control_dependencies([x.op for x in saves]):
      return gen.sharded_filespec(filename_tensor, num_shards)

  def _add_restore_ops(self, filename_tensor, saveables, restore_sequentially, reshape, preferred_shard=-1, name="restore_all"):
    """The op that gives all `saveables` their values of the file."""
    tensors = self.bulk_restore(filename_tensor, saveables, preferred_shard, restore_sequentially)
    assign_ops = []
    position = 0
    for saveable in saveables:
      shapes = None
      if reshape:
        shapes = []
        for spec in saveable.specs:
          tensor = spec.tensor
          shape = tensor.get_shape()
          shapes.append(shape if shape.is_fully_defined() else tf.shape(tensor))
      count = len(saveable.specs)
      assign_ops.append(saveable.restore(tensors[position : position + count], shapes))
      position += count
    return tf.group(*assign_ops, name=name)

  def _add_sharded_restore_ops(self, filename_tensor, per_device, restore_sequentially, reshape):
    restores = []
    for shard, (device, saveables) in enumerate(per_device):
      with tf.device(device):
        restores.append(
          self._add_restore_ops(
            filename_tensor,
            saveables,
            restore_sequentially,
            reshape,
            preferred_shard=shard,
            name="restore_shard",
          )
        )
    return tf.group(*restores, name="restore_all")

  def _group_by_devices(self, saveables):
    """Pairs (device, saveables), by the names of the devices. Raises ValueError if one object is on two of them."""
    per_device = {}
    for saveable in saveables:
      devices = {device_spec.canonical_name(spec.device) for spec in saveable.specs}
      if len(devices) > 1:
        raise ValueError(f"All tensors of a saveable object must be on the same device: {saveable.name}")
      per_device.setdefault(devices.pop(), []).append(saveable)
    return sorted(per_device.items(), key=lambda item: item[0])

  def build(
    self,
    names_to_saveables,
    reshape=False,
    sharded=False,
    max_to_keep=5,
    keep_checkpoint_every_n_hours=10000.0,
    name=None,
    restore_sequentially=False,
    filename="model",
  ):
    """Makes the nodes; returns the SaverDef with their names."""
    return self._build_internal(
      names_to_saveables=names_to_saveables,
      reshape=reshape,
      sharded=sharded,
      max_to_keep=max_to_keep,
      keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
      name=name,
      restore_sequentially=restore_sequentially,
      filename=filename,
    )

  def _build_internal(
    self,
    names_to_saveables,
    reshape=False,
    sharded=False,
    max_to_keep=5,
    keep_checkpoint_every_n_hours=10000.0,
    name=None,
    restore_sequentially=False,
    filename="model",
    build_save=True,
    build_restore=True,
  ):
    if not isinstance(names_to_saveables, dict):
      names_to_saveables = saveable_lib.op_list_to_dict(names_to_saveables)
    saveables = saveable_lib.validate_and_slice_inputs(names_to_saveables)
    if max_to_keep is None:
      max_to_keep = 0
    save_tensor = None
    restore_op = None
    with tf.name_scope(name, "save", [saveable.op for saveable in saveables]):
      # Two placeholders: the first one's default is what a new graph saves to, and the second one's name is that which
      # programs of all times have fed.
      filename_tensor = tf.placeholder_with_default(filename or "model", shape=(), name="filename")
      filename_tensor = tf.placeholder_with_default(filename_tensor, shape=(), name="Const")
      if sharded:
        per_device = self._group_by_devices(saveables)
        if build_save:
          save_tensor = self._add_sharded_save_ops(filename_tensor, per_device)
        if build_restore:
          restore_op = self._add_sharded_restore_ops(filename_tensor, per_device, restore_sequentially, reshape)
      else:
        if build_save:
          save_tensor = self._add_save_ops(filename_tensor, saveables)
        if build_restore:
          restore_op = self._add_restore_ops(filename_tensor, saveables, restore_sequentially, reshape)
    return protos.SaverDef(
      filename_tensor_name=filename_tensor.name,
      save_tensor_name=save_tensor.name if save_tensor is not None else "",
      restore_op_name=restore_op.name if restore_op is not None else "",
      max_to_keep=max_to_keep,
      sharded=sharded,
      keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
      version=self._write_version,
    )


class BulkSaverBuilder(BaseSaverBuilder):
  """Restores all objects of a file by one node."""

  def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
    specs = [spec for saveable in saveables for spec in saveable.specs]
    names = [spec.name for spec in specs]
    slices = [spec.slice_spec for spec in specs]
    types = [spec.dtype.base_dtype for spec in specs]
    with tf.device("cpu:0"):
      return gen.restore_v2(filename_tensor, names, slices, types)
