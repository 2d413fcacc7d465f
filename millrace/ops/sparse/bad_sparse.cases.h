// Sparse tensors that all ops refuse.
#pragma once

#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

// Adds error cases of sparse tensors for any op.
inline void BadTensors(CaseList& c) {
  c.Error({Long({1, 2}), F32({2}), Long({4})}, kInvalid,
          "Input indices should be a matrix but received shape [2]");
  c.Error({Pairs({0, 1}), F32({}), Long({4, 4})}, kInvalid,
          "Input values should be a vector but received shape []");
  c.Error({Pairs({0, 1}), F32({1}), Scalar(kInt64, 4)}, kInvalid,
          "Input shape should be a vector but received shape []");
}

// Adds error cases of batches, too.
inline void BadBatches(CaseList& c) {
  BadTensors(c);
  c.Error({Of(kInt64, {2, 1}, {0, 1}), F32({2}), Long({4})}, kInvalid,
          "Rank of input SparseTensor should be > 1, but saw rank: 1");
  c.Error({Pairs({0, 1, 0, 1}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [0,1] is repeated");
  c.Error({Pairs({1, 1, 0, 1}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [0,1] is out of order. Many sparse ops require sorted "
          "indices");
  c.Error({Pairs({0, 1, 4, 1}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [4,1] is out of bounds: need 0 <= index < [4,4]");
  c.Error({Pairs({0, 1, 3, 4}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [3,4] is out of bounds: need 0 <= index < [4,4]");
  c.Error({Pairs({0, -1}), F32({1}), Long({4, 4})}, kInvalid,
          "indices[0] = [0,-1] is out of bounds: need 0 <= index < [4,4]");
  c.Error({Pairs({0, 1}), F32({1}), Long({4, -4})}, kInvalid, "");
}

}  // namespace millrace::cases
