#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/diagonal/matrix_diag.h"

MR_GPU_SOURCE(diagonal_matrix_diag);

namespace millrace::ops {
namespace {

// As in the device text.
struct DiagArgs {
  uint64_t x = 0, base = 0, out = 0;
  int64_t total = 0, rows = 0, cols = 0, low = 0, high = 0, longest = 0;
  int above_left = 1, below_left = 1;
  alignas(16) char value[16] = {};

  explicit DiagArgs(const Diagonals& d)
      : rows(d.rows),
        cols(d.cols),
        low(d.low),
        high(d.high),
        longest(d.longest()),
        above_left(d.above_left ? 1 : 0),
        below_left(d.below_left ? 1 : 0) {}
  void SetValue(const Tensor& t) {
    std::memcpy(value, t.data(), SizeOf(t.dtype()));
  }
};

class GpuDiagonals final : public DiagonalMover {
 public:
  static StatusOr<GpuDiagonals> Make(const KernelInit& init) {
    GpuDiagonals m;
    const size_t size = SizeOf(RemoveRef(init.output_type(0)));
    const std::vector<GpuDefine> defines = {
        {"E", size == 16 ? std::string("complex128")
                         : absl::StrCat("uint", size * 8, "_t")}};
    const GpuSource& source = MR_GPU_SOURCE_OF(diagonal_matrix_diag);
    MR_ASSIGN_OR_RETURN(
        m.take_, LoadGpuFunction(init, source, "TakeDiagonals", defines));
    MR_ASSIGN_OR_RETURN(m.put_,
                        LoadGpuFunction(init, source, "PutDiagonals", defines));
    return m;
  }
  Status Take(KernelContext& ctx, const Diagonals& d, const Tensor& x,
              const Tensor* padding, Tensor* out) const override {
    DiagArgs a(d);
    a.x = x.num_elements() == 0 ? 0 : x.device_address();
    a.out = out->device_address();
    a.total = out->num_elements();
    a.SetValue(padding != nullptr ? *padding : ZeroElement(x.dtype()));
    return LaunchGpu(ctx, take_, GridOver(a.total), a);
  }
  Status Put(KernelContext& ctx, const Diagonals& d, const Tensor& diagonal,
             const Tensor* base, const Tensor* fill,
             Tensor* out) const override {
    DiagArgs a(d);
    a.x = diagonal.num_elements() == 0 ? 0 : diagonal.device_address();
    a.base = base != nullptr ? base->device_address() : 0;
    a.out = out->device_address();
    a.total = out->num_elements();
    a.SetValue(fill != nullptr ? *fill : ZeroElement(out->dtype()));
    return LaunchGpu(ctx, put_, GridOver(a.total), a);
  }

 private:
  GpuFunction take_, put_;
};

template <Status (*kFunction)(KernelContext&, const DiagSpec&,
                              const DiagonalMover&),
          DiagVersion kVersion>
struct GpuDiag {
  static StatusOr<GpuDiag> Make(const KernelInit& init) {
    GpuDiag k;
    MR_ASSIGN_OR_RETURN(k.spec, DiagSpec::Make(init, kVersion));
    MR_ASSIGN_OR_RETURN(k.mover, GpuDiagonals::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const { return kFunction(ctx, spec, mover); }
  DiagSpec spec;
  GpuDiagonals mover;
};

#define MR_DIAG_ON_GPU "T: " MR_GPU_TYPES

}  // namespace

MR_KERNELS(MatrixDiag, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<MakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(MatrixDiagV2, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<MakeMatrixDiagonals, DiagVersion::kRange>>,
     .host = "k, num_rows, num_cols, padding_value"}};
MR_KERNELS(MatrixDiagV3, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make =
         MakeKernel<GpuDiag<MakeMatrixDiagonals, DiagVersion::kAlignedRange>>,
     .host = "k, num_rows, num_cols, padding_value"}};
MR_KERNELS(MatrixDiagPart, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<TakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(MatrixDiagPartV2, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<TakeMatrixDiagonals, DiagVersion::kRange>>,
     .host = "k, padding_value"}};
MR_KERNELS(MatrixDiagPartV3, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make =
         MakeKernel<GpuDiag<TakeMatrixDiagonals, DiagVersion::kAlignedRange>>,
     .host = "k, padding_value"}};
MR_KERNELS(MatrixSetDiag, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<SetMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(MatrixSetDiagV2, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<SetMatrixDiagonals, DiagVersion::kRange>>,
     .host = "k"}};
MR_KERNELS(MatrixSetDiagV3, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make =
         MakeKernel<GpuDiag<SetMatrixDiagonals, DiagVersion::kAlignedRange>>,
     .host = "k"}};
MR_KERNELS(BatchMatrixDiag, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<MakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(BatchMatrixDiagPart, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<TakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(BatchMatrixSetDiag, Gpu){
    {.types = MR_DIAG_ON_GPU,
     .make = MakeKernel<GpuDiag<SetMatrixDiagonals, DiagVersion::kMain>>}};

}  // namespace millrace::ops
