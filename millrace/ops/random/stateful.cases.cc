#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// A counter that is about to carry, and a key.
Value State() { return Var(Values<int64_t>({-700, 41, 0x123456789abcdef})); }
Value Philox() { return Scalar(kInt64, 1); }

// The inputs behind the shape: a range for whole numbers from one.
void AddRange(const CaseList& c, DataType t, std::vector<Value>* inputs) {
  if (c.op().inputs.size() < 4) return;
  inputs->push_back(Scalar(t, -5));
  inputs->push_back(Scalar(t, 1000));
}

std::vector<Value> Inputs(const CaseList& c, DataType t, Value state,
                          Value algorithm, Value shape) {
  std::vector<Value> inputs = {std::move(state), std::move(algorithm),
                               std::move(shape)};
  AddRange(c, t, &inputs);
  return inputs;
}

void FromState(CaseList& c, DataType t) {
  c.Ok(Inputs(c, t, State(), Philox(), Vec({3, 7})), {{"dtype", t}});
  c.Ok(Inputs(c, t, State(), Scalar(kInt64, 3), Vec(kInt64, {1001})),
       {{"dtype", t}});
  c.Ok(Inputs(c, t, State(), Philox(), Vec({2, 0})), {{"dtype", t}});
}

void BadStates(CaseList& c, DataType t) {
  const auto fails = [&c, t](Value state, const char* words) {
    c.Error(Inputs(c, t, std::move(state), Philox(), Vec({3})), {{"dtype", t}},
            kInvalid, words);
  };
  fails(Var(Vec(kInt64, {1, 2})),
        "For the Philox algorithm, the size of state must be at least 3; got "
        "2");
  fails(Var(Of(kInt64, {1, 3}, {1, 2, 3})),
        "RNG state must have one and only one dimension, not 2");
  fails(Var(Vec(kInt32, {1, 2, 3})),
        "dtype of RNG state variable must be int64, not int32");
  c.Error(Inputs(c, t, Uninitialized(kInt64, {3}), Philox(), Vec({3})),
          {{"dtype", t}}, StatusCode::kNotFound, "does not exist");
}

void BadAlgorithms(CaseList& c, DataType t) {
  const auto fails = [&c, t](Value algorithm, StatusCode code,
                             const char* words) {
    c.Error(Inputs(c, t, State(), std::move(algorithm), Vec({3})),
            {{"dtype", t}}, code, words)
        .NoShapeCheck();
  };
  fails(Scalar(kInt64, 9), kInvalid, "Unsupported algorithm id: 9");
  fails(Scalar(kInt64, 2), StatusCode::kUnimplemented,
        "Non-XLA devices don't support the ThreeFry algorithm.");
  fails(Vec(kInt64, {1}), kInvalid,
        "input 1 (0-based) must have shape [], not [1]");
}

// A shape of any type, in input `input`.
void ShapeTypes(CaseList& c, DataType t, std::vector<Value> inputs,
                size_t input) {
  c.EachType("shape_dtype", [&](CaseList& c, DataType s) {
    inputs[input] = Rand(s, {2}, 1, 4);
    if (s == kInt32 || s == kInt64) {
      Case& shaped = c.Ok(inputs, {{"dtype", t}});
      if (input == 0) shaped.Random();
      return;
    }
    c.Error(inputs, {{"dtype", t}}, kInvalid,
            "shape must be a vector of {int32,int64}.")
        .NoShapeCheck();
  });
  inputs[input] = Scalar(3);
  c.Error(inputs, {{"dtype", t}}, kInvalid,
          "shape must be a vector of {int32,int64}, got shape []")
      .NoShapeCheck();
  inputs[input] = Vec({2, -3});
  c.Error(inputs, {{"dtype", t}}, kInvalid, "must be >= 0").NoShapeCheck();
}

