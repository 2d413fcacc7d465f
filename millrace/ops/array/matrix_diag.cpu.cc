// Kernels of diagonals of batches of matrices, by element size.
#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The diagonals low ... high of matrices of one size. Their elements lie in
// rows of length `longest`, the highest diagonal first.
struct Diagonals {
  int64_t rows = 0, cols = 0, low = 0, high = 0;
  bool above_left = true, below_left = true;  // alignment

  int64_t count() const { return high - low + 1; }
  int64_t longest() const {
    return std::min(rows + std::min<int64_t>(high, 0),
                    cols - std::max<int64_t>(low, 0));
  }
  int64_t Length(int64_t k) const {
    return std::min(rows + std::min<int64_t>(k, 0),
                    cols - std::max<int64_t>(k, 0));
  }
  // Returns where diagonal k begins in its row.
  int64_t Offset(int64_t k) const {
    const bool left = (k >= 0 && above_left) || (k <= 0 && below_left);
    return left ? 0 : longest() - Length(k);
  }
  // Returns where diagonal k begins in the matrix; its next element is cols + 1
  // further on.
  int64_t Place(int64_t k) const { return k >= 0 ? k : -k * cols; }
  // Checks that the diagonals lie in the matrix. `stop` ends the first sentence
  // of the error.
  Status Check(absl::string_view stop) const {
    for (const int64_t k : {low, high}) {
      if (k != 0 && (k <= -rows || k >= cols)) {
        return InvalidArgument(
            k == low ? "lower_diag_index" : "upper_diag_index",
            " is out of bound: ", k, stop, " It must be between ", -rows,
            " and ", cols);
      }
    }
    return OkStatus();
  }
};

// Says which diagonals an op takes: the main one, those that an input names, or
// those with an attribute that aligns them.
enum class Version { kMain, kRange, kAlignedRange };

// Holds what the versions of an op share: k and the alignment.
class DiagBase {
 public:
  Status Init(const KernelInit& init, Version version) {
    ranged_ = version != Version::kMain;
    if (version == Version::kAlignedRange) {
      MR_ASSIGN_OR_RETURN(const auto align, init.Attr<std::string>("align"));
      above_left_ = absl::StartsWith(align, "LEFT");
      below_left_ = absl::EndsWith(align, "LEFT");
    }
    return OkStatus();
  }

