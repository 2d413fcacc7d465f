#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/numbers_shape.h"
#include "millrace/ops/random/stateless_seed.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// The scrambled seed: the key, and the upper half of the counter, whose lower
// half is 0.
struct Scrambled {
  uint64_t key = 0;
  uint64_t counter = 0;
};

Status CheckSeedShape(const Tensor& seed) {
  if (seed.shape() == TensorShape({2})) return OkStatus();
  return InvalidArgument("seed must have shape [2], not ",
                         seed.shape().DebugString());
}

StatusOr<Scrambled> Scramble(const Tensor& seed) {
  MR_RETURN_IF_ERROR(CheckSeedShape(seed));
  if (seed.dtype() != DataType::kInt32 && seed.dtype() != DataType::kInt64) {
    return InvalidArgument("Invalid seed type: ", DataTypeName(seed.dtype()));
  }
  const std::vector<int64_t> values = IntValues(seed);
  const auto first = static_cast<uint64_t>(values[0]);
  const auto second = static_cast<uint64_t>(values[1]);
  // The key by which stock scrambles seeds.
  Philox4x32 generator({Low(first), High(first), Low(second), High(second)},
                       {0x3ec8f720, 0x02461e29});
  const Philox4x32::Result mix = generator();
  return Scrambled{mix[0] | uint64_t{mix[1]} << 32,
                   mix[2] | uint64_t{mix[3]} << 32};
}

// Returns the generator for the inputs behind `shape`; `*next` is the input
// after them.
StatusOr<Philox4x32> Generator(KernelContext& ctx, const TensorShape& shape,
                               bool by_key, int* next) {
  *next = by_key ? 4 : 2;
  if (by_key) return PhiloxFromKey(ctx.input(1), ctx.input(2), ctx.input(3));
  if (shape.num_elements() > 0) return PhiloxFromSeed(ctx.input(1));
  // If there are no numbers, a seed may have any type, as in stock.
  MR_RETURN_IF_ERROR(CheckSeedShape(ctx.input(1)));
  return Philox4x32(0, 0);
}

template <Distribution kDistribution, bool kByKey>
Status RunStateless(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
  int next = 0;
  MR_ASSIGN_OR_RETURN(const Philox4x32 base,
                      Generator(ctx, shape, kByKey, &next));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, std::move(shape)));
  return FillRandom(ctx, kDistribution, base, out);
}

template <bool kByKey>
Status RunStatelessInt(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
  int next = 0;
  MR_ASSIGN_OR_RETURN(const Philox4x32 base,
                      Generator(ctx, shape, kByKey, &next));
  for (const int i : {next, next + 1}) {
    if (ctx.input(i).rank() != 0) {
      return InvalidArgument(i == next ? "minval" : "maxval",
                             " must be 0-D, got shape ",
                             ctx.input(i).shape().DebugString());
    }
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  const int64_t low = IntValues(ctx.input(next))[0];
  const int64_t high = IntValues(ctx.input(next + 1))[0];
  if (low >= high) {
    return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
  }
  return FillIntegers(ctx, base, static_cast<uint64_t>(low),
                      static_cast<uint64_t>(high) - static_cast<uint64_t>(low),
                      out);
}

template <bool kByKey>
Status RunStatelessFullInt(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
  int next = 0;
  MR_ASSIGN_OR_RETURN(const Philox4x32 base,
                      Generator(ctx, shape, kByKey, &next));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, std::move(shape)));
  return FillIntegers(ctx, base, 0, 0, out);
}

Status RunGetKeyCounter(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Scrambled s, Scramble(ctx.input(0)));
  ctx.set_output(0, Tensor::Vector<uint64_t>({s.key}));
  ctx.set_output(1, Tensor::Vector<uint64_t>({0, s.counter}));
  if (ctx.num_outputs() > 2) {
    ctx.set_output(2, Tensor::Scalar<int32_t>(kPhiloxAlgorithm));
  }
  return OkStatus();
}

Status RunGetAlg(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<int32_t>(kPhiloxAlgorithm));
  return OkStatus();
}

#define MR_RANDOM_TYPES "dtype: bfloat16, double, float, half"
#define MR_FULL_INT_TYPES "dtype: int32, int64, uint32, uint64"

}  // namespace

StatusOr<Philox4x32> PhiloxFromSeed(const Tensor& seed) {
  MR_ASSIGN_OR_RETURN(const Scrambled s, Scramble(seed));
  return Philox4x32({0, 0, Low(s.counter), High(s.counter)},
                    {Low(s.key), High(s.key)});
}

