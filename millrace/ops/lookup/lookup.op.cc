// Schemas of ops that use tables.
#include "millrace/ops/lookup/table_shapes.op.h"
#include "millrace/ops/queue/by_reference.op.h"

namespace millrace::ops {
namespace {

// Requires the types known of the table behind the handle, {key, value}, to be
// those of the node.
Status CheckTypes(ShapeContext& c, const char* key_attr,
                  const char* value_attr) {
  const std::vector<millrace::HandleShape>& table = c.input_handles(0);
  const char* const attrs[] = {key_attr, value_attr};
  for (size_t i = 0; i < 2; ++i) {
    MR_ASSIGN_OR_RETURN(const DataType type, c.Attr<DataType>(attrs[i]));
    if (table[i].dtype == type) continue;
    return InvalidArgument("Trying to read value with wrong dtype. Expected ",
                           DataTypeName(table[i].dtype), " got ",
                           DataTypeName(type));
  }
  return OkStatus();
}

Status FindShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  return c.WithRankAtMost(2, 1).status();
}

// Sets output 0 to the keys' shape with that of one value in place of that of
// one key.
Status FindV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  if (c.input_handles(0).size() != 2) return OkStatus();
  MR_RETURN_IF_ERROR(CheckTypes(c, "Tin", "Tout"));
  const PartialShape& key = c.input_handles(0)[0].shape;
  const PartialShape& keys = c.input(1);
  if (!key.known_rank() || !keys.known_rank()) return OkStatus();
  if (keys.rank() < key.rank()) {
    return InvalidArgument("Expected keys to have suffix ", key.DebugString(),
                           " but saw shape: ", keys.DebugString());
  }
  MR_ASSIGN_OR_RETURN(
      const PartialShape prefix,
      ShapeContext::Subshape(keys, 0, keys.rank() - key.rank()));
  return c.Return(prefix.Concatenate(c.input_handles(0)[1].shape));
}

Status OnlyHandle(ShapeContext& c) { return CheckHandle(c); }

Status RemoveShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  return c.WithRankAtLeast(1, 1).status();
}

// Only a vector of keys is known; dense tables return matrices nevertheless.
Status ExportShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  return c.Return(PartialShape({kUnknownDim}));
}

Status ExportV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  if (c.input_handles(0).size() != 2) return OkStatus();
  return CheckTypes(c, "Tkeys", "Tvalues");
}

constexpr OpFields kFind = {
    .inputs = "table_handle: resource, keys: Tin, default_value: Tout",
    .outputs = "values: Tout",
    .attrs = "Tin: type; Tout: type",
    .flags = kStateful | kHasNoEffect,
    .shape = FindV2Shape,
    .doc =
        "The values of `keys`. A key that is not there gets `default_value`: "
        "one "
        "for all, or one for each key.",
};

constexpr OpFields kInsert = {
    .inputs = "table_handle: resource, keys: Tin, values: Tout",
    .attrs = "Tin: type; Tout: type",
    .flags = kStateful | kKeepsInputs,
    .shape = OnlyHandle,
    .doc =
        "Puts keys with their values into a table, in place of those of equal "
        "keys.",
};

constexpr OpFields kSize = {
    .inputs = "table_handle: resource",
    .outputs = "size: int64",
    .flags = kStateful | kHasNoEffect,
    .shape = ScalarsOfHandle,
    .doc = "Returns the number of keys in a table.",
};

constexpr OpFields kExport = {
    .inputs = "table_handle: resource",
    .outputs = "keys: Tkeys, values: Tvalues",
    .attrs = "Tkeys: type; Tvalues: type",
    .flags = kStateful,
    .shape = ExportV2Shape,
    .doc = "All keys and values. A dense table gives its buckets as they are.",
};

constexpr OpFields kImport = {
    .inputs = "table_handle: resource, keys: Tin, values: Tout",
    .attrs = "Tin: type; Tout: type",
    .flags = kStateful | kKeepsInputs,
    .shape = PairsShape,
    .doc = "Replaces what a table holds, by what LookupTableExport gave.",
};

}  // namespace

MR_OP(LookupTableFind)(ByReference<kFind>(FindShape));

MR_OP(LookupTableFindV2)(kFind);

MR_OP(LookupTableInsert)(ByReference<kInsert>());

MR_OP(LookupTableInsertV2)(kInsert);

MR_OP(LookupTableRemoveV2){
    .inputs = "table_handle: resource, keys: Tin",
    .attrs = "Tin: type",
    .flags = kStateful,
    .shape = RemoveShape,
    .doc =
        "Takes keys out of a table; those that are not there are passed over.",
};

MR_OP(LookupTableSize)(ByReference<kSize>());

MR_OP(LookupTableSizeV2)(kSize);

MR_OP(LookupTableExport)(ByReference<kExport>(ExportShape));

MR_OP(LookupTableExportV2)(kExport);

MR_OP(LookupTableImport)(ByReference<kImport>(OnlyHandle));

MR_OP(LookupTableImportV2)(kImport);

}  // namespace millrace::ops
