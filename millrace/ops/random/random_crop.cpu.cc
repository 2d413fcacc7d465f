#include <cstring>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {
namespace {

class RandomCropKernel {
 public:
  static StatusOr<RandomCropKernel> Make(const KernelInit& init) {
    RandomCropKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& image = ctx.input(0);
    MR_RETURN_IF_ERROR(Check(image, ctx.input(1)));
    const int64_t height = ctx.input(1).flat<int64_t>()[0];
    const int64_t width = ctx.input(1).flat<int64_t>()[1];
    MR_RETURN_IF_ERROR(CheckSize("height", image.dim(0), height));
    MR_RETURN_IF_ERROR(CheckSize("width", image.dim(1), width));
    Philox4x32 generator = stream_->Reserve(1);
    if (height == image.dim(0) && width == image.dim(1)) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    // The column is drawn before the row.
    SingleNumbers next(&generator);
    const int64_t column = Offset(next, image.dim(1) - width);
    const int64_t row = Offset(next, image.dim(0) - height);
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(0, TensorShape({height, width, image.dim(2)})));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t pixel =
        image.dim(2) * static_cast<int64_t>(SizeOf(image.dtype()));
    const char* const from =
        image.data() + (row * image.dim(1) + column) * pixel;
    char* const to = out->mutable_data();
    for (int64_t r = 0; r < height; ++r) {
      std::memcpy(to + r * width * pixel, from + r * image.dim(1) * pixel,
                  static_cast<size_t>(width * pixel));
    }
    return OkStatus();
  }

 private:
  static Status Check(const Tensor& image, const Tensor& size) {
    if (image.rank() != 3) {
      return InvalidArgument("input must be 3-dimensional",
                             image.shape().DebugString());
    }
    if (size.rank() != 1) {
      return InvalidArgument("shape_t must be 1-dimensional",
                             size.shape().DebugString());
    }
    if (size.num_elements() != 2) {
      return InvalidArgument("shape_t must have two elements",
                             size.shape().DebugString());
    }
    return OkStatus();
  }

  static Status CheckSize(const char* what, int64_t size, int64_t target) {
    if (target < 0) {
      return InvalidArgument("target_", what, " must be >= 0, but is ", target);
    }
    if (size >= target) return OkStatus();
    return FailedPrecondition(what, " must be >= target_", what, ": ", what,
                              " = ", size, ", target_", what, " = ", target);
  }

  // Returns a number from 0 to `most`, which draws none if there is no choice.
  static int64_t Offset(SingleNumbers& next, int64_t most) {
    if (most == 0) return 0;
    return static_cast<int64_t>(uint64_t{next()} %
                                (static_cast<uint64_t>(most) + 1));
  }

  std::unique_ptr<RandomStream> stream_;
};

}  // namespace

MR_KERNELS(RandomCrop,
           Cpu){{.types = "T: uint8, int8, int16, int32, int64, float, double",
                 .make = MakeKernel<RandomCropKernel>,
                 .host = "size",
                 .views = "image"}};

}  // namespace millrace::ops
