"""RecordInput: one op that reads shuffled batches of records by several threads."""

from millrace import gen
from millrace.ops.array import joining, shapes

__all__ = ["RecordInput"]


class RecordInput:
  """Records of TFRecord files that match a pattern, read over and over, shuffled, in batches, for `batches` consumers."""

  def __init__(
    self,
    file_pattern,
    batch_size=1,
    buffer_size=1,
    parallelism=1,
    shift_ratio=0,
    seed=0,
    name=None,
    batches=None,
    compression_type=None,
  ):
    from millrace.io.tf_record import TFRecordOptions

    self._batch_size = batch_size
    if batches is not None:
      self._batch_size *= batches
    self._batches = batches
    self._file_pattern = file_pattern
    self._buffer_size = buffer_size
    self._parallelism = parallelism
    self._shift_ratio = shift_ratio
    self._seed = seed
    self._name = name
    self._compression_type = "" if compression_type is None else TFRecordOptions.get_compression_type_string(compression_type)

  def get_yield_op(self):
    """Returns a vector of records, or with `batches` a list of lists of records, one for each consumer."""
    records = gen.record_input(
      file_pattern=self._file_pattern,
      file_buffer_size=self._buffer_size,
      file_parallelism=self._parallelism,
      file_shuffle_shift_ratio=self._shift_ratio,
      batch_size=self._batch_size,
      file_random_seed=self._seed,
      compression_type=self._compression_type,
      name=self._name,
    )
    if self._batches is None:
      return records
    parts = joining.split(records, self._batch_size, 0)
    consumers = [[] for _ in range(self._batches)]
    for i in range(self._batch_size):
      consumers[i % self._batches].append(shapes.reshape(parts[i], []))
    return consumers
