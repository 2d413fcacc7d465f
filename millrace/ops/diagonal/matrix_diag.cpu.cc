// Kernels of diagonals of batches of matrices, by element size.
#include "millrace/ops/diagonal/matrix_diag.h"

#include <cstring>

#include "absl/strings/match.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

Status Diagonals::Check(absl::string_view stop) const {
  for (const int64_t k : {low, high}) {
    if (k != 0 && (k <= -rows || k >= cols)) {
      return InvalidArgument(k == low ? "lower_diag_index" : "upper_diag_index",
                             " is out of bound: ", k, stop,
                             " It must be between ", -rows, " and ", cols);
    }
  }
  return OkStatus();
}

StatusOr<DiagSpec> DiagSpec::Make(const KernelInit& init, DiagVersion version) {
  DiagSpec s;
  s.ranged = version != DiagVersion::kMain;
  if (version == DiagVersion::kAlignedRange) {
    MR_ASSIGN_OR_RETURN(const auto align, init.Attr<std::string>("align"));
    s.above_left = absl::StartsWith(align, "LEFT");
    s.below_left = absl::EndsWith(align, "LEFT");
  }
  return s;
}

namespace {

// Returns the diagonals that `input` names, or the main one.
StatusOr<Diagonals> ReadDiagonals(KernelContext& ctx, const DiagSpec& spec,
                                  int input) {
  Diagonals d;
  d.above_left = spec.above_left;
  d.below_left = spec.below_left;
  if (!spec.ranged) return d;
  const Tensor& k = ctx.input(input);
  if (k.rank() > 1) {
    return InvalidArgument(
        "diag_index must be a scalar or vector, "
        "received shape: ",
        k.shape().DebugString());
  }
  const std::vector<int64_t> values = IntValues(k);
  if (values.empty()) {
    return InvalidArgument("Expected diag_index to have at least 1 element");
  }
  if (values.size() > 2) {
    return InvalidArgument(
        "diag_index must have only one or two elements, received ",
        values.size(), " elements.");
  }
  d.low = values.front();
  d.high = values.back();
  if (d.low > d.high) {
    return InvalidArgument(
        "lower_diag_index must not be larger than upper_diag_index: ", d.low,
        " > ", d.high);
  }
  return d;
}

// The diagonals of the matrices in x, and the shape that holds them.
struct Part {
  Diagonals diagonals;
  TensorShape shape;
};
// Returns the diagonals that input `k` names, or the main one if the op has
// no such input. `stop` is that of Diagonals::Check.
StatusOr<Part> PartOf(KernelContext& ctx, const DiagSpec& spec, const Tensor& x,
                      int k, absl::string_view stop) {
  if (x.rank() < 2) {
    return InvalidArgument("input must be at least 2-dim, received shape: ",
                           x.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(Diagonals d, ReadDiagonals(ctx, spec, k));
  d.rows = x.dim(x.rank() - 2);
  d.cols = x.dim(x.rank() - 1);
  MR_RETURN_IF_ERROR(d.Check(stop));
  DimVector dims = x.shape().dims();
  dims.resize(dims.size() - 2);
  if (d.count() > 1) dims.push_back(d.count());
  dims.push_back(std::max<int64_t>(0, d.longest()));
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  return Part{d, std::move(shape)};
}

// Sets the numbers of rows and columns; those not given are as small as
// possible.
Status FindSize(KernelContext& ctx, const DiagSpec& spec, int64_t longest,
                Diagonals* d) {
  if (!spec.ranged) {
    d->rows = d->cols = longest;
    return OkStatus();
  }
  constexpr const char* kScalars[] = {"num_rows", "num_cols", "padding_value"};
  for (int i = 2; i < 5; ++i) {
    if (ctx.input(i).rank() == 0) continue;
    return InvalidArgument(kScalars[i - 2], " must be a scalar (received ",
                           ctx.input(i).shape().DebugString(), ")");
  }
  d->rows = IntValues(ctx.input(2))[0];
  d->cols = IntValues(ctx.input(3))[0];
  const int64_t min_rows = longest - std::min<int64_t>(d->high, 0);
  const int64_t min_cols = longest + std::max<int64_t>(d->low, 0);
  if (d->rows == -1 && d->cols == -1) {
    d->rows = d->cols = std::max(min_rows, min_cols);
  } else if (d->rows == -1) {
    d->rows = min_rows;
  } else if (d->cols == -1) {
    d->cols = min_cols;
  }
  if (d->rows < min_rows) {
    return InvalidArgument("The number of rows is too small. ", d->rows, " < ",
                           min_rows);
  }
  if (d->cols < min_cols) {
    return InvalidArgument("The number of columns is too small. ", d->cols,
                           " < ", min_cols);
  }
  if (d->rows != min_rows && d->cols != min_cols) {
    return InvalidArgument(
        "The number of rows or columns is not consistent with the specified "
        "d_lower, d_upper, and diagonal.");
  }
  return OkStatus();
}

}  // namespace

Status TakeMatrixDiagonals(KernelContext& ctx, const DiagSpec& spec,
                           const DiagonalMover& mover) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const Part part, PartOf(ctx, spec, x, 1, "."));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, part.shape));
  if (out->num_elements() == 0) return OkStatus();
  if (spec.ranged && ctx.input(2).num_elements() != 1) {
    return InvalidArgument("padding_value must be a scalar (received ",
                           ctx.input(2).shape().DebugString(), ")");
  }
  return mover.Take(ctx, part.diagonals, x,
                    spec.ranged ? &ctx.input(2) : nullptr, out);
}

