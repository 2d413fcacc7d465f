#include "millrace/ops/data/element_shapes.op.h"
#include "millrace/ops/dataset_experimental/scalar_inputs.op.h"

namespace millrace::ops {
namespace {

consteval OpFields SlidingWindow(const char* attrs) {
  return {
      .inputs =
          "input_dataset: variant, window_size: int64, window_shift: int64, "
          "window_stride: int64",
      .outputs = "handle: variant",
      .attrs = attrs,
      .flags = kElementShapesUnread,
      .shape = ScalarsFrom<1>,
      .doc =
          "Batches of every stride-th element, each a shift behind the one "
          "before.",
  };
}

}  // namespace

MR_OP(SlidingWindowDataset)
(SlidingWindow("drop_remainder: bool = true; " MR_ELEMENT_ATTRS));

MR_OP(ExperimentalSlidingWindowDataset)(SlidingWindow(MR_ELEMENT_ATTRS));

}  // namespace millrace::ops
