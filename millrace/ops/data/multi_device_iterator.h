// MultiDeviceIterator: the resource behind MultiDeviceIterator and
// AnonymousMultiDeviceIterator.
#pragma once

#include <memory>
#include <string>

#include "millrace/kernel/resource.h"
#include "millrace/ops/data/sharded_elements.h"

namespace millrace::ops {

// An iterator whose elements belong to several devices in turn. Thread-safe.
class MultiDeviceIteratorResource final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::MultiDeviceIterator";

  // The interface that HandleKernel requires. With more types than shapes, or
  // fewer, no data set fits.
  struct Options {
    ElementSignature signature;
    int64_t shards = 1;
  };
  static StatusOr<Options> OptionsOf(const AttrMap& attrs);
  static StatusOr<Options> OptionsFrom(const KernelInit& init) {
    return OptionsOf(init.node().attrs);
  }
  Status CheckOptions(const Options& options) const;

  MultiDeviceIteratorResource(Options options, std::string name)
      : options_(std::move(options)), name_(std::move(name)) {}
  ~MultiDeviceIteratorResource() override;

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  void OnRemoved() override;
  const ElementSignature& signature() const { return options_.signature; }

  // Begins an iteration over `dataset`, whose elements must have this
  // iterator's signature, and ends the one before. At most `size` elements wait
  // for each device. Returns the number of the iteration, from 1.
  StatusOr<int64_t> Begin(KernelContext& ctx, const DatasetRef& dataset,
                          int64_t size);
  // Sets the kernel's outputs to the next element of a device, in iteration
  // `incarnation`. Passes FAILED_PRECONDITION to `done` without an iteration,
  // INVALID_ARGUMENT if another one is in progress.
  void GetNext(KernelContext& ctx, int64_t shard, int64_t incarnation,
               Done done);

 private:
  const Options options_;
  const std::string name_;
  mutable Mutex mu_;
  std::shared_ptr<DealerTask> dealer_;  // guarded by mu_, as is all below
  Ref<ShardedElements> elements_;
  int64_t incarnation_ = 0;
  bool removed_ = false;
};

}  // namespace millrace::ops
