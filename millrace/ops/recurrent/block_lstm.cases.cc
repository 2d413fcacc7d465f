#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

struct Sizes {
  int64_t time, batch, input, cell;
};

Value LayerRand(DataType t, TensorShape shape) {
  return Rand(t, std::move(shape), -1, 1);
}

double LayerTolerance(DataType t) { return t == DataType::kHalf ? 3e-2 : 1e-4; }

Value Length(int64_t n) {
  return Scalar(DataType::kInt64, static_cast<double>(n));
}

std::vector<Value> Layer(DataType t, const Sizes& s) {
  return {Length(s.time),
          LayerRand(t, {s.time, s.batch, s.input}),
          LayerRand(t, {s.batch, s.cell}),
          LayerRand(t, {s.batch, s.cell}),
          LayerRand(t, {s.input + s.cell, 4 * s.cell}),
          LayerRand(t, {s.cell}),
          LayerRand(t, {s.cell}),
          LayerRand(t, {s.cell}),
          LayerRand(t, {4 * s.cell})};
}

std::vector<Value> LayerBack(DataType t, const Sizes& s) {
  std::vector<Value> inputs = Layer(t, s);
  for (int i = 0; i < 9; ++i) {
    inputs.push_back(LayerRand(t, {s.time, s.batch, s.cell}));
  }
  return inputs;
}

constexpr Sizes kSmall = {3, 2, 3, 2};

template <class Make>
std::vector<Value> With(Make make, size_t i, Value value) {
  std::vector<Value> inputs = make(DataType::kFloat, kSmall);
  inputs[i] = std::move(value);
  return inputs;
}

void AddForwardCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool peephole : {false, true}) {
      c.Ok(Layer(t, kSmall), {{"use_peephole", peephole}})
          .Tolerance(LayerTolerance(t));
    }
    c.Ok(Layer(t, {5, 3, 1, 7}), {{"cell_clip", 0.25f}})
        .Tolerance(LayerTolerance(t));
    c.Ok(Layer(t, {0, 2, 3, 2}));
    c.Ok(Layer(t, {3, 0, 3, 2}));
    c.Ok(Layer(t, {3, 2, 0, 2})).Tolerance(LayerTolerance(t));
    c.Ok(Layer(t, {3, 2, 2, 0}));
  });
  c.Ok(Layer(DataType::kFloat, {4, 17, 30, 70}), {{"use_peephole", true}})
      .Tolerance(1e-3);
  // Stock leaves the gates behind the end as they were allocated.
  c.Ok(With(Layer, 0, Length(1)))
      .Tolerance(1e-4)
      .IgnoreOutputs({0, 2, 3, 4, 5});
  c.Ok(With(Layer, 0, Length(0))).IgnoreOutputs({0, 2, 3, 4, 5});
  c.Error(With(Layer, 0, Length(4)), kInvalid,
          "seq_len_max must be between 0 and 3 but is 4")
      .NoStock("stock aborts");
  c.Error(With(Layer, 0, Length(-1)), kInvalid,
          "seq_len_max must be between 0 and 3 but is -1")
      .NoStock("stock aborts");
  c.Error(With(Layer, 0, Vec(DataType::kInt64, {1})), kInvalid,
          "`seq_len_max_tensor` must be rank 0 but is rank 1");
  c.Error(With(Layer, 1, F32({})), kInvalid, "x must be 3D");
  c.Error(With(Layer, 2, F32({})), kInvalid, "cs_prev must be 2D");
  c.Error(With(Layer, 2, F32({4, 2})), kInvalid,
          "cs_prev.dims(0) != batch_size: 4 vs. 2");
  c.Error(With(Layer, 3, F32({2})), kInvalid, "h_prev must be 2D");
  c.Error(With(Layer, 3, F32({4, 2})), kInvalid,
          "h_prev.dims(0) != batch_size: 4 vs. 2");
  c.Error(With(Layer, 3, F32({2, 4})), kInvalid,
          "h_prev.dims(1) != cell_size: 4 vs. 2");
  c.Error(With(Layer, 4, F32({5})), kInvalid, "w must be 2D");
  c.Error(With(Layer, 4, F32({10, 8})), kInvalid,
          "w.dim_size(0) != input_size + cell_size: 10 vs. 5");
  c.Error(With(Layer, 4, F32({5, 16})), kInvalid,
          "w.dim_size(1) != cell_size * 4: 16 vs. 8");
  c.Error(With(Layer, 5, F32({})), kInvalid, "wci must be 1D");
  c.Error(With(Layer, 5, F32({4})), kInvalid,
          "wci.dim_size(0) != cell_size: 4 vs. 2");
  c.Error(With(Layer, 6, F32({4})), kInvalid,
          "wcf.dim_size(0) != cell_size: 4 vs. 2");
  c.Error(With(Layer, 7, F32({4})), kInvalid,
          "wco.dim_size(0) != cell_size: 4 vs. 2");
  c.Error(With(Layer, 8, F32({})), kInvalid, "b must be 1D");
  c.Error(With(Layer, 8, F32({16})), kInvalid,
          "b.dim_size(0) != cell_size * 4: 16 vs. 8");
  c.BuildError(With(Layer, 8, F32({15})), {},
               "Dimension size must be evenly divisible by 4 but is 15");
  c.BuildError(With(Layer, 1, F32({3, 2})), {}, "must be rank 3 but is rank 2");
}

void AddGradientCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool peephole : {false, true}) {
      c.Ok(LayerBack(t, kSmall), {{"use_peephole", peephole}})
          .Tolerance(LayerTolerance(t));
    }
    c.Ok(LayerBack(t, {1, 1, 1, 1}), {{"use_peephole", true}})
        .Tolerance(LayerTolerance(t));
    c.Ok(LayerBack(t, {3, 2, 0, 2}), {{"use_peephole", true}})
        .Tolerance(LayerTolerance(t));
  });
  const AttrMap peephole = {{"use_peephole", true}};
  c.Ok(LayerBack(DataType::kFloat, {4, 17, 30, 70}), peephole).Tolerance(1e-3);
  c.Ok(With(LayerBack, 0, Length(1)), peephole).Tolerance(1e-4);
  c.Ok(With(LayerBack, 0, Length(0)), peephole);
  c.Error(With(LayerBack, 0, Length(4)), peephole, kInvalid,
          "seq_len_max must be between 0 and 3 but is 4")
      .NoStock("stock aborts");
  c.Error(With(LayerBack, 1, F32({})), peephole, kInvalid,
          "x must be rank 3 but is rank 0");
  c.Error(With(LayerBack, 2, F32({})), peephole, kInvalid,
          "cs_prev must be rank 2 but is rank 0");
  c.Error(With(LayerBack, 3, F32({})), peephole, kInvalid,
          "h_prev must be rank 2 but is rank 0");
  c.Error(With(LayerBack, 4, F32({})), peephole, kInvalid,
          "w must be rank 2 but is rank 0");
  c.Error(With(LayerBack, 4, F32({4, 8})), peephole, kInvalid,
          "w matrix rows don't match: 5 vs. 4");
  c.Error(With(LayerBack, 5, F32({})), peephole, kInvalid,
          "wci must be rank 1 but is rank 0");
  c.Error(With(LayerBack, 8, F32({7})), peephole, kInvalid,
          "w and b cell_size don't match: 2 vs. 7");
  constexpr const char* kNames[] = {"i", "cs", "f", "o", "ci", "co", "h"};
  for (size_t i = 0; i < 7; ++i) {
    c.Error(With(LayerBack, i + 9, F32({})), peephole, kInvalid,
            kNames[i] + std::string(" must be rank 3. Received: 0"));
    c.Error(With(LayerBack, i + 9, F32({2, 2, 2})), peephole, kInvalid,
            kNames[i] + std::string(" must have shape [3,2,2]"))
        .NoStock("stock aborts or reads beyond the tensor");
  }
  c.Error(With(LayerBack, 16, F32({})), peephole, kInvalid,
          "cs_grad must be rank 3. Received: 0")
      .NoStock("stock aborts");
  c.Error(With(LayerBack, 17, F32({3, 2, 3})), peephole, kInvalid,
          "h_grad must have shape [3,2,2] but has shape [3,2,3]")
      .NoStock("stock reads beyond the tensor");
  c.Error(With(LayerBack, 2, F32({1, 2})), peephole, kInvalid,
          "cs_prev must have shape [2,2] but has shape [1,2]")
      .NoStock("stock reads beyond the tensor");
}

}  // namespace

MR_CASES(BlockLSTM)(CaseList& c) {
  AddForwardCases(c);
  c.Ok(Layer(DataType::kFloat, kSmall), {{"forget_bias", -0.5f}})
      .Tolerance(1e-4);
}
MR_CASES(BlockLSTMV2)(CaseList& c) { AddForwardCases(c); }
MR_CASES(BlockLSTMGrad)(CaseList& c) { AddGradientCases(c); }
MR_CASES(BlockLSTMGradV2)(CaseList& c) { AddGradientCases(c); }

}  // namespace millrace::cases
