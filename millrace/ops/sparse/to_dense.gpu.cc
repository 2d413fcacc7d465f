// Kernel of SparseToDense on GPUs. Where indices are to be validated it is
// asynchronous: what the device has found is copied to the host. Else places
// that do not exist are passed over; on CPUs they are errors.
#include <bit>
#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/sparse/checks/to_dense.h"
#include "millrace/ops/state/scatter.gpu.h"

MR_GPU_SOURCE(sparse_to_dense);

namespace millrace::ops {
namespace {

// As in the device text.
constexpr size_t kDimsInArgs = 8;
struct PlacesArgs {
  int64_t count = 0, rank = 0;
  int32_t validate = 0;
  int64_t dims[kDimsInArgs] = {};
  GpuPointer more_dims, indices, places, bad;
};

class SparseToDenseGpu {
 public:
  static StatusOr<SparseToDenseGpu> Make(const KernelInit& init) {
    SparseToDenseGpu k;
    MR_ASSIGN_OR_RETURN(k.validate_, init.Attr<bool>("validate_indices"));
    MR_ASSIGN_OR_RETURN(k.mover_, GpuMover::Make(init, {.copies = false}));
    MR_ASSIGN_OR_RETURN(
        k.scatter_, GpuScatter::Make(init, GpuScatterOp::kReplace,
                                     init.output_type(0), DataType::kInt64));
    const std::vector<GpuDefine> defines = {
        {"I", GpuTypeName(RemoveRef(init.input_type(0)))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(sparse_to_dense);
    MR_ASSIGN_OR_RETURN(
        k.places_, LoadGpuFunction(init, source, "PlacesOfEntries", defines));
    MR_ASSIGN_OR_RETURN(k.bad_entry_,
                        LoadGpuFunction(init, source, "CopyBadEntry", defines));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Tensor> bad = Enqueue(ctx);
    if (!bad.ok() || !validate_) return std::move(done)(bad.status());
    ReadOnHost(
        ctx, *std::move(bad),
        [&ctx](const Tensor& found) { return Verdict(ctx, found); },
        std::move(done));
  }

 private:
  // Sets the output. Returns the first entry that is wrong, and its
  // coordinates: [1 + rank], on the device.
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    const Tensor& indices = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const TensorShape shape, SparseToDenseShape(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(mover_.Fill(ctx, out, ctx.input(3)));
    PlacesArgs a{.count = NumDenseEntries(indices),
                 .rank = shape.rank(),
                 .validate = validate_ ? 1 : 0,
                 .indices = GpuInput(indices)};
    const DimVector dims = shape.dims();
    Tensor more_dims;
    for (size_t d = 0; d < dims.size() && d < kDimsInArgs; ++d) {
      a.dims[d] = dims[d];
    }
    if (dims.size() > kDimsInArgs) {
      MR_ASSIGN_OR_RETURN(
          more_dims,
          UploadToGpu(ctx, dims.data() + kDimsInArgs,
                      static_cast<int64_t>((dims.size() - kDimsInArgs) *
                                           sizeof(int64_t))));
      a.more_dims = GpuInput(more_dims);
    }
    MR_ASSIGN_OR_RETURN(
        Tensor places,
        ctx.AllocateTemp(DataType::kInt64, TensorShape({a.count})));
    MR_ASSIGN_OR_RETURN(
        Tensor bad,
        ctx.AllocateTemp(DataType::kInt64, TensorShape({1 + a.rank})));
    a.places = GpuOutput(places);
    a.bad = GpuOutput(bad);
    if (validate_) {
      MR_RETURN_IF_ERROR(FillGpuBytes(ctx, a.bad, 0xff, sizeof(int64_t)));
    }
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, places_, GridOver(a.count), a));
    if (validate_) {
      MR_RETURN_IF_ERROR(
          LaunchGpu(ctx, bad_entry_, GpuGrid{.blocks = 1, .threads = 32}, a));
    }
    const int64_t elements[] = {out->num_elements()};
    Tensor flat = out->Reshaped(TensorShape({elements[0]}));
    MR_RETURN_IF_ERROR(
        scatter_.Run(ctx, flat, places, a.count, elements, ctx.input(2)));
    return bad;
  }

  static Status Verdict(KernelContext& ctx, const Tensor& found) {
    const absl::Span<const int64_t> words = found.flat<int64_t>();
    const auto bad = std::bit_cast<uint64_t>(words[0]);
    if (bad == ~uint64_t{0}) return OkStatus();
    return BadEntryError(static_cast<BadEntry>(bad & 3),
                         static_cast<int64_t>(bad >> 2), words.subspan(1),
                         ctx.output(0)->shape(), true);
  }

  bool validate_ = true;
  GpuMover mover_;
  GpuScatter scatter_;
  GpuFunction places_, bad_entry_;
};

}  // namespace

MR_KERNELS(SparseToDense, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                                .make = MakeKernel<SparseToDenseGpu>,
                                .host = "output_shape, default_value"},
                               kOnHostIfAsked};

}  // namespace millrace::ops
