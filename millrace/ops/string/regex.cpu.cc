#include <re2/re2.h>

#include <memory>
#include <string>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

StatusOr<std::unique_ptr<RE2>> Compile(absl::string_view pattern) {
  auto compiled = std::make_unique<RE2>(
      re2::StringPiece(pattern.data(), pattern.size()), RE2::Quiet);
  if (!compiled->ok()) {
    return InvalidArgument("Invalid pattern: ", pattern,
                           ", error: ", compiled->error());
  }
  return compiled;
}

StatusOr<std::unique_ptr<RE2>> CompileInput(KernelContext& ctx) {
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("Pattern must be scalar, but received ",
                           ctx.input(1).shape().DebugString());
  }
  return Compile(ctx.input(1).scalar<StringElement>().view());
}

Status Match(KernelContext& ctx, const RE2& pattern) {
  const Tensor& input = ctx.input(0);
  MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, input.shape()));
  const auto strings = input.flat<StringElement>();
  auto matches = out->mutable_flat<bool>();
  for (size_t i = 0; i < strings.size(); ++i) {
    if (i % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    matches[i] =
        RE2::FullMatch({strings[i].data(), strings[i].size()}, pattern);
  }
  return OkStatus();
}

Status Replace(KernelContext& ctx, const RE2& pattern,
               const std::string& rewrite, bool everywhere) {
  const Tensor& input = ctx.input(0);
  MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, input.shape()));
  const auto strings = input.flat<StringElement>();
  auto replaced = out->mutable_flat<StringElement>();
  for (size_t i = 0; i < strings.size(); ++i) {
    if (i % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    std::string text = strings[i].str();
    if (everywhere) {
      RE2::GlobalReplace(&text, pattern, rewrite);
    } else {
      RE2::Replace(&text, pattern, rewrite);
    }
    replaced[i].Assign(text);
  }
  return OkStatus();
}

class StaticRegexFullMatchKernel {
 public:
  static StatusOr<StaticRegexFullMatchKernel> Make(const KernelInit& init) {
    StaticRegexFullMatchKernel k;
    MR_ASSIGN(const std::string pattern, init.Attr<std::string>("pattern"));
    MR_ASSIGN(k.pattern_, Compile(pattern));
    return k;
  }
  Status Run(KernelContext& ctx) const { return Match(ctx, *pattern_); }

 private:
  std::unique_ptr<RE2> pattern_;
};

Status RunRegexFullMatch(KernelContext& ctx) {
  MR_ASSIGN(const std::unique_ptr<RE2> pattern, CompileInput(ctx));
  return Match(ctx, *pattern);
}

class StaticRegexReplaceKernel {
 public:
  static StatusOr<StaticRegexReplaceKernel> Make(const KernelInit& init) {
    StaticRegexReplaceKernel k;
    MR_ASSIGN(const std::string pattern, init.Attr<std::string>("pattern"));
    MR_ASSIGN(k.rewrite_, init.Attr<std::string>("rewrite"));
    MR_ASSIGN(k.everywhere_, init.Attr<bool>("replace_global"));
    MR_ASSIGN(k.pattern_, Compile(pattern));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return Replace(ctx, *pattern_, rewrite_, everywhere_);
  }

 private:
  std::unique_ptr<RE2> pattern_;
  std::string rewrite_;
  bool everywhere_ = true;
};

class RegexReplaceKernel {
 public:
  static StatusOr<RegexReplaceKernel> Make(const KernelInit& init) {
    RegexReplaceKernel k;
    MR_ASSIGN(k.everywhere_, init.Attr<bool>("replace_global"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(const std::unique_ptr<RE2> pattern, CompileInput(ctx));
    if (ctx.input(2).rank() != 0) {
      return InvalidArgument("Rewrite must be scalar, but received ",
                             ctx.input(2).shape().DebugString());
    }
    return Replace(ctx, *pattern, ctx.input(2).scalar<StringElement>().str(),
                   everywhere_);
  }

 private:
  bool everywhere_ = true;
};

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(StaticRegexFullMatch,
           Cpu){{.make = MakeKernel<StaticRegexFullMatchKernel>}};
MR_KERNELS(RegexFullMatch,
           Cpu){{.make = MakeFunctionKernel<RunRegexFullMatch>}};
MR_KERNELS(StaticRegexReplace,
           Cpu){{.make = MakeKernel<StaticRegexReplaceKernel>}};
MR_KERNELS(RegexReplace, Cpu){{.make = MakeKernel<RegexReplaceKernel>}};
