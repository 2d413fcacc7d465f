// Speed of the ops that move data: one kernel, fed with tensors of its own.
//   ninja -C build/release array_bench && build/release/benchmarks/array_bench
#include "benchmarks/kernel/kernel_bench.h"

namespace millrace {
namespace {

// Returns random-access indices in [0, limit).
Tensor Jumps(int64_t count, int64_t limit) {
  Tensor t = Tensor::New(DataType::kInt32, TensorShape({count}));
  auto x = t.mutable_flat<int32_t>();
  uint64_t state = 1;
  for (auto& i : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    i = static_cast<int32_t>((state >> 33) % static_cast<uint64_t>(limit));
  }
  return t;
}

constexpr DataType kF = DataType::kFloat;

MR_BENCH(Transpose1024, 8 << 20, "Transpose",
         {Floats({1024, 1024}), Ints({1, 0})}, {{"T", kF}});
MR_BENCH(TransposeNhwcToNchw, 2 * 4 * 32 * 56 * 56 * 64, "Transpose",
         {Floats({32, 56, 56, 64}), Ints({0, 3, 1, 2})}, {{"T", kF}});
MR_BENCH(Transpose021, 2 * 4 * 64 * 20 * 512, "Transpose",
         {Floats({64, 20, 512}), Ints({1, 0, 2})}, {{"T", kF}});
MR_BENCH(GatherRows, 2 * 4 * 16384 * 64, "GatherV2",
         {Floats({1000000, 64}), Jumps(16384, 1000000),
          Tensor::Scalar<int32_t>(0)},
         {{"Tparams", kF},
          {"Tindices", DataType::kInt32},
          {"Taxis", DataType::kInt32}});
MR_BENCH(GatherScalars, 8 << 20, "GatherV2",
         {Floats({1 << 16}), Jumps(1 << 20, 1 << 16),
          Tensor::Scalar<int32_t>(0)},
         {{"Tparams", kF},
          {"Tindices", DataType::kInt32},
          {"Taxis", DataType::kInt32}});
MR_BENCH(ConcatColumns, 2 * 4 * 2048 * 512, "ConcatV2",
         {Floats({2048, 256}), Floats({2048, 256}), Tensor::Scalar<int32_t>(1)},
         {{"N", 2}, {"T", kF}});
MR_BENCH(ConcatSmall, 2 * 4 * 96, "ConcatV2",
         {Floats({1, 32}), Floats({1, 64}), Tensor::Scalar<int32_t>(1)},
         {{"N", 2}, {"T", kF}});
MR_BENCH(SplitGates, 2 * 4 * 64 * 512, "Split",
         {Tensor::Scalar<int32_t>(1), Floats({64, 512})},
         {{"num_split", 4}, {"T", kF}});
MR_BENCH(SplitGatesBig, 2 * 4 * 4096 * 512, "Split",
         {Tensor::Scalar<int32_t>(1), Floats({4096, 512})},
         {{"num_split", 4}, {"T", kF}});
MR_BENCH(PadImages, 4 * 32 * 3 * (64 * 64 + 60 * 60), "Pad",
         {Floats({32, 60, 60, 3}),
          Tensor::Of<int32_t>({4, 2}, {0, 0, 2, 2, 2, 2, 0, 0})},
         {{"T", kF}});
MR_BENCH(SliceMiddle, 2 * 4 * 1000 * 500, "Slice",
         {Floats({1024, 1024}), Ints({12, 100}), Ints({1000, 500})},
         {{"T", kF}, {"Index", DataType::kInt32}});
MR_BENCH(StridedSliceEverySecond, 2 * 4 * 512 * 1024, "StridedSlice",
         {Floats({1024, 1024}), Ints({0, 0}), Ints({1024, 1024}), Ints({1, 2})},
         {{"T", kF}, {"Index", DataType::kInt32}});
MR_BENCH(StridedSliceScalar, 4, "StridedSlice",
         {Ints({5, 6, 7}), Ints({1}), Ints({2}), Ints({1})},
         {{"T", DataType::kInt32},
          {"Index", DataType::kInt32},
          {"shrink_axis_mask", 1}});
MR_BENCH(TileRows, 4 * 4096 * 512, "Tile", {Floats({1, 512}), Ints({4096, 1})},
         {{"T", kF}});
MR_BENCH(TileColumns, 4 * 4096 * 512, "Tile",
         {Floats({4096, 1}), Ints({1, 512})}, {{"T", kF}});
MR_BENCH(Reverse, 8 << 20, "ReverseV2", {Floats({1024, 1024}), Ints({1})},
         {{"T", kF}});
MR_BENCH(WhereBool, 1 << 20, "Where",
         {Tensor::Zeros(DataType::kBool, TensorShape({1 << 20}))},
         {{"T", DataType::kBool}});
MR_BENCH(WhereFloat, 4 << 20, "Where", {Floats({1024, 1024})}, {{"T", kF}});
MR_BENCH(TopHundredth4M, 16 << 20, "TopKV2",
         {Floats({4 << 20}), Tensor::Scalar<int32_t>(41943)},
         {{"T", kF}, {"sorted", false}});
MR_BENCH(TopHundredth4MSorted, 16 << 20, "TopKV2",
         {Floats({4 << 20}), Tensor::Scalar<int32_t>(41943)}, {{"T", kF}});
MR_BENCH(TopTenOfRows, 4 * 64 * 32'000, "TopKV2",
         {Floats({64, 32'000}), Tensor::Scalar<int32_t>(10)}, {{"T", kF}});
MR_BENCH(OneHot, 4 * 4096 * 1000, "OneHot",
         {Jumps(4096, 1000), Tensor::Scalar<int32_t>(1000), Tensor::Scalar(1.f),
          Tensor::Scalar(0.f)},
         {{"T", kF}, {"TI", DataType::kInt32}});
MR_BENCH(Unique, 4 << 18, "Unique", {Jumps(1 << 18, 1 << 16)},
         {{"T", DataType::kInt32}});
MR_BENCH(ScatterNd, 2 * 4 * 16384 * 64, "ScatterNd",
         {Jumps(16384, 100000).Reshaped(TensorShape({16384, 1})),
          Floats({16384, 64}), Ints({100000, 64})},
         {{"T", kF}, {"Tindices", DataType::kInt32}});
MR_BENCH(Partition, 2 * 4 * 16384 * 64, "DynamicPartition",
         {Floats({16384, 64}), Jumps(16384, 8)},
         {{"T", kF}, {"num_partitions", 8}});
MR_BENCH(Fill, 4 << 20, "Fill", {Ints({1024, 1024}), Tensor::Scalar(2.f)},
         {{"T", kF}});
MR_BENCH(PackRows, 2 * 4 * 64 * 4096, "Pack",
         {Floats({64, 1024}), Floats({64, 1024}), Floats({64, 1024}),
          Floats({64, 1024})},
         {{"N", 4}, {"T", kF}, {"axis", 1}});

}  // namespace
}  // namespace millrace
