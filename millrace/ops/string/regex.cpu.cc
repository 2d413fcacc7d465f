#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/byte_pattern.h"
#include "millrace/ops/string/counted_text.h"

namespace millrace::ops {
namespace {

constexpr int kMaxGroup = 9;  // \\9 in a rewrite
// For fewer strings RE2 is faster than asking it about each character.
constexpr int64_t kManyStrings = 32;

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
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, input.shape()));
  const auto strings = input.flat<StringElement>();
  auto matches = out->mutable_flat<bool>();
  for (size_t i = 0; i < strings.size(); ++i) {
    if (i % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    matches[i] =
        RE2::FullMatch({strings[i].data(), strings[i].size()}, pattern);
  }
  return OkStatus();
}

// Returns the number of bytes of the character at the start of `text`, or 1 for
// malformed ones. Reads as RE2 does, which accepts surrogates.
size_t CharacterLength(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const size_t n = byte(0) < 0xC2   ? 1
                   : byte(0) < 0xE0 ? 2
                   : byte(0) < 0xF0 ? 3
                   : byte(0) < 0xF5 ? 4
                                    : 1;
  if (n > text.size()) return 1;
  for (size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 1;
  }
  // The encoding is overlong, or beyond the last character.
  if (byte(0) == 0xE0 && byte(1) < 0xA0) return 1;
  if (byte(0) == 0xF0 && byte(1) < 0x90) return 1;
  if (byte(0) == 0xF4 && byte(1) > 0x8F) return 1;
  return n;
}

// The replacement of a match: pieces of text and of the match.
class Rewrite {
 public:
  explicit Rewrite(const std::string& text)
      : groups_(1 + RE2::MaxSubmatch(text)) {
    std::string literal;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        literal += text[i];
        continue;
      }
      const char c = ++i < text.size() ? text[i] : '\0';
      if (c == '\\') {
        literal += c;
      } else if (c >= '0' && c <= '9') {
        pieces_.push_back({std::move(literal), c - '0'});
        literal.clear();
      } else {
        whole_ = false;
        break;
      }
    }
    pieces_.push_back({std::move(literal), -1});
  }

  // Returns the number of groups that it refers to; the whole match is one.
  int groups() const { return groups_; }
  // Returns whether it is valid to its end. If not, RE2 does not replace a
  // first match, and replaces each of all matches by the part before the
  // mistake.
  bool whole() const { return whole_; }

  Status AppendTo(CountedText* out, const re2::StringPiece* found) const {
    for (const Piece& piece : pieces_) {
      MR_RETURN_IF_ERROR(out->Append(piece.literal));
      if (piece.group < 0) continue;
      const re2::StringPiece& group = found[piece.group];
      MR_RETURN_IF_ERROR(out->Append({group.data(), group.size()}));
    }
    return OkStatus();
  }

 private:
  struct Piece {
    std::string literal;
    int group;  // index of the group that follows; -1: none
  };
  std::vector<Piece> pieces_;
  const int groups_;
  bool whole_ = true;
};

