// ShardIterator: every n-th element of a data set.
#pragma once

#include <utility>

#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {

struct ShardParams {
  int64_t shards = 1;
  int64_t index = 0;
  bool require_non_empty = false;
};

class ShardIterator final : public UnchangedIterator<ShardParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (input_ != nullptr) {
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
      if (pull == Pull::kPending) return pull;
      if (pull == Pull::kEnd) {
        input_ = nullptr;
        break;
      }
      if (found_.empty()) {
        if (number_++ % params().shards != params().index) continue;
        if (!params().require_non_empty) return pull;
        found_ = std::move(*out);
        taken_at_ = number_;
      } else {
        ++number_;
      }
      // There must be an element for each other shard, too.
      if (number_ >= params().shards) {
        *out = std::exchange(found_, {});
        return Pull::kElement;
      }
    }
    if (found_.empty()) return Pull::kEnd;
    found_.clear();
    return InvalidArgument(
        "Could not apply FILE based sharding: the dataset only has ", taken_at_,
        " file(s), which is not enough for the required ", params().shards,
        " shards/workers.");
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "number", number_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(number_, in.Count(prefix + "number"));
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality();
    if (n < 0) return n;
    const ShardParams& p = d.params();
    return n / p.shards + (p.index < n % p.shards ? 1 : 0);
  }

 private:
  int64_t number_ = 0;
  // The element of this shard, kept while those of the others are read, and its
  // number, from 1.
  Element found_;
  int64_t taken_at_ = 0;
};

}  // namespace millrace::ops
