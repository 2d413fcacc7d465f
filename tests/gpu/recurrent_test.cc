// What a time step of a recurrent cell costs on a GPU: its products with the
// weights, and launches for all that is between them.
#include "tests/gpu/both_devices.h"
#include "tests/gpu/cuda_devices.h"

namespace millrace {
namespace {

constexpr int64_t kSteps = 5, kBatch = 3, kInput = 4, kCell = 6;

class RecurrentTest : public BothDevicesTest {
 protected:
  void SetUp() override { Start(); }
  void TearDown() override {
    cuda::Control().Reset();
    cuda::BlasControl().Reset();
  }

  void ExpectCosts(const char* op, const std::vector<Tensor>& inputs,
                   const AttrMap& attrs, uint64_t products, uint64_t launches) {
    ExpectAlike(op, inputs, attrs);
    cuda::Control().Reset();
    cuda::BlasControl().Reset();
    const auto got = Run(kGpu, op, inputs, attrs);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(cuda::BlasControl().Calls("cublasLtMatmul"), products) << op;
    EXPECT_EQ(cuda::Control().Calls("cuLaunchKernel"), launches) << op;
    EXPECT_EQ(cuda::Control().Calls("cuMemsetD8Async"), 0u) << op;
  }

  static std::vector<Tensor> WithFloats(std::vector<Tensor> inputs,
                                        std::vector<TensorShape> shapes) {
    for (const TensorShape& shape : shapes) inputs.push_back(Floats(shape));
    return inputs;
  }
};

TEST_F(RecurrentTest, AStepOfAnLstmLayer) {
  const TensorShape cells({kBatch, kCell}), peephole({kCell});
  const std::vector<Tensor> inputs =
      WithFloats({Tensor::Scalar<int64_t>(kSteps)},
                 {TensorShape({kSteps, kBatch, kInput}), cells, cells,
                  TensorShape({kInput + kCell, 4 * kCell}), peephole, peephole,
                  peephole, TensorShape({4 * kCell})});
  const AttrMap attrs = {{"T", DataType::kFloat}, {"use_peephole", true}};
  ExpectCosts("BlockLSTM", inputs, attrs, kSteps + 1, kSteps);
  ExpectCosts("BlockLSTMV2", inputs, attrs, kSteps + 1, kSteps);
  const TensorShape all({kSteps, kBatch, kCell});
  const std::vector<Tensor> back =
      WithFloats(inputs, {all, all, all, all, all, all, all, all, all});
  // Inputs are joined, and all sums over rows are one launch.
  ExpectCosts("BlockLSTMGrad", back, attrs, kSteps + 2, kSteps + 2);
}

TEST_F(RecurrentTest, ASingleCell) {
  const TensorShape cells({kBatch, kCell}), peephole({kCell});
  const TensorShape x({kBatch, kInput});
  const AttrMap attrs = {{"T", DataType::kFloat}, {"use_peephole", true}};
  const std::vector<Tensor> lstm =
      WithFloats({}, {x, cells, cells, TensorShape({kInput + kCell, 4 * kCell}),
                      peephole, peephole, peephole, TensorShape({4 * kCell})});
  ExpectCosts("LSTMBlockCell", lstm, attrs, 1, 2);
  ExpectCosts("LSTMBlockCellGrad",
              WithFloats(lstm, {cells, cells, cells, cells, cells, cells, cells,
                                cells}),
              attrs, 0, 2);
  const AttrMap gru_attrs = {{"T", DataType::kFloat}};
  const std::vector<Tensor> gru =
      WithFloats({}, {x, cells, TensorShape({kInput + kCell, 2 * kCell}),
                      TensorShape({kInput + kCell, kCell}),
                      TensorShape({2 * kCell}), peephole});
  ExpectCosts("GRUBlockCell", gru, gru_attrs, 2, 3);
  ExpectCosts("GRUBlockCellGrad", WithFloats(gru, {cells, cells, cells, cells}),
              gru_attrs, 2, 3);
}

}  // namespace
}  // namespace millrace
