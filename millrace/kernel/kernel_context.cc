#include "millrace/kernel/kernel_context.h"

#include <cstdint>

#include "millrace/kernel/allocation_log.h"
#include "millrace/kernel/host_arguments.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/tensor/allocation_user.h"

namespace millrace {
namespace {

// Returns RESOURCE_EXHAUSTED with stock TensorFlow's text, followed by the
// allocator's message.
Status OutOfMemory(const Status& cause, const NodeInfo& node,
                   const Device& device, DataType type,
                   const TensorShape& shape) {
  if (cause.code() != StatusCode::kResourceExhausted) return cause;
  return ResourceExhausted("OOM when allocating tensor with shape",
                           shape.DebugString(), " and type ",
                           DataTypeName(type), " on ", device.name(),
                           " for node ", node.name, ": ", cause.message());
}

}  // namespace

Allocator* KernelContext::allocator() const {
  if (node_.host == nullptr) [[likely]]
    return device_.allocator();
  return node_.host->all ? device_.host_allocator() : device_.allocator();
}

bool KernelContext::IsHostOutput(int i) const {
  return node_.host == nullptr || node_.host->outputs[static_cast<size_t>(i)];
}

DataType KernelContext::output_type(int i) const {
  return RemoveRef(node_.output_types[i]);
}

Status KernelContext::BindInput(int i) {
  return Bind(&inputs_[i].tensor, allocator());
}

StatusOr<Tensor*> KernelContext::AllocateOutput(int i, TensorShape shape) {
  MR_ASSIGN_OR_RETURN(Tensor t, Allocate(output_type(i), std::move(shape), i));
  outputs_[i].tensor = std::move(t);
  return &outputs_[i].tensor;
}

StatusOr<Tensor*> KernelContext::ForwardOrAllocateOutput(
    std::initializer_list<int> candidates, int i, TensorShape shape) {
  const DataType type = output_type(i);
  int64_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(
      shape.num_elements(), static_cast<int64_t>(SizeOf(type)), &bytes);
  for (int c : candidates) {
    EdgeValue& edge = inputs_[c];
    const Tensor& in = edge.tensor;
    // On a reference edge the variable holds the buffer, too. A tensor without
    // a buffer has its few bytes inside, or was forwarded before.
    if (edge.ref || in.buffer() == nullptr || !in.IsUnshared() || !fits)
      continue;
    if (in.num_elements() * static_cast<int64_t>(SizeOf(in.dtype())) != bytes)
      continue;
    if (in.dtype() != type && !(IsPlain(type) && IsPlain(in.dtype()))) continue;
    if (in.address() % kBufferAlignment != 0) continue;
    // The output owns the memory; the tensor that remains in the input aliases
    // it.
    Ref<Buffer> buffer = Ref<Buffer>::Share(in.buffer());
    if (in.on_device()) [[unlikely]] {
      if (IsHostOutput(i)) continue;
      const uintptr_t address = in.device_address();
      edge.tensor = Tensor::OnDevice(in.dtype(), in.shape(), nullptr, address);
      outputs_[i].tensor =
          Tensor::OnDevice(type, std::move(shape), std::move(buffer), address);
      return &outputs_[i].tensor;
    }
    if (node_.host != nullptr && !IsHostOutput(i)) [[unlikely]]
      continue;
    char* data = const_cast<char*>(in.data());
    edge.tensor = Tensor::FromBuffer(in.dtype(), in.shape(), nullptr, data);
    outputs_[i].tensor =
        Tensor::FromBuffer(type, std::move(shape), std::move(buffer), data);
    return &outputs_[i].tensor;
  }
  return AllocateOutput(i, std::move(shape));
}

StatusOr<Tensor> KernelContext::AllocateTemp(DataType type, TensorShape shape) {
  return Allocate(type, std::move(shape), kNoOutput);
}

StatusOr<Tensor> KernelContext::Allocate(DataType type, TensorShape shape,
                                         int output) {
  Allocator* memory = device_.allocator();
  if (node_.host != nullptr) [[unlikely]] {
    const bool host = output == kNoOutput
                          ? node_.host->all || (type == DataType::kInt32 &&
                                                node_.host->all_int32)
                          : IsHostOutput(output);
    if (host || !IsPlain(type)) memory = device_.host_allocator();
  }
  return AllocateFrom(memory, type, std::move(shape), output);
}

StatusOr<Tensor> KernelContext::AllocateFrom(Allocator* memory, DataType type,
                                             TensorShape shape) {
  return AllocateFrom(memory, type, std::move(shape), kNoOutput);
}

StatusOr<Tensor> KernelContext::AllocateFrom(Allocator* memory, DataType type,
                                             TensorShape shape, int output) {
  const AllocationUser user(node_.name);
  StatusOr<Tensor> t = Tensor::Allocate(memory, type, shape);
  if (!t.ok()) return OutOfMemory(t.status(), node_, device_, type, shape);
  if (allocations != nullptr) [[unlikely]] {
    allocations->Add({.nanos = NowNanos(),
                      .bytes = static_cast<int64_t>(t->size_bytes()),
                      .address = t->buffer() != nullptr ? t->address() : 0,
                      .is_output = output != kNoOutput});
  }
  return t;
}

Status KernelContext::ParallelFor(
    int64_t total, int64_t cost_nanos_per_unit,
    absl::FunctionRef<void(int64_t begin, int64_t end)> f) {
  CancelScope* cancel = step_.cancel;
  if (cancel == nullptr || to_end) {
    device_.ParallelFor(total, cost_nanos_per_unit, f);
    return OkStatus();
  }
  device_.ParallelFor(total, cost_nanos_per_unit,
                      [&](int64_t begin, int64_t end) {
                        if (!cancel->cancelled()) f(begin, end);
                      });
  return CheckCancelled();
}

Status KernelContext::CheckCancelled() const {
  return step_.cancel == nullptr ? OkStatus() : step_.cancel->status();
}

Status CheckScalar(const Tensor& t, absl::string_view what) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument(what, " must be a scalar, but has shape ",
                         t.shape().DebugString());
}

Status CheckVector(const Tensor& t, absl::string_view what) {
  if (t.rank() == 1) return OkStatus();
  return InvalidArgument(what, " must be 1-D, but has shape ",
                         t.shape().DebugString());
}

namespace {

template <class List>
List IntsOf(const Tensor& t) {
  if (t.dtype() == DataType::kInt32) {
    const auto v = t.flat<int32_t>();
    return List(v.begin(), v.end());
  }
  const auto v = t.flat<int64_t>();
  return List(v.begin(), v.end());
}

}  // namespace

std::vector<int64_t> IntValues(const Tensor& t) {
  return IntsOf<std::vector<int64_t>>(t);
}

CountedVector<int64_t> ManyIntValues(const Tensor& t) {
  return IntsOf<CountedVector<int64_t>>(t);
}

StatusOr<TensorShape> ShapeFromTensor(const Tensor& t) {
  MR_RETURN_IF_ERROR(CheckVector(t, "shape"));
  if (t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64) {
    return InvalidArgument("shape must be int32 or int64, but is ",
                           DataTypeName(t.dtype()));
  }
  return TensorShape::Make(IntValues(t));
}

}  // namespace millrace
