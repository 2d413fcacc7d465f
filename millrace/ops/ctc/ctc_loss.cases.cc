#include <cmath>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value Places(std::initializer_list<double> pairs) {
  return Of(DataType::kInt64, {static_cast<int64_t>(pairs.size() / 2), 2},
            pairs);
}

// The inputs of two sequences of four steps and four classes.
struct Loss {
  Value logits = F32({4, 2, 4});
  Value places = Places({0, 0, 0, 1, 1, 0});
  Value labels = Vec({0, 1, 2});
  Value lengths = Vec({4, 3});

  std::vector<Value> Inputs() const {
    return {logits, places, labels, lengths};
  }
};

}  // namespace

MR_CASES(CTCLoss)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    // Stock adds up logarithms in float, also those of doubles.
    const double tolerance = t == DataType::kDouble ? 1e-6 : 1e-4;
    const Value places = Places({0, 0, 0, 1, 0, 2, 1, 0, 2, 0, 2, 1});
    for (const bool merge : {false, true}) {
      c.Ok({Rand(t, {7, 3, 5}), places, Vec({0, 1, 1, 3, 2, 2}),
            Vec({7, 5, 4})},
           {{"ctc_merge_repeated", merge}})
          .Tolerance(tolerance);
      c.Ok({Rand(t, {7, 3, 5}), places, Vec({1, 1, 1, 3, 2, 2}),
            Vec({7, 5, 4})},
           {{"ctc_merge_repeated", merge},
            {"preprocess_collapse_repeated", true}})
          .Tolerance(tolerance);
    }
    c.Ok({Rand(t, {1, 1, 2}), Places({0, 0}), Vec({0}), Vec({1})})
        .Tolerance(tolerance);
    c.Ok({Rand(t, {40, 9, 30}, -5, 5),
          Places({0, 0, 0, 3, 1, 0, 1, 1, 2, 5, 3, 0, 4,
                  0, 5, 0, 5, 1, 5, 2, 6, 0, 7, 0, 8, 0}),
          Vec({1, 2, 3, 3, 4, 5, 6, 7, 7, 8, 9, 10, 28}),
          Vec({40, 39, 38, 7, 6, 5, 4, 3, 2})})
        .Tolerance(tolerance);
  });
  // Labels from the blank on are left out.
  c.Ok(Loss{.labels = Vec({0, 3, 2})}.Inputs()).Tolerance(1e-4);
  c.Ok(Loss{.labels = Vec({0, 1, 9})}.Inputs())
      .Tolerance(1e-4)
      .Deviates(
          "stock writes before its table where no label is left, and counts an "
          "alignment twice");
  c.Ok(Loss{.lengths = Vec({1, 3})}.Inputs(),
       {{"ignore_longer_outputs_than_inputs", true}})
      .Tolerance(1e-4);
  c.Ok(Loss{.lengths = Vec({0, 3})}.Inputs(),
       {{"ignore_longer_outputs_than_inputs", true}})
      .Tolerance(1e-4);
  // No alignment: the same label twice needs three steps.
  c.Ok(Loss{.labels = Vec({1, 1, 2}), .lengths = Vec({2, 3})}.Inputs())
      .Tolerance(1e-4);
  c.Ok(Loss{.logits = Full(DataType::kFloat, {4, 2, 4}, NAN)}.Inputs());
  c.Ok(Loss{.logits = Full(DataType::kFloat, {4, 2, 4}, -INFINITY)}.Inputs());
  c.Error(Loss{.logits = F32({4, 2})}.Inputs(), kInvalid,
          "inputs is not a 3-Tensor");
  c.Error(Loss{.lengths = Scalar(3)}.Inputs(), kInvalid,
          "sequence_length is not a vector");
  c.Error(Loss{.lengths = Vec({5, 3})}.Inputs(), kInvalid,
          "sequence_length(0) <= 4");
  c.Error(Loss{.lengths = Vec({4, -1})}.Inputs(), kInvalid, "seq_len(1) < 0");
  c.Error(Loss{.lengths = Vec({3})}.Inputs(), kInvalid,
          "len(sequence_length) != batch_size.  len(sequence_length):  1 "
          "batch_size: 2");
  c.Error(Loss{.places = Vec(DataType::kInt64, {0, 0, 1})}.Inputs(), kInvalid,
          "labels_indices is not a matrix");
  c.Error(Loss{.labels = I32({3, 1})}.Inputs(), kInvalid,
          "labels_values is not a vector");
  c.Error(Loss{.places = Places({0, 0, 1, 0})}.Inputs(), kInvalid,
          "labels_indices and labels_values must contain the same number of "
          "rows, but saw shapes: [2,2] vs. [3]");
  c.Error(Loss{.places = I64({3, 1})}.Inputs(), kInvalid,
          "labels_indices second dimension must be >= 1. Received 1");
  c.Error(Loss{.places = Full(DataType::kInt64, {3, 3}, 0)}.Inputs(), kInvalid,
          "Order length must be SparseTensor rank.");
  c.Error(Loss{.places = Places({0, 0, 0, 1, 2, 0})}.Inputs(), kInvalid,
          "label SparseTensor is not valid: indices[2] = [2,0] is out of "
          "bounds: need 0 <= index < [2,2]");
  c.Error(Loss{.places = Places({-1, 0, 0, 1, 1, 0})}.Inputs(), kInvalid,
          "indices[0] = [-1,0] is out of bounds");
  c.Error(Loss{.places = Places({0, -1, 0, 1, 1, 0})}.Inputs(), kInvalid,
          "indices[0] = [0,-1] is out of bounds");
  c.Error(Loss{.places = Places({1, 0, 0, 1, 0, 0})}.Inputs(), kInvalid,
          "label SparseTensor is not valid: indices[1] = [0,1] is out of "
          "order. Many sparse ops require sorted");
  c.Error(Loss{.places = Places({0, 0, 0, 0, 1, 0})}.Inputs(), kInvalid,
          "label SparseTensor is not valid: indices[1] = [0,0] is repeated");
  c.Error(
       Loss{.places = Places({0, 0, 0, 4611686018427387904.0, 1, 0})}.Inputs(),
       kInvalid, "")
      .NoStock("stock aborts");
  c.Error(Loss{.places = Places({0, 0, 0, 1}), .labels = Vec({0, 1})}.Inputs(),
          kInvalid, "Labels length is zero in batch 1");
  c.Error(Loss{.labels = Vec({3, 1, 2})}.Inputs(), kInvalid,
          "Saw a non-null label (index >= num_classes - 1) following a null "
          "label, batch: 0 num_classes: 4 labels: 3,1");
  c.Error(Loss{.labels = Vec({0, -1, 2})}.Inputs(), kInvalid,
          "All labels must be nonnegative integers, batch: 0 labels: 0,-1");
  c.Error(Loss{.lengths = Vec({1, 3})}.Inputs(), kInvalid,
          "Not enough time for target transition sequence (required: 2, "
          "available: 1)0");
  c.Error({F32({4, 0, 4}), Empty(DataType::kInt64, {0, 2}),
           Empty(DataType::kInt32, {0}), Empty(DataType::kInt32, {0})},
          kInvalid, "batch_size must not be 0");
  c.Error(Loss{.logits = F32({0, 2, 4}), .lengths = Vec({0, 0})}.Inputs(),
          kInvalid, "Max time or first dimension of input cannot be 0.");
  c.Error(Loss{.logits = F32({4, 2, 0})}.Inputs(), kInvalid,
          "num_classes must not be 0")
      .NoStock("stock crashes");
  c.BuildError(Loss{.lengths = Vec({3})}.Inputs(), {},
               "Dimensions must be equal, but are 2 and 1");
  c.BuildError(Loss{.places = Places({0, 0, 1, 0})}.Inputs(), {},
               "Dimensions must be equal, but are 2 and 3");
}

}  // namespace millrace::cases