// Writes to `out` the text with its first match or all matches replaced, as
// RE2's Replace and GlobalReplace do, but counted and cancellable: if each
// match reads to the end of the text, the time is quadratic.
Status ReplaceMatches(KernelContext& ctx, const RE2& pattern,
                      const Rewrite& rewrite, bool everywhere,
                      absl::string_view text, CountedText* out) {
  if (rewrite.groups() > 1 + pattern.NumberOfCapturingGroups() ||
      (!everywhere && !rewrite.whole())) {
    return out->Append(text);
  }
  if (text.empty()) text = "";  // an empty view may have a null pointer
  re2::StringPiece found[1 + kMaxGroup];
  const re2::StringPiece whole(text.data(), text.size());
  size_t at = 0, last_end = std::string::npos;
  for (int64_t searches = 0; at <= text.size(); ++searches) {
    if (searches % 64 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    if (!pattern.Match(whole, at, whole.size(), RE2::UNANCHORED, found,
                       rewrite.groups())) {
      break;
    }
    const auto begin = static_cast<size_t>(found[0].data() - whole.data());
    MR_RETURN_IF_ERROR(out->Append(text.substr(at, begin - at)));
    at = begin;
    if (found[0].empty() && begin == last_end) {
      // Nothing matches right behind a match, so this skips one character.
      if (begin == text.size()) break;
      const size_t n = CharacterLength(text.substr(begin));
      MR_RETURN_IF_ERROR(out->Append(text.substr(begin, n)));
      at = begin + n;
      continue;
    }
    MR_RETURN_IF_ERROR(rewrite.AppendTo(out, found));
    at = last_end = begin + found[0].size();
    if (!everywhere) break;
  }
  return out->Append(text.substr(at));
}

// Does the same for a pattern that matches characters. Requires: it serves for
// the text, and the rewrite refers to no group but the whole match.
Status ReplaceCharacters(KernelContext& ctx, const BytePattern& pattern,
                         const Rewrite& rewrite, bool everywhere,
                         absl::string_view text, CountedText* out) {
  size_t at = 0;
  for (int64_t matches = 1;; ++matches) {
    if (matches % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const BytePattern::Match match = pattern.Next(text, at);
    MR_RETURN_IF_ERROR(out->Append(text.substr(at, match.begin - at)));
    at = match.end;
    if (match.begin == text.size()) return OkStatus();
    const re2::StringPiece found(text.data() + match.begin,
                                 match.end - match.begin);
    MR_RETURN_IF_ERROR(rewrite.AppendTo(out, &found));
    if (!everywhere) return out->Append(text.substr(at));
  }
}

Status Replace(KernelContext& ctx, const RE2& pattern, const Rewrite& rewrite,
               bool everywhere, const BytePattern* characters) {
  const Tensor& input = ctx.input(0);
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, input.shape()));
  const auto strings = input.flat<StringElement>();
  auto replaced = out->mutable_flat<StringElement>();
  CountedText text(ctx);
  if (rewrite.groups() > 1 || !rewrite.whole()) characters = nullptr;
  for (size_t i = 0; i < strings.size(); ++i) {
    if (i % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    text.Clear();
    const absl::string_view from = strings[i].view();
    if (characters != nullptr && characters->Serves(from)) {
      MR_RETURN_IF_ERROR(ReplaceCharacters(ctx, *characters, rewrite,
                                           everywhere, from, &text));
    } else {
      MR_RETURN_IF_ERROR(
          ReplaceMatches(ctx, pattern, rewrite, everywhere, from, &text));
    }
    replaced[i].Assign(text.view());
  }
  return OkStatus();
}

class StaticRegexFullMatchKernel {
 public:
  static StatusOr<StaticRegexFullMatchKernel> Make(const KernelInit& init) {
    StaticRegexFullMatchKernel k;
    MR_ASSIGN_OR_RETURN(const std::string pattern,
                        init.Attr<std::string>("pattern"));
    MR_ASSIGN_OR_RETURN(k.pattern_, Compile(pattern));
    return k;
  }
  Status Run(KernelContext& ctx) const { return Match(ctx, *pattern_); }

 private:
  std::unique_ptr<RE2> pattern_;
};

Status RunRegexFullMatch(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<RE2> pattern, CompileInput(ctx));
  return Match(ctx, *pattern);
}

class StaticRegexReplaceKernel {
 public:
  static StatusOr<StaticRegexReplaceKernel> Make(const KernelInit& init) {
    StaticRegexReplaceKernel k;
    MR_ASSIGN_OR_RETURN(const std::string pattern,
                        init.Attr<std::string>("pattern"));
    MR_ASSIGN_OR_RETURN(const std::string rewrite,
                        init.Attr<std::string>("rewrite"));
    k.rewrite_ = std::make_unique<Rewrite>(rewrite);
    MR_ASSIGN_OR_RETURN(k.everywhere_, init.Attr<bool>("replace_global"));
    MR_ASSIGN_OR_RETURN(k.pattern_, Compile(pattern));
    k.characters_ = BytePattern::Make(pattern, *k.pattern_);
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return Replace(ctx, *pattern_, *rewrite_, everywhere_,
                   characters_ ? &*characters_ : nullptr);
  }

 private:
  std::unique_ptr<RE2> pattern_;
  std::optional<BytePattern> characters_;
  std::unique_ptr<Rewrite> rewrite_;
  bool everywhere_ = true;
};

class RegexReplaceKernel {
 public:
  static StatusOr<RegexReplaceKernel> Make(const KernelInit& init) {
    RegexReplaceKernel k;
    MR_ASSIGN_OR_RETURN(k.everywhere_, init.Attr<bool>("replace_global"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const std::unique_ptr<RE2> pattern, CompileInput(ctx));
    if (ctx.input(2).rank() != 0) {
      return InvalidArgument("Rewrite must be scalar, but received ",
                             ctx.input(2).shape().DebugString());
    }
    const Rewrite rewrite(ctx.input(2).scalar<StringElement>().str());
    std::optional<BytePattern> characters;
    if (ctx.input(0).num_elements() >= kManyStrings) {
      characters = BytePattern::Make(
          ctx.input(1).scalar<StringElement>().view(), *pattern);
    }
    return Replace(ctx, *pattern, rewrite, everywhere_,
                   characters ? &*characters : nullptr);
  }

 private:
  bool everywhere_ = true;
};

}  // namespace

MR_KERNELS(StaticRegexFullMatch,
           Cpu){{.make = MakeKernel<StaticRegexFullMatchKernel>}};
MR_KERNELS(RegexFullMatch,
           Cpu){{.make = MakeFunctionKernel<RunRegexFullMatch>}};
MR_KERNELS(StaticRegexReplace,
           Cpu){{.make = MakeKernel<StaticRegexReplaceKernel>}};
MR_KERNELS(RegexReplace, Cpu){{.make = MakeKernel<RegexReplaceKernel>}};

}  // namespace millrace::ops
