// The inputs of kernels of LSTM layers over all time steps.
#pragma once

#include <cstdint>
#include <utility>

#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/recurrent/lstm_step.h"

namespace millrace::ops {

// The inputs that all these ops share, in their order.
enum BlockLstmInput {
  kSequence,
  kSteps,
  kFirstCells,
  kFirstOutputs,
  kWeights,
  kCellToInput,
  kCellToForget,
  kCellToOutput,
  kBias
};

// Returns the number of steps, or INVALID_ARGUMENT if there are not so many.
inline StatusOr<int64_t> SequenceLength(const KernelContext& ctx,
                                        int64_t time) {
  const int64_t length = ctx.input(kSequence).scalar<int64_t>();
  if (length >= 0 && length <= time) return length;
  return InvalidArgument("seq_len_max must be between 0 and ", time, " but is ",
                         length);
}

inline Status ExpectSequenceScalar(const KernelContext& ctx) {
  const int rank = ctx.input(kSequence).rank();
  if (rank == 0) return OkStatus();
  return InvalidArgument("`seq_len_max_tensor` must be rank 0 but is rank ",
                         rank);
}

// Returns INVALID_ARGUMENT "WHAT: 4 vs. 2" unless both sizes are equal.
inline Status ExpectSize(int64_t found, int64_t size, const char* what) {
  if (found == size) return OkStatus();
  return InvalidArgument(what, ": ", found, " vs. ", size);
}

// Return the elements of inputs, for a recurrence R (recurrence.h).
template <class R, class T>
const T* ElementsOf(const KernelContext& ctx, int i) {
  return R::template Read<T>(ctx.input(i));
}
template <class R, class T>
Peepholes<T> LayerPeepholes(const KernelContext& ctx) {
  return {ElementsOf<R, T>(ctx, kCellToInput),
          ElementsOf<R, T>(ctx, kCellToForget),
          ElementsOf<R, T>(ctx, kCellToOutput)};
}

// Allocates [time, batch, columns] for some steps.
inline StatusOr<Tensor> TempOfSteps(KernelContext& ctx, DataType type,
                                    int64_t time, int64_t batch,
                                    int64_t columns) {
  MR_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make({time, batch, columns}));
  return ctx.AllocateTemp(type, std::move(shape));
}

}  // namespace millrace::ops
