#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/types/span.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The sequences of one of both sparse tensors.
struct Sequences {
  const int64_t* coordinates = nullptr;  // [count, rank]
  int64_t count = 0;
  int rank = 0;
  const Tensor* values = nullptr;  // [count]
  absl::Span<const int64_t> dims;  // [rank]

  const int64_t* at(int64_t entry) const { return coordinates + entry * rank; }
  // Returns the entry behind those, from `begin` on, that have the coordinates
  // of `begin` but for the last one.
  int64_t EndOf(int64_t begin) const {
    int64_t end = begin + 1;
    while (end < count &&
           std::equal(at(begin), at(begin) + rank - 1, at(end))) {
      ++end;
    }
    return end;
  }
};

// Checks the ranks of inputs `first` to `first` + 2, in stock's order.
Status CheckRank(const Tensor& t, const char* name, const char* part,
                 int rank) {
  if (t.rank() == rank) return OkStatus();
  return InvalidArgument(name, part, " should be a ",
                         rank == 2 ? "matrix" : "vector",
                         ", but got shape: ", t.shape().DebugString());
}

Status CheckCounts(KernelContext& ctx, int first, const char* name) {
  const TensorShape& indices = ctx.input(first).shape();
  const TensorShape& values = ctx.input(first + 1).shape();
  const TensorShape& shape = ctx.input(first + 2).shape();
  if (values.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "Expected ", name, "_values.NumElements == #rows(", name,
        "_indices), their shapes are: ", values.DebugString(), " and ",
        indices.DebugString());
  }
  if (shape.dim(0) != indices.dim(1)) {
    return InvalidArgument("Expected ", name, "_shape.NumElements == #cols(",
                           name,
                           "_indices), their shapes are: ", shape.DebugString(),
                           " and ", indices.DebugString());
  }
  return OkStatus();
}

Status CheckSequenceInputs(KernelContext& ctx) {
  constexpr const char* kNames[] = {"hypothesis", "truth"};
  for (int i = 0; i < 2; ++i) {
    MR_RETURN_IF_ERROR(CheckRank(ctx.input(3 * i), kNames[i], "_indices", 2));
  }
  for (int part = 1; part < 3; ++part) {
    for (int i = 0; i < 2; ++i) {
      MR_RETURN_IF_ERROR(CheckRank(ctx.input(3 * i + part), kNames[i],
                                   part == 1 ? "_values" : "_shape", 1));
    }
  }
  for (int i = 0; i < 2; ++i) {
    MR_RETURN_IF_ERROR(CheckCounts(ctx, 3 * i, kNames[i]));
  }
  const Tensor& hypothesis = ctx.input(2);
  const Tensor& truth = ctx.input(5);
  if (truth.num_elements() < 2) {
    return InvalidArgument(
        "Input SparseTensors must have rank at least 2, but truth_shape rank "
        "is: ",
        truth.num_elements());
  }
  if (truth.num_elements() != hypothesis.num_elements()) {
    return InvalidArgument(
        "Expected truth and hypothesis to have matching ranks, but their "
        "shapes are: ",
        truth.shape().DebugString(), " and ", hypothesis.shape().DebugString());
  }
  return OkStatus();
}

Sequences SequencesAt(KernelContext& ctx, int first) {
  Sequences s;
  s.coordinates = ctx.input(first).flat<int64_t>().data();
  s.count = ctx.input(first).dim(0);
  s.rank = static_cast<int>(ctx.input(first).dim(1));
  s.values = &ctx.input(first + 1);
  s.dims = ctx.input(first + 2).flat<int64_t>();
  return s;
}

template <class T>
bool SameElement(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, StringElement>) {
    return a.view() == b.view();
  } else {
    using C = ComputeType<T>;
    return static_cast<C>(a) == static_cast<C>(b);
  }
}