void ByVariable(CaseList& c) {
  c.EachType("dtype", FromState);
  const DataType t = c.AllowedTypes("dtype")[0];
  BadStates(c, t);
  BadAlgorithms(c, t);
  ShapeTypes(c, t, Inputs(c, t, State(), Philox(), Vec({3})), 2);
  c.BuildError(Inputs(c, t, State(), Vec(kInt64, {1}), Vec({3})),
               {{"dtype", t}}, "Shape must be rank 0 but is rank 1");
  c.BuildError(Inputs(c, t, State(), Philox(), Values<float>({3})),
               {{"dtype", t}}, "Input tensor must be int32 or int64, but was");
}

}  // namespace

MR_CASES(StatefulUniform)(CaseList& c) { ByVariable(c); }
MR_CASES(StatefulStandardNormalV2)(CaseList& c) { ByVariable(c); }
MR_CASES(StatefulTruncatedNormal)(CaseList& c) { ByVariable(c); }
MR_CASES(StatefulUniformFullInt)(CaseList& c) { ByVariable(c); }
MR_CASES(StatefulUniformInt)(CaseList& c) {
  ByVariable(c);
  c.EachType("dtype", [](CaseList& c, DataType t) {
    const auto fails = [&c, t](Value low, Value high, const char* words) {
      c.Error({State(), Philox(), Vec({3}), std::move(low), std::move(high)},
              {{"dtype", t}}, kInvalid, words)
          .NoShapeCheck();
    };
    fails(Scalar(t, 5), Scalar(t, 5), "Need minval < maxval, got 5 >= 5");
    fails(Vec(t, {5}), Scalar(t, 7), "minval must be 0-D, got shape [1]");
    fails(Scalar(t, 5), Vec(t, {7}), "maxval must be 0-D, got shape [1]");
    c.BuildError({State(), Philox(), Vec({3}), Vec(t, {5}), Scalar(t, 7)},
                 {{"dtype", t}},
                 "minval must be a scalar; got a tensor of shape [1]");
  });
}

MR_CASES(StatefulStandardNormal)(CaseList& c) {
  const auto state = [](int64_t algorithm) {
    return Var(Values<int64_t>({algorithm, -700, 41, 0x123456789abcdef}));
  };
  c.EachType("dtype", [&](CaseList& c, DataType t) {
    for (const int64_t algorithm : {1, 3}) {
      c.Ok({state(algorithm), Vec({3, 7})}, {{"dtype", t}});
    }
  });
  const DataType t = DataType::kFloat;
  ShapeTypes(c, t, {state(1), Vec({3})}, 1);
  const auto fails = [&c, t](Value state, StatusCode code, const char* words) {
    c.Error({std::move(state), Vec({3})}, {{"dtype", t}}, code, words);
  };
  fails(state(9), kInvalid, "Unsupported algorithm id: 9");
  fails(state(2), StatusCode::kUnimplemented,
        "Non-XLA devices don't support the ThreeFry algorithm.");
  fails(Var(Vec(kInt64, {1, 2, 3})), kInvalid,
        "For the Philox algorithm, the size of state must be at least 4; got "
        "3");
  fails(Var(Empty(kInt64, {0})), kInvalid, "Size of tensor must be at least 1");
}

MR_CASES(RngSkip)(CaseList& c) {
  for (const double delta : {0., 10., -3.}) {
    c.Ok({State(), Philox(), Scalar(kInt64, delta)});
  }
  c.Ok({State(), Scalar(kInt64, 3), Scalar(kInt64, 0x1p62)});
  c.Error({State(), Scalar(kInt64, 9), Scalar(kInt64, 1)}, kInvalid,
          "Unsupported algorithm id: 9");
  c.Error({State(), Philox(), Vec(kInt64, {1})}, kInvalid,
          "input 2 (0-based) must have shape [], not [1]")
      .NoShapeCheck();
  c.Error({Var(Vec(kInt64, {1, 2})), Philox(), Scalar(kInt64, 1)}, kInvalid,
          "For the Philox algorithm, the size of state must be at least 3");
}

MR_CASES(NonDeterministicInts)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Ok({Vec({3, 2})}, {{"dtype", t}}).Random();
  });
  ShapeTypes(c, kInt64, {Vec({3})}, 0);
}

}  // namespace millrace::cases
