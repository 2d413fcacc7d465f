// Kernels whose generator is a resource variable, on GPUs. The variable lies on
// the device, which advances it; so the algorithm that it may hold is not
// looked at.
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable.h"
#include "millrace/ops/random/fill.gpu.h"
#include "millrace/ops/random/generator_state.h"
#include "millrace/ops/random/numbers_shape.h"
#include "millrace/ops/state/variable_lookup.h"

MR_GPU_SOURCE(random_fill);

namespace millrace::ops {
namespace {

constexpr int64_t kGpuStateSize = 3;  // a counter of two elements, and a key

StatusOr<int64_t> GpuScalarAt(KernelContext& ctx, int i) {
  const Tensor& t = ctx.input(i);
  if (t.rank() == 0) return t.scalar<int64_t>();
  return InvalidArgument("input ", i, " (0-based) must have shape [], not ",
                         t.shape().DebugString());
}

Status CheckGpuState(const Tensor& state) {
  if (state.dtype() != DataType::kInt64) {
    return InvalidArgument("dtype of RNG state variable must be int64, not ",
                           DataTypeName(state.dtype()));
  }
  if (state.rank() != 1) {
    return InvalidArgument(
        "RNG state must have one and only one dimension, not ", state.rank());
  }
  if (state.num_elements() < kGpuStateSize) {
    return InvalidArgument(
        "For the Philox algorithm, the size of state must "
        "be at least ",
        kGpuStateSize, "; got ", state.num_elements());
  }
  return OkStatus();
}

// Takes the generator out of the variable in input 0.
class GpuGeneratorState {
 public:
  static StatusOr<GpuGeneratorState> Make(const KernelInit& init) {
    GpuGeneratorState s;
    MR_ASSIGN_OR_RETURN(s.take_,
                        LoadGpuFunction(init, MR_GPU_SOURCE_OF(random_fill),
                                        "TakeState", {{"T", "int64_t"}}));
    return s;
  }

  // Returns the generator, on the device, and advances the variable.
  StatusOr<Tensor> Take(KernelContext& ctx, uint64_t results) const {
    constexpr int64_t kPhiloxBytes = sizeof(Philox4x32);
    MR_ASSIGN_OR_RETURN(
        Tensor state,
        ctx.AllocateTemp(DataType::kUint8, TensorShape({kPhiloxBytes})));
    MR_RETURN_IF_ERROR(Advance(ctx, results, GpuOutput(state)));
    return state;
  }
  Status Advance(KernelContext& ctx, uint64_t results,
                 GpuPointer state = {}) const {
    MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
    Variable* const pointer = variable.get();
    const VariableLocks locks(absl::MakeConstSpan(&pointer, 1));
    if (!variable->initialized_locked()) {
      return NotFound("Resource ", variable->name(), " does not exist.");
    }
    MR_RETURN_IF_ERROR(CheckGpuState(variable->value_locked()));
    MR_ASSIGN_OR_RETURN(Tensor* const value,
                        variable->MutableLocked(ctx.device().allocator()));
    return LaunchGpu(ctx, take_, {.blocks = 1, .threads = 1}, GpuOutput(*value),
                     state, results);
  }

 private:
  GpuFunction take_;
};

uint64_t Reserved(const Tensor& out) {
  return static_cast<uint64_t>(out.num_elements()) * kReservedPerOutput;
}

// Allocates output 0 by the shape behind the algorithm.
StatusOr<Tensor*> AllocateNumbers(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int64_t algorithm, GpuScalarAt(ctx, 1));
  MR_RETURN_IF_ERROR(CheckAlgorithm(algorithm));
  MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(2)));
  return ctx.AllocateOutput(0, std::move(shape));
}

template <Distribution kDistribution>
class GpuStatefulKernel {
 public:
  static StatusOr<GpuStatefulKernel> Make(const KernelInit& init) {
    GpuStatefulKernel k;
    MR_ASSIGN_OR_RETURN(k.fill_, GpuRandomFill::Make(init, kDistribution));
    MR_ASSIGN_OR_RETURN(k.state_, GpuGeneratorState::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Tensor* const out, AllocateNumbers(ctx));
    MR_ASSIGN_OR_RETURN(const Tensor state, state_.Take(ctx, Reserved(*out)));
    return fill_.RunFrom(ctx, state, out);
  }

