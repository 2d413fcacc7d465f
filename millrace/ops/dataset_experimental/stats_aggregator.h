// StatsAggregator: the resource that collects the figures of iterations.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/checkpoint/records/histogram.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"
#include "millrace/ops/summary_writer/writer_resource.h"

namespace millrace::ops {

// Where the figures go: a summary that a program asks for or, in the second
// version, a summary writer, which gets a histogram whenever that changes.
enum class StatsTarget { kSummary, kWriter };

// Thread-safe.
class StatsAggregator final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::StatsAggregatorResource";

  // The interface that HandleKernel requires.
  struct Options {
    StatsTarget target = StatsTarget::kSummary;
  };
  static StatusOr<Options> OptionsFrom(const KernelInit&, StatsTarget target) {
    return Options{target};
  }
  Status CheckOptions(const Options&) const { return OkStatus(); }
  StatsAggregator(const Options& options, const std::string&)
      : target_(options.target) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;

  // Adds a number to the histogram of that name, unless memory runs out for a
  // new one, and writes the histogram as that of `step` if there is a writer.
  // What the writer cannot write is lost.
  void AddToHistogram(const std::string& name, double value, int64_t step);
  // Sets the writer for what is added from now on. Does nothing if the figures
  // go to a summary.
  void SetWriter(Ref<SummaryWriterResource> writer);
  // Returns all histograms, in the order of their names, as a serialized
  // Summary; nothing if they go to a writer.
  std::string Summary() const;

 private:
  const StatsTarget target_;
  mutable Mutex mu_;  // guards all below
  std::map<std::string, Histogram> histograms_;
  Ref<SummaryWriterResource> writer_;  // may be null
  MemoryCharge charge_;
};

}  // namespace millrace::ops
