// Tensor: an immutable, dense, row-major array of one DataType.
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/check.h"
#include "millrace/base/status.h"
#include "millrace/tensor/buffer.h"
#include "millrace/tensor/handle.h"
#include "millrace/tensor/numeric_types.h"
#include "millrace/tensor/shape.h"
#include "millrace/tensor/string_element.h"

namespace millrace {

template <>
struct DataTypeTraits<StringElement> {
  static constexpr DataType value = DataType::kString;
};
template <>
struct DataTypeTraits<ResourceElement> {
  static constexpr DataType value = DataType::kResource;
};
template <>
struct DataTypeTraits<VariantElement> {
  static constexpr DataType value = DataType::kVariant;
};

// Copying shares the buffer; plain values of up to 16 bytes in all lie inside
// the tensor itself, so pointers into such a tensor end when it moves.
// A tensor may be read by many threads; only the one owner of an unshared
// buffer may write (`mutable_*`, checked in debug builds).
//
// A tensor can also be a *view*: type and shape, and a place in somebody's
// buffer that changes, so that its elements cannot be read here. It has a
// meaning on the edges of a running graph alone; whoever reads binds it first
// (kernel/variable_view.h).
class Tensor {
 public:
  Tensor() = default;  // kInvalid, no elements to speak of
  Tensor(const Tensor& o);
  Tensor(Tensor&& o) noexcept;
  Tensor& operator=(const Tensor& o);
  Tensor& operator=(Tensor&& o) noexcept;
  ~Tensor();

  // Elements of plain types are undefined; strings are empty, handles null.
  // RESOURCE_EXHAUSTED if the allocator has no room.
  static StatusOr<Tensor> Allocate(Allocator* allocator, DataType type,
                                   TensorShape shape);
  // Same from host memory, for sizes of our own (tests, small results). Where
  // the budget is spent: bad_alloc under a ScopedMemoryLimit, else beyond it.
  static Tensor New(DataType type, TensorShape shape);
  static Tensor Zeros(DataType type, TensorShape shape);
  // Takes `buffer`, whose elements begin at `data`.
  static Tensor FromBuffer(DataType type, TensorShape shape, Ref<Buffer> buffer,
                           char* data);

  // A view of what `buffer` stands for, `place` being where its elements would
  // begin; it is never read.
  static Tensor View(DataType type, TensorShape shape, Ref<Buffer> buffer,
                     char* place);

  // Values, for programs and tests.
  template <class T>
  static Tensor Scalar(const T& value);
  static Tensor Scalar(const char* value) {
    return Scalar<absl::string_view>(value);
  }
  template <class T>
  static Tensor Of(TensorShape shape, absl::Span<const T> values);
  template <class T>
  static Tensor Of(TensorShape shape, std::initializer_list<T> values) {
    return Of<T>(std::move(shape),
                 absl::MakeConstSpan(values.begin(), values.size()));
  }
  template <class T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Of<T>(TensorShape({static_cast<int64_t>(values.size())}),
                 absl::MakeConstSpan(values.begin(), values.size()));
  }
  template <class T>
  static Tensor Vector(absl::Span<const T> values) {
    return Of<T>(TensorShape({static_cast<int64_t>(values.size())}), values);
  }

  DataType dtype() const { return static_cast<DataType>(shape_.tensor_dtype_); }
  const TensorShape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  // Bytes of the elements in memory (of the references, for strings).
  size_t size_bytes() const {
    return static_cast<size_t>(num_elements()) * SizeOf(dtype());
  }
  bool valid() const { return dtype() != DataType::kInvalid; }
  bool is_view() const { return shape_.tensor_place_ == kView; }

  const char* data() const {
    MR_DCHECK(!is_view());
    return is_inline() ? place_.bytes : place_.heap.data;
  }
  // As a number, also of a view: for questions of alignment and distance.
  uintptr_t address() const {
    return reinterpret_cast<uintptr_t>(is_inline() ? place_.bytes
                                                   : place_.heap.data);
  }
  // Writable bytes; the buffer must not be shared.
  char* mutable_data() {
    MR_DCHECK(IsUnshared());
    return is_inline() ? place_.bytes : place_.heap.data;
  }

