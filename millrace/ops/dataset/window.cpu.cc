// Kernels of windows: data sets as elements.
#include <deque>

#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/tensor/own_bytes.h"

namespace millrace::ops {
namespace {

// The elements of one component of a window.
class WindowValue final : public DatasetValue {
 public:
  WindowValue(ElementSignature s, int depth, std::vector<Tensor> elements)
      : DatasetValue(std::move(s), depth), elements_(std::move(elements)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(new Iterator(*this));
  }
  int64_t Cardinality() const override {
    return static_cast<int64_t>(elements_.size());
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const WindowValue& d)
        : dataset_(Ref<const WindowValue>::Share(&d)) {}
    StatusOr<Pull> Next(PollContext&, Element* out) override {
      if (next_ >= dataset_->elements_.size()) return Pull::kEnd;
      out->assign(1, dataset_->elements_[next_++]);
      return Pull::kElement;
    }
    Status Save(StateWriter& out, const std::string& prefix) override {
      out.Int(prefix + "next", static_cast<int64_t>(next_));
      return OkStatus();
    }
    Status Restore(StateReader& in, const std::string& prefix) override {
      MR_ASSIGN_OR_RETURN(const int64_t next, in.Count(prefix + "next"));
      next_ = static_cast<size_t>(next);
      return OkStatus();
    }

   private:
    const Ref<const WindowValue> dataset_;
    size_t next_ = 0;
  };

