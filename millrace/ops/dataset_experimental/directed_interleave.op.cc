#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_DIRECTED_INTERLEAVE_ATTRS MR_ELEMENT_ATTRS "; N: int >= 1"

consteval OpFields DirectedInterleave(const char* attrs) {
  return {
      .inputs =
          "selector_input_dataset: variant, data_input_datasets: N * variant",
      .outputs = "handle: variant",
      .attrs = attrs,
      .flags = kElementShapesUnread,
      .shape = shapes::Scalar,
      .doc =
          "Elements of several data sets, each from the one that the next "
          "number of another data set selects.",
  };
}

}  // namespace

MR_OP(DirectedInterleaveDataset)
(DirectedInterleave(MR_DIRECTED_INTERLEAVE_ATTRS
                    "; stop_on_empty_dataset: bool = false"));

MR_OP(ExperimentalDirectedInterleaveDataset)
(DirectedInterleave(MR_DIRECTED_INTERLEAVE_ATTRS));

}  // namespace millrace::ops
