// Attributes of the ops that parse examples. Shape functions and kernels read
// and check them in the same way.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

struct DenseSpec {
  DataType type = DataType::kInvalid;
  PartialShape shape;     // known, except for the first size if `variable`
  bool variable = false;  // any number of strides; batches are padded
  int64_t stride = 0;     // elements of a stride; of all, if not variable
};

struct FeatureSpecs {
  std::vector<DataType> sparse;
  std::vector<DenseSpec> dense;
  std::vector<DataType> ragged, splits;  // types of values and of row splits
  // Keys, if they are attributes.
  std::vector<std::string> sparse_keys, dense_keys;
};

struct SequenceSpecs {
  FeatureSpecs context, lists;  // shapes of lists are those of a row
  // Keys of lists that may be missing, if they are an attribute.
  std::vector<std::string> may_be_missing;
};

// ParseExample, ParseExampleV2, ParseSingleExample.
enum class ExampleOp { kBatch, kV2, kSingle };
// Returns INVALID_ARGUMENT for attributes that contradict each other.
StatusOr<FeatureSpecs> ReadFeatureSpecs(ExampleOp op, const AttrMap& attrs);

// ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample.
enum class SequenceOp { kBatch, kV2, kSingle };
// Returns INVALID_ARGUMENT for attributes that contradict each other.
StatusOr<SequenceSpecs> ReadSequenceSpecs(SequenceOp op, const AttrMap& attrs);

}  // namespace millrace::ops
