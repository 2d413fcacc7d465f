#include "millrace/ops/lookup/table_shapes.op.h"
#include "millrace/ops/queue/by_reference.op.h"

namespace millrace::ops {
namespace {

Status OfScalars(ShapeContext& c) {
  return TableHandle(c, PartialShape({}), PartialShape({}));
}

Status OfTensors(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape value,
                      c.Attr<PartialShape>("value_shape"));
  return TableHandle(c, PartialShape({}), value);
}

#define MR_MUTABLE_DOC "An empty table, whose values are scalars."

constexpr OpFields kMutableHashTable = {
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_NAME MR_TABLE_TYPES,
    .flags = kStateful | kOnParameterServers,
    .shape = OfScalars,
    .doc = MR_MUTABLE_DOC,
};

#define MR_TENSORS_DOC \
  "An empty table, whose values are vectors of the shape `value_shape`."

#define MR_TENSORS_SHAPE "; value_shape: shape = []"

constexpr OpFields kMutableHashTableOfTensors = {
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_NAME MR_TABLE_TYPES MR_TENSORS_SHAPE,
    .flags = kStateful | kOnParameterServers,
    .shape = OfTensors,
    .doc = MR_TENSORS_DOC,
};

}  // namespace

MR_OP(MutableHashTable)(ByReference<kMutableHashTable>(HandleShape));

MR_OP(MutableHashTableV2)(kMutableHashTable);

MR_OP(AnonymousMutableHashTable){
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_TYPES,
    .flags = kStateful,
    .shape = OfScalars,
    .doc = MR_MUTABLE_DOC " It goes with its handle.",
};

MR_OP(MutableHashTableOfTensors)
(ByReference<kMutableHashTableOfTensors>(HandleShape));

MR_OP(MutableHashTableOfTensorsV2)(kMutableHashTableOfTensors);

MR_OP(AnonymousMutableHashTableOfTensors){
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_TYPES MR_TENSORS_SHAPE,
    .flags = kStateful,
    .shape = OfTensors,
    .doc = MR_TENSORS_DOC " It goes with its handle.",
};

}  // namespace millrace::ops
