#include "millrace/ops/dataset/seed_generator.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/dataset/anonymous_handle.h"

namespace millrace::ops {
namespace {

Status AnonymousGenerator(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int64_t seed, ScalarInput<int64_t>(ctx, 0, "seed"));
  MR_ASSIGN_OR_RETURN(const int64_t seed2,
                      ScalarInput<int64_t>(ctx, 1, "seed2"));
  bool reshuffles = true;
  if (ctx.num_inputs() == 3) {
    MR_ASSIGN_OR_RETURN(reshuffles, ScalarInput<bool>(ctx, 2, "reshuffle"));
  }
  SetAnonymousHandle(ctx, "_AnonymousVar", SeedGenerator::kTypeName,
                     MakeRef<SeedGenerator>(seed, seed2, reshuffles));
  return SetNoDeleter(ctx);
}

}  // namespace

MR_KERNELS(AnonymousSeedGenerator, Cpu){
    {.make = MakeFunctionKernel<AnonymousGenerator>, .cheap = true}};
MR_KERNELS(AnonymousRandomSeedGenerator, Cpu){
    {.make = MakeFunctionKernel<AnonymousGenerator>, .cheap = true}};
MR_KERNELS(DummySeedGenerator, Cpu){kDummyHandle};
MR_KERNELS(DummyIterationCounter, Cpu){kDummyHandle};
MR_KERNELS(DeleteSeedGenerator, Cpu){kDeleteNothing};
MR_KERNELS(DeleteRandomSeedGenerator, Cpu){kDeleteNothing};

}  // namespace millrace::ops
