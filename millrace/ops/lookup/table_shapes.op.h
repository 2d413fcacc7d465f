// Shape functions and attributes of several kinds of tables.
#pragma once

#include "millrace/ops/queue/handle_shapes.op.h"

#define MR_TABLE_TYPES "key_dtype: type; value_dtype: type"
#define MR_TABLE_NAME                                \
  "container: string = ''; shared_name: string = ''" \
  "; use_node_name_sharing: bool = false; "

namespace millrace::ops {

// Sets output 0 to a handle with what is known of the keys and values behind
// it.
inline Status TableHandle(ShapeContext& c, const PartialShape& key,
                          const PartialShape& value) {
  MR_RETURN_IF_ERROR(ShapeContext::WithRankAtMost(key, 1).status());
  millrace::HandleShape keys, values;
  MR_ASSIGN_OR_RETURN(keys.dtype, c.Attr<DataType>("key_dtype"));
  MR_ASSIGN_OR_RETURN(values.dtype, c.Attr<DataType>("value_dtype"));
  keys.shape = key;
  values.shape = value;
  c.set_output_handles(0, {keys, values});
  return c.Return(PartialShape({}));
}

// Requires inputs 1 and 2 to be vectors of as many keys as values.
inline Status PairsShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  MR_ASSIGN_OR_RETURN(const PartialShape keys, c.WithRank(1, 1));
  return ShapeContext::MergeShapes(keys, c.input(2)).status();
}

}  // namespace millrace::ops
