#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value CellRand(DataType t, TensorShape shape) {
  return Rand(t, std::move(shape), -1, 1);
}

double CellTolerance(DataType t) { return t == DataType::kHalf ? 2e-2 : 1e-5; }

// The inputs of a step.
std::vector<Value> LstmCell(DataType t, int64_t batch, int64_t input,
                            int64_t cell) {
  return {CellRand(t, {batch, input}), CellRand(t, {batch, cell}),
          CellRand(t, {batch, cell}),  CellRand(t, {input + cell, 4 * cell}),
          CellRand(t, {cell}),         CellRand(t, {cell}),
          CellRand(t, {cell}),         CellRand(t, {4 * cell})};
}

// Those of its gradient, too.
std::vector<Value> LstmCellBack(DataType t, int64_t batch, int64_t input,
                                int64_t cell) {
  std::vector<Value> inputs = LstmCell(t, batch, input, cell);
  for (int i = 0; i < 8; ++i) inputs.push_back(CellRand(t, {batch, cell}));
  return inputs;
}

template <class Make>
std::vector<Value> Replaced(Make make, size_t i, Value value) {
  std::vector<Value> inputs = make(DataType::kFloat, 2, 3, 4);
  inputs[i] = std::move(value);
  return inputs;
}

}  // namespace

