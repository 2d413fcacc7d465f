// Kernels of data sets from tensors and numbers.
#include <algorithm>
#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/ops/data/slices.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// An iterator whose state is the index of the next element.
class CountingIterator : public DatasetIterator {
 public:
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "next", next_);
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(next_, in.Count(prefix + "next"));
    return OkStatus();
  }

 protected:
  int64_t next_ = 0;
};

template <class... Ts>
bool IsOneOf(Types<Ts...>, DataType type) {
  return ((DataTypeOf<Ts> == type) || ...);
}
bool IsNumber(DataType type) { return IsOneOf(NumericTypes{}, type); }

class TensorDataset final : public DatasetValue {
 public:
  TensorDataset(ElementSignature s, int depth, Element element)
      : DatasetValue(std::move(s), depth), element_(std::move(element)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(new Iterator(*this));
  }
  int64_t Cardinality() const override { return 1; }

 private:
  class Iterator final : public CountingIterator {
   public:
    explicit Iterator(const TensorDataset& d)
        : dataset_(Ref<const TensorDataset>::Share(&d)) {}
    StatusOr<Pull> Next(PollContext&, Element* out) override {
      if (next_ != 0) return Pull::kEnd;
      next_ = 1;
      *out = dataset_->element_;
      return Pull::kElement;
    }

   private:
    const Ref<const TensorDataset> dataset_;
  };

  const Element element_;
};

class TensorSliceDataset final : public DatasetValue {
 public:
  TensorSliceDataset(ElementSignature s, int depth, Element components)
      : DatasetValue(std::move(s), depth), components_(std::move(components)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(new Iterator(*this));
  }
  int64_t Cardinality() const override { return components_[0].dim(0); }

 private:
  class Iterator final : public CountingIterator {
   public:
    explicit Iterator(const TensorSliceDataset& d)
        : dataset_(Ref<const TensorSliceDataset>::Share(&d)) {}
    StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
      const Element& components = dataset_->components_;
      if (next_ >= components[0].dim(0)) return Pull::kEnd;
      out->clear();
      for (const Tensor& t : components) {
        MR_ASSIGN_OR_RETURN(Tensor slice,
                            SliceOf(t, next_, ctx.runtime().allocator()));
        out->push_back(std::move(slice));
      }
      ++next_;
      return Pull::kElement;
    }

   private:
    const Ref<const TensorSliceDataset> dataset_;
  };

  const Element components_;
};

class RangeDataset final : public DatasetValue {
 public:
  RangeDataset(ElementSignature s, int64_t start, int64_t step, uint64_t count)
      : DatasetValue(std::move(s), 1),
        start_(start),
        step_(step),
        count_(count) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(new Iterator(*this));
  }
  int64_t Cardinality() const override {
    return static_cast<int64_t>(
        std::min<uint64_t>(count_, std::numeric_limits<int64_t>::max()));
  }

 private:
  class Iterator final : public CountingIterator {
   public:
    explicit Iterator(const RangeDataset& d)
        : dataset_(Ref<const RangeDataset>::Share(&d)) {}
    StatusOr<Pull> Next(PollContext&, Element* out) override {
      const auto index = static_cast<uint64_t>(next_);
      if (index >= dataset_->count_) return Pull::kEnd;
      const auto value =
          static_cast<int64_t>(static_cast<uint64_t>(dataset_->start_) +
                               index * static_cast<uint64_t>(dataset_->step_));
      Tensor t;
      const DataType type = dataset_->signature().types[0];
      MR_RETURN_IF_ERROR(
          Dispatch(NumericTypes{}, type, [&]<class T>() -> Status {
            if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
              t = Tensor::Scalar<T>(static_cast<T>(value));
            } else if constexpr (std::is_same_v<T, Complex128>) {
              t = Tensor::Scalar<T>(T(static_cast<double>(value)));
            } else {
              t = Tensor::Scalar<T>(T(static_cast<float>(value)));
            }
            return OkStatus();
          }));
      ++next_;
      out->assign(1, std::move(t));
      return Pull::kElement;
    }

   private:
    const Ref<const RangeDataset> dataset_;
  };

  const int64_t start_, step_;
  const uint64_t count_;
};

