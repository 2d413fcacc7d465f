// Values of cases.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/base/random.h"
#include "millrace/tensor/dispatch.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Cases are made by one thread.
Rng fill_rng(1);

template <class T>
T FromDouble(double d) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return T(d);
  } else if constexpr (requires { typename T::Integer; }) {
    return T{static_cast<typename T::Integer>(static_cast<int64_t>(d))};
  } else if constexpr (std::is_same_v<T, StringElement>) {
    return StringElement(absl::StrCat(d));
  } else if constexpr (std::is_same_v<T, bool>) {
    return d != 0;
  } else if constexpr (std::is_same_v<T, Complex64> ||
                       std::is_same_v<T, Complex128>) {
    return T(static_cast<typename T::value_type>(d));
  } else if constexpr (std::is_integral_v<T>) {
    // By way of int64, so that negative numbers wrap as in C.
    if (d >= 9.3e18) return static_cast<T>(static_cast<uint64_t>(d));
    return static_cast<T>(static_cast<int64_t>(d));
  } else {
    return static_cast<T>(d);
  }
}

// A tensor whose element i is f.template operator()<T>(i).
template <class F>
Tensor Generate(DataType type, TensorShape shape, F&& f) {
  Tensor t = Tensor::New(type, std::move(shape));
  const auto fill = [&]<class T>() {
    int64_t i = 0;
    for (T& element : t.mutable_flat<T>())
      element = f.template operator()<T>(i++);
    return OkStatus();
  };
  const Status s =
      Dispatch(Join<PlainTypes, Types<StringElement>>{}, type, fill);
  MR_CHECK(s.ok(), s.message());
  return t;
}

template <class T>
constexpr bool kIsUnsigned =
    std::is_unsigned_v<T> || std::is_same_v<T, Quint8> ||
    std::is_same_v<T, Quint16>;

template <class T>
T RandomElement(double lo, double hi) {
  if constexpr (std::is_same_v<T, bool>) {
    return (fill_rng() >> 40) % 2 != 0;
  } else if constexpr (std::is_same_v<T, StringElement>) {
    // Short and long ones, also the empty one.
    std::string word(fill_rng.Uniform(fill_rng.Uniform(4) == 0 ? 40 : 6), ' ');
    for (char& c : word) c = static_cast<char>('a' + fill_rng.Uniform(26));
    return StringElement(word);
  } else if constexpr (std::is_same_v<T, Complex64> ||
                       std::is_same_v<T, Complex128>) {
    using Part = typename T::value_type;
    const double re = lo + (hi - lo) * fill_rng.Double();
    const double im = lo + (hi - lo) * fill_rng.Double();
    return T(static_cast<Part>(re), static_cast<Part>(im));
  } else {
    if (kIsUnsigned<T> && lo < 0) lo = 0;
    const double d = lo + (std::max(hi, lo) - lo) * fill_rng.Double();
    constexpr bool kFloating = std::is_floating_point_v<T> ||
                               std::is_same_v<T, Half> ||
                               std::is_same_v<T, Bfloat16>;
    return FromDouble<T>(kFloating ? d : std::floor(d));
  }
}

template <class T>
std::vector<T> Extremes(bool nan) {
  std::vector<T> out;
  if constexpr (std::is_same_v<T, Half>) {
    for (uint16_t b :
         {0x0000, 0x8000, 0x7c00, 0xfc00, 0x0400, 0x7bff, 0xfbff}) {
      out.push_back(Half::FromBits(b));
    }
    if (nan) out.push_back(Half::FromBits(0x7e00));
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    for (uint16_t b :
         {0x0000, 0x8000, 0x7f80, 0xff80, 0x0080, 0x7f7f, 0xff7f}) {
      out.push_back(Bfloat16::FromBits(b));
    }
    if (nan) out.push_back(Bfloat16::FromBits(0x7fc0));
  } else if constexpr (std::is_floating_point_v<T>) {
    using L = std::numeric_limits<T>;
    out = {T(0),     -T(0),    L::infinity(), -L::infinity(),
           L::min(), L::max(), L::lowest()};
    if (nan) out.push_back(L::quiet_NaN());
  } else if constexpr (std::is_same_v<T, Complex64> ||
                       std::is_same_v<T, Complex128>) {
    for (auto re : Extremes<typename T::value_type>(nan))
      out.push_back(T(re, 1));
    for (auto im : Extremes<typename T::value_type>(nan))
      out.push_back(T(1, im));
  } else if constexpr (requires { typename T::Integer; }) {
    using L = std::numeric_limits<typename T::Integer>;
    out = {T{L::min()}, T{L::max()}};
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using L = std::numeric_limits<T>;
    out = {L::min(), L::max(), T(L::max() - 1)};
  }
  return out;
}

Value MixedValues(DataType type, TensorShape shape, bool nan) {
  return Generate(type, std::move(shape), [nan]<class T>(int64_t i) {
    const std::vector<T> extremes = Extremes<T>(nan);
    // Every third one; a vector of eight then holds some of both kinds.
    if (!extremes.empty() && i % 3 == 0)
      return extremes[static_cast<size_t>(i / 3) % extremes.size()];
    return RandomElement<T>(-9, 10);
  });
}

}  // namespace

void ResetFills(absl::string_view op) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : op) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  fill_rng = Rng(hash);
}

Value Rand(DataType type, TensorShape shape, double lo, double hi) {
  return Generate(type, std::move(shape), [lo, hi]<class T>(int64_t) {
    return RandomElement<T>(lo, hi);
  });
}

Value Rand(DataType type, TensorShape shape) {
  const bool real = IsFloating(type) || IsComplex(type);
  return Rand(type, std::move(shape), real ? -2 : -9, real ? 2 : 10);
}

Value Iota(DataType type, TensorShape shape, double start, double step) {
  return Generate(type, std::move(shape), [start, step]<class T>(int64_t i) {
    return FromDouble<T>(start + step * static_cast<double>(i));
  });
}

Value Distinct(DataType type, TensorShape shape) {
  std::vector<int64_t> order(static_cast<size_t>(shape.num_elements()));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[fill_rng.Uniform(i)]);
  return Generate(type, std::move(shape), [&order]<class T>(int64_t i) {
    return FromDouble<T>(static_cast<double>(order[static_cast<size_t>(i)]));
  });
}

Value Full(DataType type, TensorShape shape, double value) {
  return Iota(type, std::move(shape), value, 0);
}

Value Of(DataType type, TensorShape shape,
         std::initializer_list<double> values) {
  MR_CHECK(static_cast<int64_t>(values.size()) == shape.num_elements(),
           "values do not fill the shape");
  return Generate(type, std::move(shape), [&values]<class T>(int64_t i) {
    return FromDouble<T>(values.begin()[i]);
  });
}

Value Str(std::initializer_list<std::string> values) {
  return Str(TensorShape({static_cast<int64_t>(values.size())}), values);
}

Value Str(TensorShape shape, std::initializer_list<std::string> values) {
  return Tensor::Of<std::string>(std::move(shape), values);
}

Value StrScalar(std::string value) {
  return Tensor::Scalar<std::string>(value);
}

Value Empty(DataType type, TensorShape shape) {
  MR_CHECK(shape.num_elements() == 0, "an empty value has a size of 0");
  return Tensor::New(type, std::move(shape));
}

Value Mixed(DataType type, TensorShape shape) {
  return MixedValues(type, std::move(shape), true);
}
Value MixedNoNan(DataType type, TensorShape shape) {
  return MixedValues(type, std::move(shape), false);
}

}  // namespace millrace::cases
