#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "millrace/base/utf8.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/case_mapping.h"

namespace millrace::ops {
namespace {

StatusOr<bool> CountsCharacters(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const std::string unit, init.Attr<std::string>("unit"));
  return unit == "UTF8_CHAR";
}

// Sets the output to `f` of each string.
template <class F>
Status MapStrings(KernelContext& ctx, F f) {
  const Tensor& input = ctx.input(0);
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, input.shape()));
  const auto from = input.flat<StringElement>();
  auto to = out->mutable_flat<StringElement>();
  for (size_t i = 0; i < from.size(); ++i) {
    if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    to[i].Assign(f(from[i].view()));
  }
  return OkStatus();
}

// ---- Substr ----

// Moves `*at` by `n` characters towards the end. Returns false if there are
// fewer.
bool StepForward(absl::string_view text, int64_t n, size_t* at) {
  int64_t passed = 0;
  for (; passed < n && *at < text.size(); ++passed) {
    do {
      ++*at;
    } while (*at < text.size() && IsTrailByte(text[*at]));
  }
  return passed == n;
}

// Moves `*at` by `n` characters towards the beginning. Returns false if there
// are fewer.
bool StepBack(absl::string_view text, int64_t n, size_t* at) {
  int64_t passed = 0;
  for (; passed<n&& * at> 0; ++passed) {
    do {
      --*at;
    } while (*at > 0 && IsTrailByte(text[*at]));
  }
  return passed == n;
}

std::optional<absl::string_view> BytesOf(absl::string_view text, int64_t pos,
                                         int64_t len) {
  const auto size = static_cast<int64_t>(text.size());
  if (pos < -size || pos > size) return std::nullopt;
  // A negative length means to the end, as in stock.
  return text.substr(
      static_cast<size_t>(pos < 0 ? pos + size : pos),
      len < 0 ? absl::string_view::npos : static_cast<size_t>(len));
}

std::optional<absl::string_view> CharactersOf(absl::string_view text,
                                              int64_t pos, int64_t len) {
  size_t begin = 0, end = 0;
  if (pos >= 0) {
    if (!StepForward(text, pos, &begin)) return std::nullopt;
    end = begin;
    StepForward(text, len, &end);
    return text.substr(begin, end - begin);
  }
  // There cannot be that many characters, and the code below would overflow.
  if (len < 0 || pos < -static_cast<int64_t>(text.size())) return std::nullopt;
  const int64_t behind = std::max<int64_t>(-pos - len, 0);
  end = text.size();
  if (!StepBack(text, behind, &end)) return std::nullopt;
  begin = end;
  if (!StepBack(text, -pos - behind, &begin)) return std::nullopt;
  return text.substr(begin, end - begin);
}

class SubstrKernel {
 public:
  static StatusOr<SubstrKernel> Make(const KernelInit& init) {
    SubstrKernel k;
    MR_ASSIGN_OR_RETURN(k.characters_, CountsCharacters(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& pos = ctx.input(1);
    const Tensor& len = ctx.input(2);
    if (!(pos.shape() == len.shape())) {
      return InvalidArgument("pos and len should have the same shape, got: ",
                             pos.shape().DebugString(), " vs. ",
                             len.shape().DebugString());
    }
    return pos.dtype() == DataType::kInt32 ? RunFor<int32_t>(ctx)
                                           : RunFor<int64_t>(ctx);
  }

 private:
  template <class T>
  Status RunFor(KernelContext& ctx) const {
    const TensorShape& a = ctx.input(0).shape();
    const TensorShape& b = ctx.input(1).shape();
    if (b.rank() == 0 || a == b) {
      MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, a));
      const size_t step = b.rank() == 0 ? 0 : 1;
      for (size_t i = 0; i < static_cast<size_t>(a.num_elements()); ++i) {
        MR_RETURN_IF_ERROR(Take<T>(
            ctx, i, i * step, i, [&] { return absl::StrCat(i); }, out));
      }
      return OkStatus();
    }
    return RunBroadcast<T>(ctx);
  }

