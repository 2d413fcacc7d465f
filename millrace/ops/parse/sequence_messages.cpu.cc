#include "millrace/ops/parse/sequence_messages.h"

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/checked_size.h"

namespace millrace::ops {

Status SequenceMessages::Find(const std::vector<FeatureColumn>& context,
                              const std::vector<FeatureColumn>& lists) {
  Slots context_slots, list_slots;
  MR_RETURN_IF_ERROR(MakeSlots(context, "Context feature ", &context_slots,
                               &context_, &context_charge_));
  MR_RETURN_IF_ERROR(MakeSlots(lists, "Sequence feature ", &list_slots, &lists_,
                               &lists_charge_));
  for (size_t e = 0; e < messages_.size(); ++e) {
    const bool good = VisitFields(
        messages_[e].view(), [&](uint32_t number, absl::string_view map) {
          if (number != 1 && number != 2) return true;
          const Slots& slots = number == 1 ? context_slots : list_slots;
          Parts& parts = number == 1 ? context_ : lists_;
          return VisitMap(
              map, [&](absl::string_view key, absl::string_view value) {
                const auto [begin, end] = slots.equal_range(key);
                for (auto it = begin; it != end; ++it) {
                  parts[it->second][e] = {.bytes = value, .present = true};
                }
              });
        });
    if (!good) {
      return InvalidArgument("Invalid protocol message input, example id: ",
                             Name(e));
    }
  }
  return OkStatus();
}

Status SequenceMessages::MakeSlots(const std::vector<FeatureColumn>& columns,
                                   absl::string_view what, Slots* slots,
                                   Parts* parts, MemoryCharge* charge) const {
  absl::flat_hash_map<absl::string_view, FeatureForm> forms;
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto [it, is_new] = forms.emplace(columns[i].key, columns[i].form);
    if (!is_new && it->second != columns[i].form) {
      const bool has_dense = it->second == FeatureForm::kDense ||
                             columns[i].form == FeatureForm::kDense;
      return InvalidArgument(what, columns[i].key, " cannot be both ",
                             has_dense ? "dense" : "ragged", " and sparse");
    }
    slots->emplace(columns[i].key, i);
  }
  MR_ASSIGN_OR_RETURN(const int64_t bytes,
                      (CheckedSize(static_cast<int64_t>(columns.size())) *
                       count() * sizeof(MessagePart))
                          .Get("the memory of parsed examples"));
  MR_RETURN_IF_ERROR(charge->Set(bytes, "parsed examples"));
  parts->assign(columns.size(), std::vector<MessagePart>(messages_.size()));
  return OkStatus();
}

Status SequenceMessages::WrongType(size_t message, absl::string_view what,
                                   const FeatureColumn& column,
                                   absl::string_view where) const {
  return InvalidArgument(
      "Name: ", Name(message), ", ", what, ": ", column.key, where,
      ".  Data types don't match. Expected type: ", DataTypeName(column.type));
}

}  // namespace millrace::ops
