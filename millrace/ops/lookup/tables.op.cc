// Ops that make tables.
#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace {
namespace {

// A handle with what is known of keys and values behind it.
Status TableHandle(ShapeContext& c, const PartialShape& key,
                   const PartialShape& value) {
  MR_RETURN_IF_ERROR(ShapeContext::WithRankAtMost(key, 1).status());
  HandleShape keys, values;
  MR_ASSIGN(keys.dtype, c.Attr<DataType>("key_dtype"));
  MR_ASSIGN(values.dtype, c.Attr<DataType>("value_dtype"));
  keys.shape = key;
  values.shape = value;
  c.set_output_handles(0, {keys, values});
  return c.Return(PartialShape({}));
}

Status OfScalars(ShapeContext& c) {
  return TableHandle(c, PartialShape({}), PartialShape({}));
}

Status OfTensors(ShapeContext& c) {
  MR_ASSIGN(const PartialShape value, c.Attr<PartialShape>("value_shape"));
  return TableHandle(c, PartialShape({}), value);
}

Status Dense(ShapeContext& c) {
  MR_ASSIGN(const PartialShape value, c.Attr<PartialShape>("value_shape"));
  return TableHandle(c, c.input(0), value);
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_TABLE_TYPES "key_dtype: type; value_dtype: type"
#define MR_TABLE_NAME                                \
  "container: string = ''; shared_name: string = ''" \
  "; use_node_name_sharing: bool = false; "
#define MR_DENSE_SIZES                                           \
  "; value_shape: shape = []; initial_num_buckets: int = 131072" \
  "; max_load_factor: float = 0.8"

#define MR_MAKES_TABLE(handle, ins, attributes, function, text)             \
  {                                                                         \
    .inputs = ins, .outputs = "table_handle: " handle, .attrs = attributes, \
    .flags = kStateful, .shape = function, .doc = text                      \
  }

#define MR_STATIC_DOC \
  "A table that is filled once, by InitializeTable, and read from then on."
MR_OP(HashTable)
MR_MAKES_TABLE("Ref(string)", "", MR_TABLE_NAME MR_TABLE_TYPES,
               ops::HandleShape, MR_STATIC_DOC);
MR_OP(HashTableV2)
MR_MAKES_TABLE("resource", "", MR_TABLE_NAME MR_TABLE_TYPES, ops::HandleShape,
               MR_STATIC_DOC);
MR_OP(AnonymousHashTable)
MR_MAKES_TABLE("resource", "", MR_TABLE_TYPES, ops::HandleShape,
               MR_STATIC_DOC " It goes with its handle.");

#define MR_MUTABLE_DOC "An empty table, whose values are scalars."
MR_OP(MutableHashTable)
MR_MAKES_TABLE("Ref(string)", "", MR_TABLE_NAME MR_TABLE_TYPES,
               ops::HandleShape, MR_MUTABLE_DOC);
MR_OP(MutableHashTableV2)
MR_MAKES_TABLE("resource", "", MR_TABLE_NAME MR_TABLE_TYPES, OfScalars,
               MR_MUTABLE_DOC);
MR_OP(AnonymousMutableHashTable)
MR_MAKES_TABLE("resource", "", MR_TABLE_TYPES, OfScalars,
               MR_MUTABLE_DOC " It goes with its handle.");

#define MR_TENSORS_DOC \
  "An empty table, whose values are vectors of the shape `value_shape`."
#define MR_TENSORS_SHAPE "; value_shape: shape = []"
MR_OP(MutableHashTableOfTensors)
MR_MAKES_TABLE("Ref(string)", "", MR_TABLE_NAME MR_TABLE_TYPES MR_TENSORS_SHAPE,
               ops::HandleShape, MR_TENSORS_DOC);
MR_OP(MutableHashTableOfTensorsV2)
MR_MAKES_TABLE("resource", "", MR_TABLE_NAME MR_TABLE_TYPES MR_TENSORS_SHAPE,
               OfTensors, MR_TENSORS_DOC);
MR_OP(AnonymousMutableHashTableOfTensors)
MR_MAKES_TABLE("resource", "", MR_TABLE_TYPES MR_TENSORS_SHAPE, OfTensors,
               MR_TENSORS_DOC " It goes with its handle.");

#define MR_DENSE_DOC                                                          \
  "An empty table in two tensors of buckets. Keys and values are scalars or " \
  "vectors. `empty_key` and `deleted_key` mark buckets without a key, and "   \
  "cannot be keys themselves."
MR_OP(MutableDenseHashTable)
MR_MAKES_TABLE("Ref(string)", "empty_key: key_dtype",
               MR_TABLE_NAME MR_TABLE_TYPES MR_DENSE_SIZES, ops::HandleShape,
               MR_DENSE_DOC);
MR_OP(MutableDenseHashTableV2)
MR_MAKES_TABLE("resource", "empty_key: key_dtype, deleted_key: key_dtype",
               MR_TABLE_NAME MR_TABLE_TYPES MR_DENSE_SIZES, Dense,
               MR_DENSE_DOC);
MR_OP(AnonymousMutableDenseHashTable)
MR_MAKES_TABLE("resource", "empty_key: key_dtype, deleted_key: key_dtype",
               MR_TABLE_TYPES MR_DENSE_SIZES, Dense,
               MR_DENSE_DOC " The table goes with its handle.");

}  // namespace millrace::ops
