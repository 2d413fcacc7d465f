// Kernels of Select and SelectV2 on GPUs. int32 lies on the device as all
// others.
#include <algorithm>
#include <utility>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/elementwise/program.gpu.h"

MR_GPU_SOURCE(elementwise_select);

namespace millrace::ops {
namespace {

constexpr ElementwiseTextMaker kSelectText =
    OpText<MR_GPU_SOURCE_OF(elementwise_select)>;

// Returns a type of the same size, so that few programs are compiled.
DataType MovedAs(DataType type) {
  switch (SizeOf(type)) {
    case 1:
      return DataType::kUint8;
    case 2:
      return DataType::kUint16;
    case 4:
      return DataType::kUint32;
    case 8:
      return DataType::kUint64;
    default:
      return DataType::kComplex128;
  }
}

template <bool kBroadcasts>
class GpuSelectKernel {
 public:
  static StatusOr<GpuSelectKernel> Make(const KernelInit& init) {
    GpuSelectKernel k;
    MR_ASSIGN_OR_RETURN(const ElementwiseText text, kSelectText(init));
    const DataType type = MovedAs(RemoveRef(init.output_type(0)));
    ElementwiseProgramBuilder builder;
    const int condition = builder.AddInput(DataType::kBool);
    const int t = builder.AddInput(type);
    const int e = builder.AddInput(type);
    builder.AddOutput(builder.AddOp(text, {condition, t, e}, type));
    MR_ASSIGN_OR_RETURN(k.program_, builder.Build(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    return kBroadcasts ? RunBroadcast(ctx) : RunSame(ctx);
  }

 private:
  Status RunBroadcast(KernelContext& ctx) const {
    const TensorShape& c = ctx.input(0).shape();
    const TensorShape& t = ctx.input(1).shape();
    const TensorShape& e = ctx.input(2).shape();
    const StatusOr<Broadcast> b = Broadcast::Make({&c, &t, &e});
    if (!b.ok()) {
      return InvalidArgument("condition ", c.DebugString(), ", then ",
                             t.DebugString(), ", and else ", e.DebugString(),
                             " must be broadcastable");
    }
    return Choose(ctx, ctx.input(0), b->shape());
  }

  // The condition has the operands' shape, or is a scalar or a vector of rows.
  Status RunSame(KernelContext& ctx) const {
    Tensor c = ctx.input(0);
    const TensorShape t = ctx.input(1).shape();
    const TensorShape& e = ctx.input(2).shape();
    const bool rows = c.rank() == 1 && t.rank() != 1;
    if (rows && t.rank() == 0) {
      return InvalidArgument(
          "'then' must be at least a vector, but saw shape: ", t.DebugString());
    }
    if (rows && t.dim(0) != c.num_elements()) {
      return InvalidArgument(
          "Number of batches of 'then' must match size of 'cond', but saw: ",
          t.dim(0), " vs. ", c.num_elements());
    }
    if ((rows || c.rank() == 0) && !(t == e)) {
      return InvalidArgument(
          "'then' and 'else' must have the same size.  but received: ",
          t.DebugString(), " vs. ", e.DebugString());
    }
    for (int i = 1; i < 3 && !rows && c.rank() != 0; ++i) {
      if (ctx.input(i).shape() == c.shape()) continue;
      return InvalidArgument("Inputs to operation ", ctx.node().name,
                             " of type ", ctx.node().op->name,
                             " must have the same size and shape.  Input 0: ",
                             c.shape().DebugString(), " != input ", i, ": ",
                             ctx.input(i).shape().DebugString());
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(1));
    MR_RETURN_IF_ERROR(ctx.BindInput(2));
    if (rows) {
      DimVector dims(static_cast<size_t>(t.rank()), 1);
      dims[0] = t.dim(0);
      MR_ASSIGN_OR_RETURN(TensorShape column, TensorShape::Make(dims));
      c = c.Reshaped(std::move(column));
    }
    return Choose(ctx, c, t);
  }

  Status Choose(KernelContext& ctx, const Tensor& condition,
                TensorShape shape) const {
    const auto fits = [&](int i) {
      return ctx.input(i).num_elements() == shape.num_elements();
    };
    StatusOr<Tensor*> made =
        fits(1) && fits(2)
            ? ctx.ForwardOrAllocateOutput({1, 2}, 0, std::move(shape))
        : fits(1) ? ctx.ForwardOrAllocateOutput({1}, 0, std::move(shape))
        : fits(2) ? ctx.ForwardOrAllocateOutput({2}, 0, std::move(shape))
                  : ctx.AllocateOutput(0, std::move(shape));
    MR_ASSIGN_OR_RETURN(Tensor* const z, std::move(made));
    const Tensor* const inputs[] = {&condition, &ctx.input(1), &ctx.input(2)};
    return program_.Run(ctx, inputs, absl::MakeConstSpan(&z, 1));
  }

  ElementwiseProgram program_;
};

}  // namespace

MR_KERNELS(Select, Gpu){
    {.types = "T: " MR_PLAIN_TYPES,
     .make = MakeKernel<GpuSelectKernel<false>>,
     .views = "t, e"},
    {.types = "T: resource, string, variant", .make = OnHost, .host = "*"}};
MR_KERNELS(SelectV2, Gpu){{.types = "T: " MR_PLAIN_TYPES,
                           .make = MakeKernel<GpuSelectKernel<true>>,
                           .elementwise = ElementwiseOfText<kSelectText>}};

}  // namespace millrace::ops