Status MakeMatrixDiagonals(KernelContext& ctx, const DiagSpec& spec,
                           const DiagonalMover& mover) {
  const Tensor& diagonal = ctx.input(0);
  if (diagonal.rank() < 1) {
    return InvalidArgument("diagonal must be at least 1-dim, received shape: ",
                           diagonal.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(Diagonals d, ReadDiagonals(ctx, spec, 1));
  int batch = diagonal.rank() - 1;
  const int64_t longest = diagonal.dim(batch);
  if (d.count() > 1) {
    batch -= 1;
    if (batch < 0 || diagonal.dim(batch) != d.count()) {
      return InvalidArgument(
          "The number of diagonals provided in the input does not match the "
          "lower_diag_index and upper_diag_index range.");
    }
  }
  MR_RETURN_IF_ERROR(FindSize(ctx, spec, longest, &d));
  DimVector dims = diagonal.shape().dims();
  dims.resize(static_cast<size_t>(batch));
  dims.push_back(d.rows);
  dims.push_back(d.cols);
  MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
  if (out->num_elements() == 0) return OkStatus();
  return mover.Put(ctx, d, diagonal, nullptr,
                   spec.ranged ? &ctx.input(4) : nullptr, out);
}

Status SetMatrixDiagonals(KernelContext& ctx, const DiagSpec& spec,
                          const DiagonalMover& mover) {
  const Tensor x = ctx.input(0);
  const Tensor& diagonal = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const Part part, PartOf(ctx, spec, x, 2, ""));
  if (diagonal.rank() < 1) {
    return InvalidArgument("diagonal must be at least 1-dim, received shape: ",
                           diagonal.shape().DebugString());
  }
  const int64_t count = part.diagonals.count();
  if (count > 1 && diagonal.rank() == x.rank() &&
      diagonal.dim(x.rank() - 2) != count) {
    return InvalidArgument(
        "The number of diagonals provided in `diag` is not consistent with "
        "`lower_diag_index` and `upper_diag_index`: ",
        diagonal.dim(x.rank() - 2), " instead of ", count);
  }
  if (diagonal.shape() != part.shape) {
    return InvalidArgument(
        "Either first dimensions of diagonal don't match input.shape[:-2], "
        "or diagonal.shape[:-1] is not equal to the longests diagonal in "
        "range [lower_diag_index:upper_diag_index].\nInput shape: ",
        x.shape().DebugString(),
        "\nDiagonal shape: ", diagonal.shape().DebugString(),
        "\nExpected diagonal shape: ", part.shape.DebugString());
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
  if (out->num_elements() == 0) return OkStatus();
  return mover.Put(ctx, part.diagonals, diagonal, &x, nullptr, out);
}

namespace {

// Calls f(matrix element, diagonal element, count) for each diagonal of each
// of `matrices` matrices; elements of the matrix are cols + 1 apart.
template <class F>
Status ForDiagonals(KernelContext& ctx, const Diagonals& d, int64_t matrices,
                    F&& f) {
  const int64_t longest = d.longest();
  const int64_t size = d.rows * d.cols;
  return ctx.ParallelFor(matrices, d.count() * (longest * 2 + 10),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t m = begin; m < end; ++m) {
                             for (int64_t k = d.high; k >= d.low; --k) {
                               const int64_t row = m * d.count() + d.high - k;
                               f(m * size + d.Place(k),
                                 row * longest + d.Offset(k), d.Length(k));
                             }
                           }
                         });
}

template <class F>
Status DiagBySize(DataType type, F&& f) {
  return DispatchBySize(type, [&]<class T>() -> Status {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, Complex128>) {
      return f.template operator()<T>();
    } else {
      return Internal("no diagonals of dtype ", DataTypeName(type));
    }
  });
}

