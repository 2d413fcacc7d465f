#include "tests/cases/compare.h"

#include <bit>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::cases {
namespace {

// Floating numbers as integers in the same order, so that neighbours differ by
// one; -0 and 0 are one apart.
template <class T>
int64_t Ordered(T v) {
  using Bits =
      std::conditional_t<sizeof(T) == 2, int16_t,
                         std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  const Bits bits = std::bit_cast<Bits>(v);
  return bits >= 0 ? bits : std::numeric_limits<Bits>::min() - bits - 1;
}

template <class T>
bool SameFloat(const Case::Options& o, T got, T want, double relative,
               double absolute) {
  const double g = static_cast<double>(got), w = static_cast<double>(want);
  if (std::isnan(g) || std::isnan(w)) return std::isnan(g) && std::isnan(w);
  if (o.ulp >= 0) {
    if (o.ulp > 0 && g == w) return true;
    const double distance = std::abs(static_cast<double>(Ordered(got)) -
                                     static_cast<double>(Ordered(want)));
    return distance <= o.ulp;
  }
  if (g == w) return true;
  if (std::isinf(g) || std::isinf(w)) return false;
  return std::abs(g - w) <= absolute + relative * std::abs(w);
}

template <class T>
bool Same(const Case::Options& o, const T& got, const T& want, double relative,
          double absolute) {
  if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>) {
    // The absolute part follows the larger component.
    const double size = std::max(std::abs(static_cast<double>(want.real())),
                                 std::abs(static_cast<double>(want.imag())));
    const double slack = absolute + (std::isfinite(size) ? relative * size : 0);
    return SameFloat(o, got.real(), want.real(), relative, slack) &&
           SameFloat(o, got.imag(), want.imag(), relative, slack);
  } else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Half> ||
                       std::is_same_v<T, Bfloat16>) {
    return SameFloat(o, got, want, relative, absolute);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (!o.has_tolerance || got == want) return got == want;
    return std::abs(static_cast<double>(got) - static_cast<double>(want)) <=
           absolute + relative * std::abs(static_cast<double>(want));
  } else if constexpr (requires { typename T::Integer; }) {
    return Same(o, got.value, want.value, relative, absolute);
  } else {
    return got == want;
  }
}

template <class T>
std::string Text(const T& v) {
  if constexpr (std::is_same_v<T, StringElement>) {
    return absl::StrCat("\"", absl::CHexEscape(v.view().substr(0, 80)), "\"");
  } else if constexpr (std::is_same_v<T, Complex64> ||
                       std::is_same_v<T, Complex128>) {
    return absl::StrCat("(", v.real(), ",", v.imag(), ")");
  } else if constexpr (requires { typename T::Integer; }) {
    return absl::StrCat(v.value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return v ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return absl::StrCat(v);
  } else {
    return absl::StrFormat("%.9g", static_cast<double>(v));
  }
}

}  // namespace

std::pair<double, double> ToleranceFor(const Case::Options& options,
                                       DataType type) {
  if (options.has_tolerance) return {options.relative, options.absolute};
  switch (type) {
    case DataType::kDouble:
    case DataType::kComplex128:
      return {1e-12, 1e-12};
    case DataType::kFloat:
    case DataType::kComplex64:
      return {1e-5, 1e-5};
    case DataType::kHalf:
      return {2e-3, 2e-3};
    case DataType::kBfloat16:
      return {2e-2, 2e-2};
    default:
      return {0, 0};
  }
}

std::string Difference(const Case::Options& options, const Tensor& got,
                       const Tensor& want) {
  if (!got.valid() || !want.valid()) {
    return got.valid() == want.valid() ? ""
           : got.valid() ? "there is a value where none is expected"
                         : "there is no value";
  }
  if (got.dtype() != want.dtype()) {
    return absl::StrCat("dtype is ", DataTypeName(got.dtype()), ", expected ",
                        DataTypeName(want.dtype()));
  }
  if (!(got.shape() == want.shape())) {
    return absl::StrCat("shape is ", got.shape().DebugString(), ", expected ",
                        want.shape().DebugString());
  }
  const DataType type = got.dtype();
  if (options.random || type == DataType::kResource ||
      type == DataType::kVariant)
    return "";
  const auto [relative, absolute] = ToleranceFor(options, type);
  std::string text;
  const double rel = relative, abs_tolerance = absolute;
  const auto compare = [&]<class T>() {
    const auto g = got.flat<T>(), w = want.flat<T>();
    size_t bad = 0;
    for (size_t i = 0; i < g.size(); ++i) {
      if (Same(options, g[i], w[i], rel, abs_tolerance)) continue;
      if (bad++ == 0) {
        text = absl::StrCat("element ", i, " is ", Text(g[i]), ", expected ",
                            Text(w[i]));
      }
    }
    if (bad > 0)
      absl::StrAppend(&text, " (", bad, " of ", g.size(), " differ)");
    return OkStatus();
  };
  const Status s =
      Dispatch(Join<PlainTypes, Types<StringElement>>{}, type, compare);
  return s.ok() ? text : std::string(s.message());
}

}  // namespace millrace::cases
