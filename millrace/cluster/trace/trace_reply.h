// TraceReplyBuilder: encodes what steps recorded as a reply of CollectTrace.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "millrace/exec/step_stats.h"
#include "millrace/protocol/peer.h"

namespace millrace {

// Each text travels once. Not thread-safe.
class TraceReplyBuilder {
 public:
  // Adds `skew_nanos` to all times. `reply` must outlive the builder.
  TraceReplyBuilder(int64_t skew_nanos, CollectTraceReply* reply)
      : skew_nanos_(skew_nanos), reply_(*reply) {}

  void Add(int64_t step_id, const StepEvents& events);

 private:
  int32_t Text(absl::string_view text);

  const int64_t skew_nanos_;
  CollectTraceReply& reply_;
  absl::flat_hash_map<std::string, int32_t> texts_;
  absl::flat_hash_set<int64_t> threads_;
};

}  // namespace millrace
