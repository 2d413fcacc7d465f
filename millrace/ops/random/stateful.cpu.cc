// Kernels whose generator is a resource variable. An output reserves 256
// results of the stream, as in the ops with seeds.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/generator_state.h"
#include "millrace/ops/random/numbers_shape.h"

namespace millrace::ops {
namespace {

constexpr absl::string_view kPhilox = "the Philox";

// Requires input i to be a scalar of int64, which is returned.
StatusOr<int64_t> ScalarAt(KernelContext& ctx, int i) {
  const Tensor& t = ctx.input(i);
  if (t.rank() == 0) return t.scalar<int64_t>();
  return InvalidArgument("input ", i, " (0-based) must have shape [], not ",
                         t.shape().DebugString());
}

// Allocates output 0 by the shape behind the algorithm, and returns the
// generator for it.
StatusOr<Philox4x32> Start(KernelContext& ctx, AlgorithmAt at, Tensor** out) {
  const bool by_input = at == AlgorithmAt::kInput;
  if (by_input) {
    MR_ASSIGN_OR_RETURN(const int64_t algorithm, ScalarAt(ctx, 1));
    MR_RETURN_IF_ERROR(CheckAlgorithm(algorithm));
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape,
                      ShapeOfNumbers(ctx.input(by_input ? 2 : 1)));
  MR_ASSIGN_OR_RETURN(*out, ctx.AllocateOutput(0, std::move(shape)));
  return TakeGenerator(
      ctx, at, kPhilox,
      static_cast<uint64_t>((*out)->num_elements()) * kReservedPerOutput);
}

template <Distribution kDistribution, AlgorithmAt kAt>
Status RunByVariable(KernelContext& ctx) {
  Tensor* out = nullptr;
  MR_ASSIGN_OR_RETURN(const Philox4x32 base, Start(ctx, kAt, &out));
  return FillRandom(ctx, kDistribution, base, out);
}

Status RunFullIntByVariable(KernelContext& ctx) {
  Tensor* out = nullptr;
  MR_ASSIGN_OR_RETURN(const Philox4x32 base,
                      Start(ctx, AlgorithmAt::kInput, &out));
  return FillIntegers(ctx, base, 0, 0, out);
}

Status RunIntByVariable(KernelContext& ctx) {
  for (const int i : {3, 4}) {
    if (ctx.input(i).rank() == 0) continue;
    return InvalidArgument(i == 3 ? "minval" : "maxval",
                           " must be 0-D, got shape ",
                           ctx.input(i).shape().DebugString());
  }
  const int64_t low = IntValues(ctx.input(3))[0];
  const int64_t high = IntValues(ctx.input(4))[0];
  if (low >= high) {
    return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
  }
  Tensor* out = nullptr;
  MR_ASSIGN_OR_RETURN(const Philox4x32 base,
                      Start(ctx, AlgorithmAt::kInput, &out));
  return FillIntegers(ctx, base, static_cast<uint64_t>(low),
                      static_cast<uint64_t>(high) - static_cast<uint64_t>(low),
                      out);
}

Status RunSkip(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int64_t algorithm, ScalarAt(ctx, 1));
  MR_ASSIGN_OR_RETURN(const int64_t delta, ScalarAt(ctx, 2));
  MR_RETURN_IF_ERROR(CheckAlgorithm(algorithm));
  return TakeGenerator(ctx, AlgorithmAt::kInput, kPhilox,
                       static_cast<uint64_t>(delta) * kReservedPerOutput)
      .status();
}

Status RunNonDeterministicInts(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, std::move(shape)));
  return FillIntegers(ctx, Philox4x32(RandomUint64(), RandomUint64()), 0, 0,
                      out);
}

#define MR_BY_VARIABLE_FLOATS "dtype: bfloat16, double, float, half"
#define MR_BY_VARIABLE_INTS "dtype: int32, int64, uint32, uint64"

template <Distribution kDistribution>
constexpr KernelEntry kByVariable = {
    .types = MR_BY_VARIABLE_FLOATS,
    .make =
        MakeFunctionKernel<RunByVariable<kDistribution, AlgorithmAt::kInput>>,
    .host = "algorithm, shape"};

}  // namespace

MR_KERNELS(StatefulUniform, Cpu){kByVariable<Distribution::kUniform>};
MR_KERNELS(StatefulStandardNormalV2, Cpu){kByVariable<Distribution::kNormal>};
MR_KERNELS(StatefulTruncatedNormal, Cpu){kByVariable<Distribution::kTruncated>};
MR_KERNELS(StatefulStandardNormal,
           Cpu){{.types = MR_BY_VARIABLE_FLOATS,
                 .make = MakeFunctionKernel<
                     RunByVariable<Distribution::kNormal, AlgorithmAt::kState>>,
                 .host = "shape"}};
MR_KERNELS(StatefulUniformFullInt,
           Cpu){{.types = MR_BY_VARIABLE_INTS,
                 .make = MakeFunctionKernel<RunFullIntByVariable>,
                 .host = "algorithm, shape"}};
MR_KERNELS(StatefulUniformInt,
           Cpu){{.types = "dtype: int32, int64",
                 .make = MakeFunctionKernel<RunIntByVariable>,
                 .host = "algorithm, shape, minval, maxval"}};
MR_KERNELS(RngSkip, Cpu){{.make = MakeFunctionKernel<RunSkip>,
                          .host = "algorithm, delta",
                          .cheap = true}};
MR_KERNELS(NonDeterministicInts,
           Cpu){{.types = MR_BY_VARIABLE_INTS,
                 .make = MakeFunctionKernel<RunNonDeterministicInts>,
                 .host = "shape"}};

}  // namespace millrace::ops
