// Kernels of sets along the last dimension of dense and sparse tensors.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "millrace/base/memory/counted_table.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using SetTypes =
    Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, StringElement>;
constexpr char kSetTypes[] =
    "T: int8, int16, int32, int64, uint8, uint16, string";

// The sets of single rows, by the row's coordinates.
template <class T>
using ElementOf =
    std::conditional_t<std::is_same_v<T, StringElement>, absl::string_view, T>;

template <class T>
using ElementList = CountedTable<std::vector<ElementOf<T>>>;
template <class T>
using ElementSpan = absl::Span<const ElementOf<T>>;

// One operand, row by row in order.
template <class T>
class Rows {
 public:
  // Makes the rows of a dense tensor of at least two dimensions.
  static StatusOr<Rows> OfDense(const Tensor& t) {
    Rows rows;
    const DimVector dims = t.shape().dims();
    MR_RETURN_IF_ERROR(rows.SetDims(dims));
    rows.width_ = t.dim(t.rank() - 1);
    // Rows without elements count as none, however many there are.
    rows.count_ = rows.width_ == 0 ? 0 : t.num_elements() / rows.width_;
    rows.values_ = t.flat<T>().data();
    return rows;
  }
  // Makes the rows of a sparse tensor in inputs first, first + 1 and first + 2.
  static StatusOr<Rows> OfSparse(KernelContext& ctx, int first, bool validate) {
    if (ctx.input(first + 2).rank() != 1) {
      return InvalidArgument("Shape must be a 1D tensor.");
    }
    Rows rows;
    const int64_t rank = ctx.input(first + 2).dim(0);
    if (rank < 2) return InvalidArgument("Invalid rank ", rank, ".");
    MR_ASSIGN_OR_RETURN(rows.entries_, ReadEntries(ctx, first, kTensorWords));
    const SparseEntries& e = rows.entries_;
    MR_RETURN_IF_ERROR(DenseShape(e.dims).status());
    MR_RETURN_IF_ERROR(rows.SetDims(e.dims));
    MR_RETURN_IF_ERROR(validate ? CheckOrder(e) : e.CheckInside());
    rows.is_sparse_ = true;
    rows.count_ = e.count;
    rows.values_ = e.values->flat<T>().data();
    return rows;
  }

  // Returns all dimensions but the last.
  absl::Span<const int64_t> dims() const { return dims_; }
  bool done() const { return at_ >= count_; }
  // Returns the coordinates of the next row.
  DimVector place() const {
    if (!is_sparse_) return Coordinates(at_, dims_);
    const int64_t* const row = entries_.at(at_);
    return DimVector(row, row + dims_.size());
  }
  // Returns the set of the next row in ascending order and advances; the result
  // is valid until the next call. Returns RESOURCE_EXHAUSTED if there is no
  // memory for the row.
  StatusOr<ElementSpan<T>> Take() {
    int64_t begin = at_ * width_, end = begin + width_;
    if (is_sparse_) {
      begin = at_;
      end = begin + 1;
      while (end < count_ &&
             CompareCoordinates(entries_.at(begin), entries_.at(end),
                                static_cast<int>(dims_.size())) == 0) {
        ++end;
      }
      at_ = end;
    } else {
      ++at_;
    }
    set_->clear();
    MR_RETURN_IF_ERROR(set_.MakeRoom(static_cast<size_t>(end - begin)));
    set_->assign(values_ + begin, values_ + end);
    std::sort(set_->begin(), set_->end());
    set_->erase(std::unique(set_->begin(), set_->end()), set_->end());
    return ElementSpan<T>(*set_);
  }

 private:
  Status SetDims(absl::Span<const int64_t> dims) {
    if (dims.size() < 2) {
      return InvalidArgument("Shape [", absl::StrJoin(dims, ","), "] has rank ",
                             dims.size(), " < 2");
    }
    dims_.assign(dims.begin(), dims.end() - 1);
    return OkStatus();
  }

