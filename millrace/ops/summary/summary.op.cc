#include "millrace/graph/shape_context.h"

namespace millrace::ops {

#define MR_REAL                                                     \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, " \
  "uint16, half, uint32, uint64}"

MR_OP(ScalarSummary){
    .inputs = "tags: string, values: T",
    .outputs = "summary: string",
    .attrs = MR_REAL,
    .shape = shapes::Scalar,
    .doc = "A value for each tag.",
};

MR_OP(HistogramSummary){
    .inputs = "tag: string, values: T",
    .outputs = "summary: string",
    .attrs = MR_REAL " = float",
    .shape = shapes::Scalar,
    .doc = "A histogram of all values; NaN and infinities are refused.",
};

MR_OP(MergeSummary){
    .inputs = "inputs: N * string",
    .outputs = "summary: string",
    .attrs = "N: int >= 1",
    .shape = shapes::Scalar,
    .doc = "The values of several summaries; no tag may come twice.",
};

}  // namespace millrace::ops
