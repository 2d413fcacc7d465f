#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr int64_t kMicros = 200'000;

Value Id(int64_t id) { return Tensor::Scalar<int64_t>(id); }

// The table of a batch of one run.
Value Table(int64_t id, int64_t rows) {
  return Tensor::Of<int64_t>(TensorShape({1, 3}), {id, 0, rows});
}

}  // namespace

MR_CASES(Unbatch)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    if (IsQuantized(t)) {
      c.Error({Rand(t, {3, 2}), Table(5, 3), Id(5)},
              {{"timeout_micros", kMicros}}, StatusCode::kInvalidArgument,
              "Unsupported data type: ");
      return;
    }
    c.Ok({Rand(t, {3, 2}), Table(5, 3), Id(5)}, {{"timeout_micros", kMicros}});
  });
  // With a row of padding, and without rows.
  c.Ok({F32({3, 2}), Table(6, 2), Id(6)}, {{"timeout_micros", kMicros}});
  c.Ok({F32({3}), Table(7, 0), Id(7)}, {{"timeout_micros", kMicros}});
  // Rows that are aligned in the batch's buffer.
  c.Ok({F32({4, 16}),
        Tensor::Of<int64_t>(TensorShape({2, 3}), {20, 0, 1, 12, 1, 4}), Id(12)},
       {{"timeout_micros", kMicros}});
  c.Error({F32({3}), Table(8, 3), Tensor::Vector<int64_t>({8})},
          {{"timeout_micros", kMicros}}, StatusCode::kInvalidArgument,
          "Input id should be scalar");
  c.Error({F32({3}), Empty(DataType::kInt64, {0, 3}), Id(9)},
          {{"timeout_micros", kMicros}}, StatusCode::kDeadlineExceeded,
          "Batched data did not arrive within timeout window.");
  c.BuildError({F32({}), Table(5, 3), Id(5)}, {{"timeout_micros", kMicros}},
               "Out of range dim_index 0 for shape with 0 dimensions");
  for (const auto& [begin, end] :
       {std::pair<int64_t, int64_t>(-1, 2), {2, 1}, {0, 4}}) {
    c.Error(
         {F32({3}), Tensor::Of<int64_t>(TensorShape({1, 3}), {11, begin, end}),
          Id(11)},
         {{"timeout_micros", kMicros}}, StatusCode::kInvalidArgument,
         "Sum of split sizes must not exceed dim0-size of input tensor")
        .NoStock("it ends the process");
  }
  c.Error({F32({3}), Tensor::Vector<int64_t>({1}), Id(1)},
          {{"timeout_micros", kMicros}}, StatusCode::kInvalidArgument,
          "Wrong shape for index tensor. Expected 1st dimension size")
      .NoStock("it ends the process");
}

MR_CASES(UnbatchGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    if (IsQuantized(t)) {
      c.Error({Rand(t, {3, 2}), Table(5, 3), Rand(t, {3, 2}), Id(5)},
              StatusCode::kInvalidArgument, "Unsupported data type: ");
      return;
    }
    c.Ok({Rand(t, {3, 2}), Table(5, 3), Rand(t, {3, 2}), Id(5)});
  });
  // The batch is another run's.
  c.Ok({Empty(DataType::kFloat, {0}), Empty(DataType::kInt64, {0, 3}),
        F32({2, 2}), Id(6)});
  c.Error({F32({3}), Table(8, 3), F32({3}), Tensor::Vector<int64_t>({8})},
          StatusCode::kInvalidArgument, "Expected `id` to be scalar.");
  c.Error({F32({3}), Empty(DataType::kInt64, {0, 3}), F32({3}), Id(9)},
          StatusCode::kInvalidArgument,
          "batch_index is empty while the tensor isn't.");
  c.Error({F32({3}), Table(8, 3), F32({}), Id(10)},
          StatusCode::kInvalidArgument, "to have at least one dimension")
      .NoStock("it ends the process");
}

}  // namespace millrace::cases
