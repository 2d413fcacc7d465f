#include <limits>
#include <string>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/summary/image_values.h"
#include "millrace/ops/summary/summary_output.h"

namespace millrace::ops {
namespace {

class ImageSummaryKernel {
 public:
  static StatusOr<ImageSummaryKernel> Make(const KernelInit& init) {
    ImageSummaryKernel k;
    MR_ASSIGN_OR_RETURN(k.max_images_, init.Attr<int64_t>("max_images"));
    if (k.max_images_ > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("max_images must be < 2^31, but is ",
                             k.max_images_);
    }
    MR_ASSIGN_OR_RETURN(const Tensor color, init.Attr<Tensor>("bad_color"));
    if (color.dtype() != DataType::kUint8) {
      return InvalidArgument("bad_color must be uint8, got ",
                             DataTypeName(color.dtype()));
    }
    if (color.rank() != 1) {
      return InvalidArgument("bad_color must be a vector, got shape ",
                             color.shape().DebugString());
    }
    const auto bytes = color.flat<uint8_t>();
    k.bad_color_.assign(bytes.begin(), bytes.end());
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& tag = ctx.input(0);
    if (tag.rank() != 0) return InvalidArgument("Tags must be a scalar");
    MR_ASSIGN_OR_RETURN(
        const CountedText summary,
        SummarizeImages(ctx, ctx.input(1),
                        {.tag = tag.scalar<StringElement>().view(),
                         .most = max_images_,
                         .bad_color = bad_color_}));
    return SetSummary(ctx, summary.view());
  }

 private:
  int64_t max_images_ = 3;
  std::vector<uint8_t> bad_color_;
};

}  // namespace

MR_KERNELS(ImageSummary, Cpu){{.make = MakeKernel<ImageSummaryKernel>}};

}  // namespace millrace::ops
