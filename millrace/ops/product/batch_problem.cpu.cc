#include "millrace/ops/product/batch_problem.h"

#include <utility>

#include "millrace/ops/elementwise/broadcast.h"

namespace millrace::ops {
namespace {

// Returns the leading dimensions.
TensorShape LeadingShape(const Tensor& t) {
  const DimVector dims = t.shape().dims();
  return TensorShape(absl::MakeConstSpan(dims).first(dims.size() - 2));
}

Status CheckBatchRanks(const Tensor& x, const Tensor& y, Batches batches) {
  if (batches == Batches::kEqual) {
    if (x.rank() != y.rank()) {
      return InvalidArgument(
          "In[0] and In[1] has different ndims: ", x.shape().DebugString(),
          " vs. ", y.shape().DebugString());
    }
    for (int d = 0; d < x.rank() - 2; ++d) {
      if (x.dim(d) != y.dim(d)) {
        return InvalidArgument("In[0].dim(", d, ") and In[1].dim(", d,
                               ") must be the same: ", x.shape().DebugString(),
                               " vs ", y.shape().DebugString());
      }
    }
  }
  if (x.rank() < 2) {
    return InvalidArgument("In[0] ndims must be >= 2: ", x.rank());
  }
  if (y.rank() < 2) {
    return InvalidArgument("In[1] ndims must be >= 2: ", y.rank());
  }
  return OkStatus();
}

// Returns the index of the operand's matrix for each product.
CountedVector<int64_t> MatrixIndex(const Broadcast& batch, int operand) {
  CountedVector<int64_t> index(static_cast<size_t>(batch.total()));
  const bool scalar = batch.inner_is_scalar(operand);
  batch.ForEachSpan(0, batch.total(),
                    [&](const int64_t* offsets, int64_t begin, int64_t n) {
                      for (int64_t i = 0; i < n; ++i) {
                        index[static_cast<size_t>(begin + i)] =
                            offsets[operand] + (scalar ? 0 : i);
                      }
                    });
  return index;
}

}  // namespace

StatusOr<BatchProblem> BatchProblem::Of(const Tensor& x, bool adj_x,
                                        const Tensor& y, bool adj_y,
                                        Batches batches) {
  MR_RETURN_IF_ERROR(CheckBatchRanks(x, y, batches));
  const TensorShape x_batch = LeadingShape(x);
  const TensorShape y_batch = LeadingShape(y);
  StatusOr<Broadcast> batch = Broadcast::Make({&x_batch, &y_batch});
  if (!batch.ok()) {
    return InvalidArgument(
        "In[0] and In[1] must have compatible batch dimensions: ",
        x.shape().DebugString(), " vs. ", y.shape().DebugString());
  }
  BatchProblem made;
  MatrixProblem& p = made.problem_;
  p.type = x.dtype();
  p.transpose_a = p.conjugate_a = adj_x;
  p.transpose_b = p.conjugate_b = adj_y;
  p.m = x.dim(x.rank() - (adj_x ? 1 : 2));
  p.k = x.dim(x.rank() - (adj_x ? 2 : 1));
  p.n = y.dim(y.rank() - (adj_y ? 2 : 1));
  if (p.k != y.dim(y.rank() - (adj_y ? 1 : 2))) {
    return InvalidArgument(
        "Matrix size-incompatible: In[0]: ", x.shape().DebugString(),
        ", In[1]: ", y.shape().DebugString(), " ", adj_x ? 1 : 0, " ",
        adj_y ? 1 : 0);
  }
  DimVector dims = batch->shape().dims();
  dims.push_back(p.m);
  dims.push_back(p.n);
  MR_ASSIGN_OR_RETURN(made.shape_, TensorShape::Make(dims));
  p.batches = batch->total();
  if (made.shape_.num_elements() == 0 || p.k == 0) return made;
  if (batch->IsDense(0) && y_batch.num_elements() == 1 && !adj_x) {
    // All products share one matrix, so the rows of the other ones form one
    // tall matrix.
    p.m *= p.batches;
    p.batches = 1;
  } else if (!batch->IsDense(0) || !batch->IsDense(1)) {
    made.x_index_ = MatrixIndex(*batch, 0);
    made.y_index_ = MatrixIndex(*batch, 1);
    p.a_index = made.x_index_;
    p.b_index = made.y_index_;
  }
  return made;
}

}  // namespace millrace::ops
