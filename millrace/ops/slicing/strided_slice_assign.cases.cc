#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Slices of a [4, 5, 6] tensor, and values for them.
struct AssignSpec {
  std::initializer_list<double> begin, end, strides;
  std::initializer_list<int64_t> value;
  int begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0,
      shrink_axis_mask = 0;
  AttrMap Attrs() const {
    return {{"begin_mask", begin_mask},
            {"end_mask", end_mask},
            {"ellipsis_mask", ellipsis_mask},
            {"new_axis_mask", new_axis_mask},
            {"shrink_axis_mask", shrink_axis_mask}};
  }
};

const AssignSpec kAssignSpecs[] = {
    {{1}, {3}, {1}, {2, 5, 6}},
    {{0, 1, 2}, {4, 4, 6}, {2, 1, 3}, {2, 3, 2}},
    {{3, 4, 5}, {0, 0, 0}, {-1, -2, -1}, {3, 2, 5}},
    {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {4, 5, 6}, 7, 7},
    {{0, 1, 0}, {0, 3, 0}, {1, 1, 1}, {4}, 0, 7, 0, 0, 5},
    {{0, 0, 1}, {0, 0, 2}, {1, 1, 1}, {1, 4, 5}, 0, 0, 2, 1, 4},
    {{2, 0, -1}, {3, 5, 0}, {1, 1, 1}, {5}, 0, 0, 0, 0, 5},
    {{1}, {3}, {1}, {6}},
    {{1}, {3}, {1}, {5, 1}},
    {{1}, {3}, {1}, {}},
    {{1}, {3}, {1}, {1, 1, 1}},
    {{3}, {1}, {1}, {}},
    {{1, 2, 3}, {2, 3, 4}, {1, 1, 1}, {}, 0, 0, 0, 0, 7},
};

void Slices(CaseList& c, bool variable, bool gradient) {
  const auto target = [&](Value v) { return variable ? Var(std::move(v)) : v; };
  c.EachType("T", [&](CaseList& c, DataType t) {
    Case* const both[] = {&c.Ok({target(Rand(t, {4, 5})), Vec({0, 4}),
                                 Vec({4, 0}), Vec({2, -2}), Rand(t, {2, 2})}),
                          &c.Ok({target(Rand(t, {4, 5})), Vec({1}), Vec({3}),
                                 Vec({1}), Rand(t, {})})};
    if (!IsQuantized(t) || c.op().name == "StridedSliceAssign") return;
    for (Case* const one : both) {
      one->NoStock(
          "has kernels for quantized types, or for reading such a "
          "variable, that refuse them when they run");
    }
  });
  for (const AssignSpec& s : kAssignSpecs) {
    const TensorShape shape(
        absl::MakeConstSpan(s.value.begin(), s.value.size()));
    Case& one = c.Ok({target(F32({4, 5, 6})), Vec(s.begin), Vec(s.end),
                      Vec(s.strides), F32(shape)},
                     s.Attrs());
    if (gradient) one.Gradient({0, 4});
  }
  const DataType i64 = DataType::kInt64;
  c.Ok({target(F32({8})), Vec(i64, {2}), Vec(i64, {6}), Vec(i64, {2}),
        F32({2})});
  const auto error = [&](Value begin, Value end, Value strides, Value value,
                         const char* words) {
    c.Error({target(F32({4, 5})), std::move(begin), std::move(end),
             std::move(strides), std::move(value)},
            kInvalid, words)
        .NoShapeCheck();
  };
  error(Vec({1}), Vec({3}), Vec({0}), F32({5}), "strides[0] must be non-zero");
  error(Vec({1, 2, 3}), Vec({3, 3, 4}), Vec({1, 1, 1}), F32({5}),
        "Index out of range using input dim 2; input has only 2 dims");
  error(Vec({1}), Vec({3}), Vec({1}), F32({4}), "");
  error(Vec({1}), Vec({3}), Vec({1}), F32({2, 2, 5}), "");
}

}  // namespace

MR_CASES(StridedSliceAssign)(CaseList& c) {
  Slices(c, true, false);
  c.Error({Uninitialized(DataType::kFloat, {4}), Vec({1}), Vec({3}), Vec({1}),
           F32({2})},
          StatusCode::kFailedPrecondition, "");
}
MR_CASES(ResourceStridedSliceAssign)(CaseList& c) { Slices(c, true, false); }
MR_CASES(TensorStridedSliceUpdate)(CaseList& c) { Slices(c, false, true); }

}  // namespace millrace::cases
