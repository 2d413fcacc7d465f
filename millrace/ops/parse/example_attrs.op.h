// Attributes of the ops that parse examples, read and checked alike by their
// shape functions and kernels; and the shapes of their outputs.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

struct DenseSpec {
  DataType type = DataType::kInvalid;
  PartialShape shape;     // known, but for the first size if `variable`
  bool variable = false;  // any number of strides; batches are padded
  int64_t stride = 0;     // elements of a stride; of all, if not variable
};

struct FeatureSpecs {
  std::vector<DataType> sparse;
  std::vector<DenseSpec> dense;
  std::vector<DataType> ragged, splits;  // types of values and of row splits
  // Keys, where they are attributes.
  std::vector<std::string> sparse_keys, dense_keys;
};

struct SequenceSpecs {
  FeatureSpecs context, lists;  // shapes of lists are those of a row
  // Keys of lists that may be missing, where they are an attribute.
  std::vector<std::string> may_be_missing;
};

// `op` is one of ParseExample, ParseExampleV2, ParseSingleExample.
// INVALID_ARGUMENT for attributes that contradict each other.
StatusOr<FeatureSpecs> ReadFeatureSpecs(const std::string& op,
                                        const AttrMap& attrs);
// `op` is one of ParseSequenceExample, ParseSequenceExampleV2,
// ParseSingleSequenceExample.
StatusOr<SequenceSpecs> ReadSequenceSpecs(const std::string& op,
                                          const AttrMap& attrs);

}  // namespace millrace::ops
