#include "millrace/ops/tensor_array/tensor_array.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "millrace/ops/indexing/rows.h"
#include "millrace/ops/reduction/tensor_sum.h"

namespace millrace::ops {

StatusOr<Ref<TensorArray>> TensorArray::Make(Options options, int64_t size) {
  auto array = Ref<TensorArray>::Adopt(new TensorArray(std::move(options), -1));
  MutexLock lock(array->mu_);
  array->element_shape_ = array->options_.element_shape;
  array->dynamic_size_ = array->options_.dynamic_size;
  MR_RETURN_IF_ERROR(array->Resize(size));
  lock.Unlock();
  return array;
}

StatusOr<Ref<TensorArray>> TensorArray::MakeGradient(
    TensorArray& forward, std::string name, const TensorShape& prepended,
    DeviceSum device_sum) {
  MutexLock forward_lock(forward.mu_);
  MR_RETURN_IF_ERROR(forward.CheckOpen());
  forward.dynamic_size_ = false;
  if (forward.gradients_disallowed_) {
    return InvalidArgument(
        "Unable to create a gradients TensorArray for ", forward.name(),
        ".  Perhaps you used the multiple_writes_aggregate flag on a previous "
        "write?  Gradient calculation is impossible when multiple writes are "
        "performed to the same index.");
  }
  Options options = forward.options_;
  options.name = std::move(name);
  options.dynamic_size = false;
  options.clear_after_read = true;
  options.is_gradient = true;
  options.device_sum = std::move(device_sum);
  auto array = Ref<TensorArray>::Adopt(
      new TensorArray(std::move(options), forward.marked_size_));
  MutexLock lock(array->mu_);
  if (prepended.rank() == 0 || !forward.element_shape_.known_rank()) {
    array->element_shape_ =
        prepended.rank() == 0 ? forward.element_shape_ : PartialShape();
  } else {
    array->element_shape_ =
        PartialShape(prepended).Concatenate(forward.element_shape_);
  }
  MR_RETURN_IF_ERROR(
      array->Resize(static_cast<int64_t>(forward.slots_.size())));
  for (size_t i = 0; i < forward.slots_.size(); ++i) {
    if (!forward.slots_[i].written) continue;
    DimVector dims = prepended.dims();
    for (int64_t d : forward.slots_[i].shape.dims()) dims.push_back(d);
    MR_ASSIGN_OR_RETURN(array->slots_[i].shape, TensorShape::Make(dims));
    array->slots_[i].written = true;
  }
  lock.Unlock();
  return array;
}

std::string TensorArray::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat("TensorArray[", slots_.size(), "] of ",
                      DataTypeName(options_.dtype));
}

Status TensorArray::CheckOpen() const {
  if (!closed_) return OkStatus();
  return InvalidArgument("TensorArray ", options_.name,
                         " has already been closed.");
}

Status TensorArray::Resize(int64_t size) {
  if (size <= static_cast<int64_t>(slots_.capacity())) {
    slots_.resize(static_cast<size_t>(size));
    return OkStatus();
  }
  // Doubles the capacity, so that growing by one each time is cheap.
  const int64_t room = std::max(size, 2 * static_cast<int64_t>(slots_.size()));
  MR_RETURN_IF_ERROR(charge_.Set(room * static_cast<int64_t>(sizeof(Slot)),
                                 "the elements of a TensorArray"));
  slots_.reserve(static_cast<size_t>(room));
  slots_.resize(static_cast<size_t>(size));
  return OkStatus();
}

Status TensorArray::Write(KernelContext& ctx, absl::Span<const int32_t> indices,
                          CountedVector<Tensor> values) {
  MutexLock lock(mu_);
  for (size_t i = 0; i < indices.size(); ++i) {
    MR_RETURN_IF_ERROR(WriteOne(ctx, indices[i], std::move(values[i])));
  }
  return OkStatus();
}

Status TensorArray::WriteOne(KernelContext& ctx, int32_t index, Tensor value) {
  MR_RETURN_IF_ERROR(CheckOpen());
  const int64_t size = static_cast<int64_t>(slots_.size());
  if (index < 0 || (!dynamic_size_ && index >= size)) {
    return InvalidArgument("TensorArray ", name(), ": Tried to write to index ",
                           index,
                           " but array is not resizeable and size is: ", size);
  }
  if (index >= size) MR_RETURN_IF_ERROR(Resize(int64_t{index} + 1));
  if (value.dtype() != options_.dtype) {
    return InvalidArgument(
        "TensorArray ", name(), ": Could not write to TensorArray index ",
        index, " because the value dtype is ", DataTypeName(value.dtype()),
        " but TensorArray dtype is ", DataTypeName(options_.dtype), ".");
  }
  if (!element_shape_.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "TensorArray ", name(), ": Could not write to TensorArray index ",
        index, " because the value shape is ", value.shape().DebugString(),
        " which is incompatible with the TensorArray's inferred element "
        "shape: ",
        element_shape_.DebugString(), " (consider setting infer_shape=False).");
  }
  if (options_.identical_element_shapes && !element_shape_.IsFullyDefined()) {
    element_shape_ = PartialShape(value.shape());
  }
  Slot& slot = slots_[static_cast<size_t>(index)];
  if (slot.read) {
    return InvalidArgument("TensorArray ", name(),
                           ": Could not write to TensorArray index ", index,
                           " because it has already been read.");
  }
  if (slot.written && !options_.is_gradient) {
    return InvalidArgument("TensorArray ", name(),
                           ": Could not write to TensorArray index ", index,
                           " because it has already been written to.");
  }
  if (slot.written) return AddTo(ctx, index, slot, std::move(value));
  slot.shape = value.shape();
  slot.tensor = std::move(value);
  slot.written = true;
  return OkStatus();
}

