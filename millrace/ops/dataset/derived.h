// A data set over data sets is written as an iterator class, from which the
// data set is derived:
//
//   struct TakeParams { int64_t count; };
//   class TakeIterator final : public DerivedIterator<TakeParams> {
//    public:
//     using DerivedIterator::DerivedIterator;
//     StatusOr<Pull> Next(PollContext& ctx, Element* out) override;
//     static int64_t Cardinality(const Parts& d);
//     static ElementSignature Signature(const Inputs&, const TakeParams&);
//   };
//   ... MakeDataset<TakeIterator>(ctx, {input}, {.count = 3})
//
// Without Signature, the node's attributes say what the elements are.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"

namespace millrace::ops {

// The parameters of iterators that depend on nothing but their inputs.
struct NoParams {};

// The data sets that one is made from.
using Inputs = std::vector<DatasetRef>;

// A data set with the parameters that its iterators read.
template <class P>
class DerivedDataset : public DatasetValue {
 public:
  DerivedDataset(ElementSignature signature, int depth,
                 std::vector<DatasetRef> inputs, P params)
      : DatasetValue(std::move(signature), depth),
        inputs_(std::move(inputs)),
        params_(std::move(params)) {}
  const DatasetValue& input(size_t i = 0) const { return *inputs_[i]; }
  absl::Span<const DatasetRef> inputs() const override { return inputs_; }
  const P& params() const { return params_; }

 private:
  const std::vector<DatasetRef> inputs_;
  const P params_;
};

template <class P>
class DerivedIterator : public DatasetIterator {
 public:
  using Params = P;
  using Parts = DerivedDataset<P>;

  explicit DerivedIterator(const Parts& dataset)
      : dataset_(Ref<const Parts>::Share(&dataset)) {}
  // Overrides settle other iterators below than input_, too.
  bool Settle(PollContext& ctx) override {
    return input_ == nullptr || ctx.Settle(*input_);
  }
  // Called once, before anything else. Makes the iterator of the first input.
  virtual Status Begin(IteratorRuntime& runtime) {
    MR_ASSIGN_OR_RETURN(input_, runtime.MakeIterator(dataset_->input()));
    return OkStatus();
  }

 protected:
  static constexpr int64_t kInfinite = DatasetValue::kInfinite;
  static constexpr int64_t kUnknown = DatasetValue::kUnknown;

  const Parts& dataset() const { return *dataset_; }
  const P& params() const { return dataset_->params(); }
  // Saves the state of input_, which may have ended.
  Status SaveInput(StateWriter& out, const std::string& prefix) const {
    out.Int(prefix + "ended", input_ == nullptr);
    return input_ == nullptr ? OkStatus() : out.Save(*input_, prefix + "in:");
  }
  Status RestoreInput(StateReader& in, const std::string& prefix) {
    MR_ASSIGN_OR_RETURN(const bool ended, in.Flag(prefix + "ended"));
    if (ended) input_ = nullptr;
    return input_ == nullptr ? OkStatus() : input_->Restore(in, prefix + "in:");
  }

  const Ref<const Parts> dataset_;
  std::unique_ptr<DatasetIterator> input_;
};

template <class It>
class DatasetOf final : public DerivedDataset<typename It::Params> {
 public:
  using Parts = DerivedDataset<typename It::Params>;
  DatasetOf(ElementSignature signature, int depth,
            std::vector<DatasetRef> inputs, typename It::Params params)
      : Parts(std::move(signature), depth, std::move(inputs),
              std::move(params)),
        cardinality_(Count()) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime& runtime) const override {
    auto made = std::make_unique<It>(*this);
    MR_RETURN_IF_ERROR(made->Begin(runtime));
    return std::unique_ptr<DatasetIterator>(std::move(made));
  }
  int64_t Cardinality() const override { return cardinality_; }
  bool OpensFiles() const override {
    if constexpr (requires(const Parts& d) { It::OpensFiles(d); }) {
      return It::OpensFiles(*this);
    }
    return false;
  }
  absl::string_view NameInPaths() const override {
    if constexpr (requires(const Parts& d) { It::NameInPaths(d); }) {
      return It::NameInPaths(*this);
    }
    return {};
  }
  DatasetRef WithInputs(std::vector<DatasetRef> inputs) const override {
    if (inputs.empty()) return nullptr;
    auto made = MakeRef<DatasetOf>(this->signature(), this->depth(),
                                   std::move(inputs), this->params());
    made->set_op(this->op());
    if (!made->Charge().ok()) return nullptr;
    return made;
  }

 private:
  int64_t Count() const {
    if constexpr (requires(const Parts& d) { It::Cardinality(d); }) {
      return It::Cardinality(*this);
    }
    return DatasetValue::kUnknown;
  }

  // Computed once, since an input may occur many times below.
  const int64_t cardinality_;
};

// An iterator whose elements are those of its first input. As in stock, what
// the node's attributes say of elements is not read.
template <class P>
class UnchangedIterator : public DerivedIterator<P> {
 public:
  using DerivedIterator<P>::DerivedIterator;
  static ElementSignature Signature(const Inputs& inputs, const P&) {
    return inputs[0]->signature();
  }
};

// Returns what the elements of a data set of such iterators are.
template <class It>
StatusOr<ElementSignature> SignatureFor(const KernelContext& ctx,
                                        const Inputs& inputs,
                                        const typename It::Params& params) {
  if constexpr (requires { It::Signature(inputs, params); }) {
    return It::Signature(inputs, params);
  } else {
    return SignatureOf(ctx);
  }
}

// Makes a data set over `inputs`; `kept` are those tensors among the parameters
// that may hold data sets.
template <class It>
StatusOr<Ref<DatasetValue>> MakeDataset(KernelContext& ctx,
                                        std::vector<DatasetRef> inputs,
                                        typename It::Params params,
                                        absl::Span<const Tensor> kept = {}) {
  MR_ASSIGN_OR_RETURN(ElementSignature signature,
                      SignatureFor<It>(ctx, inputs, params));
  MR_ASSIGN_OR_RETURN(const int depth, DepthAbove(inputs, kept));
  return Ref<DatasetValue>(MakeRef<DatasetOf<It>>(
      std::move(signature), depth, std::move(inputs), std::move(params)));
}

}  // namespace millrace::ops
