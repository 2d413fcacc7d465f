#include "millrace/ops/random/generator_state.h"

#include "millrace/kernel/variable.h"
#include "millrace/ops/random/stateless_seed.h"
#include "millrace/ops/state/variable_lookup.h"

namespace millrace::ops {
namespace {

constexpr int64_t kThreeFryAlgorithm = 2;
constexpr int64_t kStateSize = 3;  // a counter of two elements, and a key

Status CheckState(const Tensor& state, AlgorithmAt at,
                  absl::string_view philox) {
  if (state.dtype() != DataType::kInt64) {
    return InvalidArgument("dtype of RNG state variable must be int64, not ",
                           DataTypeName(state.dtype()));
  }
  if (state.rank() != 1) {
    return InvalidArgument(
        "RNG state must have one and only one dimension, not ", state.rank());
  }
  int64_t required = kStateSize;
  if (at == AlgorithmAt::kState) {
    if (state.num_elements() == 0) {
      return InvalidArgument("Size of tensor must be at least 1");
    }
    MR_RETURN_IF_ERROR(CheckAlgorithm(state.flat<int64_t>()[0]));
    ++required;
  }
  if (state.num_elements() < required) {
    return InvalidArgument("For ", philox,
                           " algorithm, the size of state must be at least ",
                           required, "; got ", state.num_elements());
  }
  return OkStatus();
}

uint32_t LowWord(int64_t x) { return static_cast<uint32_t>(x); }
uint32_t HighWord(int64_t x) {
  return static_cast<uint32_t>(static_cast<uint64_t>(x) >> 32);
}
int64_t JoinWords(uint32_t low, uint32_t high) {
  return static_cast<int64_t>(uint64_t{high} << 32 | low);
}

}  // namespace

Status CheckAlgorithm(int64_t algorithm) {
  if (algorithm == kPhiloxAlgorithm || algorithm == kAnyAlgorithm) {
    return OkStatus();
  }
  if (algorithm == kThreeFryAlgorithm) {
    return Unimplemented(
        "Non-XLA devices don't support the ThreeFry algorithm.");
  }
  return InvalidArgument("Unsupported algorithm id: ", algorithm);
}

StatusOr<Philox4x32> TakeGenerator(KernelContext& ctx, AlgorithmAt at,
                                   absl::string_view philox, uint64_t results) {
  MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
  Variable* const pointer = variable.get();
  const VariableLocks locks(absl::MakeConstSpan(&pointer, 1));
  if (!variable->initialized_locked()) {
    return NotFound("Resource ", variable->name(), " does not exist.");
  }
  MR_RETURN_IF_ERROR(CheckState(variable->value_locked(), at, philox));
  const size_t first = at == AlgorithmAt::kState ? 1 : 0;
  const int64_t* const state =
      variable->value_locked().flat<int64_t>().data() + first;
  const Philox4x32 here({LowWord(state[0]), HighWord(state[0]),
                         LowWord(state[1]), HighWord(state[1])},
                        {LowWord(state[2]), HighWord(state[2])});
  if (results == 0) return here;
  Philox4x32 next = here;
  next.Skip(results);
  MR_ASSIGN_OR_RETURN(Tensor* const changed,
                      variable->MutableLocked(ctx.allocator()));
  const auto values = changed->mutable_flat<int64_t>();
  const Philox4x32::Result& counter = next.counter();
  values[first] = JoinWords(counter[0], counter[1]);
  values[first + 1] = JoinWords(counter[2], counter[3]);
  return here;
}

}  // namespace millrace::ops
