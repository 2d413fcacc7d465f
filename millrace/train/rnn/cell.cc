#include "millrace/train/rnn/cell.h"

#include "millrace/client/ops.h"

namespace millrace::train {

std::vector<Output> RnnCell::ZeroState(const Scope& scope, const Input& batch,
                                       DataType dtype) const {
  const Scope block = scope.SubScope("zero_state");
  const Output rows = batch.is_literal()
                          ? ops::Const(block, batch.literal(), DataType::kInt32)
                          : batch.output();
  std::vector<Output> state;
  for (const int64_t size : state_sizes()) {
    const Output shape =
        ops::Pack(block, {rows, ops::Const(block, static_cast<int32_t>(size))});
    state.push_back(ops::Fill(block, shape, ops::Const(block, 0.0, dtype)));
  }
  return state;
}

bool RnnCell::CreateVariables(const VariableScope& /*variables*/,
                              int64_t /*inputs*/, DataType /*dtype*/) {
  return true;
}

bool RnnCell::CheckCall(const Scope& scope, const Output& x,
                        const std::vector<Output>& state) const {
  if (!x) return false;
  for (const Output& tensor : state) {
    if (!tensor) return false;
  }
  const PartialShape shape = x.shape();
  if (!shape.known_rank() || shape.rank() != 2 || shape.dim(1) == kUnknownDim) {
    scope.Fail(InvalidArgument("Expected inputs.shape[-1] of a cell to be "
                               "known, saw shape: ",
                               shape.DebugString()),
               "RnnCell");
    return false;
  }
  if (state.size() != state_sizes().size()) {
    scope.Fail(InvalidArgument("the state of a cell has ", state_sizes().size(),
                               " tensors, got ", state.size()),
               "RnnCell");
    return false;
  }
  return true;
}

Output Affine(const Scope& scope, const Output& x, const Output& h,
              const Output& kernel, const Output& bias) {
  const Output both = h ? ops::ConcatV2(scope, {x, h}, 1) : x;
  const Output product = ops::MatMul(scope, both, kernel);
  return bias ? ops::BiasAdd(scope, product, bias) : product;
}

}  // namespace millrace::train
