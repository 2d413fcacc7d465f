// KernelBench: one kernel with its own input tensors, for benchmarks of ops.
//
//   MR_BENCH(Exp16M, 128e6, "Exp", {Floats({16000000})}, {{"T", kF}});
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <utility>
#include <vector>

#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

inline Device& BenchDevice() {
  static auto* devices = [] {
    auto made = MakeDevices(DeviceOptions(), "localhost", 0);
    MR_CHECK(made.ok(), made.status().message());
    return new auto(*std::move(made));
  }();
  return *(*devices)[0];
}

// A node with its kernel.
struct KernelBench {
  NodeInfo node;
  std::unique_ptr<Kernel> kernel;
  std::vector<Tensor> inputs;

  KernelBench(const char* op, std::vector<Tensor> values, AttrMap attrs)
      : inputs(std::move(values)) {
    static const auto* ops = new auto(OpRegistry::Build(AllOps()).value());
    static const auto* kernels =
        new auto(KernelTable::Build(AllKernels()).value());
    node.name = "bench";
    node.op = (*ops)->Find(op);
    node.attrs = std::move(attrs);
    MR_CHECK(CompleteAttrs(*node.op, &node.attrs).ok(), "attributes of ", op);
    node.input_types = ArgTypes(node.op->inputs, node.attrs).value();
    node.output_types = ArgTypes(node.op->outputs, node.attrs).value();
    node.constant_inputs.assign(inputs.size(), true);
    const KernelEntry* entry =
        kernels->Find("CPU", *node.op, node.attrs).value();
    kernel =
        entry->make(KernelInit(node, BenchDevice(), nullptr, kernels)).value();
  }

  // Runs the kernel and returns output 0.
  Tensor Run() {
    StepEnvironment step;
    std::vector<EdgeValue> in(inputs.size());
    for (size_t i = 0; i < in.size(); ++i) in[i].tensor = inputs[i];
    std::vector<EdgeValue> out(node.output_types.size());
    KernelContext ctx(node, BenchDevice(), step, absl::MakeSpan(in),
                      absl::MakeSpan(out));
    const Status s = kernel->Run(ctx);
    MR_CHECK(s.ok(), s.message());
    benchmark::DoNotOptimize(out[0].tensor.data());
    return std::move(out[0].tensor);
  }
};

// Returns values from -1 to 1 in steps of 0.002, mixed.
inline Tensor Floats(TensorShape shape, DataType type = DataType::kFloat) {
  Tensor t = Tensor::Zeros(DataType::kFloat, std::move(shape));
  auto x = t.mutable_flat<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
  }
  if (type == DataType::kFloat) return t;
  return KernelBench("Cast", {t}, {{"SrcT", DataType::kFloat}, {"DstT", type}})
      .Run();
}

inline Tensor Ints(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>(values);
}

// `work` is that of one run: bytes or floating-point operations.
inline void MeasureKernel(benchmark::State& state, KernelBench b, double work) {
  for (auto _ : state) b.Run();
  state.counters["rate"] =
      benchmark::Counter(work * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

}  // namespace millrace

#define MR_BENCH(Name, work, ...)                     \
  void Name(benchmark::State& s) {                    \
    MeasureKernel(s, KernelBench(__VA_ARGS__), work); \
  }                                                   \
  BENCHMARK(Name)->MeasureProcessCPUTime()->UseRealTime()
