// DirectedInterleaveDataset: a data set of numbers says from which input each
// element comes.
#include <optional>

#include "millrace/kernel/component_types.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct DirectedInterleaveParams {
  bool stop_on_empty = false;
};

// The first input is the selector.
class DirectedInterleaveIterator final
    : public DerivedIterator<DirectedInterleaveParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    MR_RETURN_IF_ERROR(DerivedIterator::Begin(runtime));
    for (size_t i = 1; i < dataset().inputs().size(); ++i) {
      MR_ASSIGN_OR_RETURN(auto iterator,
                          runtime.MakeIterator(dataset().input(i)));
      data_.push_back(std::move(iterator));
    }
    return OkStatus();
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (input_ != nullptr) {
      if (!selected_.has_value()) {
        Element number;
        MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &number));
        if (pull == Pull::kPending) return pull;
        if (pull == Pull::kEnd) break;
        MR_ASSIGN_OR_RETURN(selected_, Selected(number));
      }
      std::unique_ptr<DatasetIterator>& data = data_[*selected_];
      if (data != nullptr) {
        const StatusOr<Pull> pull = ctx.Next(*data, out);
        if (pull.ok() && *pull == Pull::kPending) return pull;
        if (!pull.ok() || *pull == Pull::kElement) {
          selected_.reset();
          return pull;
        }
        data = nullptr;
        if (params().stop_on_empty || AllEnded()) break;
      }
      selected_.reset();
    }
    input_ = nullptr;
    data_.clear();
    return Pull::kEnd;
  }

  bool Settle(PollContext& ctx) override {
    bool settled = DerivedIterator::Settle(ctx);
    for (const auto& data : data_) {
      if (data != nullptr) settled &= ctx.Settle(*data);
    }
    return settled;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    for (size_t i = 0; i < data_.size(); ++i) {
      const std::string name = absl::StrCat(prefix, "data", i, ":");
      out.Int(name + "over", data_[i] == nullptr);
      if (data_[i] != nullptr) {
        MR_RETURN_IF_ERROR(out.Save(*data_[i], name + "in:"));
      }
    }
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_RETURN_IF_ERROR(RestoreInput(in, prefix));
    if (input_ == nullptr) {
      data_.clear();
      return OkStatus();
    }
    for (size_t i = 0; i < data_.size(); ++i) {
      const std::string name = absl::StrCat(prefix, "data", i, ":");
      MR_ASSIGN_OR_RETURN(const bool ended, in.Flag(name + "over"));
      if (ended) {
        data_[i] = nullptr;
      } else {
        MR_RETURN_IF_ERROR(data_[i]->Restore(in, name + "in:"));
      }
    }
    return OkStatus();
  }

  static ElementSignature Signature(const Inputs& inputs,
                                    const DirectedInterleaveParams&) {
    return SignatureOfAny(absl::MakeConstSpan(inputs).subspan(1));
  }
  static int64_t Cardinality(const Parts& d) {
    for (size_t i = 1; i < d.inputs().size(); ++i) {
      if (d.input(i).Cardinality() == kInfinite) return kInfinite;
    }
    return kUnknown;
  }

 private:
  StatusOr<size_t> Selected(const Element& number) const {
    if (number.size() != 1 || number[0].dtype() != DataType::kInt64 ||
        number[0].num_elements() != 1) {
      return InvalidArgument(
          "The selector input must be a dataset of scalar int64 elements.");
    }
    const int64_t index = number[0].flat<int64_t>()[0];
    if (index < 0 || index >= static_cast<int64_t>(data_.size())) {
      return InvalidArgument("Selector index out of range: ", index,
                             " >= ", data_.size());
    }
    return static_cast<size_t>(index);
  }
  bool AllEnded() const {
    return std::all_of(data_.begin(), data_.end(),
                       [](const auto& data) { return data == nullptr; });
  }

  std::vector<std::unique_ptr<DatasetIterator>> data_;  // null: ended
  std::optional<size_t> selected_;  // whose element is being waited for
};

StatusOr<Ref<DatasetValue>> BuildDirectedInterleave(KernelContext& ctx) {
  std::vector<DatasetRef> inputs;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    MR_ASSIGN_OR_RETURN(DatasetRef input, DatasetOfInput(ctx, i));
    inputs.push_back(std::move(input));
  }
  const ElementSignature& selector = inputs[0]->signature();
  if (selector.types != std::vector<DataType>{DataType::kInt64} ||
      selector.shapes.size() != 1 ||
      !selector.shapes[0].IsCompatibleWith(PartialShape({}))) {
    return InvalidArgument(
        "The selector input must be a dataset of scalar int64 elements.");
  }
  for (size_t i = 2; i < inputs.size(); ++i) {
    const std::vector<DataType>& types = inputs[i]->signature().types;
    if (types == inputs[1]->signature().types) continue;
    return InvalidArgument(
        "All inputs must have the same output_dtypes. First input has types ",
        TypesText(inputs[1]->signature().types), ", and input ", i - 1,
        " has types ", TypesText(types));
  }
  DirectedInterleaveParams p;
  if (ctx.node().attrs.Find("stop_on_empty_dataset") != nullptr) {
    MR_ASSIGN_OR_RETURN(
        p.stop_on_empty,
        GetAttr<bool>(ctx.node().attrs, "stop_on_empty_dataset"));
  }
  return MakeDataset<DirectedInterleaveIterator>(ctx, std::move(inputs), p);
}

}  // namespace

MR_KERNELS(DirectedInterleaveDataset,
           Cpu){MR_DATASET_KERNEL(BuildDirectedInterleave)};
MR_KERNELS(ExperimentalDirectedInterleaveDataset,
           Cpu){MR_DATASET_KERNEL(BuildDirectedInterleave)};

}  // namespace millrace::ops