class HostDiagonals final : public DiagonalMover {
 public:
  Status Take(KernelContext& ctx, const Diagonals& d, const Tensor& x,
              const Tensor* padding, Tensor* out) const override {
    if (padding != nullptr) {
      MR_RETURN_IF_ERROR(FillTensor(ctx, out, padding->data()));
    }
    return DiagBySize(x.dtype(), [&]<class T>() -> Status {
      const T* from = reinterpret_cast<const T*>(x.data());
      T* to = reinterpret_cast<T*>(out->mutable_data());
      const int64_t step = d.cols + 1;
      return ForDiagonals(ctx, d, x.num_elements() / (d.rows * d.cols),
                          [&](int64_t at, int64_t diagonal, int64_t n) {
                            for (int64_t i = 0; i < n; ++i) {
                              to[diagonal + i] = from[at + i * step];
                            }
                          });
    });
  }

  Status Put(KernelContext& ctx, const Diagonals& d, const Tensor& diagonal,
             const Tensor* base, const Tensor* fill,
             Tensor* out) const override {
    if (base != nullptr) {
      std::memcpy(out->mutable_data(), base->data(), base->size_bytes());
    } else {
      MR_RETURN_IF_ERROR(fill != nullptr ? FillTensor(ctx, out, fill->data())
                                         : ZeroTensor(ctx, out));
    }
    if (diagonal.num_elements() == 0) return OkStatus();
    return DiagBySize(out->dtype(), [&]<class T>() -> Status {
      const T* from = reinterpret_cast<const T*>(diagonal.data());
      T* to = reinterpret_cast<T*>(out->mutable_data());
      const int64_t step = d.cols + 1;
      return ForDiagonals(ctx, d, out->num_elements() / (d.rows * d.cols),
                          [&](int64_t at, int64_t first, int64_t n) {
                            for (int64_t i = 0; i < n; ++i) {
                              to[at + i * step] = from[first + i];
                            }
                          });
    });
  }
};

constexpr HostDiagonals kHostDiagonals;

template <Status (*kFunction)(KernelContext&, const DiagSpec&,
                              const DiagonalMover&),
          DiagVersion kVersion>
struct CpuDiag {
  static StatusOr<CpuDiag> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const DiagSpec spec, DiagSpec::Make(init, kVersion));
    return CpuDiag{spec};
  }
  Status Run(KernelContext& ctx) const {
    return kFunction(ctx, spec, kHostDiagonals);
  }
  DiagSpec spec;
};

#define MR_DIAG_TYPES                                                      \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, uint16, uint32, uint64, uint8"

}  // namespace

MR_KERNELS(MatrixDiag, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<MakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(MatrixDiagV2, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<MakeMatrixDiagonals, DiagVersion::kRange>>,
     .host = "k, num_rows, num_cols"}};
MR_KERNELS(MatrixDiagV3, Cpu){
    {.types = MR_DIAG_TYPES,
     .make =
         MakeKernel<CpuDiag<MakeMatrixDiagonals, DiagVersion::kAlignedRange>>,
     .host = "k, num_rows, num_cols"}};
MR_KERNELS(MatrixDiagPart, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<TakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(MatrixDiagPartV2, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<TakeMatrixDiagonals, DiagVersion::kRange>>,
     .host = "k"}};
MR_KERNELS(MatrixDiagPartV3, Cpu){
    {.types = MR_DIAG_TYPES,
     .make =
         MakeKernel<CpuDiag<TakeMatrixDiagonals, DiagVersion::kAlignedRange>>,
     .host = "k"}};
MR_KERNELS(MatrixSetDiag, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<SetMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(MatrixSetDiagV2, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<SetMatrixDiagonals, DiagVersion::kRange>>,
     .host = "k"}};
MR_KERNELS(MatrixSetDiagV3, Cpu){
    {.types = MR_DIAG_TYPES,
     .make =
         MakeKernel<CpuDiag<SetMatrixDiagonals, DiagVersion::kAlignedRange>>,
     .host = "k"}};
MR_KERNELS(BatchMatrixDiag, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<MakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(BatchMatrixDiagPart, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<TakeMatrixDiagonals, DiagVersion::kMain>>}};
MR_KERNELS(BatchMatrixSetDiag, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<CpuDiag<SetMatrixDiagonals, DiagVersion::kMain>>}};

}  // namespace millrace::ops
