// Kernels of elementwise ops, from a table of loops (loops.h).
//
//   MR_KERNELS(Neg, Cpu) {
//     {.types = "T: half, bfloat16, float, ...", .make = MakeUnary<kNeg>},
//   };
//
// They broadcast, shard the work over threads, take over an input's buffer
// where that is allowed, and compute half and bfloat16 by the loop of float.
#pragma once

#include <memory>

#include "millrace/kernel/elementwise_function.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/loops.h"

namespace millrace::ops {

// Make a kernel. The dtype of the first input selects the loop; that of the
// output is the node's.
StatusOr<std::unique_ptr<Kernel>> MakeUnaryKernel(const KernelInit& init,
                                                  const UnaryTable& table);
StatusOr<std::unique_ptr<Kernel>> MakeBinaryKernel(const KernelInit& init,
                                                   const BinaryTable& table);
// Makes a kernel of Equal or NotEqual, whose attribute incompatible_shape_error
// may ask for the scalar `if_incompatible` instead of an error.
StatusOr<std::unique_ptr<Kernel>> MakeEqualityKernel(const KernelInit& init,
                                                     const BinaryTable& table,
                                                     bool if_incompatible);

// Makes a kernel of a gradient op: y has as many elements as x, whose shape the
// output gets.
StatusOr<std::unique_ptr<Kernel>> MakeSameSizeKernel(const KernelInit& init,
                                                     const BinaryTable& table);
// Makes a kernel of a gradient op whose inputs must have one shape.
StatusOr<std::unique_ptr<Kernel>> MakeSameShapeKernel(const KernelInit& init,
                                                      const BinaryTable& table);

template <const UnaryTable& kTable>
StatusOr<std::unique_ptr<Kernel>> MakeUnary(const KernelInit& init) {
  return MakeUnaryKernel(init, kTable);
}
template <const BinaryTable& kTable>
StatusOr<std::unique_ptr<Kernel>> MakeBinary(const KernelInit& init) {
  return MakeBinaryKernel(init, kTable);
}

template <const BinaryTable& kTable>
StatusOr<std::unique_ptr<Kernel>> MakeSameSize(const KernelInit& init) {
  return MakeSameSizeKernel(init, kTable);
}
template <const BinaryTable& kTable>
StatusOr<std::unique_ptr<Kernel>> MakeSameShape(const KernelInit& init) {
  return MakeSameShapeKernel(init, kTable);
}

// Makes a kernel of an op that is written as a function of spans and has a
// result for all elements. Its inputs have one shape and, with the output, one
// type.
StatusOr<std::unique_ptr<Kernel>> MakeElementwiseKernel(const KernelInit& init,
                                                        ElementwiseMaker make);
template <ElementwiseMaker kMake>
StatusOr<std::unique_ptr<Kernel>> MakeElementwise(const KernelInit& init) {
  return MakeElementwiseKernel(init, kMake);
}

// Return the same ops as functions of spans, for nodes that are fused
// (KernelEntry.elementwise). They return INTERNAL if the table lacks the type.
StatusOr<std::unique_ptr<ElementwiseFunction>> MakeUnaryFunction(
    const KernelInit& init, const UnaryTable& table);
enum class OperandShapes { kBroadcast, kSame };
StatusOr<std::unique_ptr<ElementwiseFunction>> MakeBinaryFunction(
    const KernelInit& init, const BinaryTable& table, OperandShapes shapes);

template <const UnaryTable& kTable>
StatusOr<std::unique_ptr<ElementwiseFunction>> UnaryFunction(
    const KernelInit& init) {
  return MakeUnaryFunction(init, kTable);
}
template <const BinaryTable& kTable>
StatusOr<std::unique_ptr<ElementwiseFunction>> BinaryFunction(
    const KernelInit& init) {
  return MakeBinaryFunction(init, kTable, OperandShapes::kBroadcast);
}
template <const BinaryTable& kTable>
StatusOr<std::unique_ptr<ElementwiseFunction>> SameSizeFunction(
    const KernelInit& init) {
  return MakeBinaryFunction(init, kTable, OperandShapes::kSame);
}

// Returns the loops of Add, for other ops that add.
const BinaryTable& AddLoops();

// Returns the error of an op whose inputs must have one shape, of which `input`
// has another one than the first.
Status DifferentShapes(const KernelContext& ctx, int input);

// Calls f(begin, end) for parts of [0, total) on the device's threads.
// `cost_picos` is the work for an element in picoseconds.
Status ShardElements(KernelContext& ctx, int64_t total, int64_t cost_picos,
                     absl::FunctionRef<void(int64_t begin, int64_t end)> f);

// Runs a unary loop on whole spans, converting as BinaryRunner does.
class UnaryRunner {
 public:
  // Returns INTERNAL if the table lacks the type.
  static StatusOr<UnaryRunner> Make(const UnaryTable& table, DataType input,
                                    DataType output);
  void Run(const char* x, char* z, int64_t n) const;

 private:
  UnaryLoop loop_ = nullptr;
  DataType input_ = DataType::kInvalid;
  DataType output_ = DataType::kInvalid;
};

// Runs a binary loop on whole spans; half and bfloat16 are converted to float
// and back block by block. Each kernel has its own; immutable.
class BinaryRunner {
 public:
  enum class Form { kVectorVector, kVectorScalar, kScalarVector };

  // Returns INTERNAL if the table lacks the type.
  static StatusOr<BinaryRunner> Make(const BinaryTable& table, DataType input,
                                     DataType output);
  // Computes z[0, n). Returns false if the loop does.
  bool Run(Form form, const char* x, const char* y, char* z, int64_t n) const;

 private:
  BinaryLoops loops_;
  DataType input_ = DataType::kInvalid;
  DataType output_ = DataType::kInvalid;
  bool converts_ = false;
};

}  // namespace millrace::ops
