// Prints tensors as TensorFlow's Tensor::SummarizeValue does.
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
    case DataType::kString:
      return absl::Utf8SafeCEscape(t.flat<StringElement>()[i].view());
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

// Appends nested brackets, row by row, up to `limit` elements in all.
void AppendNested(const Tensor& t, int d, int64_t& index, int64_t limit,
                  std::string* out) {
  if (index >= limit) return;
  const int64_t n = t.dim(d);
  if (d == t.rank() - 1) {
    for (int64_t i = 0; i < n; ++i) {
      if (index >= limit) {
        absl::StrAppend(out, "...");
        return;
      }
      absl::StrAppend(out, i > 0 ? " " : "", ElementAt(t, index++));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const bool more = index < limit;
    if (more) absl::StrAppend(out, "[");
    AppendNested(t, d + 1, index, limit, out);
    if (more) absl::StrAppend(out, "]");
  }
}

// Appends "[1 2 3 ... 8 9]": `edge` elements at either end of each dimension
// (-1: all).
void AppendEdges(const Tensor& t, int d, int64_t base, int64_t edge,
                 std::string* out) {
  if (d == t.rank()) {
    const bool quote = t.dtype() == DataType::kString;
    absl::StrAppend(out, quote ? "\"" : "", ElementAt(t, base),
                    quote ? "\"" : "");
    return;
  }
  const int64_t n = t.dim(d);
  const int64_t stride = t.shape().NumElements(d + 1, t.rank());
  absl::StrAppend(out, "[");
  for (int64_t i = 0; i < n; ++i) {
    const std::string gap =
        d == t.rank() - 1
            ? " "
            : std::string(static_cast<size_t>(t.rank() - d - 1), '\n') +
                  std::string(static_cast<size_t>(d) + 1, ' ');
    if (i > 0) absl::StrAppend(out, gap);
    if (edge >= 0 && i == edge && n > 2 * edge) {
      absl::StrAppend(out, "...", edge > 0 ? gap : "");
      i = n - edge;
      if (i >= n) break;
    }
    AppendEdges(t, d + 1, base + i * stride, edge, out);
  }
  absl::StrAppend(out, "]");
}

}  // namespace

std::string Tensor::SummarizeValue(int64_t max_entries, bool print_v2) const {
  if (on_device()) return "<on a device>";
  if (is_view()) return "<of a variable>";
  const int64_t n = num_elements();
  std::string out;
  if (print_v2) {
    AppendEdges(*this, 0, 0, max_entries, &out);
    return out;
  }
  const int64_t limit = max_entries < 0 ? n : std::min(max_entries, n);
  if (rank() == 0) return n > 0 && limit > 0 ? ElementAt(*this, 0) : "";
  int64_t index = 0;
  AppendNested(*this, 0, index, limit, &out);
  if (limit < n && !out.ends_with("...")) absl::StrAppend(&out, "...");
  return out;
}

std::string Tensor::DebugString() const {
  return absl::StrCat("Tensor<type: ", DataTypeName(dtype()),
                      " shape: ", shape_.DebugString(),
                      " values: ", SummarizeValue(3), ">");
}

}  // namespace millrace
