"""CheckpointReader: what is in a checkpoint, and the values of its tensors."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes, errors, protos, tensor_shape
from millrace.train.saver import checkpoint_state, files, table


class CheckpointReader:
  """Reads a checkpoint of either format, given its prefix. Raises NotFoundError without one."""

  def __init__(self, filepattern):
    self._path = tf.compat.as_text(filepattern)
    # By the names of tensors: type and shape.
    self._entries = {}
    if files.exists(self._path + ".index"):
      self._read_index(files.read(self._path + ".index"))
    else:
      found = sorted(tf.gfile.Glob(self._path))
      if not found:
        raise errors.NotFoundError(
          None,
          None,
          f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {self._path}",
        )
      for path in found:
        self._read_v1(files.read(path))

  def _read_index(self, data):
    for key, value in table.read_table(data):
      # The header has no key, and slices of tensors have binary ones, which begin with a zero.
      if key and not key.startswith(b"\0"):
        entry = protos.BundleEntryProto.FromString(value)
        self._entries[key.decode("utf-8")] = (dtypes.as_dtype(entry.dtype), tensor_shape.TensorShape(entry.shape))

  def _read_v1(self, data):
    for key, value in table.read_table(data):
      if key:
        continue
      for meta in protos.SavedTensorSlices.FromString(value).meta.tensor:
        self._entries[meta.name] = (dtypes.as_dtype(meta.type), tensor_shape.TensorShape(meta.shape))

  def has_tensor(self, tensor_str):
    """Whether there is a tensor of that name."""
    return tf.compat.as_text(tensor_str) in self._entries

  def get_variable_to_shape_map(self):
    """A map of names to lists of sizes."""
    return {name: shape.as_list() for name, (_, shape) in self._entries.items()}

  def get_variable_to_dtype_map(self):
    """A map of names to types."""
    return {name: dtype for name, (dtype, _) in self._entries.items()}

  def get_tensor(self, tensor_str):
    """The value of a tensor, as numpy array. Raises NotFoundError for an unknown name."""
    name = tf.compat.as_text(tensor_str)
    if name not in self._entries:
      raise errors.NotFoundError(None, None, f"Key {name} not found in checkpoint")
    graph = tf.Graph()
    with graph.as_default(), tf.Session(graph=graph) as sess:
      return sess.run(gen.restore_v2(self._path, [name], [""], [self._entries[name][0]])[0])

  def debug_string(self):
    """A line for each tensor: name, type and shape, as bytes."""
    lines = [
      f"{name} ({protos.DataType.Name(dtype.as_datatype_enum)}) [{','.join(str(d) for d in shape.as_list())}]"
      for name, (dtype, shape) in sorted(self._entries.items())
    ]
    return "".join(line + "\n" for line in lines).encode("utf-8")


def NewCheckpointReader(filepattern):
  """The reader of a checkpoint."""
  return CheckpointReader(filepattern)


def _checkpoint_filename(ckpt_dir_or_file):
  if isinstance(ckpt_dir_or_file, bytes):
    ckpt_dir_or_file = ckpt_dir_or_file.decode("utf-8")
  ckpt_dir_or_file = str(ckpt_dir_or_file)
  if tf.gfile.IsDirectory(ckpt_dir_or_file):
    return checkpoint_state.latest_checkpoint(ckpt_dir_or_file)
  return ckpt_dir_or_file


def load_checkpoint(ckpt_dir_or_file):
  """The reader of a checkpoint, or of the newest one of a folder. Raises ValueError if the folder has none."""
  filename = _checkpoint_filename(ckpt_dir_or_file)
  if filename is None:
    raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
  return NewCheckpointReader(filename)


def load_variable(ckpt_dir_or_file, name):
  """The value of a variable in a checkpoint."""
  name = name.removesuffix(":0")
  return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def list_variables(ckpt_dir_or_file):
  """The pairs (name, shape as list) of a checkpoint, by names."""
  shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
  return [(name, shapes[name]) for name in sorted(shapes)]