  DimVector dims_;
  bool is_sparse_ = false;
  SparseEntries entries_;
  const T* values_ = nullptr;
  int64_t width_ = 1;  // elements in a dense row
  int64_t count_ = 0;  // number of rows, or of entries
  int64_t at_ = 0;
  ElementList<T> set_{"a set"};
};

class SetSizeKernel {
 public:
  static StatusOr<SetSizeKernel> Make(const KernelInit& init) {
    SetSizeKernel k;
    MR_ASSIGN_OR_RETURN(k.validate_, init.Attr<bool>("validate_indices"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return Dispatch(SetTypes{}, ctx.input_type(1), [&]<class T>() -> Status {
      MR_ASSIGN_OR_RETURN(Rows<T> rows, Rows<T>::OfSparse(ctx, 0, validate_));
      MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(rows.dims()));
      const DimVector strides = RowMajorStrides(rows.dims());
      MR_ASSIGN_OR_RETURN(Tensor* const out,
                          ctx.AllocateOutput(0, std::move(shape)));
      MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
      while (!rows.done()) {
        const DimVector place = rows.place();
        int64_t at = 0;
        for (size_t d = 0; d < place.size(); ++d) at += place[d] * strides[d];
        MR_ASSIGN_OR_RETURN(const ElementSpan<T> set, rows.Take());
        out->mutable_flat<int32_t>()[static_cast<size_t>(at)] =
            static_cast<int32_t>(set.size());
      }
      return OkStatus();
    });
  }

 private:
  bool validate_ = true;
};

enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

// Appends the result of the operation on two rows to `out`.
template <class E>
void Combine(SetOperation operation, absl::Span<const E> a,
             absl::Span<const E> b, std::vector<E>* out) {
  const auto to = std::back_inserter(*out);
  switch (operation) {
    case SetOperation::kAMinusB:
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case SetOperation::kBMinusA:
      std::set_difference(b.begin(), b.end(), a.begin(), a.end(), to);
      break;
    case SetOperation::kIntersection:
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case SetOperation::kUnion:
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
  }
}

// The rows of the result that have elements.
template <class T>
class Result {
 public:
  Status Add(const DimVector& place, SetOperation operation, ElementSpan<T> a,
             ElementSpan<T> b) {
    MR_RETURN_IF_ERROR(elements_.MakeRoom(a.size() + b.size()));
    const size_t before = elements_->size();
    Combine<ElementOf<T>>(operation, a, b, &*elements_);
    const size_t size = elements_->size() - before;
    if (size == 0) return OkStatus();
    MR_RETURN_IF_ERROR(places_.MakeRoom(place.size()));
    MR_RETURN_IF_ERROR(sizes_.MakeRoom());
    places_->insert(places_->end(), place.begin(), place.end());
    sizes_->push_back(size);
    largest_ = std::max(largest_, size);
    return OkStatus();
  }

  Status Set(KernelContext& ctx, absl::Span<const int64_t> dims) const {
    DimVector shape(dims.begin(), dims.end());
    shape.push_back(static_cast<int64_t>(largest_));
    MR_ASSIGN_OR_RETURN(
        const EntriesOutput out,
        AllocateEntries(ctx, 0, 1, static_cast<int64_t>(elements_->size()),
                        static_cast<int64_t>(shape.size())));
    int64_t* coordinates = out.coordinates;
    T* values = out.values->template mutable_flat<T>().data();
    const ElementOf<T>* element = elements_->data();
    const int64_t* place = places_->data();
    for (const size_t size : *sizes_) {
      for (size_t i = 0; i < size; ++i) {
        coordinates = std::copy_n(place, dims.size(), coordinates);
        *coordinates++ = static_cast<int64_t>(i);
        *values++ = *element++;
      }
      place += dims.size();
    }
    return SetVector(ctx, 2, shape);
  }

