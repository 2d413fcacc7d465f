#include "millrace/ops/lookup/table_shapes.op.h"

namespace millrace::ops {
namespace {

Status Dense(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape value,
                      c.Attr<PartialShape>("value_shape"));
  return TableHandle(c, c.input(0), value);
}

#define MR_DENSE_SIZES                                           \
  "; value_shape: shape = []; initial_num_buckets: int = 131072" \
  "; max_load_factor: float = 0.8"

#define MR_DENSE_DOC                                                          \
  "An empty table in two tensors of buckets. Keys and values are scalars or " \
  "vectors. `empty_key` and `deleted_key` mark buckets without a key, and "   \
  "cannot be keys themselves."

}  // namespace

MR_OP(MutableDenseHashTable){
    .inputs = "empty_key: key_dtype",
    .outputs = "table_handle: Ref(string)",
    .attrs = MR_TABLE_NAME MR_TABLE_TYPES MR_DENSE_SIZES,
    .flags = kStateful | kOnParameterServers | kKeepsInputs,
    .shape = HandleShape,
    .doc = MR_DENSE_DOC,
};

MR_OP(MutableDenseHashTableV2){
    .inputs = "empty_key: key_dtype, deleted_key: key_dtype",
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_NAME MR_TABLE_TYPES MR_DENSE_SIZES,
    .flags = kStateful | kOnParameterServers | kKeepsInputs,
    .shape = Dense,
    .doc = MR_DENSE_DOC,
};

MR_OP(AnonymousMutableDenseHashTable){
    .inputs = "empty_key: key_dtype, deleted_key: key_dtype",
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_TYPES MR_DENSE_SIZES,
    .flags = kStateful | kKeepsInputs,
    .shape = Dense,
    .doc = MR_DENSE_DOC " The table goes with its handle.",
};

}  // namespace millrace::ops