 private:
  GpuRandomFill fill_;
  GpuGeneratorState state_;
};

template <bool kHasLimits>
class GpuStatefulIntKernel {
 public:
  static StatusOr<GpuStatefulIntKernel> Make(const KernelInit& init) {
    GpuStatefulIntKernel k;
    MR_ASSIGN_OR_RETURN(k.fill_, GpuRandomFill::MakeIntegers(init));
    MR_ASSIGN_OR_RETURN(k.state_, GpuGeneratorState::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    uint64_t low = 0, range = 0;
    if (kHasLimits) {
      for (const int i : {3, 4}) {
        if (ctx.input(i).rank() == 0) continue;
        return InvalidArgument(i == 3 ? "minval" : "maxval",
                               " must be 0-D, got shape ",
                               ctx.input(i).shape().DebugString());
      }
      const int64_t from = IntValues(ctx.input(3))[0];
      const int64_t to = IntValues(ctx.input(4))[0];
      if (from >= to) {
        return InvalidArgument("Need minval < maxval, got ", from, " >= ", to);
      }
      low = static_cast<uint64_t>(from);
      range = static_cast<uint64_t>(to) - low;
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, AllocateNumbers(ctx));
    MR_ASSIGN_OR_RETURN(const Tensor state, state_.Take(ctx, Reserved(*out)));
    return fill_.RunIntegersFrom(ctx, state, low, range, out);
  }

 private:
  GpuRandomFill fill_;
  GpuGeneratorState state_;
};

class GpuRngSkipKernel {
 public:
  static StatusOr<GpuRngSkipKernel> Make(const KernelInit& init) {
    GpuRngSkipKernel k;
    MR_ASSIGN_OR_RETURN(k.state_, GpuGeneratorState::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const int64_t algorithm, GpuScalarAt(ctx, 1));
    MR_ASSIGN_OR_RETURN(const int64_t delta, GpuScalarAt(ctx, 2));
    MR_RETURN_IF_ERROR(CheckAlgorithm(algorithm));
    return state_.Advance(ctx,
                          static_cast<uint64_t>(delta) * kReservedPerOutput);
  }

 private:
  GpuGeneratorState state_;
};

class GpuNonDeterministicIntsKernel {
 public:
  static StatusOr<GpuNonDeterministicIntsKernel> Make(const KernelInit& init) {
    GpuNonDeterministicIntsKernel k;
    MR_ASSIGN_OR_RETURN(k.fill_, GpuRandomFill::MakeIntegers(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    return fill_.RunIntegers(ctx, Philox4x32(RandomUint64(), RandomUint64()), 0,
                             0, out);
  }

 private:
  GpuRandomFill fill_;
};

template <Distribution kDistribution>
constexpr KernelEntry kGpuByVariable = {
    .types = "dtype: half, bfloat16, float, double",
    .make = MakeKernel<GpuStatefulKernel<kDistribution>>,
    .host = "algorithm, shape"};
constexpr char kGpuByVariableInts[] = "dtype: int32, int64, uint32, uint64";

}  // namespace

MR_KERNELS(StatefulUniform, Gpu){kGpuByVariable<Distribution::kUniform>};
MR_KERNELS(StatefulStandardNormalV2,
           Gpu){kGpuByVariable<Distribution::kNormal>};
MR_KERNELS(StatefulTruncatedNormal,
           Gpu){kGpuByVariable<Distribution::kTruncated>};
MR_KERNELS(StatefulUniformFullInt,
           Gpu){{.types = kGpuByVariableInts,
                 .make = MakeKernel<GpuStatefulIntKernel<false>>,
                 .host = "algorithm, shape"}};
MR_KERNELS(StatefulUniformInt,
           Gpu){{.types = "dtype: int32, int64",
                 .make = MakeKernel<GpuStatefulIntKernel<true>>,
                 .host = "algorithm, shape, minval, maxval"}};
MR_KERNELS(RngSkip, Gpu){
    {.make = MakeKernel<GpuRngSkipKernel>, .host = "algorithm, delta"}};
MR_KERNELS(NonDeterministicInts,
           Gpu){{.types = kGpuByVariableInts,
                 .make = MakeKernel<GpuNonDeterministicIntsKernel>,
                 .host = "shape"}};

}  // namespace millrace::ops
