// Kernels that solve by triangular factors, and solve triangular matrices.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/factor.h"

namespace millrace::ops {
namespace {

class SolveKernel {
 public:
  static StatusOr<SolveKernel> Make(const KernelInit& init) {
    SolveKernel k;
    MR_ASSIGN_OR_RETURN(k.adjoint_, init.Attr<bool>("adjoint"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& rhs = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadBatch(a));
    MR_RETURN_IF_ERROR(ExpectSameBatches(a, rhs));
    if (b.rows != b.cols) {
      return InvalidArgument("First input (lhs) must be a square matrix.");
    }
    MR_ASSIGN_OR_RETURN(const MatrixBatch r, ReadRightSides(rhs, b));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, rhs.shape()));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t n = b.rows, k = r.cols;
    return Dispatch(MatrixTypes{}, a.dtype(), [&]<class T>() -> Status {
      const T* from = a.flat<T>().data();
      const T* y = rhs.flat<T>().data();
      T* to = out->mutable_flat<T>().data();
      return ForMatrices(
          ctx, b.count, std::max(n, k), "Input matrix is not invertible.",
          [&](int64_t i, StopFlag& stop) {
            Matrix<T> m = ReadMatrix<T>(from + i * n * n, n, n);
            if (adjoint_) m = m.Adjoint();
            const LuFactors<T> f = FactorLu(std::move(m), stop);
            if (!f.IsInvertible()) return false;
            WriteMatrix(SolveLu(f, ReadMatrix<T>(y + i * n * k, n, k), stop), n,
                        k, to + i * n * k);
            return true;
          });
    });
  }

 private:
  bool adjoint_ = false;
};

class TriangularSolveKernel {
 public:
  static StatusOr<TriangularSolveKernel> Make(const KernelInit& init) {
    TriangularSolveKernel k;
    MR_ASSIGN_OR_RETURN(k.lower_, init.Attr<bool>("lower"));
    MR_ASSIGN_OR_RETURN(k.adjoint_, init.Attr<bool>("adjoint"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& rhs = ctx.input(1);
    for (int i = 0; i < 2; ++i) {
      if (ctx.input(i).rank() < 2) {
        return InvalidArgument("In[", i,
                               "] ndims must be >= 2: ", ctx.input(i).rank());
      }
    }
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadBatch(a));
    MR_ASSIGN_OR_RETURN(const MatrixBatch r, ReadBatch(rhs));
    if (b.rows != b.cols) {
      return InvalidArgument(
          "In[0] matrices in the last two dimensions must be square (", b.cols,
          " does not equal ", b.rows, ")");
    }
    const TensorShape a_batch(b.dims), rhs_batch(r.dims);
    StatusOr<Broadcast> all = Broadcast::Make({&a_batch, &rhs_batch});
    if (!all.ok()) {
      return InvalidArgument(
          "In[0] and In[1] must have compatible batch dimensions: ",
          a.shape().DebugString(), " vs. ", rhs.shape().DebugString());
    }
    if (b.rows != r.rows) {
      return InvalidArgument("In[0] mismatch In[1] shape: ", b.rows, " vs. ",
                             r.rows, ": ", a.shape().DebugString(), " ",
                             rhs.shape().DebugString(), " ", lower_ ? 1 : 0,
                             " ", adjoint_ ? 1 : 0);
    }
    const int64_t n = b.rows, k = r.cols;
    DimVector dims = all->shape().dims();
    dims.push_back(n);
    dims.push_back(k);
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    // The index of the matrix of each operand that each result takes.
    std::vector<int64_t> places[2];
    for (int i = 0; i < 2; ++i) {
      places[i].resize(static_cast<size_t>(all->total()));
      all->ForEachSpan(0, all->total(),
                       [&](const int64_t* offsets, int64_t begin, int64_t m) {
                         const int64_t step = all->inner_is_scalar(i) ? 0 : 1;
                         for (int64_t j = 0; j < m; ++j) {
                           places[i][begin + j] = offsets[i] + j * step;
                         }
                       });
    }
    return Dispatch(MatrixTypes{}, a.dtype(), [&]<class T>() -> Status {
      const T* from = a.flat<T>().data();
      const T* y = rhs.flat<T>().data();
      T* to = out->mutable_flat<T>().data();
      return ForMatrices(
          ctx, all->total(), std::max(n, k), "",
          [&](int64_t i, StopFlag& stop) {
            Matrix<T> m = ReadMatrix<T>(from + places[0][i] * n * n, n, n);
            Matrix<T> x = ReadMatrix<T>(y + places[1][i] * n * k, n, k);
            if (adjoint_) m = m.Adjoint();
            SolveTriangle(
                m, lower_ != adjoint_ ? Triangle::kLower : Triangle::kUpper,
                Diagonal::kAsGiven, &x, stop);
            WriteMatrix(x, n, k, to + i * n * k);
            return true;
          });
    });
  }

 private:
  bool lower_ = true, adjoint_ = false;
};

}  // namespace

MR_KERNELS(MatrixSolve,
           Cpu){{.types = MR_MATRIX_TYPES, .make = MakeKernel<SolveKernel>}};
MR_KERNELS(BatchMatrixSolve,
           Cpu){{.types = "T: float, double", .make = MakeKernel<SolveKernel>}};
MR_KERNELS(MatrixTriangularSolve, Cpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<TriangularSolveKernel>}};
MR_KERNELS(BatchMatrixTriangularSolve, Cpu){
    {.types = "T: float, double", .make = MakeKernel<TriangularSolveKernel>}};

}  // namespace millrace::ops
