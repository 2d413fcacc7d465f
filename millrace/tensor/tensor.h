// Tensor: an immutable, dense, row-major array of one DataType.
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/functional/function_ref.h"
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

// Copying shares the buffer. Plain values of up to 16 bytes in all are stored
// inside the tensor itself, so pointers into such a tensor become invalid when
// it moves. A tensor may be read by many threads; only the sole owner of an
// unshared buffer may write (`mutable_*`, checked in debug builds).
//
// A tensor can also be a *view*: a type, a shape and a place in a buffer that
// its owner changes, so its elements cannot be read here. A view exists only on
// the edges of a running graph; a reader binds it first
// (kernel/variable_view.h).
//
// Or it is *on a device*: its buffer is from an allocator that is not the
// host's, so only the device's kernels can read the elements. It is shared,
// sliced and reshaped as any other, but has no element that is stored inside,
// and a plain type.
class Tensor {
 public:
  Tensor() = default;  // kInvalid, without elements
  Tensor(const Tensor& o);
  Tensor(Tensor&& o) noexcept;
  Tensor& operator=(const Tensor& o);
  Tensor& operator=(Tensor&& o) noexcept;
  ~Tensor();

  // Allocates a tensor. Elements of plain types are undefined; strings are
  // empty, handles null. Returns RESOURCE_EXHAUSTED if the allocator has no
  // room, INTERNAL for a type that is not plain in memory of a device.
  static StatusOr<Tensor> Allocate(Allocator* allocator, DataType type,
                                   TensorShape shape);
  // Allocates a tensor from host memory, for trusted sizes (tests, small
  // results). If the budget is exhausted, throws bad_alloc under a
  // ScopedMemoryLimit and otherwise allocates beyond the limit.
  static Tensor New(DataType type, TensorShape shape);
  static Tensor Zeros(DataType type, TensorShape shape);
  // Takes ownership of `buffer`; the elements begin at `data`.
  static Tensor FromBuffer(DataType type, TensorShape shape, Ref<Buffer> buffer,
                           char* data);

  // Does the same with memory of a device; `address` means nothing to the host.
  static Tensor OnDevice(DataType type, TensorShape shape, Ref<Buffer> buffer,
                         uintptr_t address);

  // Returns a view of the value that `buffer` stands for. `place` is where its
  // elements would begin; it is never read.
  static Tensor View(DataType type, TensorShape shape, Ref<Buffer> buffer,
                     char* place);

  // The following make tensors of values, for programs and tests.
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
  // Returns the bytes of the elements in memory (of the references, for
  // strings).
  size_t size_bytes() const {
    return static_cast<size_t>(num_elements()) * SizeOf(dtype());
  }
  bool valid() const { return dtype() != DataType::kInvalid; }
  bool is_view() const { return shape_.tensor_place_ == kView; }
  bool on_device() const { return shape_.tensor_place_ == kDevice; }

  // Requires: the elements are in host memory.
  const char* data() const {
    MR_DCHECK(!is_view() && !on_device());
    return is_inline() ? place_.bytes : place_.heap.data;
  }
  // Returns where the elements begin in the device's memory. Requires:
  // on_device().
  uintptr_t device_address() const {
    MR_DCHECK(on_device());
    return reinterpret_cast<uintptr_t>(place_.heap.data);
  }
  // Returns the address as a number, also of a view or on a device, for
  // comparisons of alignment and distance.
  uintptr_t address() const {
    return reinterpret_cast<uintptr_t>(is_inline() ? place_.bytes
                                                   : place_.heap.data);
  }
  // Returns the writable bytes. Requires: the buffer is not shared, and in host
  // memory.
  char* mutable_data() {
    MR_DCHECK(IsUnshared() && !on_device());
    return is_inline() ? place_.bytes : place_.heap.data;
  }

  // Returns the elements as a span of their C++ type. Requires: T fits dtype().
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

  // Returns true if no other tensor shares the elements, so that they may be
  // written.
  bool IsUnshared() const {
    return is_inline() || (!is_view() && (!place_.heap.buffer ||
                                          place_.heap.buffer->IsUnique()));
  }
  // Returns the buffer of the elements; null if they are stored in the tensor
  // itself, or if another tensor keeps them alive.
  Buffer* buffer() const { return is_inline() ? nullptr : place_.heap.buffer; }

  // Returns the same elements under another shape with as many elements.
  Tensor Reshaped(TensorShape shape) const;
  // Returns the same bytes as another plain type, under a shape of as many
  // bytes. Elements that are stored in the tensor itself are copied.
  Tensor BitcastTo(DataType type, TensorShape shape) const;
  // Returns the rows [begin, end) of dimension 0, which share the buffer.
  Tensor Rows(int64_t begin, int64_t end) const;
  // Returns a copy with a buffer of its own, by Allocator::Copy if the tensor
  // is on a device: `allocator` must then be that of its memory.
  StatusOr<Tensor> DeepCopy(Allocator* allocator) const;

  // Returns the first `max_entries` elements as TensorFlow prints them: "[1 2
  // 3...]".
  std::string SummarizeValue(int64_t max_entries, bool print_v2 = false) const;
  // Hands the same text to `append` piece by piece, until that returns an
  // error. Texts of all elements may exceed the memory of a machine.
  using TextSink = absl::FunctionRef<Status(absl::string_view)>;
  Status Summarize(int64_t max_entries, bool print_v2, TextSink append) const;
  std::string DebugString() const;

 private:
  enum Place : uint8_t { kInline = 0, kHeap = 1, kView = 2, kDevice = 3 };
  bool is_inline() const { return shape_.tensor_place_ == kInline; }
  void SetType(DataType t) { shape_.tensor_dtype_ = static_cast<uint8_t>(t); }

  TensorShape shape_;  // also holds dtype and place in spare bytes
  union PlaceUnion {
    struct {
      // Holds one reference; null if there are no elements, or if another
      // tensor keeps them alive (KernelContext::ForwardOrAllocateOutput).
      Buffer* buffer;
      char* data;
    } heap;
    alignas(8) char bytes[16];
  } place_ = {};
};
static_assert(sizeof(Tensor) <= 48);

// Returns true if types, shapes and all elements are equal (NaNs by their
// bits). Requires: both are in host memory.
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
