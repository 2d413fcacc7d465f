// IteratorResource: the resource behind Iterator, IteratorV2, OneShotIterator
// and anonymous iterators.
#pragma once

#include <memory>
#include <string>

#include "millrace/kernel/resource.h"
#include "millrace/ops/data/iterator_run.h"

namespace millrace::ops {

// An iterator with a name. Thread-safe.
class IteratorResource final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::IteratorResource";

  // The interface that HandleKernel requires. One with more types than shapes,
  // or fewer, is an iterator that no data set fits.
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

  // When SetDataset begins an iteration. kAnew: always. kOnce: only if none has
  // begun yet.
  enum class Begins { kAnew, kOnce };
  // Begins an iteration over `dataset`, whose elements must have this
  // iterator's signature.
  Status SetDataset(KernelContext& ctx, const DatasetRef& dataset,
                    Begins begins = Begins::kAnew);
  // Begins an iteration over the current data set at the position in `state`.
  // Returns FAILED_PRECONDITION without a data set.
  Status Restore(KernelContext& ctx, Ref<const IteratorStateValue> state);
  bool begun() const;
  // Passes the next element to `done`; FAILED_PRECONDITION without a data set.
  void GetNext(KernelContext& ctx, IteratorRun::NextDone done);
  // Writes the state between two elements, an IteratorStateValue, to `*state`,
  // which must outlive the call. Passes FAILED_PRECONDITION to `done` without a
  // data set.
  void Save(KernelContext& ctx, VariantElement* state, Done done);

 private:
  Status Begin(KernelContext& ctx, const DatasetRef& dataset, Begins begins,
               Ref<const IteratorStateValue> state);
  // Returns the current run. `verb` and `doing` are for the message if there is
  // none.
  StatusOr<std::shared_ptr<IteratorRun>> Run(absl::string_view verb,
                                             absl::string_view doing);

  const ElementSignature signature_;
  const std::string name_;
  mutable Mutex mu_;
  std::shared_ptr<IteratorRun> run_;  // guarded by mu_, as is all below
  bool removed_ = false;
};

// Returns the iterator whose handle is in input `i`; a handle names it or owns
// it.
StatusOr<Ref<IteratorResource>> IteratorOfInput(KernelContext& ctx, int i);

}  // namespace millrace::ops
