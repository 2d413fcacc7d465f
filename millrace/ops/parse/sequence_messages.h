// SequenceExample messages, and the parts of them that columns ask for as
// outputs of a kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/parse/feature_columns.h"

namespace millrace::ops {

// The part of a message that a column asks for: a Feature, or a FeatureList.
struct MessagePart {
  absl::string_view bytes;
  bool present = false;
};

// All messages of one kernel run.
class SequenceMessages {
 public:
  // `names` is empty or has one for each message. If `batched`, outputs have a
  // dimension for the messages; otherwise there is one message.
  SequenceMessages(absl::Span<const StringElement> messages,
                   absl::Span<const StringElement> names, bool batched)
      : messages_(messages), names_(names), batched_(batched) {}

  // Finds the parts for the columns. Returns INVALID_ARGUMENT for malformed
  // messages and columns that contradict each other.
  Status Find(const std::vector<FeatureColumn>& context,
              const std::vector<FeatureColumn>& lists);

  int64_t count() const { return static_cast<int64_t>(messages_.size()); }
  bool batched() const { return batched_; }
  absl::string_view Name(size_t message) const {
    return names_.empty() ? absl::string_view("<unknown>")
                          : names_[message].view();
  }
  // Return the part of each message for this column.
  const std::vector<MessagePart>& context(size_t column) const {
    return context_[column];
  }
  const std::vector<MessagePart>& list(size_t column) const {
    return lists_[column];
  }

  // Returns the error "Name: N, `what`: KEY`where`.  Data types don't match.
  // ...".
  Status WrongType(size_t message, absl::string_view what,
                   const FeatureColumn& column, absl::string_view where) const;

 private:
  using Slots = std::multimap<absl::string_view, size_t>;  // columns by key
  using Parts = std::vector<std::vector<MessagePart>>;     // by column
  Status MakeSlots(const std::vector<FeatureColumn>& columns,
                   absl::string_view what, Slots* slots, Parts* parts,
                   MemoryCharge* charge) const;

  const absl::Span<const StringElement> messages_, names_;
  const bool batched_;
  Parts context_, lists_;
  MemoryCharge context_charge_, lists_charge_;
};

// Writes the columns that Find got as `context` (sequence_context.cpu.cc).
// Returns INVALID_ARGUMENT if a feature has another type, is missing, or has
// another number of values than its dense column requires.
Status WriteContext(KernelContext& ctx, const SequenceMessages& messages,
                    const std::vector<FeatureColumn>& columns,
                    ColumnOutputs outputs);

// Writes the columns that Find got as `lists` (sequence_lists.cpu.cc).
// `may_miss[i]` says that dense list number i may be missing.
struct ListOutputs {
  ColumnOutputs columns;  // ragged_splits are the inner ones
  int dense_lengths = -1;
  int outer_splits = -1;
};
Status WriteLists(KernelContext& ctx, const SequenceMessages& messages,
                  const std::vector<FeatureColumn>& columns,
                  const ListOutputs& outputs,
                  const std::vector<bool>& may_miss);

}  // namespace millrace::ops
