#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

const AttrMap& Attrs() {
  static const AttrMap* const attrs =
      new AttrMap({{"num_batch_threads", 1},
                   {"max_batch_size", 4},
                   {"batch_timeout_micros", 1000},
                   {"grad_timeout_micros", 1000}});
  return *attrs;
}

AttrMap With(const char* name, AttrValue value) {
  AttrMap attrs = Attrs();
  attrs.Set(name, std::move(value));
  return attrs;
}

}  // namespace

MR_CASES(Batch)(CaseList& c) {
  // The table of a batch is fetched without the ids of runs, which are chance.
  const auto of_rows = [&c](const char* name, std::vector<Value> inputs,
                            const AttrMap& attrs) -> Case& {
    const auto n = static_cast<int>(inputs.size());
    std::vector<std::string> fetches;
    for (int i = 0; i < n; ++i) fetches.push_back("op:" + std::to_string(i));
    fetches.push_back("rows");
    return c.Sequence(name)
        .Node("op", "Batch", std::move(inputs), attrs)
        .Node("rows", "Slice",
              {"op:" + std::to_string(n), Vec({0, 1}), Vec({-1, 2})})
        .Run(std::move(fetches));
  };
  of_rows("two tensors", {F32({3, 2}), I32({3})}, Attrs());
  of_rows("full", {F32({4})}, Attrs());
  of_rows("padded", {F32({1, 2})}, With("allowed_batch_sizes", IntList{3, 4}));
  of_rows("not queued", {F32({2})}, With("max_enqueued_batches", 0));
  // Without rows, all outputs are vectors, whatever the schema says.
  c.Ok({Empty(DataType::kFloat, {0, 2})}, Attrs()).NoShapeCheck();
  c.BuildError({F32({})}, Attrs(),
               "Out of range dim_index 0 for shape with 0 dimensions");
  for (const char* name : {"num_batch_threads", "max_batch_size"}) {
    c.Error({F32({2})}, With(name, 0), StatusCode::kInvalidArgument,
            "must be positive; was 0");
  }
  c.Error({F32({2})}, With("batch_timeout_micros", -1),
          StatusCode::kInvalidArgument,
          "batch_timeout_micros must be non-negative; was -1");
  c.Error({F32({})}, Attrs(), StatusCode::kInvalidArgument,
          "Batching input tensors must have at least one dimension.");
  c.Error({F32({2}), F32({3})}, Attrs(), StatusCode::kInvalidArgument,
          "Batching input tensors supplied in a given op invocation must have "
          "equal 0th-dimension size.");
  c.Error({F32({5})}, Attrs(), StatusCode::kInvalidArgument,
          "Task size 5 is larger than maximum input batch size 4");
  c.Error({F32({1})}, With("allowed_batch_sizes", IntList{2, 3}),
          StatusCode::kInvalidArgument,
          "final entry in allowed_batch_sizes must equal max_batch_size");
  c.Error({F32({1})}, With("allowed_batch_sizes", IntList{4, 2}),
          StatusCode::kInvalidArgument,
          "allowed_batch_sizes entries must be monotonically increasing");
}

}  // namespace millrace::cases
