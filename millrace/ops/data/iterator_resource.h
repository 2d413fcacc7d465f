// IteratorResource: the resource behind Iterator, IteratorV2, OneShotIterator
// and anonymous iterators.
#pragma once

#include <memory>
#include <string>

#include "millrace/kernel/resource.h"
#include "millrace/ops/data/iterator_run.h"

namespace millrace::ops {

// Thread-safe.
class IteratorResource final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::IteratorResource";

  // What HandleKernel asks for.
  using Options = ElementSignature;
  static StatusOr<Options> OptionsFrom(const KernelInit& init);
  Status CheckOptions(const Options& options) const;

  IteratorResource(ElementSignature signature, std::string name)
      : signature_(std::move(signature)), name_(std::move(name)) {}
  ~IteratorResource() override;

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  void OnRemoved() override;
  const ElementSignature& signature() const { return signature_; }
  const std::string& name() const { return name_; }

  // kAnew: in any case. kOnce: unless it has begun already.
  enum class Begins { kAnew, kOnce };
  // Begins with `dataset`, whose elements must fit.
  Status SetDataset(KernelContext& ctx, const DatasetRef& dataset,
                    Begins begins = Begins::kAnew);
  // Begins anew with the same data set at the place that `state` tells of.
  // FAILED_PRECONDITION without a data set.
  Status Restore(KernelContext& ctx, const StateMap& state);
  bool begun() const;
  // FAILED_PRECONDITION without a data set.
  void GetNext(KernelContext& ctx, IteratorRun::NextDone done);
  // The state between two elements into `*state`, which outlives the call.
  // FAILED_PRECONDITION as GetNext.
  void Save(KernelContext& ctx, StateMap* state, Done done);

 private:
  Status Begin(KernelContext& ctx, const DatasetRef& dataset, Begins begins,
               const StateMap* state);
  // `verb`, `doing`: for the message where there is none.
  StatusOr<std::shared_ptr<IteratorRun>> Run(absl::string_view verb,
                                             absl::string_view doing);

  const ElementSignature signature_;
  const std::string name_;
  mutable Mutex mu_;
  std::shared_ptr<IteratorRun> run_;  // guarded by mu_, as all below
  bool removed_ = false;
};

// The iterator that input `i` is the handle of, by name or held by the handle.
StatusOr<Ref<IteratorResource>> IteratorOfInput(KernelContext& ctx, int i);

}  // namespace millrace::ops
