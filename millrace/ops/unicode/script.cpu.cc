#include <algorithm>
#include <cstdint>
#include <iterator>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/unicode/script_ranges.h"

namespace millrace::ops {
namespace {

int32_t ScriptOf(int32_t code) {
  if (code < 0 || code > 0x10ffff) return -1;
  // The last range that does not begin behind the code point.
  const uint32_t key = static_cast<uint32_t>(code) << 8 | 0xff;
  const uint32_t* const range = std::prev(std::upper_bound(
      std::begin(kScriptRanges), std::end(kScriptRanges), key));
  return static_cast<int32_t>(*range & 0xff);
}

Status RunScript(KernelContext& ctx) {
  const auto codes = ctx.input(0).flat<int32_t>();
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.ForwardOrAllocateOutput(
                                             {0}, 0, ctx.input(0).shape()));
  int32_t* const scripts = out->mutable_flat<int32_t>().data();
  return ctx.ParallelFor(
      static_cast<int64_t>(codes.size()), 30, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          scripts[i] = ScriptOf(codes[static_cast<size_t>(i)]);
        }
      });
}

}  // namespace

MR_KERNELS(UnicodeScript, Cpu){{.make = MakeFunctionKernel<RunScript>}};

}  // namespace millrace::ops
