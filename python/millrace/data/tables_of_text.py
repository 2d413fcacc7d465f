"""Data sets of rows of CSV files and of SQL databases."""

from millrace import gen
from millrace.data import element_specs, structures
from millrace.data.dataset import DatasetV1Adapter
from millrace.framework import constants, convert, dtypes
from millrace.framework.tensor_spec import TensorSpec

_BUFFER_BYTES = 4 * 1024 * 1024


def _default_of(value, index):
  """A column's default as a tensor; an empty one of its type where a value is required."""
  kind = value if isinstance(value, dtypes.DType) else None
  if kind is None and isinstance(value, (int, float)) and not isinstance(value, bool):
    # Numbers that are numbers of types mean types, as everywhere in TensorFlow.
    try:
      kind = dtypes.as_dtype(int(value)) if value == int(value) else None
    except TypeError:
      kind = None
  if kind is not None:
    return constants.constant([], dtype=kind)
  return convert.convert_to_tensor(value, name=f"record_defaults_{index}")


class CsvDatasetV1(DatasetV1Adapter):
  """Rows of CSV files as tuples of scalars. `record_defaults` has a type for each column, or a value for where it is missing."""

  def __init__(
    self,
    filenames,
    record_defaults,
    compression_type=None,
    buffer_size=None,
    header=False,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    select_cols=None,
  ):
    def optional(value, name, default, dtype):
      return convert.convert_to_tensor(default if value is None else value, dtype=dtype, name=name)

    filenames = convert.convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
    compression_type = optional(compression_type, "compression_type", "", dtypes.string)
    defaults = [_default_of(value, i) for i, value in enumerate(record_defaults)]
    buffer_size = optional(buffer_size, "buffer_size", _BUFFER_BYTES, dtypes.int64)
    header = convert.convert_to_tensor(header, dtype=dtypes.bool, name="header")
    field_delim = convert.convert_to_tensor(field_delim, dtype=dtypes.string, name="field_delim")
    use_quote_delim = convert.convert_to_tensor(use_quote_delim, dtype=dtypes.bool, name="use_quote_delim")
    na_value = convert.convert_to_tensor(na_value, dtype=dtypes.string, name="na_value")
    select_cols = optional(select_cols, "select_cols", [], dtypes.int64)
    exclude_cols = optional(None, "exclude_cols", [], dtypes.int64)
    spec = tuple([TensorSpec([], value.dtype) for value in defaults])
    made = gen.csv_dataset_v2(
      filenames=filenames,
      compression_type=compression_type,
      buffer_size=buffer_size,
      header=header,
      field_delim=field_delim,
      use_quote_delim=use_quote_delim,
      na_value=na_value,
      select_cols=select_cols,
      record_defaults=defaults,
      exclude_cols=exclude_cols,
      output_shapes=element_specs.flat_shapes(spec),
    )
    super().__init__(made, spec)


class SqlDatasetV1(DatasetV1Adapter):
  """Rows of a query as tuples of scalars. The driver is "sqlite"."""

  def __init__(self, driver_name, data_source_name, query, output_types):
    driver_name = convert.convert_to_tensor(driver_name, dtype=dtypes.string, name="driver_name")
    data_source_name = convert.convert_to_tensor(data_source_name, dtype=dtypes.string, name="data_source_name")
    query = convert.convert_to_tensor(query, dtype=dtypes.string, name="query")
    spec = structures.map_structure(lambda t: TensorSpec([], t), element_specs.types_from(output_types))
    made = gen.sql_dataset(driver_name, data_source_name, query, **element_specs.attrs_of(spec))
    super().__init__(made, spec)