 private:
  ElementList<T> elements_{"the result of a set operation"};
  CountedTable<std::vector<int64_t>> places_{"the result of a set operation"};
  CountedTable<std::vector<size_t>> sizes_{"the result of a set operation"};
  size_t largest_ = 0;
};

class SetOperationKernel {
 public:
  static StatusOr<SetOperationKernel> Make(const KernelInit& init) {
    SetOperationKernel k;
    MR_ASSIGN_OR_RETURN(const std::string given,
                        init.Attr<std::string>("set_operation"));
    const std::string name = absl::AsciiStrToLower(given);
    if (name == "a-b") {
      k.operation_ = SetOperation::kAMinusB;
    } else if (name == "b-a") {
      k.operation_ = SetOperation::kBMinusA;
    } else if (name == "intersection") {
      k.operation_ = SetOperation::kIntersection;
    } else if (name != "union") {
      return InvalidArgument("Invalid set_operation ", name, ".");
    }
    MR_ASSIGN_OR_RETURN(k.validate_, init.Attr<bool>("validate_indices"));
    k.sparse_a_ = init.num_inputs() == 6;
    k.sparse_b_ = init.num_inputs() > 2;
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return Dispatch(SetTypes{}, ctx.output_type(1),
                    [&]<class T>() { return RunTyped<T>(ctx); });
  }

 private:
  template <class T>
  StatusOr<Rows<T>> Side(KernelContext& ctx, bool is_sparse, int first) const {
    return is_sparse ? Rows<T>::OfSparse(ctx, first, validate_)
                     : Rows<T>::OfDense(ctx.input(first));
  }

  template <class T>
  Status RunTyped(KernelContext& ctx) const {
    // Stock checks a sparse second set before a dense first one.
    MR_ASSIGN_OR_RETURN(Rows<T> b, Side<T>(ctx, sparse_b_, sparse_a_ ? 3 : 1));
    MR_ASSIGN_OR_RETURN(Rows<T> a, Side<T>(ctx, sparse_a_, 0));
    if (a.dims() != b.dims()) {
      return InvalidArgument("Mismatched shapes [",
                             absl::StrJoin(a.dims(), ","), "] vs [",
                             absl::StrJoin(b.dims(), ","), "]");
    }
    Result<T> result;
    for (int64_t i = 0; !a.done() || !b.done(); ++i) {
      if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      int order = a.done() ? 1 : -1;
      if (!a.done() && !b.done()) {
        const DimVector x = a.place(), y = b.place();
        order =
            CompareCoordinates(x.data(), y.data(), static_cast<int>(x.size()));
      }
      const DimVector place = order <= 0 ? a.place() : b.place();
      ElementSpan<T> in_a, in_b;
      if (order <= 0) {
        MR_ASSIGN_OR_RETURN(in_a, a.Take());
      }
      if (order >= 0) {
        MR_ASSIGN_OR_RETURN(in_b, b.Take());
      }
      MR_RETURN_IF_ERROR(result.Add(place, operation_, in_a, in_b));
    }
    return result.Set(ctx, a.dims());
  }

  SetOperation operation_ = SetOperation::kUnion;
  bool validate_ = true;
  bool sparse_a_ = false, sparse_b_ = false;
};

}  // namespace

MR_KERNELS(SetSize,
           Cpu){{.types = kSetTypes, .make = MakeKernel<SetSizeKernel>}};
MR_KERNELS(DenseToDenseSetOperation,
           Cpu){{.types = kSetTypes, .make = MakeKernel<SetOperationKernel>}};
MR_KERNELS(DenseToSparseSetOperation,
           Cpu){{.types = kSetTypes, .make = MakeKernel<SetOperationKernel>}};
MR_KERNELS(SparseToSparseSetOperation,
           Cpu){{.types = kSetTypes, .make = MakeKernel<SetOperationKernel>}};

}  // namespace millrace::ops
