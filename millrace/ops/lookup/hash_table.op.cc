#include "millrace/ops/lookup/table_shapes.op.h"
#include "millrace/ops/queue/by_reference.op.h"

namespace millrace::ops {
namespace {

#define MR_STATIC_DOC \
  "A table that is filled once, by InitializeTable, and read from then on."

constexpr OpFields kHashTable = {
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_NAME MR_TABLE_TYPES,
    .flags = kStateful | kOnParameterServers | kHasNoEffect,
    .shape = HandleShape,
    .doc = MR_STATIC_DOC,
};

}  // namespace

MR_OP(HashTable)(ByReference<kHashTable>());

MR_OP(HashTableV2)(kHashTable);

MR_OP(AnonymousHashTable){
    .outputs = "table_handle: resource",
    .attrs = MR_TABLE_TYPES,
    .flags = kStateful,
    .shape = HandleShape,
    .doc = MR_STATIC_DOC " It goes with its handle.",
};

}  // namespace millrace::ops
