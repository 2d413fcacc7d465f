#include "millrace/kernel/variable_view.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace millrace {
namespace {

// The apparent address of a view's elements, which no processor can read, so
// that a reader that has not bound its input crashes at once.
constexpr uintptr_t kNowhere = uintptr_t{1} << 62;

// Returns where the elements begin, in whatever memory.
const char* PointerTo(const Tensor& t) {
  return reinterpret_cast<const char*>(t.address());
}

// Returns the elements [offset, ...) of `whole` with the view's type and shape.
StatusOr<Tensor> PartOf(const Tensor& whole, const Tensor& view, int64_t offset,
                        Allocator* allocator) {
  if (whole.on_device()) {
    return Tensor::OnDevice(
        view.dtype(), view.shape(), Ref<Buffer>::Share(whole.buffer()),
        whole.device_address() + static_cast<uintptr_t>(offset));
  }
  const bool is_small = view.size_bytes() <= 16 && IsPlain(view.dtype());
  if (whole.buffer() != nullptr && !is_small) {
    return Tensor::FromBuffer(view.dtype(), view.shape(),
                              Ref<Buffer>::Share(whole.buffer()),
                              const_cast<char*>(whole.data()) + offset);
  }
  MR_ASSIGN_OR_RETURN(Tensor part,
                      Tensor::Allocate(Variable::RowAllocator(allocator),
                                       view.dtype(), view.shape()));
  if (part.size_bytes() > 0) {
    std::memcpy(part.mutable_data(), whole.data() + offset, part.size_bytes());
  }
  return part;
}

}  // namespace

// The buffer of a view.
class VariableView final : public Buffer {
 public:
  VariableView(Ref<Variable> variable, Ref<VariableCell> cell, size_t size)
      : Buffer(reinterpret_cast<char*>(kNowhere), size),
        variable_(std::move(variable)),
        cell_(std::move(cell)) {}

  static StatusOr<Tensor> Make(const Ref<Variable>& variable) {
    ReaderLock lock(variable->mu_);
    const Tensor& value = variable->value_;
    if (!value.valid()) return variable->Uninitialized();
    auto buffer =
        MakeRef<VariableView>(variable, variable->cell_, value.size_bytes());
    char* const begin = buffer->data();
    return Tensor::View(value.dtype(), value.shape(), std::move(buffer), begin);
  }

  static const VariableView& Of(const Tensor& view) {
    return static_cast<const VariableView&>(*view.buffer());
  }
  static int64_t OffsetOf(const Tensor& view) {
    return static_cast<int64_t>(view.address() - kNowhere);
  }

  StatusOr<Tensor> Read(const Tensor& view, Allocator* allocator) const {
    const int64_t offset = OffsetOf(view);
    ReaderLock lock(variable_->mu_);
    if (!is_current()) return PartOf(cell_->last_, view, offset, allocator);
    if (!variable_->sparse_) {
      return PartOf(variable_->value_, view, offset, allocator);
    }
    MR_ASSIGN_OR_RETURN(Tensor copy,
                        Tensor::Allocate(Variable::RowAllocator(allocator),
                                         view.dtype(), view.shape()));
    variable_->CopyPartLocked(
        offset, offset + static_cast<int64_t>(view.size_bytes()), &copy);
    return copy;
  }

  const Variable& variable() const { return *variable_; }
  // The following require the variable's mu().
  bool is_current() const { return variable_->cell_ == cell_; }
  const Tensor& last() const { return cell_->last_; }
  const Tensor& value() const { return variable_->value_; }
  bool rows_change() const { return variable_->sparse_; }

  static SharedMutex& StripeOf(const Variable& variable, int64_t row) {
    return variable.stripe(row);
  }

 private:
  const Ref<Variable> variable_;
  const Ref<VariableCell> cell_;
};

StatusOr<Tensor> MakeView(const Ref<Variable>& variable) {
  return VariableView::Make(variable);
}

StatusOr<Tensor> BoundTensor(const Tensor& tensor, Allocator* allocator) {
  if (!tensor.is_view()) return tensor;
  return VariableView::Of(tensor).Read(
      tensor, allocator != nullptr ? allocator : HostAllocator());
}

Status Bind(Tensor* tensor, Allocator* allocator) {
  if (!tensor->is_view()) return OkStatus();
  MR_ASSIGN_OR_RETURN(*tensor, BoundTensor(*tensor, allocator));
  return OkStatus();
}

Status BindAll(absl::Span<Tensor> tensors, Allocator* allocator) {
  for (Tensor& tensor : tensors) {
    MR_RETURN_IF_ERROR(Bind(&tensor, allocator));
  }
  return OkStatus();
}

SharedElements::SharedElements(const Tensor& tensor) {
  if (!tensor.is_view()) {
    data_ = PointerTo(tensor);
    return;
  }
  const VariableView& view = VariableView::Of(tensor);
  offset_ = VariableView::OffsetOf(tensor);
  view.variable().mu().LockShared();
  if (!view.is_current()) {
    kept_ = view.last();
    view.variable().mu().UnlockShared();
    data_ = PointerTo(kept_) + offset_;
    return;
  }
  variable_ = &view.variable();
  data_ = PointerTo(view.value()) + offset_;
  rows_change_ = view.rows_change();
  const Tensor& value = view.value();
  const int64_t rows =
      value.rank() == 0 ? 1 : std::max<int64_t>(value.dim(0), 1);
  row_bytes_ =
      std::max<int64_t>(static_cast<int64_t>(value.size_bytes()) / rows, 1);
}

SharedElements::~SharedElements() {
  if (variable_ != nullptr) variable_->mu().UnlockShared();
}

SharedMutex& SharedElements::stripe(int64_t row) const {
  return VariableView::StripeOf(*variable_, row);
}

}  // namespace millrace
