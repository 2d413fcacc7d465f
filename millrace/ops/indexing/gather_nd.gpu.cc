#include <array>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/nd_index.h"
#include "millrace/ops/state/variable_lookup.h"

MR_GPU_SOURCE(indexing_gather_nd);

namespace millrace::ops {
namespace {

constexpr int kMaxDepth = 8;

// As in the device text.
struct GatherNdArgs {
  uint64_t params = 0, indices = 0, out = 0;
  int64_t total = 0, slice = 1;
  GpuDivisor by_slice;
  int depth = 0;
  int64_t dims[kMaxDepth] = {}, strides[kMaxDepth] = {};
};

// Coordinates out of range give zeros, as in TensorFlow on GPUs; on CPUs they
// are errors.
class GatherNdGpu {
 public:
  static StatusOr<GatherNdGpu> Make(const KernelInit& init) {
    GatherNdGpu k;
    if (init.HasAttr("bad_indices_policy")) {
      MR_RETURN_IF_ERROR(BadIndicesPolicy(init.node().attrs).status());
    }
    const std::vector<GpuDefine> defines = {
        {"I", GpuTypeName(RemoveRef(init.input_type(1)))}};
    for (size_t i = 0; i < k.gather_.size(); ++i) {
      MR_ASSIGN_OR_RETURN(
          k.gather_[i],
          LoadGpuFunction(init, MR_GPU_SOURCE_OF(indexing_gather_nd),
                          absl::StrCat("GatherNd_", 1 << i).c_str(), defines));
    }
    return k;
  }
  Status Run(KernelContext& ctx) const { return Gather(ctx, ctx.input(0)); }

  Status Gather(KernelContext& ctx, const Tensor& params) const {
    const Tensor& indices = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        GatherNdShape(params.shape(), indices.shape()));
    const auto depth = static_cast<int>(indices.dim(indices.rank() - 1));
    if (depth > kMaxDepth) {
      return Unimplemented("GatherNd on GPUs takes at most ", kMaxDepth,
                           " coordinates, but got ", depth);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const SharedElements elements(params);
    GatherNdArgs a;
    a.params = elements.address();
    a.indices = indices.num_elements() == 0 ? 0 : indices.device_address();
    a.out = out->device_address();
    const int64_t slice = params.shape().NumElements(depth, params.rank());
    const auto size = static_cast<int64_t>(SizeOf(params.dtype()));
    int64_t width = std::gcd(int64_t{16}, slice * size);
    width = std::gcd(width, static_cast<int64_t>(a.params % 16));
    width = std::gcd(width, static_cast<int64_t>(a.out % 16));
    a.slice = slice * size / width;
    if (a.slice >> 31 != 0) {
      return Unimplemented("GatherNd on GPUs takes slices below 2^31 elements");
    }
    a.by_slice = GpuDivisor(static_cast<uint32_t>(a.slice));
    a.total = out->num_elements() * size / width;
    a.depth = depth;
    const DimVector strides = RowMajorStrides(params.shape().dims());
    for (int d = 0; d < depth; ++d) {
      a.dims[d] = params.dim(d);
      a.strides[d] = strides[d] * size / width;
    }
    size_t i = 0;
    while ((int64_t{1} << i) < width) ++i;
    return LaunchGpu(ctx, gather_[i], GridOver(a.total), a);
  }

 private:
  std::array<GpuFunction, 5> gather_;
};

class ResourceGatherNdGpu : public GatherNdGpu {
 public:
  static StatusOr<ResourceGatherNdGpu> Make(const KernelInit& init) {
    ResourceGatherNdGpu k;
    MR_ASSIGN_OR_RETURN(static_cast<GatherNdGpu&>(k), GatherNdGpu::Make(init));
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("dtype"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
    if (variable->dtype() != dtype_) {
      return InvalidArgument(
          "Trying to read variable with wrong dtype. Expected ",
          DataTypeName(variable->dtype()), " got ", DataTypeName(dtype_));
    }
    MR_ASSIGN_OR_RETURN(const Tensor params, MakeView(variable));
    return Gather(ctx, params);
  }

 private:
  DataType dtype_ = DataType::kInvalid;
};

}  // namespace

MR_KERNELS(GatherNd, Gpu){
    {.types = "Tparams: " MR_GPU_TYPES ", int32; Tindices: int32, int64",
     .make = MakeKernel<GatherNdGpu>,
     .views = "params"}};
MR_KERNELS(ResourceGatherNd,
           Gpu){{.types = "dtype: " MR_GPU_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<ResourceGatherNdGpu>,
                 .host = "resource"}};

}  // namespace millrace::ops
