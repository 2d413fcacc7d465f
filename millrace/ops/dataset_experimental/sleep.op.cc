#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kSleep = {
    .inputs = "input_dataset: variant, sleep_microseconds: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is, each element after a wait.",
};

}  // namespace

MR_OP(SleepDataset)(kSleep);

MR_OP(ExperimentalSleepDataset)(kSleep);

}  // namespace millrace::ops
