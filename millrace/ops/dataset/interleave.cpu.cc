// Kernels of data sets whose function makes data sets: read one after the
// other, or several in turn, with or without prefetching.
#include <map>

#include "absl/strings/match.h"
#include "millrace/base/machine.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset/prefetch.h"

namespace millrace::ops {
namespace {

// The memory charged for an open data set of any kind, without the element that
// it was made of.
constexpr int64_t kBytesPerOpen = 4096;
// The value with which clients let the server choose.
constexpr int64_t kAutomatic = -1;
// Roughly bounds the elements of one open data set that the server lets wait.
constexpr int64_t kMaxAhead = 1 << 20;

struct InterleaveParams {
  std::shared_ptr<const CapturedFunction> function;
  int64_t cycle_length = 1;
  int64_t block_length = 1;
  // Elements of each open data set that may be ready; 0: no prefetching.
  int64_t ahead = 0;
};

// Returns elements in stock's order: the places of a cycle take turns, block by
// block; a place whose data set has ended takes the next element of the input
// when its turn comes again.
class InterleaveIterator final : public DerivedIterator<InterleaveParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    MR_RETURN_IF_ERROR(DerivedIterator::Begin(runtime));
    return function_.Bind(runtime, params().function,
                          dataset().input().signature().types);
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull reopened, Reopen(ctx));
    if (reopened != Pull::kElement) return reopened;
    for (;;) {
      const auto place = open_.find(place_);
      if (place != open_.end()) {
        MR_ASSIGN_OR_RETURN(const Pull pull,
                            ctx.Next(*place->second.iterator, out));
        if (pull == Pull::kPending) return pull;
        if (pull == Pull::kElement) {
          if (++block_ == params().block_length) NextPlace();
          return CheckElement(*out);
        }
        open_.erase(place);
        ChargeOpen(static_cast<int64_t>(open_.size())).IgnoreError();
        NextPlace();
      } else if (input_ != nullptr) {
        MR_ASSIGN_OR_RETURN(const Pull pull, Open(ctx));
        if (pull == Pull::kPending) return pull;
      } else if (open_.empty()) {
        return Pull::kEnd;
      } else {
        // Moves on to the next open data set, past places that stay empty.
        auto next = open_.lower_bound(place_);
        if (next == open_.end()) next = open_.begin();
        place_ = next->first;
        block_ = 0;
      }
    }
  }

  bool Settle(PollContext& ctx) override {
    bool settled = DerivedIterator::Settle(ctx);
    for (const auto& [place, opened] : open_) {
      if (opened.iterator != nullptr) settled &= ctx.Settle(*opened.iterator);
    }
    return settled;
  }
  // Of an open data set the element that it was made of is saved.
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "place", place_);
    out.Int(prefix + "block", block_);
    out.Int(prefix + "open", static_cast<int64_t>(open_.size()));
    int64_t i = 0;
    for (const auto& [place, opened] : open_) {
      const std::string name = NameOfOpen(prefix, i++);
      out.Int(name + "place", place);
      out.Element(name + "from", opened.from);
      if (opened.iterator != nullptr) {
        MR_RETURN_IF_ERROR(out.Save(*opened.iterator, name + "in:"));
      } else {
        out.Copy(*restored_, opened.saved_as, name + "in:");
      }
    }
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    const int64_t places = params().cycle_length;
    MR_ASSIGN_OR_RETURN(place_, in.Count(prefix + "place", places - 1));
    MR_ASSIGN_OR_RETURN(block_,
                        in.Count(prefix + "block", params().block_length - 1));
    MR_ASSIGN_OR_RETURN(const int64_t count, in.Size(prefix + "open", places));
    MR_RETURN_IF_ERROR(ChargeOpen(count));
    for (int64_t i = 0; i < count; ++i) {
      const std::string name = NameOfOpen(prefix, i);
      MR_ASSIGN_OR_RETURN(const int64_t place,
                          in.Count(name + "place", places - 1));
      // Saved in ascending order, and so each once.
      if (!to_reopen_.empty() && place <= to_reopen_.back()) {
        return InvalidArgument("the saved state of the iterator has place ",
                               place, " behind place ", to_reopen_.back());
      }
      Opened& opened = open_[place];
      opened.saved_as = name + "in:";
      MR_ASSIGN_OR_RETURN(
          opened.from,
          in.Element(name + "from", dataset().input().signature().types));
      to_reopen_.push_back(place);
    }
    restored_ = in.state();
    return RestoreInput(in, prefix);
  }

  static bool OpensFiles(const Parts& d) {
    return d.params().function->Uses([](absl::string_view op) {
      return absl::StartsWith(op, "TextLineDataset") ||
             absl::StartsWith(op, "TFRecordDataset") ||
             absl::StartsWith(op, "FixedLengthRecordDataset");
    });
  }

 private:
  struct Opened {
    Element from;  // the element of the input
    // Null until the first call of Next after a restore; until then its state
    // is in restored_, under keys that begin with this.
    std::unique_ptr<DatasetIterator> iterator;
    std::string saved_as;
  };

  static std::string NameOfOpen(const std::string& prefix, int64_t i) {
    return absl::StrCat(prefix, "open", i, ":");
  }

  Status ChargeOpen(int64_t count) {
    const size_t components = dataset().input().signature().types.size();
    const auto tensors = static_cast<int64_t>(2 * components * sizeof(Tensor));
    return charge_.Set(count * (kBytesPerOpen + tensors), "open data sets");
  }

  void NextPlace() {
    block_ = 0;
    place_ = (place_ + 1) % params().cycle_length;
  }

  StatusOr<Pull> CheckElement(const Element& element) const {
    const std::vector<DataType>& types = dataset().signature().types;
    if (element.size() != types.size()) {
      return InvalidArgument("Number of components does not match: expected ",
                             types.size(), " types but got ", element.size(),
                             ".");
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (element[i].dtype() != types[i]) {
        return InvalidArgument("Data type mismatch at component ", i,
                               ": expected ", DataTypeName(types[i]),
                               " but got ", DataTypeName(element[i].dtype()),
                               ".");
      }
    }
    return Pull::kElement;
  }

  // Makes the data sets anew that were open when the state was saved. kElement:
  // that is done. After an error, which is that of an element, its data set has
  // ended.
  StatusOr<Pull> Reopen(PollContext& ctx) {
    while (!to_reopen_.empty()) {
      const auto at = open_.find(to_reopen_.back());
      Opened& opened = at->second;
      if (!call_.in_progress()) call_.Start(ctx, function_, opened.from);
      Status status;
      const StatusOr<Pull> made = FinishCall(ctx, &opened);
      if (made.ok() && *made == Pull::kPending) return made;
      status = made.status();
      if (status.ok()) status = RestoreOpened(ctx.runtime(), opened);
      to_reopen_.pop_back();
      if (!status.ok()) {
        open_.erase(at);
        return status;
      }
    }
    restored_ = nullptr;
    return Pull::kElement;
  }

  Status RestoreOpened(IteratorRuntime& runtime, Opened& opened) {
    StateReader reader(restored_, runtime);
    MR_RETURN_IF_ERROR(
        Prefix("Failed to restore dataset iterator from checkpoint: ",
               opened.iterator->Restore(reader, opened.saved_as)));
    BeginPrefetching(opened);
    return OkStatus();
  }

  // Opens the next data set at place_. kEnd: there are no more.
  StatusOr<Pull> Open(PollContext& ctx) {
    if (!call_.in_progress()) {
      MR_RETURN_IF_ERROR(ChargeOpen(static_cast<int64_t>(open_.size() + 1)));
      Element element;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element));
      if (pull == Pull::kEnd) input_ = nullptr;
      if (pull != Pull::kElement) return pull;
      opening_ = element;
      call_.Start(ctx, function_, std::move(element));
    }
    Opened opened;
    MR_ASSIGN_OR_RETURN(const Pull made, FinishCall(ctx, &opened));
    if (made != Pull::kElement) return made;
    opened.from = std::exchange(opening_, {});
    BeginPrefetching(opened);
    open_[place_] = std::move(opened);
    return Pull::kElement;
  }

  // Makes the iterator over the data set that the call in progress returns.
  StatusOr<Pull> FinishCall(PollContext& ctx, Opened* opened) {
    Element results;
    const StatusOr<Pull> done = call_.Finish(ctx, &results);
    if (!done.ok()) return function_.InContext(done.status());
    if (*done != Pull::kElement) return done;
    if (results.size() != 1 || results[0].dtype() != DataType::kVariant ||
        results[0].rank() != 0) {
      return InvalidArgument(
          "`f` must return a single scalar of dtype DT_VARIANT.");
    }
    MR_ASSIGN_OR_RETURN(const DatasetRef made, DatasetOfTensor(results[0]));
    MR_ASSIGN_OR_RETURN(auto iterator, ctx.runtime().MakeIterator(*made));
    if (params().ahead > 0) {
      auto task = std::make_shared<PrefetchTask>(
          ctx.runtime(), std::move(iterator),
          PrefetchTask::Options{.size = params().ahead});
      iterator = std::make_unique<PrefetchingIterator>(
          std::move(task), dataset().signature().types);
    }
    opened->iterator = std::move(iterator);
    return Pull::kElement;
  }

  void BeginPrefetching(Opened& opened) {
    if (params().ahead == 0) return;
    static_cast<PrefetchingIterator&>(*opened.iterator).Begin();
  }

  BoundFunction function_;
  FunctionCall call_;
  Element opening_;                 // the argument of the call of Open
  std::map<int64_t, Opened> open_;  // by place
  // The places to open anew after a restore, and the state.
  std::vector<int64_t> to_reopen_;
  Ref<const IteratorStateValue> restored_;
  MemoryCharge charge_;
  int64_t place_ = 0, block_ = 0;
};