StatusOr<Philox4x32> PhiloxFromKey(const Tensor& key, const Tensor& counter,
                                   const Tensor& algorithm) {
  if (key.rank() != 1 || key.dim(0) != 1) {
    return InvalidArgument("key must have shape [1], not ",
                           key.shape().DebugString());
  }
  if (algorithm.rank() != 0) {
    return InvalidArgument("input 3 (0-based) must have shape [], not ",
                           algorithm.shape().DebugString());
  }
  const int32_t number = algorithm.scalar<int32_t>();
  if (number != kPhiloxAlgorithm && number != kAnyAlgorithm) {
    return InvalidArgument("Unsupported algorithm id: ", number);
  }
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return InvalidArgument(
        "counter must be a vector with length at least 2, not of shape ",
        counter.shape().DebugString());
  }
  const auto c = counter.flat<uint64_t>();
  const uint64_t k = key.flat<uint64_t>()[0];
  return Philox4x32({Low(c[0]), High(c[0]), Low(c[1]), High(c[1])},
                    {Low(k), High(k)});
}

MR_KERNELS(StatelessRandomUniform, Cpu){
    {.types = MR_RANDOM_TYPES,
     .make = MakeFunctionKernel<RunStateless<Distribution::kUniform, false>>,
     .host = "shape, seed"}};
MR_KERNELS(StatelessRandomUniformV2, Cpu){
    {.types = MR_RANDOM_TYPES,
     .make = MakeFunctionKernel<RunStateless<Distribution::kUniform, true>>,
     .host = "shape, key, counter, alg"}};
MR_KERNELS(StatelessRandomNormal, Cpu){
    {.types = MR_RANDOM_TYPES,
     .make = MakeFunctionKernel<RunStateless<Distribution::kNormal, false>>,
     .host = "shape, seed"}};
MR_KERNELS(StatelessRandomNormalV2, Cpu){
    {.types = MR_RANDOM_TYPES,
     .make = MakeFunctionKernel<RunStateless<Distribution::kNormal, true>>,
     .host = "shape, key, counter, alg"}};
MR_KERNELS(StatelessTruncatedNormal, Cpu){
    {.types = MR_RANDOM_TYPES,
     .make = MakeFunctionKernel<RunStateless<Distribution::kTruncated, false>>,
     .host = "shape, seed"}};
MR_KERNELS(StatelessTruncatedNormalV2, Cpu){
    {.types = MR_RANDOM_TYPES,
     .make = MakeFunctionKernel<RunStateless<Distribution::kTruncated, true>>,
     .host = "shape, key, counter, alg"}};

MR_KERNELS(StatelessRandomUniformInt,
           Cpu){{.types = "dtype: int32, int64",
                 .make = MakeFunctionKernel<RunStatelessInt<false>>,
                 .host = "shape, seed, minval, maxval"}};
MR_KERNELS(StatelessRandomUniformIntV2,
           Cpu){{.types = "dtype: int32, int64",
                 .make = MakeFunctionKernel<RunStatelessInt<true>>,
                 .host = "shape, key, counter, alg, minval, maxval"}};
MR_KERNELS(StatelessRandomUniformFullInt,
           Cpu){{.types = MR_FULL_INT_TYPES,
                 .make = MakeFunctionKernel<RunStatelessFullInt<false>>,
                 .host = "shape, seed"}};
MR_KERNELS(StatelessRandomUniformFullIntV2,
           Cpu){{.types = MR_FULL_INT_TYPES,
                 .make = MakeFunctionKernel<RunStatelessFullInt<true>>,
                 .host = "shape, key, counter, alg"}};
MR_KERNELS(StatelessRandomGetKeyCounter,
           Cpu){{.make = MakeFunctionKernel<RunGetKeyCounter>,
                 .host = "seed, key, counter",
                 .cheap = true}};
MR_KERNELS(StatelessRandomGetAlg, Cpu){
    {.make = MakeFunctionKernel<RunGetAlg>, .host = "alg", .cheap = true}};
MR_KERNELS(StatelessRandomGetKeyCounterAlg,
           Cpu){{.make = MakeFunctionKernel<RunGetKeyCounter>,
                 .host = "seed, key, counter, alg",
                 .cheap = true}};

}  // namespace millrace::ops
