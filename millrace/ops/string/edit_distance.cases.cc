#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// A sparse tensor with these coordinates, which have as many columns as `dims`.
struct Sparse {
  std::initializer_list<double> indices;
  Value values;
  std::initializer_list<double> dims;
};

std::vector<Value> Inputs(const Sparse& hypothesis, const Sparse& truth) {
  std::vector<Value> inputs;
  for (const Sparse* s : {&hypothesis, &truth}) {
    const auto rank = static_cast<int64_t>(s->dims.size());
    const int64_t count = s->values.tensor.num_elements();
    inputs.push_back(count == 0 ? Empty(kInt64, {0, rank})
                                : Of(kInt64, {count, rank}, s->indices));
    inputs.push_back(s->values);
    inputs.push_back(Vec(kInt64, s->dims));
  }
  return inputs;
}

Value None() { return Empty(DataType::kInt32, {0}); }

}  // namespace

MR_CASES(EditDistance)(CaseList& c) {
  const auto ok = [&c](const Sparse& hypothesis, const Sparse& truth) {
    for (const bool normalize : {true, false}) {
      c.Ok(Inputs(hypothesis, truth), {{"normalize", normalize}});
    }
  };
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok(Inputs({{0, 0, 0, 1, 0, 2, 1, 0}, Rand(t, {4}), {2, 3}},
                {{0, 0, 0, 1, 1, 0, 1, 1}, Rand(t, {4}), {2, 3}}));
    const Value some = Rand(t, {3});
    c.Ok(Inputs({{0, 0, 0, 1, 0, 2}, some, {1, 3}},
                {{0, 0, 0, 1, 0, 2}, some, {1, 3}}));
  });
  // Sequences that only one of both has, and rows that none has.
  ok({{0, 0, 0, 1, 3, 0}, Vec({1, 2, 3}), {5, 2}},
     {{1, 0, 3, 0, 3, 1}, Vec({1, 3, 4}), {4, 2}});
  ok({{}, None(), {2, 2}}, {{0, 1}, Vec({4}), {2, 2}});
  ok({{0, 1}, Vec({4}), {2, 2}}, {{}, None(), {2, 2}});
  ok({{}, None(), {2, 2}}, {{}, None(), {3, 2}});
  ok({{0, 0, 0, 0, 1, 0, 1, 1, 1}, Vec({1, 2, 3}), {2, 2, 2}},
     {{0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1}, Vec({1, 3, 4, 3}), {2, 2, 2}});
  // Out of order, twice, and out of the bounds of the last dimension.
  ok({{1, 0, 0, 0}, Vec({1, 2}), {2, 2}}, {{0, 0}, Vec({1}), {2, 2}});
  ok({{0, 0, 0, 0}, Vec({1, 2}), {2, 2}}, {{0, 7}, Vec({1}), {2, 2}});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ok({{0, 0}, Values<float>({nan}), {1, 2}},
     {{0, 0}, Values<float>({nan}), {1, 2}});
  ok({{0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6},
      Str({"s", "a", "t", "u", "r", "d", "ay"}),
      {1, 7}},
     {{0, 0, 0, 1, 0, 2, 0, 3}, Str({"s", "u", "n", "day"}), {1, 4}});

  const Sparse good = {{0, 0}, Vec({1}), {2, 2}};
  const auto error = [&](const Sparse& hypothesis, const Sparse& truth,
                         StatusCode code, const char* words) {
    c.Error(Inputs(hypothesis, truth), code, words).NoShapeCheck();
  };
  error({{5, 0}, Vec({1}), {2, 2}}, good, StatusCode::kInternal,
        "Got an inner product 5 which would require writing to outside of the "
        "buffer for the output tensor (max elements 2)");
  error(good, {{-1, 0}, Vec({1}), {2, 2}}, StatusCode::kInternal,
        "Got an inner product -1 which would require");
  error({{0}, Vec({1}), {2}}, {{0}, Vec({1}), {2}}, kInvalid,
        "Input SparseTensors must have rank at least 2, but truth_shape rank "
        "is: 1");
  error(good, {{0, 0, 0}, Vec({1}), {2, 2, 2}}, kInvalid,
        "Expected truth and hypothesis to have matching ranks, but their "
        "shapes are: [3] and [2]");
  error({{}, None(), {0, 2}}, {{}, None(), {0, 2}}, kInvalid,
        "Got output shape [0] which has 0 elements");
  error({{}, None(), {2, 0, 2}}, {{}, None(), {1, 0, 2}}, kInvalid,
        "Got output shape [2,0] which has 0 elements");
  error({{}, None(), {-2, 2}}, good, kInvalid, "");
  error({{}, None(), {1099511627776, 1}}, good, StatusCode::kResourceExhausted,
        "OOM when allocating tensor with shape[1099511627776]");
  for (int i = 0; i < 2; ++i) {
    const std::string name = i == 0 ? "hypothesis" : "truth";
    const auto with = [&](int part, Value value, const std::string& words) {
      std::vector<Value> inputs = Inputs(good, good);
      inputs[static_cast<size_t>(3 * i + part)] = std::move(value);
      c.Error(std::move(inputs), kInvalid, words).NoShapeCheck();
    };
    with(0, Vec(kInt64, {0, 0}),
         name + "_indices should be a matrix, but got shape: [2]");
    with(1, Scalar(1), name + "_values should be a vector, but got shape: []");
    with(2, Scalar(kInt64, 2),
         name + "_shape should be a vector, but got shape: []");
    with(1, Vec({1, 2}),
         "Expected " + name + "_values.NumElements == #rows(" + name +
             "_indices), their shapes are: [2] and [1,2]");
    with(2, Vec(kInt64, {2, 2, 2}),
         "Expected " + name + "_shape.NumElements == #cols(" + name +
             "_indices), their shapes are: [3] and [1,2]");
  }
  std::vector<Value> inputs = Inputs(good, good);
  inputs[1] = Vec({1, 2});
  c.BuildError(std::move(inputs), {},
               "Number of elements in index (1) and values (2) do not match.");
}

}  // namespace millrace::cases