StatusOr<Element> Components(KernelContext& ctx) {
  Element components;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    components.push_back(ctx.input(i));
  }
  return components;
}

StatusOr<Ref<DatasetValue>> BuildTensor(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(ElementSignature s, SignatureOf(ctx));
  MR_ASSIGN_OR_RETURN(Element components, Components(ctx));
  MR_RETURN_IF_ERROR(CheckElement(s, components));
  MR_ASSIGN_OR_RETURN(const int depth, DepthAbove({}, components));
  return Ref<DatasetValue>(
      MakeRef<TensorDataset>(std::move(s), depth, std::move(components)));
}

StatusOr<Ref<DatasetValue>> BuildTensorSlice(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(ElementSignature s, SignatureOf(ctx));
  MR_ASSIGN_OR_RETURN(Element components, Components(ctx));
  ElementSignature slices;
  for (const Tensor& t : components) {
    if (t.rank() == 0) {
      return InvalidArgument("All components must be at least 1-dimensional");
    }
    if (t.dim(0) != components[0].dim(0)) {
      return InvalidArgument(
          "All components must have the same size in the 0th dimension");
    }
    slices.types.push_back(t.dtype());
    const DimVector dims = t.shape().dims();
    slices.shapes.emplace_back(absl::MakeConstSpan(dims).subspan(1));
  }
  MR_RETURN_IF_ERROR(CheckTypes(slices.types, s.types));
  MR_RETURN_IF_ERROR(CheckShapes(slices.shapes, s.shapes));
  MR_ASSIGN_OR_RETURN(const int depth, DepthAbove({}, components));
  return Ref<DatasetValue>(
      MakeRef<TensorSliceDataset>(std::move(s), depth, std::move(components)));
}

StatusOr<Ref<DatasetValue>> BuildRange(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(ElementSignature s, DeclaredSignature(ctx));
  s.shapes = {PartialShape({})};  // as in stock, whatever the node says
  MR_ASSIGN_OR_RETURN(const int64_t start,
                      ScalarInput<int64_t>(ctx, 0, "start"));
  MR_ASSIGN_OR_RETURN(const int64_t stop, ScalarInput<int64_t>(ctx, 1, "stop"));
  MR_ASSIGN_OR_RETURN(const int64_t step, ScalarInput<int64_t>(ctx, 2, "step"));
  if (step == 0) {
    return InvalidArgument("step must be a non-zero integer.");
  }
  if (s.types.size() != 1) {
    return InvalidArgument(
        "Number of components does not match: expected 1 types but got ",
        s.types.size(), ".");
  }
  if (!IsNumber(s.types[0])) {
    return InvalidArgument("Unsupported data type: ", DataTypeName(s.types[0]));
  }
  // Differences of int64 fit into uint64.
  uint64_t count = 0;
  const auto low = static_cast<uint64_t>(step > 0 ? start : stop);
  const auto high = static_cast<uint64_t>(step > 0 ? stop : start);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step)
                                   : uint64_t{0} - static_cast<uint64_t>(step);
  if (step > 0 ? start < stop : start > stop) {
    count = (high - low - 1) / stride + 1;
  }
  return Ref<DatasetValue>(
      MakeRef<RangeDataset>(std::move(s), start, step, count));
}

}  // namespace

MR_KERNELS(TensorDataset, Cpu){MR_DATASET_KERNEL(BuildTensor)};
MR_KERNELS(TensorSliceDataset, Cpu){MR_DATASET_KERNEL(BuildTensorSlice)};
MR_KERNELS(RangeDataset, Cpu){MR_DATASET_KERNEL(BuildRange)};

}  // namespace millrace::ops