  const std::vector<Tensor> elements_;
};

struct WindowParams {
  int64_t size = 1, shift = 1, stride = 1;
  bool drop_remainder = false;
};

// Returns how many elements of the input a whole window spans.
int64_t Span(const WindowParams& p) { return (p.size - 1) * p.stride + 1; }

class WindowIterator final : public DerivedIterator<WindowParams> {
 public:
  using DerivedIterator::DerivedIterator;
  // A window is a data set for each component.
  static ElementSignature Signature(const Inputs& inputs, const WindowParams&) {
    const size_t n = inputs[0]->signature().types.size();
    return {std::vector<DataType>(n, DataType::kVariant),
            std::vector<PartialShape>(n, PartialShape({}))};
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull skipped, Skip(ctx));
    if (skipped != Pull::kElement) return skipped;
    MR_ASSIGN_OR_RETURN(const Pull filled, Fill(ctx));
    if (filled != Pull::kElement) return filled;
    const auto have = static_cast<int64_t>(buffer_.size());
    if (have == 0 || (have < Span(params()) && params().drop_remainder)) {
      buffer_.clear();
      charge_.Clear();
      return Pull::kEnd;
    }
    Status status;
    std::vector<const Element*> window;
    for (int64_t i = 0; i < params().size && i * params().stride < have; ++i) {
      const Item& item = buffer_[static_cast<size_t>(i * params().stride)];
      UpdateStatus(status, item.status);
      window.push_back(&item.element);
    }
    if (status.ok()) status = MakeWindow(window, out);
    const int64_t drop = std::min(params().shift, have);
    for (int64_t i = 0; i < drop; ++i) {
      charge_.Remove(buffer_.front().element);
      buffer_.pop_front();
    }
    to_skip_ = params().shift - drop;
    MR_RETURN_IF_ERROR(status);
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "to_skip", to_skip_);
    out.Int(prefix + "buffered", static_cast<int64_t>(buffer_.size()));
    for (size_t i = 0; i < buffer_.size(); ++i) {
      out.Result(absl::StrCat(prefix, "buffer", i), buffer_[i].status,
                 buffer_[i].element);
    }
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(to_skip_, in.Count(prefix + "to_skip", params().shift));
    MR_ASSIGN_OR_RETURN(const int64_t buffered,
                        in.Size(prefix + "buffered", Span(params())));
    for (int64_t i = 0; i < buffered; ++i) {
      Item item;
      MR_RETURN_IF_ERROR(in.Result(absl::StrCat(prefix, "buffer", i),
                                   dataset().input().signature().types,
                                   &item.status, &item.element));
      MR_RETURN_IF_ERROR(charge_.Add(item.element));
      buffer_.push_back(std::move(item));
    }
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality();
    if (n < 0) return n;
    const WindowParams& p = d.params();
    if (!p.drop_remainder) return n / p.shift + (n % p.shift > 0);
    return n < Span(p) ? 0 : (n - Span(p)) / p.shift + 1;
  }

 private:
  // An error takes the place of its element, as in stock: it becomes an error
  // of the windows that contain the element.
  struct Item {
    Element element;
    Status status;
  };

  // Skips the elements between two windows. kElement: that is done.
  StatusOr<Pull> Skip(PollContext& ctx) {
    while (to_skip_ > 0 && input_ != nullptr) {
      Element passed;
      const StatusOr<Pull> pull = ctx.Next(*input_, &passed);
      if (!pull.ok() && ctx.runtime().scope()->cancelled()) return pull;
      if (pull.ok() && *pull == Pull::kPending) return pull;
      if (pull.ok() && *pull == Pull::kEnd) input_ = nullptr;
      --to_skip_;
    }
    return Pull::kElement;
  }

  // Gathers the elements that the window spans. kElement: all are there.
  StatusOr<Pull> Fill(PollContext& ctx) {
    const int64_t span = Span(params());
    while (input_ != nullptr && static_cast<int64_t>(buffer_.size()) < span) {
      Item item;
      const StatusOr<Pull> pull = ctx.Next(*input_, &item.element);
      if (!pull.ok() && ctx.runtime().scope()->cancelled()) return pull;
      if (pull.ok() && *pull == Pull::kPending) return pull;
      if (pull.ok() && *pull == Pull::kEnd) {
        input_ = nullptr;
        break;
      }
      item.status = pull.status();
      MR_RETURN_IF_ERROR(charge_.Add(item.element));
      buffer_.push_back(std::move(item));
    }
    return Pull::kElement;
  }

  Status MakeWindow(const std::vector<const Element*>& window, Element* out) {
    const ElementSignature& whole = dataset().input().signature();
    out->clear();
    for (size_t c = 0; c < whole.types.size(); ++c) {
      std::vector<Tensor> column;
      for (const Element* element : window) {
        if (element->size() != whole.types.size()) {
          return InvalidArgument("an element has ", element->size(),
                                 " components, expected ", whole.types.size());
        }
        column.push_back((*element)[c]);
      }
      MR_ASSIGN_OR_RETURN(const int depth, DepthAbove({}, column));
      const int64_t bytes = OwnBytes(column);
      auto made = MakeRef<WindowValue>(
          ElementSignature{{whole.types[c]}, {whole.shapes[c]}}, depth,
          std::move(column));
      MR_RETURN_IF_ERROR(made->Charge(bytes));
      out->push_back(TensorOfDataset(std::move(made)));
    }
    return OkStatus();
  }

  std::deque<Item> buffer_;
  ElementsCharge charge_{"a window"};
  int64_t to_skip_ = 0;
};

StatusOr<Ref<DatasetValue>> BuildWindow(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  WindowParams p;
  MR_ASSIGN_OR_RETURN(p.size, ScalarInput<int64_t>(ctx, 1, "size"));
  if (p.size <= 0) {
    return InvalidArgument("Window size must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.shift, ScalarInput<int64_t>(ctx, 2, "shift"));
  if (p.shift <= 0) {
    return InvalidArgument("Window shift must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.stride, ScalarInput<int64_t>(ctx, 3, "stride"));
  if (p.stride <= 0) {
    return InvalidArgument("Window stride must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.drop_remainder,
                      ScalarInput<bool>(ctx, 4, "drop_remainder"));
  int64_t span = 0;
  if (__builtin_mul_overflow(p.size - 1, p.stride, &span) ||
      __builtin_add_overflow(span, 1, &span)) {
    return InvalidArgument("window of ", p.size, " elements with stride ",
                           p.stride, " is too long");
  }
  return MakeDataset<WindowIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(WindowDataset, Cpu){MR_DATASET_KERNEL(BuildWindow)};

}  // namespace millrace::ops
