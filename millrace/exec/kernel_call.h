// CallKernel: the errors of a step's kernels. Exceptions are errors, and errors
// name their node.
#pragma once

#include <exception>
#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/exec/plan.h"

namespace millrace {

// Returns what `call` returns. Libraries throw exceptions, which become
// RESOURCE_EXHAUSTED or INTERNAL; our kernels do not.
template <class F>
[[gnu::always_inline]] inline Status CallGuarded(const KernelContext& context,
                                                 F call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("OOM in op ", context.node().op->name, " on ",
                             context.device().name());
  } catch (const std::exception& e) {
    return Internal("op ", context.node().op->name, " on ",
                    context.device().name(), " failed: ", e.what());
  }
}

// Runs the kernel within the process's limit of memory. Inlined, since a step
// does this for nearly every node.
[[gnu::always_inline]] inline Status CallKernel(const Kernel& kernel,
                                                KernelContext& context) {
  const ScopedMemoryLimit limit;
  return CallGuarded(context, [&] { return kernel.Run(context); });
}

// Adds the name of the node to an error: that of `n`, or `failed` as in
// KernelContext.
inline Status WithNode(Status status, const PlanNode& n,
                       absl::string_view failed = {}) {
  if (status.ok()) return status;
  if (failed.empty()) failed = n.info->name;
  return Annotate(status, absl::StrCat("\n\t [[{{node ", failed, "}}]]"));
}

}  // namespace millrace
