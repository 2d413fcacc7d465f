// Prints tensors as TensorFlow's Tensor::SummarizeValue does.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>

#include "absl/strings/escaping.h"
#include "millrace/tensor/dispatch.h"
#include "millrace/tensor/tensor.h"

namespace millrace {
namespace {

// Returns `v` with so many digits as %g of printf writes it, or with `more`
// digits if the first text is that of another number.
template <class T>
std::string RealText(T v, int digits, int more) {
  if (std::isnan(v)) return std::signbit(v) ? "-nan" : "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char text[64];
  const auto write = [&](int n) {
    return std::to_chars(text, std::end(text), static_cast<double>(v),
                         std::chars_format::general, n)
        .ptr;
  };
  const char* end = write(digits);
  T parsed = 0;
  if (std::from_chars(text, end, parsed).ec != std::errc() || parsed != v) {
    end = write(more);
  }
  return std::string(text, static_cast<size_t>(end - text));
}

// Returns the digits that every decimal number of so many keeps in the type,
// if they parse to `v`, else as many as tell all numbers of the type apart.
std::string FloatText(float v) { return RealText(v, 6, 9); }
std::string DoubleText(double v) { return RealText(v, 15, 17); }

template <class T>
std::string ElementText(const T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "1" : "0";
  } else if constexpr (std::is_same_v<T, float>) {
    return FloatText(v);
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return FloatText(static_cast<float>(v));
  } else if constexpr (std::is_same_v<T, double>) {
    return DoubleText(v);
  } else if constexpr (std::is_same_v<T, Complex64>) {
    return absl::StrCat("(", FloatText(v.real()), ",", FloatText(v.imag()),
                        ")");
  } else if constexpr (std::is_same_v<T, Complex128>) {
    return absl::StrCat("(", DoubleText(v.real()), ",", DoubleText(v.imag()),
                        ")");
  } else if constexpr (std::is_integral_v<T>) {
    return absl::StrCat(
        static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(
            v));
  } else {
    return absl::StrCat(static_cast<int64_t>(v.value));
  }
}

std::string ElementAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kResource: {
      const auto& h = t.flat<ResourceElement>()[i];
      return h ? absl::StrCat("<Resource ", h->container, "/", h->name, ">")
               : "<Resource>";
    }
    case DataType::kVariant: {
      const auto& v = t.flat<VariantElement>()[i];
      return v ? absl::StrCat("<Variant ", v->type_name(), ">") : "<Variant>";
    }
    default: {
      std::string text;
      Status s = Dispatch(PlainTypes{}, t.dtype(), [&]<class T>() -> Status {
        text = ElementText(t.flat<T>()[i]);
        return OkStatus();
      });
      return s.ok() ? text : "?";
    }
  }
}

// A text that is handed on piece by piece.
class Pieces {
 public:
  explicit Pieces(Tensor::TextSink append) : append_(append) {}

  Status Add(absl::string_view piece) {
    constexpr size_t kKept = 3;
    const size_t n = std::min(piece.size(), kKept);
    end_.append(piece.data() + piece.size() - n, n);
    if (end_.size() > kKept) end_.erase(0, end_.size() - kKept);
    return append_(piece);
  }
  Status AddElement(const Tensor& t, int64_t i) {
    if (t.dtype() != DataType::kString) return Add(ElementAt(t, i));
    // Escapes make a text four times as long.
    constexpr size_t kAtOnce = 64 << 10;
    const absl::string_view text = t.flat<StringElement>()[i].view();
    for (size_t at = 0; at < text.size(); at += kAtOnce) {
      MR_RETURN_IF_ERROR(Add(absl::Utf8SafeCEscape(text.substr(at, kAtOnce))));
    }
    return OkStatus();
  }
  bool EndsWithDots() const { return end_ == "..."; }

 private:
  Tensor::TextSink append_;
  std::string end_;
};

// Adds nested brackets, row by row, up to `limit` elements in all.
Status AddNested(const Tensor& t, int d, int64_t& index, int64_t limit,
                 Pieces& out) {
  const int64_t n = t.dim(d);
  if (d == t.rank() - 1) {
    for (int64_t i = 0; i < n; ++i) {
      if (index >= limit) return out.Add("...");
      if (i > 0) MR_RETURN_IF_ERROR(out.Add(" "));
      MR_RETURN_IF_ERROR(out.AddElement(t, index++));
    }
    return OkStatus();
  }
  for (int64_t i = 0; i < n && index < limit; ++i) {
    MR_RETURN_IF_ERROR(out.Add("["));
    MR_RETURN_IF_ERROR(AddNested(t, d + 1, index, limit, out));
    MR_RETURN_IF_ERROR(out.Add("]"));
  }
  return OkStatus();
}

// Adds "[1 2 3 ... 8 9]": `edge` elements at either end of each dimension (-1:
// all).
Status AddEdges(const Tensor& t, int d, int64_t base, int64_t edge,
                Pieces& out) {
  if (d == t.rank()) {
    const bool quote = t.dtype() == DataType::kString;
    if (quote) MR_RETURN_IF_ERROR(out.Add("\""));
    MR_RETURN_IF_ERROR(out.AddElement(t, base));
    return quote ? out.Add("\"") : OkStatus();
  }
  const int64_t n = t.dim(d);
  const int64_t stride = t.shape().NumElements(d + 1, t.rank());
  MR_RETURN_IF_ERROR(out.Add("["));
  const std::string gap =
      d == t.rank() - 1
          ? " "
          : std::string(static_cast<size_t>(t.rank() - d - 1), '\n') +
                std::string(static_cast<size_t>(d) + 1, ' ');
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) MR_RETURN_IF_ERROR(out.Add(gap));
    if (edge >= 0 && i == edge && n - edge > edge) {
      MR_RETURN_IF_ERROR(out.Add("..."));
      if (edge == 0) break;
      MR_RETURN_IF_ERROR(out.Add(gap));
      i = n - edge;
    }
    MR_RETURN_IF_ERROR(AddEdges(t, d + 1, base + i * stride, edge, out));
  }
  return out.Add("]");
}

}  // namespace

Status Tensor::Summarize(int64_t max_entries, bool print_v2,
                         TextSink append) const {
  if (on_device()) return append("<on a device>");
  if (is_view()) return append("<of a variable>");
  const int64_t n = num_elements();
  Pieces out(append);
  if (print_v2) return AddEdges(*this, 0, 0, max_entries, out);
  const int64_t limit = max_entries < 0 ? n : std::min(max_entries, n);
  if (rank() == 0) return limit > 0 ? out.AddElement(*this, 0) : OkStatus();
  int64_t index = 0;
  if (limit > 0) MR_RETURN_IF_ERROR(AddNested(*this, 0, index, limit, out));
  return limit < n && !out.EndsWithDots() ? out.Add("...") : OkStatus();
}

std::string Tensor::SummarizeValue(int64_t max_entries, bool print_v2) const {
  std::string text;
  const auto append = [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return OkStatus();
  };
  Summarize(max_entries, print_v2, append).IgnoreError();
  return text;
}

std::string Tensor::DebugString() const {
  return absl::StrCat("Tensor<type: ", DataTypeName(dtype()),
                      " shape: ", shape_.DebugString(),
                      " values: ", SummarizeValue(3), ">");
}

}  // namespace millrace
