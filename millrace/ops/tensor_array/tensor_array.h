// TensorArray: tensors by index, written and read within one step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/kernel/resource.h"

namespace millrace::ops {

// Thread-safe. Errors are INVALID_ARGUMENT and name the array unless stated
// otherwise; RESOURCE_EXHAUSTED if memory runs out.
class TensorArray final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "N10tensorflow11TensorArrayE";

  // Adds the second tensor to the first, which has the only reference to its
  // buffer. Both are on the kernel's device, and have the same form.
  using DeviceSum =
      std::function<Status(KernelContext&, Tensor* sum, const Tensor& x)>;

  struct Options {
    std::string name;  // for messages
    DataType dtype = DataType::kInvalid;
    PartialShape element_shape;
    bool identical_element_shapes = false;
    bool dynamic_size = false;
    bool clear_after_read = true;
    // Holds gradients: repeated writes are added up, and elements never written
    // are zeros.
    bool is_gradient = false;
    // Adds writes on a device with memory of its own; null: nothing does.
    DeviceSum device_sum;
  };

  static StatusOr<Ref<TensorArray>> Make(Options options, int64_t size);
  // Makes the array of the gradients of `forward`, whose size is fixed from now
  // on. Each written element of `forward` starts as zeros of its shape, with
  // `prepended` in front.
  static StatusOr<Ref<TensorArray>> MakeGradient(
      TensorArray& forward, std::string name, const TensorShape& prepended,
      DeviceSum device_sum = nullptr);

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  void OnRemoved() override { Close(); }

  DataType dtype() const { return options_.dtype; }
  const std::string& name() const { return options_.name; }

  // Write and read in the order of the indices, until the first error.
  Status Write(KernelContext& ctx, absl::Span<const int32_t> indices,
               CountedVector<Tensor> values);
  Status Read(KernelContext& ctx, absl::Span<const int32_t> indices,
              CountedVector<Tensor>* values);

  StatusOr<int32_t> Size() const;
  // Returns how many elements a concatenation has: all or, for gradients, as
  // many as were unpacked into the array before.
  StatusOr<int32_t> ConcatSize() const;
  // Records how many elements were unpacked into the array.
  void MarkSize(int32_t size);
  bool has_dynamic_size() const;
  // Merges `shape` into the shape that elements must have.
  Status MergeElementShape(const PartialShape& shape);
  // Frees all elements; every later use is an error.
  void Close();

 private:
  struct Slot {
    Tensor tensor;  // invalid: zeros of `shape`
    TensorShape shape;
    bool written = false;
    bool read = false;
    bool cleared = false;
    bool own_copy = false;  // `tensor` is a sum with a single reference
  };

  TensorArray(Options options, int32_t marked_size)
      : options_(std::move(options)), marked_size_(marked_size) {}
  Status CheckOpen() const;
  Status Resize(int64_t size);
  Status WriteOne(KernelContext& ctx, int32_t index, Tensor value);
  Status AddTo(KernelContext& ctx, int32_t index, Slot& slot, Tensor value);
  Status ReadOne(KernelContext& ctx, int32_t index, Tensor* value);
  Status MakeZeros(int32_t index);

  const Options options_;
  mutable Mutex mu_;  // guards all below
  PartialShape element_shape_;
  bool dynamic_size_ = false;
  bool gradients_disallowed_ = false;
  bool closed_ = false;
  int32_t marked_size_ = -1;
  std::vector<Slot> slots_;
  MemoryCharge charge_;
};

}  // namespace millrace::ops
