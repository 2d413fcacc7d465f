#include "millrace/ops/elementwise/elementwise.gpu.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/program.gpu.h"

namespace millrace::ops {
namespace {

class GpuElementwiseKernel {
 public:
  GpuElementwiseKernel(ElementwiseProgram program, GpuOperands operands,
                       DataType output)
      : program_(std::move(program)), operands_(operands), output_(output) {}

  // Sets the result for shapes that do not broadcast, instead of an error.
  void set_if_incompatible(bool value) {
    answers_incompatible_ = true;
    if_incompatible_ = value;
  }

  Status Run(KernelContext& ctx) const {
    TensorShape shape = ctx.input(0).shape();
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      const TensorShape& other = ctx.input(i).shape();
      if (shape == other) continue;
      if (operands_ == GpuOperands::kSameShape) return DifferentShapes(ctx, i);
      if (operands_ == GpuOperands::kSameSize) {
        if (shape.num_elements() == other.num_elements()) continue;
        return InvalidArgument(
            "The two arguments to a cwise op must have same number of "
            "elements, got ",
            shape.num_elements(), " and ", other.num_elements());
      }
      StatusOr<Broadcast> both = Broadcast::Make({&shape, &other});
      if (!both.ok()) {
        return answers_incompatible_ ? Answer(ctx) : both.status();
      }
      shape = both->shape();
    }
    MR_ASSIGN_OR_RETURN(Tensor* const z, Output(ctx, shape));
    const Tensor* inputs[ElementwiseText::kMaxInputs] = {};
    const auto num_inputs = static_cast<size_t>(ctx.num_inputs());
    for (size_t i = 0; i < num_inputs; ++i) {
      inputs[i] = &ctx.input(static_cast<int>(i));
    }
    return program_.Run(ctx, absl::MakeConstSpan(inputs, num_inputs),
                        absl::MakeConstSpan(&z, 1));
  }

 private:
  // Takes over the first input that has the output's shape and element size.
  StatusOr<Tensor*> Output(KernelContext& ctx, const TensorShape& shape) const {
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& x = ctx.input(i);
      if (x.num_elements() == shape.num_elements() && x.IsUnshared() &&
          SizeOf(x.dtype()) == SizeOf(output_)) {
        return ctx.ForwardOrAllocateOutput({i}, 0, shape);
      }
    }
    return ctx.AllocateOutput(0, shape);
  }

  Status Answer(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.AllocateOutput(0, TensorShape()));
    return FillGpuBytes(ctx, GpuOutput(*z), if_incompatible_ ? 1 : 0, 1);
  }

  ElementwiseProgram program_;
  GpuOperands operands_;
  DataType output_;
  bool answers_incompatible_ = false;
  bool if_incompatible_ = false;
};

StatusOr<GpuElementwiseKernel> MakeKernelOf(const KernelInit& init,
                                            const ElementwiseText& text,
                                            GpuOperands operands) {
  ElementwiseProgramBuilder builder;
  std::vector<int> values;
  for (int i = 0; i < init.num_inputs(); ++i) {
    values.push_back(builder.AddInput(RemoveRef(init.input_type(i))));
  }
  const DataType output = RemoveRef(init.output_type(0));
  builder.AddOutput(builder.AddOp(text, values, output));
  MR_ASSIGN_OR_RETURN(ElementwiseProgram program, builder.Build(init));
  return GpuElementwiseKernel(std::move(program), operands, output);
}

std::unique_ptr<Kernel> Wrap(GpuElementwiseKernel kernel) {
  return std::unique_ptr<Kernel>(
      new millrace::internal::KernelOf<GpuElementwiseKernel>(
          std::move(kernel)));
}

}  // namespace

ElementwiseText TextOfName(const KernelInit& init,
                           std::initializer_list<const GpuSource*> sources) {
  ElementwiseText text;
  text.expression = absl::StrCat("Apply<op::", init.node().op->name, ">(");
  for (int i = 0; i < init.num_inputs(); ++i) {
    absl::StrAppend(&text.expression, i == 0 ? "$" : ", $", i);
  }
  text.expression += ")";
  text.sources = sources;
  return text;
}

StatusOr<std::unique_ptr<Kernel>> MakeGpuElementwiseKernel(
    const KernelInit& init, const ElementwiseText& text, GpuOperands operands) {
  MR_ASSIGN_OR_RETURN(GpuElementwiseKernel kernel,
                      MakeKernelOf(init, text, operands));
  return Wrap(std::move(kernel));
}

StatusOr<std::unique_ptr<Kernel>> MakeGpuEqualityKernel(
    const KernelInit& init, const ElementwiseText& text, bool if_incompatible) {
  MR_ASSIGN_OR_RETURN(GpuElementwiseKernel kernel,
                      MakeKernelOf(init, text, GpuOperands::kBroadcast));
  MR_ASSIGN_OR_RETURN(const bool is_error,
                      init.Attr<bool>("incompatible_shape_error"));
  if (!is_error) kernel.set_if_incompatible(if_incompatible);
  return Wrap(std::move(kernel));
}

}  // namespace millrace::ops