// Returns the Levenshtein distance, computed by one row of the table of the
// distances of all beginnings (Wagner and Fischer, 1974).
template <class T>
StatusOr<int64_t> Distance(KernelContext& ctx, absl::Span<const T> a,
                           absl::Span<const T> b) {
  if (a.size() < b.size()) std::swap(a, b);  // the row is the shorter one's
  if (b.empty()) return static_cast<int64_t>(a.size());
  CountedVector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t replaced = diagonal + (SameElement<T>(a[i], b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// The distances of all pairs of sequences that have the same coordinates.
template <class T>
class EditDistances {
 public:
  EditDistances(KernelContext& ctx, bool normalize, Tensor* out)
      : ctx_(ctx),
        normalize_(normalize),
        strides_(RowMajorStrides(out->shape().dims())),
        out_(out->mutable_flat<float>()) {}

  // Goes through the sequences of both in the order in which they come, as
  // stock does: of two that are next the one with the smaller coordinates has
  // no counterpart.
  Status Run(const Sequences& hypothesis, const Sequences& truth) {
    int64_t h = 0, t = 0;
    while (h < hypothesis.count || t < truth.count) {
      const int order = Compare(hypothesis, h, truth, t);
      const int64_t* const place = order <= 0 ? hypothesis.at(h) : truth.at(t);
      const int64_t h_end = order <= 0 ? hypothesis.EndOf(h) : h;
      const int64_t t_end = order >= 0 ? truth.EndOf(t) : t;
      MR_RETURN_IF_ERROR(Set(place, Elements(hypothesis, h, h_end),
                             Elements(truth, t, t_end)));
      h = h_end;
      t = t_end;
    }
    return OkStatus();
  }

 private:
  // Returns -1, 0 or 1: which of both comes first; one that has ended is last.
  static int Compare(const Sequences& hypothesis, int64_t h,
                     const Sequences& truth, int64_t t) {
    if (h == hypothesis.count) return 1;
    if (t == truth.count) return -1;
    for (int d = 0; d + 1 < truth.rank; ++d) {
      const int64_t a = hypothesis.at(h)[d], b = truth.at(t)[d];
      if (a != b) return a < b ? -1 : 1;
    }
    return 0;
  }

  static absl::Span<const T> Elements(const Sequences& s, int64_t begin,
                                      int64_t end) {
    return s.values->flat<T>().subspan(static_cast<size_t>(begin),
                                       static_cast<size_t>(end - begin));
  }

  Status Set(const int64_t* place, absl::Span<const T> hypothesis,
             absl::Span<const T> truth) {
    uint64_t at = 0;  // wraps around, for coordinates out of bounds
    for (size_t d = 0; d < strides_.size(); ++d) {
      at +=
          static_cast<uint64_t>(place[d]) * static_cast<uint64_t>(strides_[d]);
    }
    if (at >= out_.size()) {
      return Internal("Got an inner product ", static_cast<int64_t>(at),
                      " which would require writing to outside of the buffer "
                      "for the output tensor (max elements ",
                      out_.size(), ")");
    }
    MR_ASSIGN_OR_RETURN(const int64_t distance,
                        Distance<T>(ctx_, hypothesis, truth));
    float result = static_cast<float>(distance);
    if (normalize_) {
      result = truth.empty() ? std::numeric_limits<float>::infinity()
                             : result / static_cast<float>(truth.size());
    }
    out_[static_cast<size_t>(at)] = result;
    return OkStatus();
  }

  KernelContext& ctx_;
  const bool normalize_;
  const DimVector strides_;
  const absl::Span<float> out_;
};

class EditDistanceKernel {
 public:
  static StatusOr<EditDistanceKernel> Make(const KernelInit& init) {
    EditDistanceKernel k;
    MR_ASSIGN_OR_RETURN(k.normalize_, init.Attr<bool>("normalize"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckSequenceInputs(ctx));
    const Sequences hypothesis = SequencesAt(ctx, 0);
    const Sequences truth = SequencesAt(ctx, 3);
    MR_RETURN_IF_ERROR(TensorShape::Make(hypothesis.dims).status());
    MR_RETURN_IF_ERROR(TensorShape::Make(truth.dims).status());
    DimVector dims;
    for (size_t d = 0; d + 1 < truth.dims.size(); ++d) {
      dims.push_back(std::max(hypothesis.dims[d], truth.dims[d]));
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    if (shape.num_elements() == 0) {
      return InvalidArgument("Got output shape ", shape.DebugString(),
                             " which has 0 elements");
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    return Dispatch(
        Join<NumericTypes, Types<bool, StringElement>>{}, truth.values->dtype(),
        [&]<class T>() -> Status {
          return EditDistances<T>(ctx, normalize_, out).Run(hypothesis, truth);
        });
  }

 private:
  bool normalize_ = true;
};

}  // namespace

MR_KERNELS(EditDistance, Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES,
                               .make = MakeKernel<EditDistanceKernel>}};

}  // namespace millrace::ops