  // Elements as a span of their C++ type, which must fit dtype().
  template <class T>
  absl::Span<const T> flat() const {
    MR_DCHECK(DataTypeOf<T> == dtype());
    return absl::Span<const T>(reinterpret_cast<const T*>(data()),
                               static_cast<size_t>(num_elements()));
  }
  template <class T>
  absl::Span<T> mutable_flat() {
    MR_DCHECK(DataTypeOf<T> == dtype());
    return absl::Span<T>(reinterpret_cast<T*>(mutable_data()),
                         static_cast<size_t>(num_elements()));
  }
  template <class T>
  const T& scalar() const {
    return flat<T>()[0];
  }

  // No other tensor shares the elements, so that they may be written.
  bool IsUnshared() const {
    return is_inline() || (!is_view() && (!place_.heap.buffer ||
                                          place_.heap.buffer->IsUnique()));
  }
  // The buffer behind the elements; null where they lie in the tensor itself,
  // or where another tensor keeps them.
  Buffer* buffer() const { return is_inline() ? nullptr : place_.heap.buffer; }

  // The same elements under another shape of as many elements.
  Tensor Reshaped(TensorShape shape) const;
  // The same bytes as another plain type, under a shape of as many bytes.
  // Where the elements lie in the tensor itself, they are copied.
  Tensor BitcastTo(DataType type, TensorShape shape) const;
  // Rows [begin, end) of dimension 0, sharing the buffer.
  Tensor Rows(int64_t begin, int64_t end) const;
  // A copy with a buffer of its own.
  StatusOr<Tensor> DeepCopy(Allocator* allocator) const;

  // The first `max_entries` elements: "[1 2 3...]", as TensorFlow prints them.
  std::string SummarizeValue(int64_t max_entries, bool print_v2 = false) const;
  std::string DebugString() const;

 private:
  enum Place : uint8_t { kInline = 0, kHeap = 1, kView = 2 };
  bool is_inline() const { return shape_.tensor_place_ == kInline; }
  void SetType(DataType t) { shape_.tensor_dtype_ = static_cast<uint8_t>(t); }

  TensorShape shape_;  // also holds dtype and place in spare bytes
  union PlaceUnion {
    struct {
      // One reference; null for no elements, or where another tensor keeps
      // them (KernelContext::ForwardOrAllocateOutput).
      Buffer* buffer;
      char* data;
    } heap;
    alignas(8) char bytes[16];
  } place_ = {};
};
static_assert(sizeof(Tensor) <= 48);

// True if types, shapes and all elements are equal (NaNs by their bits).
bool IdenticalTensors(const Tensor& a, const Tensor& b);

template <class T>
Tensor Tensor::Scalar(const T& value) {
  return Of<T>(TensorShape(), absl::MakeConstSpan(&value, 1));
}

namespace internal {
template <class T>
struct ElementOf {
  using type = T;
};
template <>
struct ElementOf<std::string> {
  using type = StringElement;
};
template <>
struct ElementOf<absl::string_view> {
  using type = StringElement;
};
template <>
struct ElementOf<const char*> {
  using type = StringElement;
};
}  // namespace internal

template <class T>
Tensor Tensor::Of(TensorShape shape, absl::Span<const T> values) {
  using E = typename internal::ElementOf<T>::type;
  MR_CHECK(static_cast<int64_t>(values.size()) == shape.num_elements(),
           "values do not fill the shape");
  Tensor t = New(DataTypeOf<E>, std::move(shape));
  auto out = t.mutable_flat<E>();
  for (size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<E, StringElement>) {
      out[i].Assign(values[i]);
    } else {
      out[i] = values[i];
    }
  }
  return t;
}

}  // namespace millrace
