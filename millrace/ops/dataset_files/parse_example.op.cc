#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_PARSED_ATTRS                                             \
  "sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; " \
  "sparse_types: list({float, int64, string}) >= 0; "               \
  "Tdense: list({float, int64, string}) >= 0; "                     \
  "dense_shapes: list(shape) >= 0; " MR_ELEMENT_ATTRS
#define MR_PARSED_RAGGED_ATTRS                                   \
  "; ragged_keys: list(string) >= 0 = []; "                      \
  "ragged_value_types: list({float, int64, string}) >= 0 = []; " \
  "ragged_split_types: list({int32, int64}) >= 0 = []"

consteval OpFields ParsedExamples(const char* attrs) {
  return {
      .inputs =
          "input_dataset: variant, num_parallel_calls: int64, "
          "dense_defaults: Tdense",
      .outputs = "handle: variant",
      .attrs = attrs,
      .shape = shapes::Scalar,
      .doc =
          "Features of batches of serialized Example messages, in the order of "
          "their keys.",
  };
}

}  // namespace

MR_OP(ParseExampleDataset)
(ParsedExamples(MR_PARSED_ATTRS
                "; sloppy: bool = false" MR_PARSED_RAGGED_ATTRS));

MR_OP(ParseExampleDatasetV2)
(ParsedExamples(MR_PARSED_ATTRS
                "; deterministic: string = 'default'" MR_PARSED_RAGGED_ATTRS));

MR_OP(ExperimentalParseExampleDataset)
(ParsedExamples(MR_PARSED_ATTRS "; sloppy: bool = false"));

}  // namespace millrace::ops
