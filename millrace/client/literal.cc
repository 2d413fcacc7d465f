#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "millrace/client/input.h"
#include "millrace/tensor/dispatch.h"

namespace millrace {
namespace {

// Orders types: bool < integers by size < floating types by size < complex
// types.
int Width(DataType type) {
  if (type == DataType::kBool) return 0;
  const int size = static_cast<int>(SizeOf(type));
  if (IsInteger(type)) return 10 + size;
  if (IsFloating(type)) return 40 + size;
  if (IsComplex(type)) return 70 + size;
  return -1;
}

template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

template <class From, class To>
bool ConvertOne(From from, To* to) {
  if constexpr (std::is_same_v<From, To>) {
    *to = from;
    return true;
  } else if constexpr (std::is_same_v<From, bool> || std::is_same_v<To, bool>) {
    return false;
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>) {
      *to = To(static_cast<typename To::value_type>(from.real()),
               static_cast<typename To::value_type>(from.imag()));
      return true;
    } else {
      return false;
    }
  } else if constexpr (kIsComplex<To>) {
    *to =
        To(static_cast<typename To::value_type>(static_cast<double>(from)), 0);
    return true;
  } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    *to = static_cast<To>(from);
    return std::in_range<To>(from);
  } else if constexpr (std::is_integral_v<To>) {
    return false;  // as in TensorFlow, a fraction is not an integer
  } else {
    *to = To(static_cast<double>(from));
    return true;
  }
}

template <class From, class To>
Status ConvertAll(const Tensor& from, Tensor* to) {
  const auto in = from.flat<From>();
  auto out = to->mutable_flat<To>();
  for (size_t i = 0; i < in.size(); ++i) {
    if (!ConvertOne(in[i], &out[i])) {
      return InvalidArgument("the value ", from.SummarizeValue(8), " of type ",
                             DataTypeName(from.dtype()), " does not fit type ",
                             DataTypeName(to->dtype()));
    }
  }
  return OkStatus();
}

using LiteralTypes = Join<NumericTypes, Types<bool>>;

bool IsLiteralType(DataType type) { return Width(type) >= 0; }

StatusOr<Tensor> Convert(const Tensor& from, DataType type) {
  if (from.dtype() == type) return from;
  if (!IsLiteralType(type) || !IsLiteralType(from.dtype())) {
    return InvalidArgument("expected ", DataTypeName(type), ", got ",
                           from.SummarizeValue(8), " of type ",
                           DataTypeName(from.dtype()));
  }
  Tensor to = Tensor::New(type, from.shape());
  MR_RETURN_IF_ERROR(Dispatch(LiteralTypes{}, from.dtype(), [&]<class From>() {
    return Dispatch(LiteralTypes{}, type, [&]<class To>() {
      return ConvertAll<From, To>(from, &to);
    });
  }));
  return to;
}

}  // namespace

DataType WiderType(DataType a, DataType b) {
  if (a == b) return a;
  if (Width(a) < 0 || Width(b) < 0) return DataType::kInvalid;
  if ((a == DataType::kBool) != (b == DataType::kBool))
    return DataType::kInvalid;
  return Width(a) >= Width(b) ? a : b;
}

Literal::Literal(std::initializer_list<Literal> rows) : weak_(true) {
  if (rows.size() == 0) {
    status_ = InvalidArgument("an empty list has no type; give a Tensor");
    return;
  }
  DataType type = rows.begin()->tensor_.dtype();
  const TensorShape& row_shape = rows.begin()->tensor_.shape();
  for (const Literal& row : rows) {
    weak_ = weak_ && row.weak_;
    if (status_.ok()) status_ = row.status_;
    if (!status_.ok()) return;
    if (!(row.tensor_.shape() == row_shape)) {
      status_ = InvalidArgument(
          "the rows of a list differ in shape: ", row_shape.DebugString(),
          " and ", row.tensor_.shape().DebugString());
      return;
    }
    const DataType wider = WiderType(type, row.tensor_.dtype());
    if (wider == DataType::kInvalid) {
      status_ =
          InvalidArgument("a list mixes values of type ", DataTypeName(type),
                          " and ", DataTypeName(row.tensor_.dtype()));
      return;
    }
    type = wider;
  }
  DimVector dims = row_shape.dims();
  dims.insert(dims.begin(), static_cast<int64_t>(rows.size()));
  tensor_ = Tensor::New(type, TensorShape(dims));
  size_t at = 0;
  for (const Literal& row : rows) {
    auto converted = Convert(row.tensor_, type);
    if (!converted.ok()) {
      status_ = converted.status();
      return;
    }
    const size_t n = static_cast<size_t>(converted->num_elements());
    if (type == DataType::kString) {
      for (size_t i = 0; i < n; ++i) {
        tensor_.mutable_flat<StringElement>()[at + i] =
            converted->flat<StringElement>()[i];
      }
    } else if (n > 0) {
      std::memcpy(tensor_.mutable_data() + at * SizeOf(type), converted->data(),
                  n * SizeOf(type));
    }
    at += n;
  }
}

StatusOr<double> Literal::Number() const {
  MR_RETURN_IF_ERROR(status_);
  const DataType type = tensor_.dtype();
  if (tensor_.rank() != 0 || !(IsFloating(type) || IsInteger(type))) {
    return InvalidArgument("expected a number, got ", tensor_.SummarizeValue(4),
                           " of type ", DataTypeName(type), " and shape ",
                           tensor_.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(const Tensor number, Convert(tensor_, DataType::kDouble));
  return number.scalar<double>();
}

StatusOr<Tensor> Literal::As(DataType type) const {
  MR_RETURN_IF_ERROR(status_);
  if (!weak_ || tensor_.dtype() == type) return tensor_;
  return Convert(tensor_, type);
}

}  // namespace millrace
