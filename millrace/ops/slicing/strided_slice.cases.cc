#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// The specifications for both ops, over a [4, 5, 6] input.
struct Spec {
  std::initializer_list<double> begin, end, strides;
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

const Spec kSpecs[] = {
    {{1}, {3}, {1}},
    {{0, 1, 2}, {4, 4, 6}, {2, 1, 3}},
    {{3, 4, 5}, {0, 0, 0}, {-1, -2, -1}},
    {{-1, -2, -100}, {-100, 100, 100}, {-1, 1, 2}, 0, 1},
    {{0, 0, 0}, {0, 0, 0}, {1, -1, 1}, 7, 7},
    {{1, 0, 2}, {2, 0, 4}, {1, 1, 1}, 0, 0, 2},
    {{0, 2}, {0, 5}, {1, 2}, 0, 0, 1},
    {{0, 1, 0}, {0, 3, 0}, {1, 1, 1}, 0, 0, 0, 5},
    {{2, 0, -1}, {3, 5, 0}, {1, 1, 1}, 0, 0, 0, 0, 5},
    {{0, 0, 1}, {0, 0, 2}, {1, 1, 1}, 0, 0, 1, 2, 4},
    {{3}, {1}, {1}},
    {{2, 0}, {0, 2}, {1, 1}, 0, 0, 0, 1, 1},
    {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, 7, 7},
    {{1, 0}, {2, 0}, {1, 1}, 0, 0, 2, 0, 1},
    {{0, 0, 0, 0}, {0, 0, 0, 3}, {1, 1, 1, 1}, 0, 0, 4, 3, 8},
    {{0}, {4}, {9}},
};

}  // namespace

