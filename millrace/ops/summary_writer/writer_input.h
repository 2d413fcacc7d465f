// Reads the inputs of summary writers' ops.
#pragma once

#include <utility>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/ops/summary_writer/writer_resource.h"

namespace millrace::ops {

// Returns the only element of an input. As in stock, it may have any rank.
template <class T>
StatusOr<T> OneValue(const KernelContext& ctx, int input, const char* what) {
  const Tensor& t = ctx.input(input);
  if (t.num_elements() != 1) {
    return InvalidArgument(what, " must be a scalar, got shape ",
                           t.shape().DebugString());
  }
  return t.flat<T>()[0];
}

inline StatusOr<std::string> OneText(const KernelContext& ctx, int input,
                                     const char* what) {
  MR_ASSIGN_OR_RETURN(const StringElement text,
                      OneValue<StringElement>(ctx, input, what));
  return text.str();
}

// Calls `f` with the writer of input 0, on the blocking pool, and then `done`.
template <class F>
void UseWriter(KernelContext& ctx, Done done, F f) {
  RunBlocking(ctx, std::move(done), [&ctx, f = std::move(f)]() -> Status {
    MR_ASSIGN_OR_RETURN(const Ref<SummaryWriterResource> writer,
                        LookupInput<SummaryWriterResource>(ctx, 0));
    return f(*writer);
  });
}

}  // namespace millrace::ops
