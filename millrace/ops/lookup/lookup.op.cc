// Ops that use tables.
#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace {
namespace {

// Types that are known of the table behind the handle, {key, value}, must be
// those of the node.
Status CheckTypes(ShapeContext& c, const char* key_attr,
                  const char* value_attr) {
  const std::vector<HandleShape>& table = c.input_handles(0);
  const char* const attrs[] = {key_attr, value_attr};
  for (size_t i = 0; i < 2; ++i) {
    MR_ASSIGN(const DataType type, c.Attr<DataType>(attrs[i]));
    if (table[i].dtype == type) continue;
    return InvalidArgument("Trying to read value with wrong dtype. Expected ",
                           DataTypeName(table[i].dtype), " got ",
                           DataTypeName(type));
  }
  return OkStatus();
}

Status FindShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  return c.WithRankAtMost(2, 1).status();
}

// The keys' shape with that of one value in place of that of one key.
Status FindV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  if (c.input_handles(0).size() != 2) return OkStatus();
  MR_RETURN_IF_ERROR(CheckTypes(c, "Tin", "Tout"));
  const PartialShape& key = c.input_handles(0)[0].shape;
  const PartialShape& keys = c.input(1);
  if (!key.known_rank() || !keys.known_rank()) return OkStatus();
  if (keys.rank() < key.rank()) {
    return InvalidArgument("Expected keys to have suffix ", key.DebugString(),
                           " but saw shape: ", keys.DebugString());
  }
  MR_ASSIGN(const PartialShape prefix,
            ShapeContext::Subshape(keys, 0, keys.rank() - key.rank()));
  return c.Return(prefix.Concatenate(c.input_handles(0)[1].shape));
}

Status OnlyHandle(ShapeContext& c) { return ops::CheckHandle(c); }

Status RemoveShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  return c.WithRankAtLeast(1, 1).status();
}

// All that is known is that there is a vector of keys; dense tables give
// matrices, whatever this says.
Status ExportShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  return c.Return(PartialShape({kUnknownDim}));
}

Status ExportV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  if (c.input_handles(0).size() != 2) return OkStatus();
  return CheckTypes(c, "Tkeys", "Tvalues");
}

Status PairsShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  MR_ASSIGN(const PartialShape keys, c.WithRank(1, 1));
  return ShapeContext::MergeShapes(keys, c.input(2)).status();
}

Status TextFileShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  return c.WithRank(1, 0).status();
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_USES_TABLE(handle, ins, outs, attributes, bits, function, text) \
  {                                                                        \
    .inputs = "table_handle: " handle ins, .outputs = outs,                \
    .attrs = attributes, .flags = bits, .shape = function, .doc = text,    \
  }

#define MR_FIND_DOC                                                          \
  "The values of `keys`. A key that is not there gets `default_value`: one " \
  "for all, or one for each key."
MR_OP(LookupTableFind)
MR_USES_TABLE("Ref(string)", ", keys: Tin, default_value: Tout", "values: Tout",
              "Tin: type; Tout: type", 0, FindShape, MR_FIND_DOC);
MR_OP(LookupTableFindV2)
MR_USES_TABLE("resource", ", keys: Tin, default_value: Tout", "values: Tout",
              "Tin: type; Tout: type", kStateful, FindV2Shape, MR_FIND_DOC);

#define MR_INSERT_DOC \
  "Puts keys with their values into a table, in place of those of equal keys."
MR_OP(LookupTableInsert)
MR_USES_TABLE("Ref(string)", ", keys: Tin, values: Tout", "",
              "Tin: type; Tout: type", 0, OnlyHandle, MR_INSERT_DOC);
MR_OP(LookupTableInsertV2)
MR_USES_TABLE("resource", ", keys: Tin, values: Tout", "",
              "Tin: type; Tout: type", kStateful, OnlyHandle, MR_INSERT_DOC);

MR_OP(LookupTableRemoveV2)
MR_USES_TABLE("resource", ", keys: Tin", "", "Tin: type", kStateful,
              RemoveShape,
              "Takes keys out of a table; those that are not there are passed "
              "over.");

#define MR_SIZE_DOC "How many keys a table has."
MR_OP(LookupTableSize)
MR_USES_TABLE("Ref(string)", "", "size: int64", "", 0, ops::ScalarsOfHandle,
              MR_SIZE_DOC);
MR_OP(LookupTableSizeV2)
MR_USES_TABLE("resource", "", "size: int64", "", kStateful,
              ops::ScalarsOfHandle, MR_SIZE_DOC);

#define MR_EXPORT_DOC \
  "All keys and values. A dense table gives its buckets as they are."
MR_OP(LookupTableExport)
MR_USES_TABLE("Ref(string)", "", "keys: Tkeys, values: Tvalues",
              "Tkeys: type; Tvalues: type", 0, ExportShape, MR_EXPORT_DOC);
MR_OP(LookupTableExportV2)
MR_USES_TABLE("resource", "", "keys: Tkeys, values: Tvalues",
              "Tkeys: type; Tvalues: type", kStateful, ExportV2Shape,
              MR_EXPORT_DOC);

#define MR_IMPORT_DOC \
  "Replaces what a table holds, by what LookupTableExport gave."
MR_OP(LookupTableImport)
MR_USES_TABLE("Ref(string)", ", keys: Tin, values: Tout", "",
              "Tin: type; Tout: type", 0, OnlyHandle, MR_IMPORT_DOC);
MR_OP(LookupTableImportV2)
MR_USES_TABLE("resource", ", keys: Tin, values: Tout", "",
              "Tin: type; Tout: type", kStateful, PairsShape, MR_IMPORT_DOC);

#define MR_INITIALIZE_DOC                                                      \
  "Fills a HashTable, once. A second time does nothing, with as many keys as " \
  "the table has; else it is an error."
MR_OP(InitializeTable)
MR_USES_TABLE("Ref(string)", ", keys: Tkey, values: Tval", "",
              "Tkey: type; Tval: type", 0, PairsShape, MR_INITIALIZE_DOC);
MR_OP(InitializeTableV2)
MR_USES_TABLE("resource", ", keys: Tkey, values: Tval", "",
              "Tkey: type; Tval: type", kStateful, PairsShape,
              MR_INITIALIZE_DOC);

#define MR_TEXT_FILE_DOC                                                    \
  "Fills a HashTable, once, from the lines of a file. Keys and values are " \
  "fields of a line, the whole line (-2) or its number (-1), to which "     \
  "`offset` is added."
#define MR_TEXT_FILE_ATTRS                                                   \
  "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1" \
  "; delimiter: string = '\t'; offset: int = 0"
MR_OP(InitializeTableFromTextFile)
MR_USES_TABLE("Ref(string)", ", filename: string", "", MR_TEXT_FILE_ATTRS, 0,
              TextFileShape, MR_TEXT_FILE_DOC);
MR_OP(InitializeTableFromTextFileV2)
MR_USES_TABLE("resource", ", filename: string", "", MR_TEXT_FILE_ATTRS,
              kStateful, TextFileShape, MR_TEXT_FILE_DOC);

}  // namespace millrace::ops
