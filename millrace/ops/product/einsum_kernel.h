// EinsumKernel: both operands become batches of matrices, whose product is then
// laid out in the order of the output. The same for CPUs and GPUs.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "millrace/ops/array/mover.h"
#include "millrace/ops/product/einsum_equation.op.h"
#include "millrace/ops/product/matrix_problem.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace einsum {

using EinsumTypes = Types<float, double, Half, Bfloat16, int32_t, int64_t,
                          Complex64, Complex128>;

// An array with a label for each dimension; no label occurs twice.
struct Operand {
  Tensor elements;
  EinsumLabels labels;
  DimVector strides;

  bool Has(int label) const {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }
  int64_t StrideOf(int label) const {
    const auto it = std::find(labels.begin(), labels.end(), label);
    return strides[static_cast<size_t>(it - labels.begin())];
  }
};

// The sizes of all labels. Those of an ellipsis follow the named ones, from the
// last dimension on.
struct LabelSizes {
  std::vector<int64_t> size;
  int named = 0;
  int spread = 0;  // number of dimensions of the ellipsis

  int64_t Product(const EinsumLabels& labels) const {
    int64_t n = 1;
    for (const int label : labels) n *= size[static_cast<size_t>(label)];
    return n;
  }
};

// Replaces the ellipsis by labels of `rank` dimensions.
inline EinsumLabels Expand(const EinsumLabels& labels, int named, int rank) {
  EinsumLabels out;
  for (const int label : labels) {
    if (label != kEllipsis) {
      out.push_back(label);
      continue;
    }
    for (int d = rank - 1; d >= 0; --d) out.push_back(named + d);
  }
  return out;
}

inline Status CheckRank(const EinsumLabels& labels, int input, int rank) {
  const int named = static_cast<int>(labels.size());
  if (HasEllipsis(labels)) {
    if (rank >= named - 1) return OkStatus();
    return InvalidArgument("Expected input ", input, " to have rank at least ",
                           named - 1, " but got: ", rank);
  }
  if (rank == named) return OkStatus();
  return InvalidArgument("Expected input ", input, " to have rank ", named,
                         " but got: ", rank);
}

inline StatusOr<LabelSizes> ReadSizes(KernelContext& ctx,
                                      const EinsumEquation& equation,
                                      std::vector<EinsumLabels>* labels) {
  LabelSizes s;
  s.named = equation.num_labels;
  s.size.assign(static_cast<size_t>(s.named), -1);
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Tensor& x = ctx.input(i);
    const EinsumLabels& written = equation.inputs[static_cast<size_t>(i)];
    MR_RETURN_IF_ERROR(CheckRank(written, i, x.rank()));
    const int spread = HasEllipsis(written)
                           ? x.rank() - static_cast<int>(written.size()) + 1
                           : 0;
    labels->push_back(Expand(written, s.named, spread));
    s.spread = std::max(s.spread, spread);
    s.size.resize(static_cast<size_t>(s.named + s.spread), -1);
    for (int d = 0; d < x.rank(); ++d) {
      const int label = labels->back()[static_cast<size_t>(d)];
      int64_t& size = s.size[static_cast<size_t>(label)];
      if (size == -1 || (label >= s.named && size == 1)) {
        size = x.dim(d);
      } else if (size != x.dim(d) && !(label >= s.named && x.dim(d) == 1)) {
        if (label >= s.named) {
          return InvalidArgument("Invalid broadcasting dimensions: ",
                                 ctx.input(0).shape().DebugString(), " vs. ",
                                 x.shape().DebugString());
        }
        return InvalidArgument("Expected dimension ", size, " at axis ", d,
                               " of the input shaped ", x.shape().DebugString(),
                               " but got dimension ", x.dim(d));
      }
    }
  }
  return s;
}

// Makes an operand. Repeated labels select the diagonal; dimensions that
// broadcast are left out.
inline Operand MakeOperand(const Tensor& x, const EinsumLabels& labels,
                           const LabelSizes& sizes) {
  Operand o;
  o.elements = x;
  const DimVector strides = RowMajorStrides(x.shape().dims());
  for (size_t d = 0; d < labels.size(); ++d) {
    const int label = labels[d];
    if (x.dim(static_cast<int>(d)) != sizes.size[static_cast<size_t>(label)]) {
      continue;
    }
    const auto it = std::find(o.labels.begin(), o.labels.end(), label);
    if (it != o.labels.end()) {
      o.strides[static_cast<size_t>(it - o.labels.begin())] += strides[d];
    } else {
      o.labels.push_back(label);
      o.strides.push_back(strides[d]);
    }
  }
  return o;
}

// Returns whether the elements are contiguous in the order of these labels.
inline bool IsLaidOut(const Operand& o, const EinsumLabels& order,
                      const LabelSizes& sizes) {
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const int64_t size = sizes.size[static_cast<size_t>(order[i])];
    if (size != 1 && o.StrideOf(order[i]) != step) return false;
    step *= size;
  }
  return true;
}

