// Kernels of handles of iterators as strings, which a client can feed.
#pragma once

#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/tensor/wire_handle.h"

namespace millrace::ops {

// Sets output 0 to the handle in input 0 as a message ResourceHandleProto.
inline void SetStringHandle(KernelContext& ctx) {
  ChunkWriter out;
  EncodeHandle(ctx.input(0).flat<ResourceElement>()[0].get(), &out);
  ctx.set_output(
      0, Tensor::Scalar<std::string>(std::move(out).Finish().Flatten()));
}

// Returns the handle that such a message holds. T is a resource with a
// signature().
template <class T>
class FromStringHandleKernel {
 public:
  static StatusOr<FromStringHandleKernel> Make(const KernelInit& init) {
    FromStringHandleKernel k;
    MR_ASSIGN_OR_RETURN(k.types_,
                        init.Attr<AttrValue::TypeList>("output_types"));
    MR_ASSIGN_OR_RETURN(k.shapes_,
                        init.Attr<AttrValue::ShapeList>("output_shapes"));
    if (!k.types_.empty() && !k.shapes_.empty() &&
        k.types_.size() != k.shapes_.size()) {
      return InvalidArgument(
          "If both 'output_types' and 'output_shapes' are set, they must have "
          "the same length.");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& text = ctx.input(0);
    if (text.rank() != 0) {
      return InvalidArgument("string_handle must be a scalar");
    }
    StatusOr<ResourceElement> handle =
        DecodeHandle(ChunkReader(text.scalar<StringElement>().view()));
    if (!handle.ok()) {
      return InvalidArgument(
          "Could not parse string_handle as a valid ResourceHandle");
    }
    if (*handle == nullptr) *handle = MakeRef<ResourceHandle>();
    if ((*handle)->device != ctx.device().name()) {
      return InvalidArgument(
          "Attempted create an iterator on device \"", ctx.device().name(),
          "\" from handle defined on device \"", (*handle)->device, "\"");
    }
    if ((*handle)->type_name != T::kTypeName) {
      return InvalidArgument("the handle of a ", (*handle)->type_name,
                             " is not that of an iterator");
    }
    MR_ASSIGN_OR_RETURN(
        const Ref<T> iterator,
        ctx.resources().Lookup<T>((*handle)->container, (*handle)->name));
    const ElementSignature& has = iterator->signature();
    if (!types_.empty()) MR_RETURN_IF_ERROR(CheckTypes(types_, has.types));
    if (!shapes_.empty()) MR_RETURN_IF_ERROR(CheckShapes(shapes_, has.shapes));
    ctx.set_output(0, Tensor::Scalar<ResourceElement>(*handle));
    return OkStatus();
  }

 private:
  AttrValue::TypeList types_;
  AttrValue::ShapeList shapes_;
};

}  // namespace millrace::ops
