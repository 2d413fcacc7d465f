// Schemas of data sets of random numbers, and of elements chosen at random.
#include "millrace/ops/data/element_shapes.op.h"
#include "millrace/ops/dataset_experimental/scalar_inputs.op.h"

namespace millrace::ops {
namespace {

consteval OpFields RandomNumbers(const char* attrs) {
  return {
      .inputs = "seed: int64, seed2: int64",
      .outputs = "handle: variant",
      .attrs = attrs,
      .flags = kStateful | kElementShapesUnread,
      .shape = ScalarsFrom<0>,
      .doc = "Random numbers of 32 bits, without end.",
  };
}

}  // namespace

MR_OP(RandomDataset)(RandomNumbers(MR_ELEMENT_ATTRS MR_METADATA));

MR_OP(ExperimentalRandomDataset)(RandomNumbers(MR_ELEMENT_ATTRS));

MR_OP(SamplingDataset){
    .inputs = "input_dataset: variant, rate: float, seed: int64, seed2: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kElementShapesUnread,
    .shape = ScalarsFrom<1>,
    .doc = "Each element with this probability.",
};

}  // namespace millrace::ops