StatusOr<Ref<DatasetValue>> BuildFlatMap(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(const auto function,
                      CapturedFunction::Make(ctx, "f", "other_arguments"));
  // A cycle of one place: one data set after the other.
  return MakeDataset<InterleaveIterator>(ctx, {input}, {function},
                                         function->captured());
}

StatusOr<Ref<DatasetValue>> BuildInterleave(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  InterleaveParams p;
  MR_ASSIGN_OR_RETURN(p.function,
                      CapturedFunction::Make(ctx, "f", "other_arguments"));
  int i = 1 + static_cast<int>(p.function->captured().size());
  MR_ASSIGN_OR_RETURN(p.cycle_length,
                      ScalarInput<int64_t>(ctx, i++, "cycle_length"));
  if (p.cycle_length == kAutomatic) p.cycle_length = UsableCores();
  if (p.cycle_length <= 0) {
    return InvalidArgument("cycle_length must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.block_length,
                      ScalarInput<int64_t>(ctx, i++, "block_length"));
  if (p.block_length <= 0) {
    return InvalidArgument("block_length must be greater than zero.");
  }
  const Element kept = p.function->captured();
  return MakeDataset<InterleaveIterator>(ctx, {input}, std::move(p), kept);
}

// Says whether inputs give the number of elements to keep ready, or the server
// decides.
enum class BufferSizes { kAutomatic, kInputs };

template <BufferSizes kSizes>
StatusOr<int64_t> ElementsAhead(KernelContext& ctx, int i,
                                int64_t block_length) {
  int64_t buffer = kAutomatic;
  if constexpr (kSizes == BufferSizes::kInputs) {
    MR_ASSIGN_OR_RETURN(buffer,
                        ScalarInput<int64_t>(ctx, i, "buffer_output_elements"));
    if (buffer != kAutomatic && buffer <= 0) {
      return InvalidArgument(
          "`buffer_output_elements` must be `tf.data.AUTOTUNE` or > 0 but is ",
          buffer);
    }
    MR_ASSIGN_OR_RETURN(
        const int64_t inputs,
        ScalarInput<int64_t>(ctx, i + 1, "prefetch_input_elements"));
    if (inputs != kAutomatic && inputs < 0) {
      return InvalidArgument(
          "`prefetch_input_elements` must be `tf.data.AUTOTUNE` or >= 0 but "
          "is ",
          inputs);
    }
  }
  if (buffer != kAutomatic) return buffer;
  return 2 * std::min(block_length, kMaxAhead) + 1;
}

// Chooses as stock does, since the order of the elements depends on it.
int64_t AutomaticCycle(int64_t calls) {
  const int64_t cores = UsableCores();
  return calls != kAutomatic ? std::min(calls, cores) : (cores + 2) / 3;
}

template <BufferSizes kSizes>
StatusOr<Ref<DatasetValue>> BuildParallelInterleave(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_RETURN_IF_ERROR(IsDeterministic(ctx.node().attrs).status());
  InterleaveParams p;
  MR_ASSIGN_OR_RETURN(p.function,
                      CapturedFunction::Make(ctx, "f", "other_arguments"));
  const int i = 1 + static_cast<int>(p.function->captured().size());
  MR_ASSIGN_OR_RETURN(p.block_length,
                      ScalarInput<int64_t>(ctx, i + 1, "block_length"));
  if (p.block_length <= 0) {
    return InvalidArgument("`block_length` must be > 0");
  }
  MR_ASSIGN_OR_RETURN(p.ahead,
                      ElementsAhead<kSizes>(ctx, i + 2, p.block_length));
  MR_ASSIGN_OR_RETURN(
      const int64_t calls,
      ScalarInput<int64_t>(ctx, ctx.num_inputs() - 1, "num_parallel_calls"));
  if (calls <= 0 && calls != kAutomatic) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.cycle_length,
                      ScalarInput<int64_t>(ctx, i, "cycle_length"));
  if (p.cycle_length <= 0 && p.cycle_length != kAutomatic) {
    return InvalidArgument(
        "`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is ",
        p.cycle_length);
  }
  if (p.cycle_length == kAutomatic) {
    p.cycle_length = AutomaticCycle(calls);
  } else if (calls > p.cycle_length) {
    return InvalidArgument(
        "If `cycle_length` is set to a fixed value, `num_parallel_calls` must "
        "be either `tf.data.AUTOTUNE` or a value less than or equal to "
        "`cycle_length`. However, `num_parallel_calls` is ",
        calls, " and `cycle_length` is ", p.cycle_length);
  }
  const Element kept = p.function->captured();
  return MakeDataset<InterleaveIterator>(ctx, {input}, std::move(p), kept);
}

