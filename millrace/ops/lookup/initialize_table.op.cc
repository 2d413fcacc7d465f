#include "millrace/ops/lookup/table_shapes.op.h"
#include "millrace/ops/queue/by_reference.op.h"

namespace millrace::ops {
namespace {

Status TextFileShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  return c.WithRank(1, 0).status();
}

constexpr OpFields kInitializeTable = {
    .inputs = "table_handle: resource, keys: Tkey, values: Tval",
    .attrs = "Tkey: type; Tval: type",
    .flags = kStateful | kKeepsInputs,
    .shape = PairsShape,
    .doc =
        "Fills a HashTable, once. A second time does nothing, with as many "
        "keys as "
        "the table has; else it is an error.",
};

constexpr OpFields kInitializeTableFromTextFile = {
    .inputs = "table_handle: resource, filename: string",
    .attrs =
        "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = "
        "-1"
        "; delimiter: string = '\t'; offset: int = 0",
    .flags = kStateful,
    .shape = TextFileShape,
    .doc =
        "Fills a HashTable, once, from the lines of a file. Keys and values "
        "are "
        "fields of a line, the whole line (-2) or its number (-1), to which "
        "`offset` is added.",
};

}  // namespace

MR_OP(InitializeTable)(ByReference<kInitializeTable>());

MR_OP(InitializeTableV2)(kInitializeTable);

MR_OP(InitializeTableFromTextFile)(ByReference<kInitializeTableFromTextFile>());

MR_OP(InitializeTableFromTextFileV2)(kInitializeTableFromTextFile);

}  // namespace millrace::ops