MR_CASES(StridedSlice)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 5}), Vec({0, 4}), Vec({4, 0}), Vec({2, -2})});
  });
  for (const Spec& s : kSpecs) {
    c.Ok({F32({4, 5, 6}), Vec(s.begin), Vec(s.end), Vec(s.strides)}, s.Attrs())
        .Gradient({0});
  }
  for (DataType t : {DataType::kInt16, DataType::kInt64}) {
    c.Ok({F32({8, 16}), Vec(t, {2}), Vec(t, {6}), Vec(t, {1})});
  }
  c.Ok({F32({7, 3}), Vec({1}), Vec({2}), Vec({1})}, {{"shrink_axis_mask", 1}});
  c.Ok({F32({}), Empty(DataType::kInt32, {0}), Empty(DataType::kInt32, {0}),
        Empty(DataType::kInt32, {0})});
  c.Ok({Vec(DataType::kInt64, {5, 6, 7}), Vec({1}), Vec({2}), Vec({1})},
       {{"shrink_axis_mask", 1}});
  c.Ok({F32({4}), Vec(DataType::kInt64, {0}), Vec(DataType::kInt64, {4}),
        Vec(DataType::kInt64, {4611686018427387904.0})});
  const auto error =
      [&c](std::initializer_list<double> b, std::initializer_list<double> e,
           std::initializer_list<double> s, AttrMap attrs, const char* words) {
        c.Error({F32({4, 4}), Vec(b), Vec(e), Vec(s)}, std::move(attrs),
                StatusCode::kInvalidArgument, words);
      };
  error({0}, {1}, {0}, {}, "strides[0] must be non-zero");
  error({0}, {1, 1}, {1}, {},
        "Expected begin, end, and strides to be 1D equal size tensors, but got "
        "shapes [1], [2], "
        "and [1] instead.");
  error({7}, {8}, {1}, {{"shrink_axis_mask", 1}},
        "slice index 7 of dimension 0 out of bounds.");
  error({-5}, {0}, {1}, {{"shrink_axis_mask", 1}},
        "slice index -1 of dimension 0 out of bounds.");
  error({1}, {0}, {-1}, {{"shrink_axis_mask", 1}},
        "only stride 1 allowed on non-range indexing.");
  error({0, 0}, {1, 1}, {1, 1}, {{"ellipsis_mask", 3}},
        "Multiple ellipses in slice spec not allowed");
  error({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {},
        "Index out of range using input dim 2; input has only 2 dims");
  c.BuildError({F32({4}), Vec({7}), Vec({8}), Vec({1})},
               {{"shrink_axis_mask", 1}},
               "slice index 7 of dimension 0 out of bounds.");
  // Stock shares rows of 64 bytes, and slices of a vector that begin and end at
  // multiples of these.
  for (const int begin : {0, 8, 16}) {
    for (const int end : {16, 24, 32}) {
      c.Ok({F32({48}), Vec({double(begin)}), Vec({double(end)}), Vec({1})});
    }
  }
  c.Ok({F32({40}), Vec({16}), Vec({0}), Vec({1})}, {{"end_mask", 1}});
  c.Ok({F32({32}), Vec({16}), Vec({17}), Vec({1})}, {{"shrink_axis_mask", 1}});
  c.Ok({F32({1}), Vec({0}), Vec({1}), Vec({1})}, {{"shrink_axis_mask", 1}});
  c.Ok({F32({32}), Vec({0}), Vec({32}), Vec({2})});
  c.Ok({F32({16}), Vec({0}), Vec({0}), Vec({-1})},
       {{"begin_mask", 1}, {"end_mask", 1}});
  for (const int columns : {8, 16}) {
    const Value rows = F32({4, columns});
    c.Ok({rows, Vec({1}), Vec({2}), Vec({1})}, {{"shrink_axis_mask", 1}});
    c.Ok({rows, Vec({1}), Vec({3}), Vec({1})});
    c.Ok({rows, Vec({1, 0}), Vec({3, 0}), Vec({1, 1})}, {{"new_axis_mask", 2}});
    c.Ok({rows, Vec({1, 0}), Vec({3, 8}), Vec({1, 1})});
    c.Ok({rows, Vec({0, 0}), Vec({4, 8}), Vec({1, 1})});
    c.Ok({rows, Vec({1}), Vec({4}), Vec({2})});
    c.Ok({rows, Vec({1, 0}), Vec({2, 1}), Vec({1, 1})},
         {{"shrink_axis_mask", 3}});
    c.Ok({rows, Vec({3}), Vec({1}), Vec({-1})});
  }
  c.Ok({F32({2, 1, 5}), Vec({0, 0}), Vec({2, 1}), Vec({1, 1})},
       {{"shrink_axis_mask", 2}});
  c.Ok({F32({1, 5}), Vec({0}), Vec({1}), Vec({1})}, {{"shrink_axis_mask", 1}});
  c.Ok({F32({3, 5}), Vec({0}), Vec({0}), Vec({1})}, {{"new_axis_mask", 1}});
  c.Ok({F32({1, 5}), Vec({0, 0}), Vec({0, 0}), Vec({-1, 1})},
       {{"begin_mask", 3}, {"end_mask", 3}});
  c.Ok({F32({2, 4, 4}), Vec({1}), Vec({2}), Vec({1})},
       {{"shrink_axis_mask", 1}});
  c.Ok({F32({4, 5}), Vec({0, 0}), Vec({0, 4}), Vec({2, 1})},
       {{"new_axis_mask", 1}});
  c.Ok({F32({4, 5}), Vec({0}), Vec({0}), Vec({2})}, {{"ellipsis_mask", 1}});
  c.Ok({Rand(DataType::kString, {3, 8}), Vec({1}), Vec({3}), Vec({1})});
}

MR_CASES(StridedSliceGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok(
        {Vec({4, 5}), Vec({0, 4}), Vec({4, 0}), Vec({2, -2}), Rand(t, {2, 2})});
  });
  c.Ok({Vec({4, 5, 6}), Vec({2, 0, -1}), Vec({3, 5, 0}), Vec({1, 1, 1}),
        F32({5})},
       {{"shrink_axis_mask", 5}})
      .Gradient({4});
  const DataType i64 = DataType::kInt64;
  c.Ok({Vec(i64, {6}), Vec(i64, {1}), Vec(i64, {6}), Vec(i64, {2}), F32({3})});
  c.Ok({Vec({4}), Vec({3}), Vec({1}), Vec({1}), Empty(DataType::kFloat, {0})});
  c.Ok({Vec({4, 3}), Vec({0}), Vec({4}), Vec({1}), F32({4, 3})});
  c.Ok({Vec({4, 5, 6}), Vec({0, 0, 1}), Vec({0, 0, 2}), Vec({1, 1, 1}),
        F32({4, 5, 1})},
       {{"ellipsis_mask", 1}, {"new_axis_mask", 2}, {"shrink_axis_mask", 4}});
  c.Error({Vec({4}), Vec({0}), Vec({2}), Vec({1}), F32({3})},
          StatusCode::kInvalidArgument, "shape of dy was [3] instead of [2]");
  c.Error({Vec({-4}), Vec({0}), Vec({2}), Vec({1}), F32({2})},
          StatusCode::kInvalidArgument, "Dimension -4 must be >= 0");
}

}  // namespace millrace::cases
