// GroupByWindowDataset: elements are gathered in groups of equal keys, and a
// function makes a data set of each window of a group.
#include <map>

#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset_experimental/element_list.h"
#include "millrace/ops/dataset_experimental/group_key.h"

namespace millrace::ops {
namespace {

struct GroupByWindowParams {
  std::shared_ptr<const CapturedFunction> key, reduce, window_size;
};

class GroupByWindowIterator final
    : public DerivedIterator<GroupByWindowParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    MR_RETURN_IF_ERROR(DerivedIterator::Begin(runtime));
    MR_RETURN_IF_ERROR(key_function_.Bind(runtime, params().key,
                                          dataset().input().signature().types));
    MR_RETURN_IF_ERROR(window_size_function_.Bind(runtime, params().window_size,
                                                  {DataType::kInt64}));
    return reduce_function_.Bind(runtime, params().reduce,
                                 {DataType::kInt64, DataType::kVariant});
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      StatusOr<Pull> advanced = Advance(ctx, out);
      if (!advanced.ok() || *advanced != Pull::kElement || has_element_) {
        has_element_ = false;
        return advanced;
      }
    }
  }

  // Elements of the window in progress are counted: the function makes its data
  // set again after a restore, and as many are passed over.
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "groups", static_cast<int64_t>(groups_.size()));
    int64_t i = 0;
    for (const auto& [key, group] : groups_) {
      const std::string name = absl::StrCat(prefix, "group", i++, ":");
      out.Int(name + "key", key);
      out.Int(name + "size", static_cast<int64_t>(group.size()));
      for (size_t j = 0; j < group.size(); ++j) {
        out.Element(absl::StrCat(name, j), group[j]);
      }
    }
    out.Int(prefix + "sizes", static_cast<int64_t>(window_sizes_.size()));
    i = 0;
    for (const auto& [key, size] : window_sizes_) {
      out.Int(absl::StrCat(prefix, "size", i, ":key"), key);
      out.Int(absl::StrCat(prefix, "size", i++, ":size"), size);
    }
    const bool flushing = phase_ == Phase::kWindow || phase_ == Phase::kFlush;
    out.Int(prefix + "flushing", flushing);
    out.Int(prefix + "flushed_key", flushed_key_);
    out.Int(prefix + "taken", phase_ == Phase::kFlush ? pass_over_ : taken_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    const std::vector<DataType>& types = dataset().input().signature().types;
    MR_ASSIGN_OR_RETURN(const int64_t groups, in.Size(prefix + "groups"));
    for (int64_t i = 0; i < groups; ++i) {
      const std::string name = absl::StrCat(prefix, "group", i, ":");
      MR_ASSIGN_OR_RETURN(const int64_t key, in.Number(name + "key"));
      MR_ASSIGN_OR_RETURN(const int64_t size, in.Size(name + "size"));
      std::vector<Element>& group = groups_[key];
      for (int64_t j = 0; j < size; ++j) {
        MR_ASSIGN_OR_RETURN(Element element,
                            in.Element(absl::StrCat(name, j), types));
        MR_RETURN_IF_ERROR(kept_.Add(element));
        group.push_back(std::move(element));
      }
    }
    MR_ASSIGN_OR_RETURN(const int64_t sizes, in.Size(prefix + "sizes"));
    for (int64_t i = 0; i < sizes; ++i) {
      const std::string name = absl::StrCat(prefix, "size", i, ":");
      MR_ASSIGN_OR_RETURN(const int64_t key, in.Number(name + "key"));
      MR_ASSIGN_OR_RETURN(const int64_t size, in.Number(name + "size"));
      if (size <= 0) return InvalidWindow(size);
      MR_RETURN_IF_ERROR(KeepSize(key, size));
    }
    MR_ASSIGN_OR_RETURN(const bool flushing, in.Flag(prefix + "flushing"));
    MR_ASSIGN_OR_RETURN(flushed_key_, in.Number(prefix + "flushed_key"));
    MR_ASSIGN_OR_RETURN(pass_over_, in.Count(prefix + "taken"));
    if (flushing) phase_ = Phase::kFlush;
    return RestoreInput(in, prefix);
  }

 private:
  enum class Phase { kInput, kKey, kWindowSize, kFlush, kReduce, kWindow };

  // Does one thing. kElement: it is done, and `*out` is an element if
  // has_element_ is set.
  StatusOr<Pull> Advance(PollContext& ctx, Element* out) {
    switch (phase_) {
      case Phase::kInput:
        return TakeInput(ctx);
      case Phase::kKey:
        return FinishKey(ctx);
      case Phase::kWindowSize:
        return FinishWindowSize(ctx);
      case Phase::kFlush:
        return StartReduce(ctx);
      case Phase::kReduce:
        return FinishReduce(ctx);
      case Phase::kWindow:
        break;
    }
    return TakeWindow(ctx, out);
  }

  StatusOr<Pull> TakeInput(PollContext& ctx) {
    if (input_ == nullptr) {
      if (groups_.empty()) return Pull::kEnd;
      Flush(groups_.begin()->first);
      return Pull::kElement;
    }
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element_));
    if (pull == Pull::kPending) return pull;
    if (pull == Pull::kEnd) {
      input_ = nullptr;
      return Pull::kElement;
    }
    call_.Start(ctx, key_function_, element_);
    phase_ = Phase::kKey;
    return Pull::kElement;
  }

  // Gets the results of the call in progress, which is over then, with an error
  // or without.
  StatusOr<Pull> Finish(PollContext& ctx, Element* results) {
    const StatusOr<Pull> done = call_.Finish(ctx, results);
    if (!done.ok() || *done != Pull::kPending) phase_ = Phase::kInput;
    return done;
  }

  StatusOr<Pull> FinishKey(PollContext& ctx) {
    Element results;
    MR_ASSIGN_OR_RETURN(const Pull done, Finish(ctx, &results));
    if (done != Pull::kElement) return done;
    MR_ASSIGN_OR_RETURN(key_, IntResult(results, "key_func"));
    if (window_sizes_.count(key_) != 0) return AddToGroup();
    call_.Start(ctx, window_size_function_, {Tensor::Scalar<int64_t>(key_)});
    phase_ = Phase::kWindowSize;
    return Pull::kElement;
  }

  StatusOr<Pull> FinishWindowSize(PollContext& ctx) {
    Element results;
    MR_ASSIGN_OR_RETURN(const Pull done, Finish(ctx, &results));
    if (done != Pull::kElement) return done;
    MR_ASSIGN_OR_RETURN(const int64_t size,
                        IntResult(results, "window_size_func"));
    if (size <= 0) return InvalidWindow(size);
    MR_RETURN_IF_ERROR(KeepSize(key_, size));
    return AddToGroup();
  }

  static Status InvalidWindow(int64_t size) {
    return InvalidArgument("Window size must be greater than zero, but got ",
                           size, ".");
  }

  StatusOr<Pull> AddToGroup() {
    MR_RETURN_IF_ERROR(kept_.Add(element_));
    std::vector<Element>& group = groups_[key_];
    group.push_back(std::move(element_));
    if (static_cast<int64_t>(group.size()) == window_sizes_[key_]) Flush(key_);
    return Pull::kElement;
  }

  Status KeepSize(int64_t key, int64_t size) {
    constexpr int64_t kBytesPerSize = 64;
    MR_RETURN_IF_ERROR(sizes_.Add(kBytesPerSize));
    window_sizes_[key] = size;
    return OkStatus();
  }

  void Flush(int64_t key) {
    flushed_key_ = key;
    pass_over_ = 0;
    phase_ = Phase::kFlush;
  }

  StatusOr<Pull> StartReduce(PollContext& ctx) {
    phase_ = Phase::kInput;
    const std::vector<Element>& group = groups_[flushed_key_];
    int below = 0;
    for (const Element& element : group) {
      MR_ASSIGN_OR_RETURN(const int depth, DepthAbove({}, element));
      below = std::max(below, depth);
    }
    int64_t bytes = 0;
    for (const Element& element : group) bytes += BytesOfElement(element);
    auto window = MakeRef<ElementListValue>(dataset().input().signature(),
                                            std::max(below, 1), group);
    MR_RETURN_IF_ERROR(window->Charge(bytes));
    call_.Start(ctx, reduce_function_,
                {Tensor::Scalar<int64_t>(flushed_key_),
                 TensorOfDataset(std::move(window))});
    phase_ = Phase::kReduce;
    return Pull::kElement;
  }

  // After an error the group stays, as in stock.
  StatusOr<Pull> FinishReduce(PollContext& ctx) {
    Element results;
    MR_ASSIGN_OR_RETURN(const Pull done, Finish(ctx, &results));
    if (done != Pull::kElement) return done;
    if (results.size() != 1 || results[0].dtype() != DataType::kVariant ||
        results[0].rank() != 0) {
      return InvalidArgument(
          "`reduce_func` must return a single scalar of dtype DT_VARIANT.");
    }
    MR_ASSIGN_OR_RETURN(const DatasetRef made, DatasetOfTensor(results[0]));
    MR_ASSIGN_OR_RETURN(window_, ctx.runtime().MakeIterator(*made));
    taken_ = 0;
    phase_ = Phase::kWindow;
    return Pull::kElement;
  }

  StatusOr<Pull> TakeWindow(PollContext& ctx, Element* out) {
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*window_, out));
    if (pull == Pull::kPending) return pull;
    if (pull == Pull::kEnd) {
      window_ = nullptr;
      phase_ = Phase::kInput;
      const auto group = groups_.find(flushed_key_);
      if (group != groups_.end()) {
        for (const Element& element : group->second) kept_.Remove(element);
        groups_.erase(group);
      }
      return Pull::kElement;
    }
    ++taken_;
    if (pass_over_ > 0) {
      --pass_over_;
      return Pull::kElement;
    }
    MR_RETURN_IF_ERROR(CheckElementTypes(dataset().signature().types, *out));
    has_element_ = true;
    return Pull::kElement;
  }

  BoundFunction key_function_, window_size_function_, reduce_function_;
  FunctionCall call_;
  Phase phase_ = Phase::kInput;
  bool has_element_ = false;
  Element element_;  // whose key is being computed
  int64_t key_ = 0;  // its key
  std::map<int64_t, std::vector<Element>> groups_;
  std::map<int64_t, int64_t> window_sizes_;
  ElementsCharge kept_{"the elements of groups"};
  KeptSum sizes_{"the sizes of windows"};
  // The data set of the window in progress: its key, how many of its elements
  // were taken, and how many must be passed over after a restore.
  std::unique_ptr<DatasetIterator> window_;
  int64_t flushed_key_ = 0, taken_ = 0, pass_over_ = 0;
};

StatusOr<Ref<DatasetValue>> BuildGroupByWindow(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  GroupByWindowParams p;
  MR_ASSIGN_OR_RETURN(p.key, CapturedFunction::Make(
                                 ctx, "key_func", "key_func_other_arguments"));
  MR_ASSIGN_OR_RETURN(p.reduce,
                      CapturedFunction::Make(ctx, "reduce_func",
                                             "reduce_func_other_arguments"));
  MR_ASSIGN_OR_RETURN(p.window_size, CapturedFunction::Make(
                                         ctx, "window_size_func",
                                         "window_size_func_other_arguments"));
  Element kept;
  for (const auto& function : {p.key, p.reduce, p.window_size}) {
    const std::vector<Tensor>& captured = function->captured();
    kept.insert(kept.end(), captured.begin(), captured.end());
  }
  return MakeDataset<GroupByWindowIterator>(ctx, {input}, std::move(p), kept);
}

}  // namespace

MR_KERNELS(GroupByWindowDataset, Cpu){MR_DATASET_KERNEL(BuildGroupByWindow)};
MR_KERNELS(ExperimentalGroupByWindowDataset,
           Cpu){MR_DATASET_KERNEL(BuildGroupByWindow)};

}  // namespace millrace::ops
