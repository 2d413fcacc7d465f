// Kernels of AddN and of AccumulateNV2, which is the same once all inputs are
// there.
#include <algorithm>
#include <cstring>
#include <memory>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/reduction/accumulate.h"
#include "millrace/ops/reduction/tensor_sum.h"

namespace millrace::ops {
namespace {

class AddNKernel {
 public:
  static StatusOr<AddNKernel> Make(const KernelInit& init) {
    AddNKernel k;
    k.type_ = RemoveRef(init.input_type(0));
    if (k.type_ == DataType::kVariant) return k;
    const DataType loop_type =
        ComputesInFloat(k.type_) ? DataType::kFloat : k.type_;
    MR_ASSIGN_OR_RETURN(k.add_,
                        BinaryRunner::Make(AddLoops(), loop_type, loop_type));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    const int n = ctx.num_inputs();
    for (int i = 1; i < n; ++i) {
      if (ctx.input(i).shape() == shape) continue;
      return InvalidArgument(
          "Inputs to operation ", ctx.node().name, " of type ",
          ctx.node().op->name,
          " must have the same size and shape.  Input 0: ", shape.DebugString(),
          " != input ", i, ": ", ctx.input(i).shape().DebugString());
    }
    if (n == 1) {
      ctx.set_output(0, ctx.input(0));
      return OkStatus();
    }
    for (int i = 0; i < n; ++i) MR_RETURN_IF_ERROR(ctx.BindInput(i));
    if (type_ == DataType::kVariant) return AddVariants(ctx);
    // Every block is summed before the next begins, so only the input that is
    // read first, input 0, may give its buffer to the output.
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.ForwardOrAllocateOutput({0}, 0, shape));
    char* out = z->mutable_data();
    return ShardElements(
        ctx, shape.num_elements(), 150 * n, [&](int64_t begin, int64_t end) {
          for (int64_t at = begin; at < end; at += kFloatBlock) {
            const int64_t m = std::min(kFloatBlock, end - at);
            ComputesInFloat(type_) ? AddFloats(ctx, at, m, out)
                                   : AddBlock(ctx, at, m, out);
          }
        });
  }

 private:
  static constexpr auto kForm = BinaryRunner::Form::kVectorVector;

  // Adds the values of variants (lists, optionals) one by one.
  static Status AddVariants(KernelContext& ctx) {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).rank() == 0) continue;
      return InvalidArgument(
          "AddN of non-scalar Tensor with dtype=DT_VARIANT is not supported; "
          "inputs[",
          i, "] has shape: ", ctx.input(i).shape().DebugString(), ".");
    }
    Tensor sum = ctx.input(0);
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      MR_ASSIGN_OR_RETURN(sum, SumTensors(ctx, sum, ctx.input(i)));
    }
    ctx.set_output(0, std::move(sum));
    return OkStatus();
  }

  void AddBlock(KernelContext& ctx, int64_t at, int64_t m, char* out) const {
    const int64_t offset = at * static_cast<int64_t>(SizeOf(type_));
    char* z = out + offset;
    add_.Run(kForm, ctx.input(0).data() + offset, ctx.input(1).data() + offset,
             z, m);
    for (int i = 2; i < ctx.num_inputs(); ++i) {
      add_.Run(kForm, z, ctx.input(i).data() + offset, z, m);
    }
  }

  // half and bfloat16 are rounded once, at the end.
  void AddFloats(KernelContext& ctx, int64_t at, int64_t m, char* out) const {
    float sum[kFloatBlock];
    float next[kFloatBlock];
    ToFloats(type_, ctx.input(0).data() + at * 2, sum, m);
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      ToFloats(type_, ctx.input(i).data() + at * 2, next, m);
      add_.Run(kForm, reinterpret_cast<char*>(sum),
               reinterpret_cast<char*>(next), reinterpret_cast<char*>(sum), m);
    }
    FromFloats(type_, sum, out + at * 2, m);
  }

  DataType type_ = DataType::kInvalid;
  BinaryRunner add_;
};

// The sum of a single input.
class CopiedElements final : public ElementwiseFunction {
 public:
  explicit CopiedElements(DataType type)
      : ElementwiseFunction(1, /*broadcasts=*/true, 150, ""),
        bytes_(SizeOf(type)) {}
  bool Run(const char* const* in, uint32_t, char* out,
           int64_t n) const override {
    std::memmove(out, in[0], static_cast<size_t>(n) * bytes_);
    return true;
  }

 private:
  const size_t bytes_;
};

// Makes sums of one or two inputs only, since longer ones of half and bfloat16
// are rounded once.
StatusOr<std::unique_ptr<ElementwiseFunction>> AddNFunction(
    const KernelInit& init) {
  if (init.num_inputs() == 2) {
    return MakeBinaryFunction(init, AddLoops(), OperandShapes::kSame);
  }
  return std::unique_ptr<ElementwiseFunction>(
      new CopiedElements(init.input_type(0)));
}

#define MR_ADD_N_TYPES                                                   \
  "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, " \
  "uint16, uint32, uint64, complex64, complex128"

}  // namespace

MR_KERNELS(AddN, Cpu){{.types = MR_ADD_N_TYPES,
                       .make = MakeKernel<AddNKernel>,
                       .elementwise = AddNFunction,
                       .views = "inputs"},
                      {.types = "T: variant", .make = MakeKernel<AddNKernel>}};
MR_KERNELS(AccumulateNV2,
           Cpu){{.types = MR_ADD_N_TYPES,
                 .make = MakeKernel<AccumulateKernel<AddNKernel>>}};

}  // namespace millrace::ops
