#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

consteval OpFields WrappedVariant(const char* doc) {
  return {
      .inputs = "input_handle: variant",
      .outputs = "output_handle: variant",
      .shape = shapes::Scalar,
      .doc = doc,
  };
}

}  // namespace

MR_OP(WrapDatasetVariant)
(WrappedVariant("A data set in a variant that is none itself."));

MR_OP(UnwrapDatasetVariant)
(WrappedVariant("The data set that WrapDatasetVariant wrapped."));

}  // namespace millrace::ops