  // Supports up to two dimensions, as stock does.
  template <class T>
  Status RunBroadcast(KernelContext& ctx) const {
    const TensorShape& a = ctx.input(0).shape();
    const TensorShape& b = ctx.input(1).shape();
    const int rank = std::max(a.rank(), b.rank());
    const auto dim = [rank](const TensorShape& s, int d) {
      const int own = d - (rank - s.rank());
      return own < 0 ? int64_t{1} : s.dim(own);
    };
    DimVector dims;
    for (int d = 0; d < rank; ++d) {
      const int64_t x = dim(a, d), y = dim(b, d);
      if (x != y && x != 1 && y != 1) {
        return InvalidArgument("Incompatible shapes: ", a.DebugString(),
                               " vs. ", b.DebugString());
      }
      dims.push_back(x == 1 ? y : x);
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (rank > 2) {
      return Unimplemented("Substr broadcast not implemented for ", rank,
                           " dimensions");
    }
    if (out->num_elements() == 0) return OkStatus();
    const int64_t rows = rank == 2 ? dims[0] : 1;
    const int64_t columns = dims[static_cast<size_t>(rank - 1)];
    const auto at = [&](const TensorShape& s, int64_t r, int64_t q) {
      const int64_t width = dim(s, rank - 1);
      const int64_t row = rank == 2 && dim(s, 0) > 1 ? r : 0;
      return static_cast<size_t>(row * width + (width > 1 ? q : 0));
    };
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t q = 0; q < columns; ++q) {
        const auto where = [&] {
          return rank == 2 ? absl::StrCat("(", r, ", ", q, ")")
                           : absl::StrCat(q);
        };
        MR_RETURN_IF_ERROR(Take<T>(ctx, at(a, r, q), at(b, r, q),
                                   static_cast<size_t>(r * columns + q), where,
                                   out));
      }
    }
    return OkStatus();
  }

  // Sets element `to` to a part of string `from`, by position and length number
  // `by`.
  template <class T, class Where>
  Status Take(KernelContext& ctx, size_t from, size_t by, size_t to,
              Where where, Tensor* out) const {
    if (to % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const absl::string_view text =
        ctx.input(0).flat<StringElement>()[from].view();
    const T pos = ctx.input(1).flat<T>()[by];
    const T len = ctx.input(2).flat<T>()[by];
    const std::optional<absl::string_view> part =
        characters_ ? CharactersOf(text, pos, len) : BytesOf(text, pos, len);
    if (!part) {
      if (characters_) {
        return InvalidArgument("pos ", pos,
                               " out of range for string at index ", from);
      }
      return InvalidArgument("pos ", pos, " out of range for string b'", text,
                             "' at index ", where());
    }
    out->mutable_flat<StringElement>()[to].Assign(*part);
    return OkStatus();
  }

  bool characters_ = false;
};

// ---- The others ----

class StringLengthKernel {
 public:
  static StatusOr<StringLengthKernel> Make(const KernelInit& init) {
    StringLengthKernel k;
    MR_ASSIGN_OR_RETURN(k.characters_, CountsCharacters(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const auto strings = ctx.input(0).flat<StringElement>();
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, ctx.input(0).shape()));
    auto lengths = out->mutable_flat<int32_t>();
    for (size_t i = 0; i < strings.size(); ++i) {
      lengths[i] = static_cast<int32_t>(
          characters_ ? CountCharacters(strings[i].view())
                      : static_cast<int64_t>(strings[i].size()));
    }
    return OkStatus();
  }

 private:
  bool characters_ = false;
};

enum class Direction { kLower, kUpper };

template <Direction kTo>
class CaseKernel {
 public:
  static StatusOr<CaseKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const std::string encoding,
                        init.Attr<std::string>("encoding"));
    CaseKernel k;
    if (encoding.empty()) return k;
    if (encoding != "utf-8") {
      return InvalidArgument(
          "only utf-8 or '' (no encoding) is supported, received ", encoding);
    }
    MR_ASSIGN_OR_RETURN(CaseMapping mapping, CaseMapping::Make());
    k.mapping_.emplace(std::move(mapping));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    std::string mapped;
    return MapStrings(ctx, [&](absl::string_view text) -> absl::string_view {
      if (!mapping_) {
        mapped.assign(text.data(), text.size());
        MapAscii(mapped);
        return mapped;
      }
      // As in stock, a zero byte ends the text.
      text = text.substr(0, text.find('\0'));
      mapped = kTo == Direction::kLower ? mapping_->Lower(text)
                                        : mapping_->Upper(text);
      return mapped;
    });
  }

 private:
  static void MapAscii(std::string& text) {
    constexpr char kFirst = kTo == Direction::kLower ? 'A' : 'a';
    for (char& c : text) {
      const bool changes = static_cast<unsigned char>(c - kFirst) < 26;
      c = static_cast<char>(c ^ (changes ? 'a' ^ 'A' : 0));
    }
  }

  std::optional<CaseMapping> mapping_;
};

Status RunStrip(KernelContext& ctx) {
  return MapStrings(ctx, [](absl::string_view text) {
    return absl::StripAsciiWhitespace(text);
  });
}

}  // namespace

MR_KERNELS(Substr,
           Cpu){{.types = "T: int32, int64", .make = MakeKernel<SubstrKernel>}};
MR_KERNELS(StringLength, Cpu){{.make = MakeKernel<StringLengthKernel>}};
MR_KERNELS(StringLower,
           Cpu){{.make = MakeKernel<CaseKernel<Direction::kLower>>}};
MR_KERNELS(StringUpper,
           Cpu){{.make = MakeKernel<CaseKernel<Direction::kUpper>>}};
MR_KERNELS(StringStrip, Cpu){{.make = MakeFunctionKernel<RunStrip>}};

}  // namespace millrace::ops
