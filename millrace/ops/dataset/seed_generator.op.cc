#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

// The schema of a generator that lives as long as its handle.
consteval OpFields SeedGeneratorFrom(const char* inputs) {
  return {
      .inputs = inputs,
      .outputs = "handle: resource, deleter: variant",
      .flags = kStateful,
      .shape = shapes::Scalar,
      .doc = "A seed generator, which goes with its handle.",
  };
}

constexpr OpFields kDelete = {
    .inputs = "handle: resource, deleter: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Nothing: a seed generator goes with its handle.",
};

constexpr OpFields kDummy = {
    .outputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A handle to nothing.",
};

}  // namespace

MR_OP(AnonymousSeedGenerator)
(SeedGeneratorFrom("seed: int64, seed2: int64, reshuffle: bool"));

MR_OP(AnonymousRandomSeedGenerator)
(SeedGeneratorFrom("seed: int64, seed2: int64"));

MR_OP(DeleteSeedGenerator)(kDelete);

MR_OP(DeleteRandomSeedGenerator)(kDelete);

MR_OP(DummySeedGenerator)(kDummy);

MR_OP(DummyIterationCounter)(kDummy);

}  // namespace millrace::ops