 protected:
  bool ranged() const { return ranged_; }
  StatusOr<Diagonals> Read(KernelContext& ctx, int input) const {
    Diagonals d;
    d.above_left = above_left_;
    d.below_left = below_left_;
    if (!ranged_) return d;
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
  StatusOr<Part> PartOf(KernelContext& ctx, const Tensor& x, int k,
                        absl::string_view stop) const {
    if (x.rank() < 2) {
      return InvalidArgument("input must be at least 2-dim, received shape: ",
                             x.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Diagonals d, Read(ctx, k));
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

 private:
  bool ranged_ = false, above_left_ = true, below_left_ = true;
};

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

class DiagPartKernel : public DiagBase {
 public:
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const Part part, PartOf(ctx, x, 1, "."));
    const Diagonals& d = part.diagonals;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, part.shape));
    if (out->num_elements() == 0) return OkStatus();
    if (ranged()) {
      if (ctx.input(2).num_elements() != 1) {
        return InvalidArgument("padding_value must be a scalar (received ",
                               ctx.input(2).shape().DebugString(), ")");
      }
      MR_RETURN_IF_ERROR(FillTensor(ctx, out, ctx.input(2).data()));
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
};

// Writes diagonals into matrices that are already filled or copied.
Status PutDiagonals(KernelContext& ctx, const Diagonals& d,
                    const Tensor& diagonal, Tensor* out) {
  if (out->num_elements() == 0 || diagonal.num_elements() == 0) {
    return OkStatus();
  }
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

class DiagKernel : public DiagBase {
 public:
  Status Run(KernelContext& ctx) const {
    const Tensor& diagonal = ctx.input(0);
    if (diagonal.rank() < 1) {
      return InvalidArgument(
          "diagonal must be at least 1-dim, received shape: ",
          diagonal.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Diagonals d, Read(ctx, 1));
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
    MR_RETURN_IF_ERROR(FindSize(ctx, longest, &d));
    DimVector dims = diagonal.shape().dims();
    dims.resize(static_cast<size_t>(batch));
    dims.push_back(d.rows);
    dims.push_back(d.cols);
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(ranged() ? FillTensor(ctx, out, ctx.input(4).data())
                                : ZeroTensor(ctx, out));
    return PutDiagonals(ctx, d, diagonal, out);
  }

 private:
  // Sets the numbers of rows and columns; those not given are as small as
  // possible.
  Status FindSize(KernelContext& ctx, int64_t longest, Diagonals* d) const {
    if (!ranged()) {
      d->rows = d->cols = longest;
      return OkStatus();
    }
    constexpr const char* kScalars[] = {"num_rows", "num_cols",
                                        "padding_value"};
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
      return InvalidArgument("The number of rows is too small. ", d->rows,
                             " < ", min_rows);
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
};

class SetDiagKernel : public DiagBase {
 public:
  Status Run(KernelContext& ctx) const {
    const Tensor x = ctx.input(0);
    const Tensor& diagonal = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const Part part, PartOf(ctx, x, 2, ""));
    if (diagonal.rank() < 1) {
      return InvalidArgument(
          "diagonal must be at least 1-dim, received shape: ",
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
    std::memcpy(out->mutable_data(), x.data(),
                static_cast<size_t>(x.num_elements()) * SizeOf(x.dtype()));
    return PutDiagonals(ctx, part.diagonals, diagonal, out);
  }
};

template <class K, Version kVersion>
struct OfVersion : K {
  static StatusOr<OfVersion> Make(const KernelInit& init) {
    OfVersion k;
    MR_RETURN_IF_ERROR(k.Init(init, kVersion));
    return k;
  }
};

#define MR_DIAG_TYPES                                                      \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, uint16, uint32, uint64, uint8"

}  // namespace

MR_KERNELS(MatrixDiag,
           Cpu){{.types = MR_DIAG_TYPES,
                 .make = MakeKernel<OfVersion<DiagKernel, Version::kMain>>}};
MR_KERNELS(MatrixDiagV2,
           Cpu){{.types = MR_DIAG_TYPES,
                 .make = MakeKernel<OfVersion<DiagKernel, Version::kRange>>,
                 .host = "k, num_rows, num_cols"}};
MR_KERNELS(MatrixDiagV3, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<OfVersion<DiagKernel, Version::kAlignedRange>>,
     .host = "k, num_rows, num_cols"}};
MR_KERNELS(MatrixDiagPart, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<OfVersion<DiagPartKernel, Version::kMain>>}};
MR_KERNELS(MatrixDiagPartV2,
           Cpu){{.types = MR_DIAG_TYPES,
                 .make = MakeKernel<OfVersion<DiagPartKernel, Version::kRange>>,
                 .host = "k"}};
MR_KERNELS(MatrixDiagPartV3, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<OfVersion<DiagPartKernel, Version::kAlignedRange>>,
     .host = "k"}};
MR_KERNELS(MatrixSetDiag,
           Cpu){{.types = MR_DIAG_TYPES,
                 .make = MakeKernel<OfVersion<SetDiagKernel, Version::kMain>>}};
MR_KERNELS(MatrixSetDiagV2,
           Cpu){{.types = MR_DIAG_TYPES,
                 .make = MakeKernel<OfVersion<SetDiagKernel, Version::kRange>>,
                 .host = "k"}};
MR_KERNELS(MatrixSetDiagV3, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<OfVersion<SetDiagKernel, Version::kAlignedRange>>,
     .host = "k"}};
MR_KERNELS(BatchMatrixDiag,
           Cpu){{.types = MR_DIAG_TYPES,
                 .make = MakeKernel<OfVersion<DiagKernel, Version::kMain>>}};
MR_KERNELS(BatchMatrixDiagPart, Cpu){
    {.types = MR_DIAG_TYPES,
     .make = MakeKernel<OfVersion<DiagPartKernel, Version::kMain>>}};
MR_KERNELS(BatchMatrixSetDiag,
           Cpu){{.types = MR_DIAG_TYPES,
                 .make = MakeKernel<OfVersion<SetDiagKernel, Version::kMain>>}};

}  // namespace millrace::ops
