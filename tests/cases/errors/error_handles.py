"""Handles of a kind that an op does not take, and variables that are not as it needs them."""

import error_tensors
import raw_client as raw
from error_tensors import FLOAT, INT32, INT64, RESOURCE, STRING, VARIANT

VARIABLES = ("VariableV2", "Variable", "VarHandleOp")


def _types(*dtypes):
  value = raw.new("AttrValue")
  value.list.type.extend(dtypes)
  return value


def _shapes(*shapes):
  value = raw.new("AttrValue")
  value.list.shape.extend(shapes)
  return value


def _variable(draft):
  return draft.add("wrong", "VarHandleOp", dtype=raw.type_of(FLOAT), shape=raw.shape_of(2))


def _table(draft):
  return draft.add("wrong", "HashTableV2", key_dtype=raw.type_of(INT64), value_dtype=raw.type_of(FLOAT))


def _queue(draft):
  return draft.add("wrong", "FIFOQueueV2", component_types=_types(FLOAT))


def _iterator(draft):
  return draft.add(
    "wrong",
    "IteratorV2",
    shared_name=b"",
    container=b"",
    output_types=_types(FLOAT),
    output_shapes=_shapes(raw.dims_of()),
  )


def _constant(draft, name, value, dtype):
  tensor = raw.const(name, value, dtype).attr["value"].tensor
  return draft.add(name, "Const", dtype=raw.type_of(dtype), value=tensor)


def _array(draft):
  return draft.add("wrong", "TensorArrayV3", _constant(draft, "wrong_size", 2, INT32), dtype=raw.type_of(FLOAT)) + ":0"


def _reader(draft):
  return draft.add("wrong", "TextLineReaderV2")


def _list(draft):
  shape, most = _constant(draft, "wrong_shape", -1, INT32), _constant(draft, "wrong_most", 3, INT32)
  return draft.add("wrong", "EmptyTensorList", shape, most, element_dtype=raw.type_of(FLOAT), shape_type=raw.type_of(INT32))


def _optional(draft):
  return draft.add("wrong", "OptionalNone")


def _dataset(draft):
  parts = [_constant(draft, "wrong%d" % i, value, INT64) for i, value in enumerate((0, 5, 1))]
  return draft.add("wrong", "RangeDataset", *parts, output_types=_types(INT64), output_shapes=_shapes(raw.dims_of()))


def _old_table(draft):
  return draft.add("wrong", "HashTable", key_dtype=raw.type_of(INT64), value_dtype=raw.type_of(FLOAT))


def _old_queue(draft):
  return draft.add("wrong", "FIFOQueue", component_types=_types(FLOAT))


def _old_reader(draft):
  return draft.add("wrong", "TextLineReader")


def _old_stack(draft):
  return draft.add("wrong", "Stack", elem_type=raw.type_of(FLOAT))


KINDS = {
  RESOURCE: dict(
    VarHandleOp=_variable,
    HashTableV2=_table,
    FIFOQueueV2=_queue,
    IteratorV2=_iterator,
    TensorArrayV3=_array,
    TextLineReaderV2=_reader,
  ),
  VARIANT: dict(EmptyTensorList=_list, OptionalNone=_optional, RangeDataset=_dataset),
  STRING: dict(HashTable=_old_table, FIFOQueue=_old_queue, TextLineReader=_old_reader, Stack=_old_stack),
}


def kind_changes(sample, index, dtype, is_ref):
  """[(what, change)]: another kind of handle for an input."""
  kinds = KINDS.get(dtype, {}) if is_ref == (dtype == STRING) else {}
  source = sample.nodes[sample.tested().input[index].split(":")[0]].op

  def changed(make):
    def change(draft):
      draft.tested.input[index] = make(draft)

    return change

  return [(op, changed(make)) for op, make in kinds.items() if op != source]


def variable_changes(sample, name):
  """[(what, change)]: another value of a variable, as `cases_tests --export` writes them, or none."""
  found = []
  value = name + "/value"
  if name + "/assign" not in sample.nodes:
    return found

  def without(draft):
    draft.steps = [[n for n in names if n != name + "/assign"] for names in draft.steps]

  def holding(other):
    def change(draft):
      draft.nodes[value].CopyFrom(raw.const(value, other.proto()))
      draft.nodes[name].attr["shape"].CopyFrom(raw.shape_of(*other.dims))
      draft.nodes[name].attr["dtype"].type = other.dtype
      for attr in ("T", "dtype"):
        if attr in draft.nodes[name + "/assign"].attr:
          draft.nodes[name + "/assign"].attr[attr].type = other.dtype

    return change

  found.append(("uninitialized", without))
  now = error_tensors.of_proto(sample.nodes[value].attr["value"].tensor)
  if now is not None:
    found += [(what, holding(v)) for what, v in error_tensors.wrong_values(now)]
    found.append(("holds", holding(error_tensors.zeros(error_tensors.other_type(now.dtype), now.dims))))
  return found
