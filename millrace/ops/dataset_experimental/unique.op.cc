#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

consteval OpFields UniqueElements(const char* attrs) {
  return {
      .inputs = "input_dataset: variant",
      .outputs = "handle: variant",
      .attrs = attrs,
      .flags = kElementShapesUnread,
      .shape = shapes::Scalar,
      .doc = "The elements that differ from all before them.",
  };
}

}  // namespace

MR_OP(UniqueDataset)(UniqueElements(MR_ELEMENT_ATTRS MR_METADATA));

MR_OP(ExperimentalUniqueDataset)(UniqueElements(MR_ELEMENT_ATTRS));

}  // namespace millrace::ops
