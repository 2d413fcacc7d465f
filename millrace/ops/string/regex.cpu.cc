#include <re2/re2.h>

#include <memory>
#include <string>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

constexpr int kMaxGroup = 9;  // \\9 in what is put in

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

// The bytes of the character at the start of `text`, 1 if it is none.
size_t CharacterLength(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t n = first < 0xC2   ? 1
                   : first < 0xE0 ? 2
                   : first < 0xF0 ? 3
                   : first < 0xF5 ? 4
                                  : 1;
  if (n > text.size()) return 1;
  for (size_t i = 1; i < n; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 1;
  }
  return n;
}

// RE2::GlobalReplace, but cancellable: where each match reads to the end of the
// text, the time is quadratic.
Status ReplaceAll(KernelContext& ctx, const RE2& pattern,
                  const std::string& rewrite, std::string* text) {
  const int groups = 1 + RE2::MaxSubmatch(rewrite);
  if (groups > 1 + pattern.NumberOfCapturingGroups()) return OkStatus();
  re2::StringPiece found[1 + kMaxGroup];
  const re2::StringPiece whole(*text);
  std::string out;
  size_t at = 0, last_end = std::string::npos;
  for (int64_t searches = 0; at <= whole.size(); ++searches) {
    if (searches % 64 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    if (!pattern.Match(whole, at, whole.size(), RE2::UNANCHORED, found,
                       groups)) {
      break;
    }
    const auto begin = static_cast<size_t>(found[0].data() - whole.data());
    out.append(*text, at, begin - at);
    if (found[0].empty() && begin == last_end) {
      // Nothing matches right behind a match: on by a character.
      if (begin == text->size()) {
        at = begin;
        break;
      }
      const size_t n = CharacterLength(absl::string_view(*text).substr(begin));
      out.append(*text, begin, n);
      at = begin + n;
      continue;
    }
    pattern.Rewrite(&out, rewrite, found, groups);
    at = last_end = begin + found[0].size();
  }
  if (at < text->size()) out.append(*text, at, std::string::npos);
  *text = std::move(out);
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
      MR_RETURN_IF_ERROR(ReplaceAll(ctx, pattern, rewrite, &text));
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