// Returns whether TensorFlow passes the buffer of a single operand on: its
// labels are those of the ellipsis, then the output's labels in their order,
// then labels of size 1 that are summed.
inline bool MovesNothing(const EinsumLabels& labels, const EinsumLabels& output,
                         const LabelSizes& sizes) {
  if (labels.size() < output.size() ||
      !std::equal(output.begin(), output.end(), labels.begin())) {
    return false;
  }
  if (sizes.spread > 0 && output[0] < sizes.named) return false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (std::count(labels.begin(), labels.end(), labels[i]) > 1) return false;
    if (i >= output.size() && sizes.size[static_cast<size_t>(labels[i])] != 1)
      return false;
  }
  return true;
}

}  // namespace einsum

// `Products` multiplies and sums on the device:
//   static StatusOr<Products> Make(const KernelInit& init);
//   Status Run(KernelContext& ctx, const MatrixProblem& p, const Tensor& a,
//              const Tensor& b, Tensor* c) const;
//   // Sets `out` to the sums of the rows of `terms`, [rows, row].
//   Status SumRows(KernelContext& ctx, const Mover& mover, const Tensor& terms,
//                  int64_t rows, int64_t row, Tensor* out) const;
template <class Products>
class EinsumKernel {
 public:
  static StatusOr<EinsumKernel> Make(const KernelInit& init) {
    EinsumKernel k;
    MR_ASSIGN_OR_RETURN(k.products_, Products::Make(init));
    MR_ASSIGN_OR_RETURN(const std::string text,
                        init.Attr<std::string>("equation"));
    MR_ASSIGN_OR_RETURN(k.equation_, ParseEinsumEquation(text));
    if (static_cast<size_t>(init.num_inputs()) != k.equation_.inputs.size()) {
      return InvalidArgument("Expected ", k.equation_.inputs.size(),
                             " inputs but got: ", init.num_inputs());
    }
    return k;
  }

