#include "millrace/tensor/tensor.h"

#include <cstring>
#include <new>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/tensor/host_allocator.h"

namespace millrace {

Tensor::Tensor(const Tensor& o) : shape_(o.shape_), place_(o.place_) {
  shape_.tensor_dtype_ = o.shape_.tensor_dtype_;
  shape_.tensor_place_ = o.shape_.tensor_place_;
  if (!is_inline() && place_.heap.buffer) place_.heap.buffer->AddRef();
}

Tensor::Tensor(Tensor&& o) noexcept
    : shape_(std::move(o.shape_)), place_(o.place_) {
  shape_.tensor_dtype_ = std::exchange(o.shape_.tensor_dtype_, 0);
  shape_.tensor_place_ = std::exchange(o.shape_.tensor_place_, kInline);
}

Tensor& Tensor::operator=(const Tensor& o) {
  if (this != &o) *this = Tensor(o);
  return *this;
}

Tensor& Tensor::operator=(Tensor&& o) noexcept {
  if (this == &o) return *this;
  Buffer* old = is_inline() ? nullptr : place_.heap.buffer;
  shape_ = std::move(o.shape_);
  place_ = o.place_;
  shape_.tensor_dtype_ = std::exchange(o.shape_.tensor_dtype_, 0);
  shape_.tensor_place_ = std::exchange(o.shape_.tensor_place_, kInline);
  if (old) old->Unref();
  return *this;
}

Tensor::~Tensor() {
  if (!is_inline() && place_.heap.buffer) place_.heap.buffer->Unref();
}

StatusOr<Tensor> Tensor::Allocate(Allocator* allocator, DataType type,
                                  TensorShape shape) {
  Tensor t;
  const size_t element = SizeOf(type);
  int64_t bytes;
  if (__builtin_mul_overflow(shape.num_elements(),
                             static_cast<int64_t>(element), &bytes)) {
    return ResourceExhausted("OOM when allocating tensor with shape",
                             shape.DebugString(), " and type ",
                             DataTypeName(type));
  }
  const bool is_host = allocator->is_host();
  if (is_host && IsPlain(type) &&
      bytes <= static_cast<int64_t>(sizeof(t.place_.bytes))) {
    t.shape_ = std::move(shape);
    t.SetType(type);
    return t;
  }
  if (!is_host && !IsPlain(type)) {
    return Internal("tensors of type ", DataTypeName(type),
                    " are in host memory, not in that of ", allocator->name());
  }
  StatusOr<Ref<Buffer>> buffer =
      IsPlain(type) ? allocator->Allocate(static_cast<size_t>(bytes))
                    : AllocateElements(allocator, type, shape.num_elements());
  if (!buffer.ok()) {
    return Annotate(buffer.status(),
                    absl::StrCat("; tensor with shape", shape.DebugString(),
                                 " and type ", DataTypeName(type)));
  }
  char* data = (*buffer)->data();
  t = FromBuffer(type, std::move(shape), *std::move(buffer), data);
  if (!is_host) t.shape_.tensor_place_ = kDevice;
  return t;
}

Tensor Tensor::New(DataType type, TensorShape shape) {
  StatusOr<Tensor> t = Allocate(HostAllocator(), type, shape);
  if (!t.ok()) {
    if (ScopedMemoryLimit::active()) throw std::bad_alloc();
    t = Allocate(UnlimitedHostAllocator(), type, std::move(shape));
  }
  MR_CHECK(t.ok(), t.status().message());
  return *std::move(t);
}

Tensor Tensor::Zeros(DataType type, TensorShape shape) {
  Tensor t = New(type, std::move(shape));
  if (IsPlain(type)) std::memset(t.mutable_data(), 0, t.size_bytes());
  return t;
}

Tensor Tensor::FromBuffer(DataType type, TensorShape shape, Ref<Buffer> buffer,
                          char* data) {
  Tensor t;
  t.shape_ = std::move(shape);
  t.SetType(type);
  t.shape_.tensor_place_ = kHeap;
  t.place_.heap.buffer = buffer.release();
  t.place_.heap.data = data;
  return t;
}

Tensor Tensor::OnDevice(DataType type, TensorShape shape, Ref<Buffer> buffer,
                        uintptr_t address) {
  Tensor t = FromBuffer(type, std::move(shape), std::move(buffer),
                        reinterpret_cast<char*>(address));
  t.shape_.tensor_place_ = kDevice;
  return t;
}

Tensor Tensor::View(DataType type, TensorShape shape, Ref<Buffer> buffer,
                    char* place) {
  Tensor t = FromBuffer(type, std::move(shape), std::move(buffer), place);
  t.shape_.tensor_place_ = kView;
  return t;
}

Tensor Tensor::Reshaped(TensorShape shape) const {
  MR_CHECK(shape.num_elements() == num_elements(), "reshape to another size");
  Tensor t = *this;
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::BitcastTo(DataType type, TensorShape shape) const {
  MR_CHECK(IsPlain(type) && IsPlain(dtype()) &&
               static_cast<size_t>(shape.num_elements()) * SizeOf(type) ==
                   size_bytes(),
           "bitcast to another size");
  Tensor t = *this;
  t.SetType(type);
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::Rows(int64_t begin, int64_t end) const {
  MR_CHECK(rank() >= 1 && begin >= 0 && begin <= end && end <= dim(0),
           "rows out of range");
  DimVector dims = shape_.dims();
  const size_t row_bytes =
      static_cast<size_t>(shape_.NumElements(1, rank())) * SizeOf(dtype());
  dims[0] = end - begin;
  TensorShape rows{absl::Span<const int64_t>(dims)};
  if (is_inline()) {
    Tensor t = New(dtype(), std::move(rows));
    std::memcpy(t.mutable_data(), data() + begin * row_bytes, t.size_bytes());
    return t;
  }
  Tensor t = FromBuffer(dtype(), std::move(rows),
                        Ref<Buffer>::Share(place_.heap.buffer),
                        place_.heap.data + begin * row_bytes);
  t.shape_.tensor_place_ = shape_.tensor_place_;
  return t;
}

StatusOr<Tensor> Tensor::DeepCopy(Allocator* allocator) const {
  MR_CHECK(!is_view(), "a view is bound before it is copied");
  if (is_inline()) return *this;
  MR_ASSIGN_OR_RETURN(Tensor t, Allocate(allocator, dtype(), shape_));
  if (on_device()) {
    if (!t.on_device()) {
      return Internal(
          "a tensor on a device is copied to the host by its device");
    }
    MR_RETURN_IF_ERROR(
        allocator->Copy(t.place_.heap.data, place_.heap.data, size_bytes()));
    return t;
  }
  if (t.on_device()) {
    return Internal("a tensor in host memory is copied to ", allocator->name(),
                    " by its device");
  }
  switch (dtype()) {
    case DataType::kString:
      std::copy_n(flat<StringElement>().data(), num_elements(),
                  t.mutable_flat<StringElement>().data());
      break;
    case DataType::kResource:
      std::copy_n(flat<ResourceElement>().data(), num_elements(),
                  t.mutable_flat<ResourceElement>().data());
      break;
    case DataType::kVariant:
      std::copy_n(flat<VariantElement>().data(), num_elements(),
                  t.mutable_flat<VariantElement>().data());
      break;
    default:
      std::memcpy(t.mutable_data(), data(), size_bytes());
  }
  return t;
}

bool IdenticalTensors(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == DataType::kString) {
    return a.flat<StringElement>() == b.flat<StringElement>();
  }
  return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace millrace