Status TensorArray::AddTo(KernelContext& ctx, int32_t index, Slot& slot,
                          Tensor value) {
  if (!(value.shape() == slot.shape)) {
    return InvalidArgument(
        "TensorArray ", name(), ": Could not aggregate to TensorArray index ",
        index, " because the existing shape is ", slot.shape.DebugString(),
        " but the new input shape is ", value.shape().DebugString(), ".");
  }
  if (!slot.tensor.valid() || slot.tensor.num_elements() == 0) {
    slot.tensor = std::move(value);
    return OkStatus();
  }
  if (!IsSummable(options_.dtype)) {
    return InvalidArgument("tensor_array::AddToTensor type not supported: ",
                           DataTypeName(options_.dtype));
  }
  if (value.on_device()) {
    if (options_.device_sum == nullptr) {
      return Unimplemented("TensorArray ", name(), ": values of type ",
                           DataTypeName(options_.dtype),
                           " are not added on a GPU");
    }
    if (!slot.own_copy) {
      MR_ASSIGN_OR_RETURN(slot.tensor, slot.tensor.DeepCopy(ctx.allocator()));
      slot.own_copy = true;
    }
    MR_RETURN_IF_ERROR(options_.device_sum(ctx, &slot.tensor, value));
  } else if (slot.own_copy) {
    MR_RETURN_IF_ERROR(AddInPlace(ctx, &slot.tensor, value));
  } else {
    MR_ASSIGN_OR_RETURN(slot.tensor, SumTensors(ctx, slot.tensor, value));
    slot.own_copy = true;
  }
  gradients_disallowed_ = true;
  return OkStatus();
}

Status TensorArray::Read(KernelContext& ctx, absl::Span<const int32_t> indices,
                         CountedVector<Tensor>* values) {
  values->clear();
  values->resize(indices.size());
  MutexLock lock(mu_);
  for (size_t i = 0; i < indices.size(); ++i) {
    MR_RETURN_IF_ERROR(ReadOne(ctx, indices[i], &(*values)[i]));
  }
  return OkStatus();
}

Status TensorArray::ReadOne(KernelContext& ctx, int32_t index, Tensor* value) {
  MR_RETURN_IF_ERROR(CheckOpen());
  const int64_t size = static_cast<int64_t>(slots_.size());
  if (index < 0 || (!options_.is_gradient && index >= size)) {
    return InvalidArgument("Tried to read from index ", index,
                           " but array size is: ", size);
  }
  if (index >= size || !slots_[static_cast<size_t>(index)].written) {
    MR_RETURN_IF_ERROR(MakeZeros(index));
  }
  Slot& slot = slots_[static_cast<size_t>(index)];
  if (slot.cleared) {
    return InvalidArgument(
        "TensorArray ", name(), ": Could not read index ", index,
        " twice because it was cleared after a previous read (perhaps try "
        "setting clear_after_read = false?).");
  }
  if (!slot.tensor.valid() || slot.tensor.num_elements() == 0) {
    MR_ASSIGN_OR_RETURN(slot.tensor, ZeroTemp(ctx, options_.dtype, slot.shape));
  }
  slot.read = true;
  slot.own_copy = false;
  if (!options_.clear_after_read) {
    *value = slot.tensor;
    return OkStatus();
  }
  *value = std::move(slot.tensor);
  slot.tensor = Tensor();
  slot.cleared = true;
  return OkStatus();
}

// Makes zeros for an element that was not written, since its gradients may have
// been stopped.
Status TensorArray::MakeZeros(int32_t index) {
  if (!element_shape_.IsFullyDefined()) {
    return InvalidArgument(
        "TensorArray ", name(), ": Could not read from TensorArray index ",
        index, ".  Furthermore, the element shape is not fully defined: ",
        element_shape_.DebugString(),
        ".  It is possible you are working with a resizeable TensorArray and "
        "stop_gradients is not allowing the gradients to be written.  If you "
        "set the full element_shape property on the forward TensorArray, the "
        "proper all-zeros tensor will be returned instead of incurring this "
        "error.");
  }
  if (index >= static_cast<int64_t>(slots_.size())) {
    MR_RETURN_IF_ERROR(Resize(int64_t{index} + 1));
  }
  Slot& slot = slots_[static_cast<size_t>(index)];
  MR_ASSIGN_OR_RETURN(slot.shape, element_shape_.AsTensorShape());
  slot.written = true;
  return OkStatus();
}

StatusOr<int32_t> TensorArray::Size() const {
  MutexLock lock(mu_);
  MR_RETURN_IF_ERROR(CheckOpen());
  return static_cast<int32_t>(slots_.size());
}

StatusOr<int32_t> TensorArray::ConcatSize() const {
  MutexLock lock(mu_);
  MR_RETURN_IF_ERROR(CheckOpen());
  return options_.is_gradient ? marked_size_
                              : static_cast<int32_t>(slots_.size());
}

void TensorArray::MarkSize(int32_t size) {
  MutexLock lock(mu_);
  if (!options_.is_gradient) marked_size_ = size;
}

bool TensorArray::has_dynamic_size() const {
  MutexLock lock(mu_);
  return dynamic_size_;
}

Status TensorArray::MergeElementShape(const PartialShape& shape) {
  MutexLock lock(mu_);
  MR_ASSIGN_OR_RETURN(element_shape_, element_shape_.Merge(shape));
  return OkStatus();
}

void TensorArray::Close() {
  std::vector<Slot> freed;  // freed after the lock is released
  MutexLock lock(mu_);
  closed_ = true;
  freed.swap(slots_);
  // Less memory than before always fits.
  (void)charge_.Set(0, "");
  lock.Unlock();
}

}  // namespace millrace::ops