  Status Run(KernelContext& ctx, const Mover& mover) const {
    std::vector<EinsumLabels> labels;
    MR_ASSIGN_OR_RETURN(const LabelSizes sizes,
                        einsum::ReadSizes(ctx, equation_, &labels));
    if (sizes.spread > 0 && !HasEllipsis(equation_.output)) {
      return InvalidArgument("Output must have an ellipsis for ", sizes.spread,
                             " broadcast dimensions");
    }
    const EinsumLabels output =
        einsum::Expand(equation_.output, sizes.named, sizes.spread);
    DimVector dims;
    for (const int label : output) {
      dims.push_back(sizes.size[static_cast<size_t>(label)]);
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    EinsumLabels distinct;  // labels of the output
    for (const int label : output) {
      if (std::find(distinct.begin(), distinct.end(), label) ==
          distinct.end()) {
        distinct.push_back(label);
      }
    }
    if (ctx.num_inputs() == 1 &&
        einsum::MovesNothing(labels[0], output, sizes)) {
      const Tensor taken = ctx.TakeInput(0);
      ctx.set_output(0, taken.Reshaped(std::move(shape)));
      return OkStatus();
    }
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      MR_RETURN_IF_ERROR(ctx.BindInput(i));
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).num_elements() == 0) return mover.Zero(ctx, out);
    }
    std::vector<Operand> operands;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      operands.push_back(einsum::MakeOperand(
          ctx.input(i), labels[static_cast<size_t>(i)], sizes));
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand* other = operands.size() == 2 ? &operands[1 - i] : nullptr;
      MR_RETURN_IF_ERROR(
          SumAlone(ctx, mover, distinct, other, sizes, &operands[i]));
    }
    if (operands.size() == 1) {
      return Write(ctx, mover, operands[0], output, distinct, sizes, out);
    }
    return Multiply(ctx, mover, operands[0], operands[1], output, distinct,
                    sizes, out);
  }

 private:
  using Operand = einsum::Operand;
  using LabelSizes = einsum::LabelSizes;

  // Returns the operand's elements in the order of these labels.
  static StatusOr<Tensor> LayOut(KernelContext& ctx, const Mover& mover,
                                 const Operand& o, const EinsumLabels& order,
                                 const LabelSizes& sizes) {
    if (einsum::IsLaidOut(o, order, sizes)) return o.elements;
    MR_ASSIGN_OR_RETURN(Tensor laid_out,
                        ctx.AllocateTemp(ctx.output_type(0),
                                         TensorShape({sizes.Product(order)})));
    StridedCopySpec spec;
    int64_t step = laid_out.num_elements();
    for (const int label : order) {
      const int64_t size = sizes.size[static_cast<size_t>(label)];
      step /= size;
      spec.Add(size, o.StrideOf(label), step);
    }
    MR_RETURN_IF_ERROR(mover.Copy(ctx, o.elements, &laid_out, spec));
    return laid_out;
  }

  // Sums over labels that neither the output nor the other operand has.
  Status SumAlone(KernelContext& ctx, const Mover& mover,
                  const EinsumLabels& output, const Operand* other,
                  const LabelSizes& sizes, Operand* o) const {
    EinsumLabels kept, summed;
    for (const int label : o->labels) {
      const bool needed =
          std::find(output.begin(), output.end(), label) != output.end() ||
          (other != nullptr && other->Has(label));
      (needed ? kept : summed).push_back(label);
    }
    if (summed.empty()) return OkStatus();
    EinsumLabels order = kept;
    order.insert(order.end(), summed.begin(), summed.end());
    const DataType type = ctx.output_type(0);
    MR_ASSIGN_OR_RETURN(const Tensor terms,
                        LayOut(ctx, mover, *o, order, sizes));
    const int64_t rows = sizes.Product(kept), row = sizes.Product(summed);
    Operand sum;
    MR_ASSIGN_OR_RETURN(sum.elements,
                        ctx.AllocateTemp(type, TensorShape({rows})));
    MR_RETURN_IF_ERROR(
        products_.SumRows(ctx, mover, terms, rows, row, &sum.elements));
    SetLabels(&sum, kept, sizes);
    *o = std::move(sum);
    return OkStatus();
  }

  // Says that the elements are contiguous in the order of these labels.
  static void SetLabels(Operand* o, const EinsumLabels& labels,
                        const LabelSizes& sizes) {
    DimVector dims;
    for (const int label : labels) {
      dims.push_back(sizes.size[static_cast<size_t>(label)]);
    }
    o->labels = labels;
    o->strides = RowMajorStrides(dims);
  }

  // Requires: `o` has the labels `distinct`.
  static Status Write(KernelContext& ctx, const Mover& mover, const Operand& o,
                      const EinsumLabels& output, const EinsumLabels& distinct,
                      const LabelSizes& sizes, Tensor* out) {
    const DimVector strides = RowMajorStrides(out->shape().dims());
    if (distinct.size() < output.size()) {
      MR_RETURN_IF_ERROR(mover.Zero(ctx, out));
    }
    StridedCopySpec spec;
    for (const int label : distinct) {
      int64_t step = 0;
      for (size_t d = 0; d < output.size(); ++d) {
        if (output[d] == label) step += strides[d];
      }
      spec.Add(sizes.size[static_cast<size_t>(label)], o.StrideOf(label), step);
    }
    return mover.Copy(ctx, o.elements, out, spec);
  }

  // Returns the matrices of one operand; sets `transposed` if their rows and
  // columns are exchanged.
  static StatusOr<Tensor> LayOutMatrices(
      KernelContext& ctx, const Mover& mover, const Operand& o,
      const EinsumLabels& batch, const EinsumLabels& rows,
      const EinsumLabels& cols, const LabelSizes& sizes, bool* transposed) {
    const auto order = [&](const EinsumLabels& a, const EinsumLabels& b) {
      EinsumLabels all = batch;
      all.insert(all.end(), a.begin(), a.end());
      all.insert(all.end(), b.begin(), b.end());
      return all;
    };
    *transposed = !einsum::IsLaidOut(o, order(rows, cols), sizes) &&
                  einsum::IsLaidOut(o, order(cols, rows), sizes);
    if (*transposed) return o.elements;
    return LayOut(ctx, mover, o, order(rows, cols), sizes);
  }

  Status Multiply(KernelContext& ctx, const Mover& mover, const Operand& a,
                  const Operand& b, const EinsumLabels& output,
                  const EinsumLabels& distinct, const LabelSizes& sizes,
                  Tensor* out) const {
    EinsumLabels batch, rows, cols, inner;
    for (const int label : distinct) {
      (!a.Has(label) ? cols : !b.Has(label) ? rows : batch).push_back(label);
    }
    for (const int label : a.labels) {
      if (std::find(distinct.begin(), distinct.end(), label) ==
          distinct.end()) {
        inner.push_back(label);
      }
    }
    MatrixProblem p;
    p.type = out->dtype();
    p.batches = sizes.Product(batch);
    p.m = sizes.Product(rows);
    p.n = sizes.Product(cols);
    p.k = sizes.Product(inner);
    MR_ASSIGN_OR_RETURN(const Tensor x,
                        LayOutMatrices(ctx, mover, a, batch, rows, inner, sizes,
                                       &p.transpose_a));
    MR_ASSIGN_OR_RETURN(const Tensor y,
                        LayOutMatrices(ctx, mover, b, batch, inner, cols, sizes,
                                       &p.transpose_b));
    EinsumLabels order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), cols.begin(), cols.end());
    if (order == output) return products_.Run(ctx, p, x, y, out);
    Operand c;
    MR_ASSIGN_OR_RETURN(
        c.elements,
        ctx.AllocateTemp(p.type, TensorShape({sizes.Product(order)})));
    MR_RETURN_IF_ERROR(products_.Run(ctx, p, x, y, &c.elements));
    SetLabels(&c, order, sizes);
    return Write(ctx, mover, c, output, distinct, sizes, out);
  }

  EinsumEquation equation_;
  Products products_;
};

}  // namespace millrace::ops
