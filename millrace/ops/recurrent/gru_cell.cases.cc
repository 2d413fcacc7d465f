#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value GruRand(TensorShape shape) {
  return Rand(DataType::kFloat, std::move(shape), -1, 1);
}

std::vector<Value> Gru(int64_t batch, int64_t input, int64_t cell) {
  return {GruRand({batch, input}),
          GruRand({batch, cell}),
          GruRand({input + cell, 2 * cell}),
          GruRand({input + cell, cell}),
          GruRand({2 * cell}),
          GruRand({cell})};
}

std::vector<Value> GruBack(int64_t batch, int64_t input, int64_t cell) {
  std::vector<Value> inputs = Gru(batch, input, cell);
  for (int i = 0; i < 4; ++i) inputs.push_back(GruRand({batch, cell}));
  return inputs;
}

template <class Make>
std::vector<Value> GruWith(Make make, size_t i, Value value) {
  std::vector<Value> inputs = make(2, 3, 2);
  inputs[i] = std::move(value);
  return inputs;
}

template <class Make>
void AddErrors(CaseList& c, Make make) {
  c.Error(GruWith(make, 0, F32({2})), kInvalid, "Rank of x must be 2, got 1");
  c.Error(GruWith(make, 1, F32({2})), kInvalid,
          "Rank of h_prev must be 2, got 1");
  c.Error(GruWith(make, 1, F32({4, 2})), kInvalid,
          "h_prev.dims(0) != batch_size: 4 vs. 2");
  c.Error(GruWith(make, 2, F32({5})), kInvalid,
          "Rank of w_ru_ must be 2, got 1");
  c.Error(GruWith(make, 2, F32({6, 4})), kInvalid,
          "w_ru.dim_size(0) != input_size + cell_size: 6 vs. 5");
  c.Error(GruWith(make, 2, F32({5, 3})), kInvalid,
          "w_ru.dim_size(1) != cell_size * 2: 3 vs. 4");
  c.Error(GruWith(make, 3, F32({5})), kInvalid, "Rank of w_c must be 2, got 1");
  c.Error(GruWith(make, 3, F32({6, 2})), kInvalid,
          "w_c.dim_size(0) != input_size + cell_size: 6 vs. 5");
  c.Error(GruWith(make, 3, F32({5, 3})), kInvalid,
          "w_c.dim_size(1) != cell_size: 3 vs. 2");
  c.Error(GruWith(make, 4, F32({})), kInvalid, "Rank of b_ru must be 1, got 0");
  c.Error(GruWith(make, 4, F32({3})), kInvalid,
          "b_ru.dim_size(0) != cell_size * 2: 3 vs. 4");
  c.Error(GruWith(make, 5, F32({2, 1})), kInvalid,
          "Rank of b_c must be 1, got 2");
  c.Error(GruWith(make, 5, F32({3})), kInvalid,
          "b_c.dim_size(0) != cell_size: 3 vs. 2");
  c.BuildError(GruWith(make, 0, F32({2, 3, 1})), {},
               "must be rank 2 but is rank 3");
}

}  // namespace

MR_CASES(GRUBlockCell)(CaseList& c) {
  c.Ok(Gru(2, 3, 2));
  c.Ok(Gru(1, 1, 1));
  c.Ok(Gru(5, 7, 9));
  c.Ok(Gru(33, 40, 300)).Tolerance(1e-4);
  c.Ok(Gru(0, 3, 2));
  c.Ok(Gru(2, 0, 2));
  c.Ok(Gru(2, 3, 0));
  AddErrors(c, Gru);
}
MR_CASES(GRUBlockCellGrad)(CaseList& c) {
  c.Ok(GruBack(2, 3, 2));
  c.Ok(GruBack(1, 1, 1));
  c.Ok(GruBack(5, 7, 9));
  c.Ok(GruBack(33, 40, 300)).Tolerance(1e-4);
  c.Ok(GruBack(0, 3, 2));
  c.Ok(GruBack(2, 0, 2));
  c.Ok(GruBack(2, 3, 0)).IgnoreOutputs({0});  // stock leaves it as allocated
  AddErrors(c, GruBack);
  c.Error(GruWith(GruBack, 6, F32({2})), kInvalid,
          "Rank of r must be 2, got 1");
  c.Error(GruWith(GruBack, 6, F32({3, 2})), kInvalid,
          "r.dims(0) != batch_size: 3 vs. 2");
  c.Error(GruWith(GruBack, 7, F32({2, 3})), kInvalid,
          "u.dims(1) != cell_size: 3 vs. 2");
  // As in stock, which names another input.
  c.Error(GruWith(GruBack, 8, F32({2})), kInvalid,
          "Rank of w_c must be 2, got 1");
  c.Error(GruWith(GruBack, 8, F32({3, 2})), kInvalid,
          "c.dims(0) != batch_size: 3 vs. 2");
  c.Error(GruWith(GruBack, 9, F32({2, 3})), kInvalid,
          "d_h.dims(1) != cell_size: 3 vs. 2");
}

}  // namespace millrace::cases
