"""Which part of a partitioned variable a variable is: checkpoints keep the parts as slices of one tensor."""


class SaveSliceInfo:
  """The part of the tensor `full_name`, of shape `full_shape`, that begins at `var_offset` and has the shape `var_shape`.

  Takes these four, or the message `save_slice_info_def`; `import_scope` goes before the name of a message. Raises TypeError
  where the message is of another class, ValueError where a field of it is missing.
  """

  def __init__(
    self, full_name=None, full_shape=None, var_offset=None, var_shape=None, save_slice_info_def=None, import_scope=None
  ):
    if save_slice_info_def:
      from millrace.framework import protos
      from millrace.framework.graph import prepend_name_scope

      message = protos.coerce(protos.SaveSliceInfoDef, save_slice_info_def)
      self.full_name = prepend_name_scope(message.full_name, import_scope=import_scope)
      self.full_shape = list(message.full_shape)
      self.var_offset = list(message.var_offset)
      self.var_shape = list(message.var_shape)
    else:
      self.full_name = full_name
      self.full_shape = full_shape
      self.var_offset = var_offset
      self.var_shape = var_shape

  @property
  def spec(self):
    """The part as text, as checkpoints write it: the whole shape, then offset,size of each dimension: "4 2 2,2:0,2"."""
    shape = " ".join("%d" % d for d in self.full_shape) + " "
    return shape + ":".join("%d,%d" % (offset, size) for offset, size in zip(self.var_offset, self.var_shape))

  def to_proto(self, export_scope=None):
    """Returns the SaveSliceInfoDef, without `export_scope` before the name; None for a variable outside of that scope."""
    from millrace.framework import protos
    from millrace.framework.graph import strip_name_scope

    if export_scope is not None and not self.full_name.startswith(export_scope):
      return None
    return protos.SaveSliceInfoDef(
      full_name=strip_name_scope(self.full_name, export_scope=export_scope),
      full_shape=[int(d) for d in self.full_shape],
      var_offset=[int(d) for d in self.var_offset],
      var_shape=[int(d) for d in self.var_shape],
    )
