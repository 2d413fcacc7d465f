#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

consteval OpFields Cardinality(const char* attrs) {
  return {
      .inputs = "input_dataset: variant",
      .outputs = "cardinality: int64",
      .attrs = attrs,
      .shape = shapes::Scalar,
      .doc = "The number of elements, -1 without end, -2 if it is not known.",
  };
}

}  // namespace

MR_OP(DatasetCardinality)(Cardinality("cardinality_options: string = ''"));

MR_OP(ExperimentalDatasetCardinality)(Cardinality(""));

}  // namespace millrace::ops
