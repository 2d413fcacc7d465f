#include <re2/re2.h>

#include <memory>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

class StringJoinKernel {
 public:
  static StatusOr<StringJoinKernel> Make(const KernelInit& init) {
    StringJoinKernel k;
    MR_ASSIGN(k.separator_, init.Attr<std::string>("separator"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    TensorShape shape;
    bool found = false;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const TensorShape& s = ctx.input(i).shape();
      if (s.rank() == 0) continue;
      if (found && !(s == shape)) {
        return InvalidArgument("Input shapes do not match: ",
                               shape.DebugString(), " vs. ", s.DebugString());
      }
      shape = s;
      found = true;
    }
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, shape));
    auto joined = out->mutable_flat<StringElement>();
    std::string text;
    for (size_t e = 0; e < joined.size(); ++e) {
      text.clear();
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        if (i > 0) text += separator_;
        const auto part = ctx.input(i).flat<StringElement>();
        absl::StrAppend(&text, part[ctx.input(i).rank() == 0 ? 0 : e].view());
      }
      joined[e].Assign(text);
    }
    return OkStatus();
  }

 private:
  std::string separator_;
};

Status Match(KernelContext& ctx, const RE2& pattern) {
  const Tensor& input = ctx.input(0);
  MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, input.shape()));
  const auto strings = input.flat<StringElement>();
  auto matches = out->mutable_flat<bool>();
  for (size_t i = 0; i < strings.size(); ++i) {
    matches[i] =
        RE2::FullMatch({strings[i].data(), strings[i].size()}, pattern);
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<RE2>> Compile(absl::string_view pattern) {
  auto compiled = std::make_unique<RE2>(
      re2::StringPiece(pattern.data(), pattern.size()), RE2::Quiet);
  if (!compiled->ok()) {
    return InvalidArgument("Invalid pattern: ", pattern,
                           ", error: ", compiled->error());
  }
  return compiled;
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
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("Pattern must be scalar, but received ",
                           ctx.input(1).shape().DebugString());
  }
  MR_ASSIGN(const std::unique_ptr<RE2> pattern,
            Compile(ctx.input(1).scalar<StringElement>().view()));
  return Match(ctx, *pattern);
}

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(StringJoin, Cpu){{.make = MakeKernel<StringJoinKernel>}};
MR_KERNELS(StaticRegexFullMatch,
           Cpu){{.make = MakeKernel<StaticRegexFullMatchKernel>}};
MR_KERNELS(RegexFullMatch,
           Cpu){{.make = MakeFunctionKernel<RunRegexFullMatch>}};
