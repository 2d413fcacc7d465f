#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// `pos` and `len` must have one shape, which broadcasts with that of the
// strings.
Status SubstrShape(ShapeContext& c) {
  const PartialShape& pos = c.input(1);
  const PartialShape& len = c.input(2);
  if (len.known_rank()) {
    MR_RETURN_IF_ERROR(c.WithRank(1, len.rank()).status());
  }
  for (int d = 0; d < pos.rank(); ++d) {
    if (len.known_rank() && pos.dim(d) != len.dim(d)) {
      return InvalidArgument("pos and len shapes must match: ",
                             pos.DebugString(), " vs. ", len.DebugString());
    }
  }
  return shapes::Broadcast(c);
}

}  // namespace

MR_OP(Substr){
    .inputs = "input: string, pos: T, len: T",
    .outputs = "output: string",
    .attrs = "T: {int32, int64}; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    .shape = SubstrShape,
    .doc =
        "Parts of strings: `len` units from `pos` on, which counts from the "
        "end if negative.",
};

MR_OP(StringLength){
    .inputs = "input: string",
    .outputs = "output: int32",
    .attrs = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    .shape = shapes::Unchanged,
    .doc = "Lengths of strings.",
};

MR_OP(StringLower){
    .inputs = "input: string",
    .outputs = "output: string",
    .attrs = "encoding: string = ''",
    .shape = shapes::Unchanged,
    .doc = "Lower case, of ASCII letters or of all in UTF-8.",
};

MR_OP(StringUpper){
    .inputs = "input: string",
    .outputs = "output: string",
    .attrs = "encoding: string = ''",
    .shape = shapes::Unchanged,
    .doc = "Upper case, of ASCII letters or of all in UTF-8.",
};

MR_OP(StringStrip){
    .inputs = "input: string",
    .outputs = "output: string",
    .shape = shapes::Unchanged,
    .doc = "Strings without white space at their ends.",
};

}  // namespace millrace::ops