MR_CASES(LSTMBlockCell)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool peephole : {false, true}) {
      c.Ok(LstmCell(t, 2, 3, 4), {{"use_peephole", peephole}})
          .Tolerance(CellTolerance(t));
    }
    c.Ok(LstmCell(t, 5, 7, 9),
         {{"forget_bias", -0.5f}, {"cell_clip", 0.25f}, {"use_peephole", true}})
        .Tolerance(CellTolerance(t));
    c.Ok(LstmCell(t, 2, 3, 4), {{"cell_clip", 0.0f}})
        .Tolerance(CellTolerance(t));
    c.Ok(LstmCell(t, 2, 3, 4), {{"cell_clip", -1.0f}})
        .Tolerance(CellTolerance(t));
    c.Ok(LstmCell(t, 1, 1, 1)).Tolerance(CellTolerance(t));
    c.Ok(LstmCell(t, 2, 0, 3)).Tolerance(CellTolerance(t));
  });
  const DataType f = DataType::kFloat;
  c.Ok(LstmCell(f, 33, 40, 300), {{"use_peephole", true}}).Tolerance(1e-4);
  c.Ok({Rand(f, {2, 3}, -50, 50), Rand(f, {2, 4}, -50, 50), F32({2, 4}),
        Rand(f, {7, 16}, -50, 50), F32({4}), F32({4}), F32({4}), F32({16})})
      .Name("saturated")
      .Tolerance(1e-4);
  // Weights that are not used may have any length, those that are a larger one.
  c.Ok(Replaced(LstmCell, 4, Empty(f, {0})));
  c.Ok(Replaced(LstmCell, 5, F32({9})), {{"use_peephole", true}});
  c.Error(Replaced(LstmCell, 0, F32({2, 3, 4})), kInvalid,
          "x_tensor must be rank 2 but is rank 3.");
  c.Error(Replaced(LstmCell, 0, F32({4, 3})), kInvalid,
          "cs_prev.dims(0) != batch_size: 2 vs. 4");
  c.Error(Replaced(LstmCell, 0, F32({2, 6})), kInvalid,
          "w.dim_size(0) != input_size + cell_size: 7 vs. 10");
  c.Error(Replaced(LstmCell, 0, F32({})), kInvalid, "batch_size")
      .NoStock("stock aborts");
  c.Error(Replaced(LstmCell, 1, F32({2, 4, 1})), kInvalid,
          "cs_prev_tensor must be rank 2 but is rank 3.");
  c.Error(Replaced(LstmCell, 2, F32({4, 4})), kInvalid,
          "h_prev.dims(0) != batch_size: 4 vs. 2");
  c.Error(Replaced(LstmCell, 2, F32({2, 8})), kInvalid,
          "h_prev.dims(1) != cell_size: 8 vs. 4");
  c.Error(Replaced(LstmCell, 3, F32({14, 16})), kInvalid,
          "w.dim_size(0) != input_size + cell_size: 14 vs. 7");
  c.Error(Replaced(LstmCell, 3, F32({7, 32})), kInvalid,
          "w.dim_size(1) != cell_size * 4: 32 vs. 16");
  c.Error(Replaced(LstmCell, 4, F32({})), kInvalid,
          "wci_tensor must be rank 1 but is rank 0.");
  c.Error(Replaced(LstmCell, 6, F32({2, 3, 4})), kInvalid,
          "wco_tensor must be rank 1 but is rank 3.");
  c.Error(Replaced(LstmCell, 5, F32({3})), {{"use_peephole", true}}, kInvalid,
          "wcf.dim_size(0) != cell_size: 3 vs. 4")
      .NoStock("stock reads beyond the weights");
  c.Error(Replaced(LstmCell, 7, F32({32})), kInvalid,
          "b.dim_size(0) != cell_size * 4: 32 vs. 16");
  c.Error(LstmCell(f, 0, 3, 4), kInvalid,
          "cs_prev_tensor is empty, has shape: (0,4).");
  c.Error(LstmCell(f, 2, 3, 0), kInvalid,
          "cs_prev_tensor is empty, has shape: (2,0).");
  c.BuildError(Replaced(LstmCell, 1, F32({5, 4, 3})), {},
               "must be rank 2 but is rank 3");
}
MR_CASES(LSTMBlockCellGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool peephole : {false, true}) {
      c.Ok(LstmCellBack(t, 2, 3, 4), {{"use_peephole", peephole}})
          .Tolerance(CellTolerance(t));
    }
    c.Ok(LstmCellBack(t, 1, 1, 1), {{"use_peephole", true}})
        .Tolerance(CellTolerance(t));
    c.Ok(LstmCellBack(t, 0, 3, 4), {{"use_peephole", true}});
    c.Ok(LstmCellBack(t, 2, 3, 0), {{"use_peephole", true}});
  });
  const DataType f = DataType::kFloat;
  c.Ok(LstmCellBack(f, 33, 20, 300), {{"use_peephole", true}}).Tolerance(1e-4);
  const AttrMap peephole = {{"use_peephole", true}};
  c.Ok(Replaced(LstmCellBack, 4, F32({9})), peephole);
  constexpr const char* kNames[] = {"i",  "cs", "f",       "o",
                                    "ci", "co", "cs_grad", "h_grad"};
  for (size_t i = 0; i < 8; ++i) {
    const std::string name = kNames[i];
    const std::string dims = i < 6 ? ".dim_size(" : "_tensor.dims(";
    c.Error(Replaced(LstmCellBack, i + 8, F32({4, 4})), peephole, kInvalid,
            name + dims + "0) != batch_size: 4 vs. 2");
    // Stock's message about the forget gate names another one.
    c.Error(Replaced(LstmCellBack, i + 8, F32({2, 8})), peephole, kInvalid,
            (name == "f" ? "i" : name) + dims + "1) != cell_size: 8 vs. 4");
  }
  c.Error(Replaced(LstmCellBack, 2, F32({4, 4})), peephole, kInvalid,
          "h_prev.dims(0) != batch_size: 4 vs. 2");
  c.Error(Replaced(LstmCellBack, 3, F32({7, 15})), peephole, kInvalid,
          "w.dim_size(1) != cell_size * 4: 15 vs. 16");
  c.Error(Replaced(LstmCellBack, 7, F32({15})), peephole, kInvalid,
          "b.dim_size(0) != cell_size * 4: 15 vs. 16");
  c.Error(Replaced(LstmCellBack, 4, F32({})), peephole, kInvalid,
          "wci_tensor must be rank 1 but is rank 0.")
      .NoStock("stock aborts");
  c.Error(Replaced(LstmCellBack, 8, F32({2, 4, 1})), peephole, kInvalid,
          "i_tensor must be rank 2 but is rank 3.")
      .NoStock("stock aborts");
}

}  // namespace millrace::cases
