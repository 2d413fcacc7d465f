// Kernels of data sets that combine several.
#include "millrace/kernel/component_types.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

class ZipIterator final : public DerivedIterator<NoParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    for (const DatasetRef& input : dataset().inputs()) {
      MR_ASSIGN_OR_RETURN(auto iterator, runtime.MakeIterator(*input));
      inputs_.push_back(std::move(iterator));
    }
    parts_.resize(inputs_.size());
    return OkStatus();
  }
  // As in stock, all inputs advance if one of them has an error, which becomes
  // the element's error; the end of an input is reported after it.
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (inputs_.empty()) return Pull::kEnd;
    for (; at_ < inputs_.size(); ++at_) {
      StatusOr<Pull> pull = ctx.Next(*inputs_[at_], &parts_[at_]);
      if (pull.ok() && *pull == Pull::kPending) return pull;
      if (!pull.ok()) UpdateStatus(status_, pull.status());
      if (pull.ok() && *pull == Pull::kEnd) {
        ended_ = true;
        if (status_.ok()) break;
      }
    }
    at_ = 0;
    if (ended_) inputs_.clear();
    MR_RETURN_IF_ERROR(std::exchange(status_, OkStatus()));
    if (ended_) return Pull::kEnd;
    out->clear();
    for (Element& part : parts_) {
      std::move(part.begin(), part.end(), std::back_inserter(*out));
      part.clear();
    }
    return Pull::kElement;
  }
  bool Settle(PollContext& ctx) override {
    bool settled = true;
    for (const auto& input : inputs_) settled &= ctx.Settle(*input);
    return settled;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "ended", inputs_.empty());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      MR_RETURN_IF_ERROR(
          out.Save(*inputs_[i], absl::StrCat(prefix, "in", i, ":")));
    }
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const bool ended, in.Flag(prefix + "ended"));
    if (ended) inputs_.clear();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      MR_RETURN_IF_ERROR(
          inputs_[i]->Restore(in, absl::StrCat(prefix, "in", i, ":")));
    }
    return OkStatus();
  }
  static ElementSignature Signature(const Inputs& inputs, const NoParams&) {
    ElementSignature all;
    for (const DatasetRef& input : inputs) {
      const ElementSignature& one = input->signature();
      all.types.insert(all.types.end(), one.types.begin(), one.types.end());
      all.shapes.insert(all.shapes.end(), one.shapes.begin(), one.shapes.end());
    }
    return all;
  }
  static int64_t Cardinality(const Parts& d) {
    int64_t least = kInfinite;
    for (const DatasetRef& input : d.inputs()) {
      const int64_t n = input->Cardinality();
      if (n == kUnknown) return kUnknown;
      if (n != kInfinite) least = least == kInfinite ? n : std::min(least, n);
    }
    return least;
  }

 private:
  std::vector<std::unique_ptr<DatasetIterator>> inputs_;
  // The parts of the element that is being gathered, and the index of the next
  // one.
  std::vector<Element> parts_;
  size_t at_ = 0;
  bool ended_ = false;
  Status status_;
};

class ConcatenateIterator final : public DerivedIterator<NoParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (input_ != nullptr) {
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
      if (pull != Pull::kEnd) return pull;
      input_ = nullptr;
      if (++at_ == dataset().inputs().size()) break;
      MR_ASSIGN_OR_RETURN(input_,
                          ctx.runtime().MakeIterator(dataset().input(at_)));
    }
    return Pull::kEnd;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "at", static_cast<int64_t>(at_));
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    const size_t inputs = dataset().inputs().size();
    MR_ASSIGN_OR_RETURN(const int64_t at,
                        in.Count(prefix + "at", static_cast<int64_t>(inputs)));
    at_ = static_cast<size_t>(at);
    if (at_ == inputs) {
      input_ = nullptr;
    } else if (at_ > 0) {
      MR_ASSIGN_OR_RETURN(input_,
                          in.runtime().MakeIterator(dataset().input(at_)));
    }
    return RestoreInput(in, prefix);
  }
  static ElementSignature Signature(const Inputs& inputs, const NoParams&) {
    return SignatureOfAny(inputs);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t a = d.input(0).Cardinality(), b = d.input(1).Cardinality();
    if (a == kInfinite || b == kInfinite) return kInfinite;
    if (a == kUnknown || b == kUnknown) return kUnknown;
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? kInfinite : sum;
  }

 private:
  size_t at_ = 0;
};

StatusOr<Ref<DatasetValue>> BuildZip(KernelContext& ctx) {
  std::vector<DatasetRef> inputs;
  size_t components = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    MR_ASSIGN_OR_RETURN(DatasetRef input, DatasetOfInput(ctx, i));
    components += input->signature().types.size();
    if (components > DatasetValue::kMaxComponents) {
      return InvalidArgument("elements of more than ",
                             DatasetValue::kMaxComponents,
                             " components cannot be joined");
    }
    inputs.push_back(std::move(input));
  }
  return MakeDataset<ZipIterator>(ctx, std::move(inputs), {});
}

StatusOr<Ref<DatasetValue>> BuildConcatenate(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(DatasetRef first, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(DatasetRef second, DatasetOfInput(ctx, 1));
  if (first->signature().types != second->signature().types) {
    return InvalidArgument(
        "input dataset and dataset to concatenate have different output_types ",
        TypesText(first->signature().types), " and ",
        TypesText(second->signature().types));
  }
  return MakeDataset<ConcatenateIterator>(
      ctx, {std::move(first), std::move(second)}, {});
}

}  // namespace

MR_KERNELS(ZipDataset, Cpu){MR_DATASET_KERNEL(BuildZip)};
MR_KERNELS(ConcatenateDataset, Cpu){MR_DATASET_KERNEL(BuildConcatenate)};

}  // namespace millrace::ops
