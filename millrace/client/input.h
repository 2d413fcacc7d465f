// Input: the type of an op wrapper's input: an output of the graph, a tensor,
// or numbers and texts of C++, which become constants.
//
//   ops::Add(scope, x, 1);                 // takes the type of x
//   ops::MatMul(scope, x, {{1.f, 2.f}, {3.f, 4.f}});
//   ops::Concat(scope, {a, b}, 0);         // InputList
#pragma once

#include <complex>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "millrace/client/output.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

namespace internal {

// The element type for a C++ type: integers by their size; char is part of a
// text, not a number.
template <class T>
struct LiteralElement {
  using type = void;
};
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool> &&
         !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
         sizeof(T) == 1) struct LiteralElement<T> {
  using type = std::conditional_t<std::is_signed_v<T>, int8_t, uint8_t>;
};
template <class T>
requires(std::is_integral_v<T> && sizeof(T) == 2) struct LiteralElement<T> {
  using type = std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>;
};
template <class T>
requires(std::is_integral_v<T> && sizeof(T) == 4) struct LiteralElement<T> {
  using type = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
};
template <class T>
requires(std::is_integral_v<T> && sizeof(T) == 8) struct LiteralElement<T> {
  using type = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
};
#define MR_LITERAL(T)        \
  template <>                \
  struct LiteralElement<T> { \
    using type = T;          \
  };
MR_LITERAL(bool)
MR_LITERAL(float)
MR_LITERAL(double)
MR_LITERAL(Half)
MR_LITERAL(Bfloat16)
MR_LITERAL(Complex64)
MR_LITERAL(Complex128)
#undef MR_LITERAL
template <class T>
using LiteralElementOf = typename LiteralElement<T>::type;
template <class T>
concept LiteralScalar = !std::is_void_v<LiteralElementOf<T>>;

}  // namespace internal

// A value written in C++: a number, a text, nested lists of them, a Tensor.
// Ragged lists and lists of mixed kinds are an error, reported when the value
// is used; numbers of several types in one list get the widest of them.
class Literal {
 public:
  template <internal::LiteralScalar T>
  Literal(T value)  // NOLINT: as a number
      : tensor_(
            Tensor::Scalar(static_cast<internal::LiteralElementOf<T>>(value))),
        weak_(true) {}
  Literal(const char* text) : Literal(absl::string_view(text)) {}  // NOLINT
  Literal(const std::string& text)
      : Literal(absl::string_view(text)) {}  // NOLINT
  Literal(absl::string_view text)            // NOLINT
      : tensor_(Tensor::Scalar(text)), weak_(true) {}
  Literal(Tensor tensor) : tensor_(std::move(tensor)) {}  // NOLINT
  Literal(std::initializer_list<Literal> rows);           // NOLINT
  template <internal::LiteralScalar T>
  Literal(const std::vector<T>& values) : weak_(true) {  // NOLINT
    using E = internal::LiteralElementOf<T>;
    tensor_ = Tensor::New(DataTypeOf<E>,
                          TensorShape({static_cast<int64_t>(values.size())}));
    auto out = tensor_.mutable_flat<E>();
    for (size_t i = 0; i < values.size(); ++i)
      out[i] = static_cast<E>(values[i]);
  }
  Literal(const std::vector<std::string>& texts)  // NOLINT
      : tensor_(Tensor::Vector<std::string>(absl::MakeConstSpan(texts))),
        weak_(true) {}

  const Status& status() const { return status_; }
  const Tensor& tensor() const { return tensor_; }
  // Returns whether it was written as C++ values, so that an op may convert it
  // to another type that holds the same numbers. A Tensor keeps its type.
  bool weak() const { return weak_; }
  // Returns the value as `type`; INVALID_ARGUMENT if a number does not fit:
  // integers keep their value, and numbers with a fraction need a floating
  // type.
  StatusOr<Tensor> As(DataType type) const;
  // Returns the value as a number, also if it is a Tensor; INVALID_ARGUMENT for
  // anything but one integer or floating-point number.
  StatusOr<double> Number() const;

 private:
  Tensor tensor_;
  bool weak_ = false;
  Status status_;
};

// Returns the type that holds the numbers of both, kInvalid if there is none.
DataType WiderType(DataType a, DataType b);

// An input of an op: an Output, anything that converts to one (a Variable), or
// a Literal.
class Input {
 public:
  template <class T>
  requires(!std::is_same_v<T, Input> && std::is_convertible_v<const T&, Output>)
      Input(const T& source)  // NOLINT: an output is an input
      : output_(source), literal_(Tensor()) {}
  template <class T>
  requires(!std::is_same_v<T, Input> &&
           !std::is_convertible_v<const T&, Output> &&
           std::is_convertible_v<const T&, Literal>)
      Input(const T& value)  // NOLINT
      : literal_(value), is_literal_(true) {}
  Input(std::initializer_list<Literal> rows)  // NOLINT
      : literal_(rows), is_literal_(true) {}

  bool is_literal() const { return is_literal_; }
  const Output& output() const { return output_; }
  const Literal& literal() const { return literal_; }

 private:
  Output output_;
  Literal literal_;
  bool is_literal_ = false;
};

// The inputs of an argument that is a list.
class InputList {
 public:
  InputList(std::initializer_list<Input> inputs) : inputs_(inputs) {}  // NOLINT
  InputList(std::vector<Input> inputs)
      : inputs_(std::move(inputs)) {}  // NOLINT
  template <class T>
  requires std::is_convertible_v<const T&, Input> InputList(
      const std::vector<T>& list)  // NOLINT
      : inputs_(list.begin(), list.end()) {}
  template <class T>
  requires std::is_convertible_v<const T&, Input> InputList(
      absl::Span<const T> list)  // NOLINT
      : inputs_(list.begin(), list.end()) {}

  size_t size() const { return inputs_.size(); }
  const Input& operator[](size_t i) const { return inputs_[i]; }
  absl::Span<const Input> all() const { return inputs_; }

 private:
  std::vector<Input> inputs_;
};

}  // namespace millrace
