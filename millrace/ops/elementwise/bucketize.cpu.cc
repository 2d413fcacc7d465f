// Kernel of Bucketize.
#include <algorithm>
#include <vector>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

class BucketizeKernel {
 public:
  static StatusOr<BucketizeKernel> Make(const KernelInit& init) {
    BucketizeKernel k;
    MR_ASSIGN_OR_RETURN(k.boundaries_,
                        init.Attr<std::vector<float>>("boundaries"));
    if (!std::is_sorted(k.boundaries_.begin(), k.boundaries_.end())) {
      return InvalidArgument("Expected sorted boundaries");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, x.shape()));
    int32_t* out = z->mutable_flat<int32_t>().data();
    return Dispatch<float, double, int32_t, int64_t>(x.dtype(), [&]<class T>() {
      const T* in = x.flat<T>().data();
      return ShardElements(ctx, x.num_elements(), 10000,
                           [&](int64_t begin, int64_t end) {
                             for (int64_t i = begin; i < end; ++i) {
                               out[i] = static_cast<int32_t>(
                                   std::upper_bound(boundaries_.begin(),
                                                    boundaries_.end(), in[i]) -
                                   boundaries_.begin());
                             }
                           });
    });
  }

 private:
  std::vector<float> boundaries_;
};

}  // namespace

MR_KERNELS(Bucketize, Cpu){{.make = MakeKernel<BucketizeKernel>}};

}  // namespace millrace::ops
