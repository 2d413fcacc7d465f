// Speed of the math kernels; `rate` is bytes per second for elementwise ops and
// reductions, floating-point operations per second for matrix products.
//   ninja -C build/release math_bench && build/release/benchmarks/math_bench
#include "benchmarks/kernel/kernel_bench.h"

namespace millrace {
namespace {

constexpr DataType kF = DataType::kFloat;
constexpr DataType kHalf = DataType::kHalf;
constexpr DataType kBf16 = DataType::kBfloat16;
constexpr int64_t k16M = 16000000;

AttrMap T(DataType t = kF) { return AttrMap({{"T", t}}); }

Tensor Half1() { return Tensor::Scalar(0.5f); }
Tensor Axis(int32_t axis) { return Tensor::Scalar<int32_t>(axis); }

// Small: the overhead of a call.
MR_BENCH(AddScalars, 12, "AddV2", {Half1(), Half1()}, T());
MR_BENCH(Add1000, 12e3, "AddV2", {Floats({1000}), Floats({1000})}, T());
MR_BENCH(Bias64x10, 64 * 80, "AddV2", {Floats({64, 10}), Floats({10})}, T());
MR_BENCH(Bias50x300, 50 * 2400, "AddV2", {Floats({50, 300}), Floats({300})},
         T());
MR_BENCH(Mean50, 200, "Mean", {Floats({50}), Axis(0)}, T());
MR_BENCH(ArgMax50x10, 2000, "ArgMax", {Floats({50, 10}), Axis(1)}, T());

// Elementwise: memory, then arithmetic.
MR_BENCH(MulScalar16M, 128e6, "Mul", {Floats({k16M}), Half1()}, T());
MR_BENCH(Add16M, 192e6, "AddV2", {Floats({k16M}), Floats({k16M})}, T());
MR_BENCH(Square16M, 128e6, "Square", {Floats({k16M})}, T());
MR_BENCH(Exp16M, 128e6, "Exp", {Floats({k16M})}, T());
MR_BENCH(Tanh16M, 128e6, "Tanh", {Floats({k16M})}, T());
MR_BENCH(Sigmoid16M, 128e6, "Sigmoid", {Floats({k16M})}, T());
MR_BENCH(Exp4096, 4096 * 8, "Exp", {Floats({4096})}, T());
MR_BENCH(Tanh4096, 4096 * 8, "Tanh", {Floats({4096})}, T());
MR_BENCH(Log4096, 4096 * 8, "Log", {Floats({4096})}, T());
MR_BENCH(Sin4096, 4096 * 8, "Sin", {Floats({4096})}, T());
MR_BENCH(Pow4096, 4096 * 12, "Pow", {Floats({4096}), Floats({4096})}, T());
MR_BENCH(AddHalf1M, 6e6, "AddV2",
         {Floats({1000000}, kHalf), Floats({1000000}, kHalf)}, T(kHalf));
MR_BENCH(Equal1M, 9e6, "Equal", {Floats({1000000}), Floats({1000000})}, T());
MR_BENCH(AddN3x1M, 16e6, "AddN",
         {Floats({1000000}), Floats({1000000}), Floats({1000000})},
         {{"T", kF}, {"N", 3}});
MR_BENCH(OuterSum1000, 4e6, "AddV2", {Floats({1000, 1}), Floats({1000})}, T());
MR_BENCH(Bias400000x3, 9.6e6, "AddV2", {Floats({400000, 3}), Floats({3})}, T());
MR_BENCH(SelectBroadcast, 8e6, "SelectV2",
         {Floats({1000, 1}, DataType::kBool), Floats({1000, 1000}),
          Floats({1000})},
         T());
MR_BENCH(CastToHalf1M, 6e6, "Cast", {Floats({1000000})},
         {{"SrcT", kF}, {"DstT", kHalf}});
MR_BENCH(CastToInt1M, 8e6, "Cast", {Floats({1000000})},
         {{"SrcT", kF}, {"DstT", DataType::kInt32}});

// Reductions.
MR_BENCH(Sum64M, 256e6, "Sum", {Floats({64000000}), Axis(0)}, T());
MR_BENCH(SumRows64x10, 2560, "Sum", {Floats({64, 10}), Axis(1)}, T());
MR_BENCH(SumColumns50x300, 6e4, "Sum", {Floats({50, 300}), Axis(0)}, T());
MR_BENCH(SumColumns100000x10, 4e6, "Sum", {Floats({100000, 10}), Axis(0)}, T());
MR_BENCH(SumColumns4000x4000, 64e6, "Sum", {Floats({4000, 4000}), Axis(0)},
         T());
MR_BENCH(SumRows4000x4000, 64e6, "Sum", {Floats({4000, 4000}), Axis(1)}, T());
MR_BENCH(MaxRows100000x10, 4e6, "Max", {Floats({100000, 10}), Axis(1)}, T());
MR_BENCH(Cumsum1000x1000, 8e6, "Cumsum", {Floats({1000, 1000}), Axis(1)}, T());

// Matrix products.
#define MR_MATMUL(Name, m, k, n, type, ta, tb)                 \
  MR_BENCH(Name, 2.0 * m * k * n, "MatMul",                    \
           {ta ? Floats({k, m}, type) : Floats({m, k}, type),  \
            tb ? Floats({n, k}, type) : Floats({k, n}, type)}, \
           {{"T", type}, {"transpose_a", ta}, {"transpose_b", tb}})
MR_MATMUL(MatMul1024, 1024, 1024, 1024, kF, false, false);
MR_MATMUL(MatMul32, 32, 32, 32, kF, false, false);
MR_MATMUL(MatMul50x784x300, 50, 784, 300, kF, false, false);
MR_MATMUL(MatMulWeightGradient, 784, 50, 300, kF, true, false);
MR_MATMUL(MatMulInputGradient, 50, 300, 784, kF, false, true);
MR_MATMUL(MatMulOneRow, 1, 784, 300, kF, false, false);
MR_MATMUL(MatMulBfloat16, 1024, 1024, 1024, kBf16, false, false);
MR_MATMUL(MatMulHalf, 1024, 1024, 1024, kHalf, false, false);
MR_MATMUL(MatMulDouble, 1024, 1024, 1024, DataType::kDouble, false, false);
MR_MATMUL(MatMulDouble32, 32, 32, 32, DataType::kDouble, false, false);
MR_MATMUL(MatMulInt32, 512, 512, 512, DataType::kInt32, false, false);
MR_MATMUL(MatMulComplex64, 512, 512, 512, DataType::kComplex64, false, false);

// A layer of 1,024 units as floats and as bytes, for 64 examples and for one.
MR_MATMUL(MatMul64x1024, 64, 1024, 1024, kF, false, false);
MR_MATMUL(MatMul1x1024, 1, 1024, 1024, kF, false, false);

Tensor Bytes(TensorShape shape, DataType type) {
  Tensor t = Tensor::New(type, std::move(shape));
  for (size_t i = 0; i < t.size_bytes(); ++i) {
    t.mutable_data()[i] = static_cast<char>(i * 7919 % 251);
  }
  return t;
}
std::vector<Tensor> ByteLayer(int64_t rows, bool requantizes) {
  const Tensor zero = Tensor::Scalar(0.0f), one = Tensor::Scalar(1.0f);
  std::vector<Tensor> in = {Bytes({rows, 1024}, DataType::kQuint8),
                            Bytes({1024, 1024}, DataType::kQint8),
                            Floats({1024}),
                            zero,
                            one,
                            Tensor::Scalar(-1.0f),
                            one};
  if (requantizes) {
    in.push_back(zero);
    in.push_back(one);
  }
  return in;
}
AttrMap ByteTypes(DataType out) {
  return {{"T1", DataType::kQuint8},
          {"T2", DataType::kQint8},
          {"Tbias", kF},
          {"Toutput", out}};
}
MR_BENCH(ByteLayer64x1024, 2.0 * 64 * 1024 * 1024,
         "QuantizedMatMulWithBiasAndReluAndRequantize", ByteLayer(64, true),
         ByteTypes(DataType::kQuint8));
MR_BENCH(ByteLayer1x1024, 2.0 * 1024 * 1024,
         "QuantizedMatMulWithBiasAndReluAndRequantize", ByteLayer(1, true),
         ByteTypes(DataType::kQuint8));
MR_BENCH(ByteSums64x1024, 2.0 * 64 * 1024 * 1024, "QuantizedMatMulWithBias",
         ByteLayer(64, false), ByteTypes(DataType::kQint32));
MR_BENCH(ToBytes64x1024, 64 * 1024 * 5, "QuantizeV2",
         {Floats({64, 1024}), Tensor::Scalar(-1.0f), Tensor::Scalar(1.0f)},
         {{"T", DataType::kQuint8}, {"mode", "MIN_FIRST"}});
MR_BENCH(FromBytes64x1024, 64 * 1024 * 5, "Dequantize",
         {Bytes({64, 1024}, DataType::kQuint8), Tensor::Scalar(0.0f),
          Tensor::Scalar(1.0f)},
         {{"T", DataType::kQuint8}, {"mode", "MIN_FIRST"}});

}  // namespace
}  // namespace millrace