// Says whether an input allows the elements in any order.
enum class Sloppy { kNoInput, kInput };

template <Sloppy kSloppy>
StatusOr<Ref<DatasetValue>> BuildLegacyInterleave(KernelContext& ctx) {
  enum class Automatic { kRefused, kAllowed };
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_RETURN_IF_ERROR(IsDeterministic(ctx.node().attrs).status());
  InterleaveParams p;
  MR_ASSIGN_OR_RETURN(p.function,
                      CapturedFunction::Make(ctx, "f", "other_arguments"));
  int i = 1 + static_cast<int>(p.function->captured().size());
  const auto scalar = [&](absl::string_view name, int64_t least,
                          Automatic automatic) -> StatusOr<int64_t> {
    MR_ASSIGN_OR_RETURN(const int64_t value,
                        ScalarInput<int64_t>(ctx, i++, name));
    if (value >= least ||
        (automatic == Automatic::kAllowed && value == kAutomatic)) {
      return value;
    }
    return InvalidArgument("`", name, "` must be ",
                           least == 0 ? ">= 0" : "> 0");
  };
  MR_ASSIGN_OR_RETURN(p.cycle_length,
                      scalar("cycle_length", 1, Automatic::kRefused));
  MR_ASSIGN_OR_RETURN(p.block_length,
                      scalar("block_length", 1, Automatic::kRefused));
  if constexpr (kSloppy == Sloppy::kInput) {
    // It would allow any order, which this one is, too.
    MR_RETURN_IF_ERROR(ScalarInput<bool>(ctx, i++, "sloppy").status());
  }
  MR_ASSIGN_OR_RETURN(p.ahead,
                      scalar("buffer_output_elements", 1, Automatic::kAllowed));
  MR_RETURN_IF_ERROR(
      scalar("prefetch_input_elements", 0, Automatic::kAllowed).status());
  if (p.ahead == kAutomatic) {
    p.ahead = 2 * std::min(p.block_length, kMaxAhead) + 1;
  }
  const Element kept = p.function->captured();
  return MakeDataset<InterleaveIterator>(ctx, {input}, std::move(p), kept);
}

}  // namespace

