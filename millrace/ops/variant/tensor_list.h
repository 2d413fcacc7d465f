// TensorListValue: a list of tensors, which is the value of a variant.
#pragma once

#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/reduction/compound_variant.h"
#include "millrace/tensor/tensor.h"

// The types that kernels of lists take.
#define MR_LIST_TYPES                                                 \
  "element_dtype: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES \
  ", variant"

namespace millrace::ops {

// Immutable once a second reference exists.
class TensorListValue final : public CompoundVariant {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::TensorList";

  TensorListValue(DataType dtype, PartialShape shape)
      : element_dtype(dtype), element_shape(std::move(shape)) {}

  absl::string_view type_name() const override { return kTypeName; }
  absl::Span<const Tensor> parts() const override { return tensors_; }
  Status CheckSum(const VariantValue& other) const override;
  StatusOr<Ref<VariantValue>> With(std::vector<Tensor> parts,
                                   const CompoundVariant* other) const override;

  const std::vector<Tensor>& tensors() const { return tensors_; }
  int64_t size() const { return static_cast<int64_t>(tensors_.size()); }

  // These require the only reference. They return RESOURCE_EXHAUSTED if memory
  // runs out.
  Status Resize(int64_t size);  // new elements are not set
  Status Push(Tensor value);
  Tensor Pop();
  void Set(int64_t i, Tensor value) {
    tensors_[static_cast<size_t>(i)] = std::move(value);
  }
  StatusOr<Ref<TensorListValue>> Copy() const;

  const DataType element_dtype;
  const PartialShape element_shape;
  int32_t max_num_elements = -1;  // -1: any

 private:
  std::vector<Tensor> tensors_;  // no type: not set
  MemoryCharge charge_;
};

// Returns the list in input `i`, a scalar, or INVALID_ARGUMENT for anything
// else.
StatusOr<const TensorListValue*> ListOfInput(KernelContext& ctx, int i);
// Does the same for a kernel that works on elements of type `dtype`.
StatusOr<const TensorListValue*> ListOfInput(KernelContext& ctx, int i,
                                             DataType dtype);
// Takes the input and returns its list for changes: the list itself if this
// kernel has the only reference, else a copy.
StatusOr<Ref<TensorListValue>> TakeList(KernelContext& ctx, int i);
void SetListOutput(KernelContext& ctx, int i, Ref<TensorListValue> list);

// Returns the shape that an int32 or int64 tensor holds: a vector with -1 for
// unknown sizes, or the scalar -1 for an unknown rank.
StatusOr<PartialShape> ShapeOfTensor(const Tensor& t);
// Merges the shape that input `i` holds with the list's element shape.
StatusOr<PartialShape> ElementShape(KernelContext& ctx, int i,
                                    const TensorListValue& list);

}  // namespace millrace::ops