MR_KERNELS(FlatMapDataset, Cpu){MR_DATASET_KERNEL(BuildFlatMap)};
MR_KERNELS(InterleaveDataset, Cpu){MR_DATASET_KERNEL(BuildInterleave)};
MR_KERNELS(ParallelInterleaveDatasetV2, Cpu){
    MR_DATASET_KERNEL(BuildParallelInterleave<BufferSizes::kAutomatic>)};
MR_KERNELS(ParallelInterleaveDatasetV3, Cpu){
    MR_DATASET_KERNEL(BuildParallelInterleave<BufferSizes::kAutomatic>)};
MR_KERNELS(ParallelInterleaveDatasetV4, Cpu){
    MR_DATASET_KERNEL(BuildParallelInterleave<BufferSizes::kInputs>)};
MR_KERNELS(ParallelInterleaveDataset,
           Cpu){MR_DATASET_KERNEL(BuildLegacyInterleave<Sloppy::kInput>)};
MR_KERNELS(ExperimentalParallelInterleaveDataset,
           Cpu){MR_DATASET_KERNEL(BuildLegacyInterleave<Sloppy::kInput>)};
MR_KERNELS(LegacyParallelInterleaveDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildLegacyInterleave<Sloppy::kNoInput>)};

}  // namespace millrace::ops
