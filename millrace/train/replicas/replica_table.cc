#include "millrace/train/replicas/replica_table.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace millrace::train {
namespace {

constexpr int64_t kNoClock = std::numeric_limits<int64_t>::max();

// The fields of a record; the key of a field is the replica's number times
// kFields, plus the field's. The state comes first: steps write all others.
constexpr int64_t kState = 0, kClock = 1, kSum = 2, kDropped = 3, kGreatest = 4,
                  kAtLeast = 5;
constexpr int64_t kFields =
    kAtLeast + static_cast<int64_t>(kStalenessBounds.size());

// Numbers for the fields that steps write.
using FieldNumbers = std::array<int64_t, kFields - kClock>;

Tensor VectorOf(absl::Span<const int64_t> numbers) {
  return Tensor::Vector<int64_t>(numbers);
}

// Returns 1 for one field and 0 for the others.
Tensor Only(int64_t field) {
  FieldNumbers numbers = {};
  numbers[field - kClock] = 1;
  return VectorOf(numbers);
}

}  // namespace

StatusOr<ReplicaRecords> ParseReplicaRecords(const Tensor& global_step,
                                             const Tensor& records) {
  if (global_step.dtype() != DataType::kInt64 || global_step.rank() != 0 ||
      records.dtype() != DataType::kInt64 || records.rank() != 2 ||
      records.shape().dim(1) != kFields) {
    return InvalidArgument(
        "records of replicas are an int64 scalar and int64 of shape "
        "[replicas, ",
        kFields, "], not ", DataTypeName(global_step.dtype()), " of shape ",
        global_step.shape().DebugString(), " and ",
        DataTypeName(records.dtype()), " of shape ",
        records.shape().DebugString());
  }
  ReplicaRecords all;
  all.global_step = global_step.scalar<int64_t>();
  const absl::Span<const int64_t> numbers = records.flat<int64_t>();
  for (size_t at = 0; at < numbers.size(); at += kFields) {
    ReplicaRecord record;
    record.state = static_cast<ReplicaState>(numbers[at + kState]);
    record.clock = numbers[at + kClock];
    record.staleness_sum = numbers[at + kSum];
    record.dropped = numbers[at + kDropped];
    record.max_staleness = numbers[at + kGreatest];
    for (size_t i = 0; i < record.at_least.size(); ++i)
      record.at_least[i] = numbers[at + kAtLeast + i];
    all.replicas.push_back(record);
  }
  return all;
}

StalenessSummary Summarize(const ReplicaRecords& before,
                           const ReplicaRecords& now) {
  StalenessSummary summary;
  int64_t sum = 0;
  for (size_t r = 0; r < now.replicas.size(); ++r) {
    const ReplicaRecord& record = now.replicas[r];
    ReplicaRecord since;
    if (r < before.replicas.size() &&
        before.replicas[r].gradients() <= record.gradients()) {
      since = before.replicas[r];
    }
    summary.dropped += record.dropped - since.dropped;
    summary.greatest = std::max(summary.greatest, record.max_staleness);
    sum += record.staleness_sum - since.staleness_sum;
    for (size_t i = 0; i < summary.at_least.size(); ++i)
      summary.at_least[i] += record.at_least[i] - since.at_least[i];
  }
  summary.gradients = summary.at_least[0];
  if (summary.gradients > 0) {
    summary.mean =
        static_cast<double>(sum) / static_cast<double>(summary.gradients);
  }
  return summary;
}

std::string ToString(const StalenessSummary& summary) {
  std::string text = absl::StrFormat(
      "%d gradients, staleness %.3g on average, at most %d so far, %d dropped",
      summary.gradients, summary.mean, summary.greatest, summary.dropped);
  const char* separator = "; ";
  for (size_t i = 0; i < kStalenessBounds.size(); ++i) {
    const bool is_last = i + 1 == kStalenessBounds.size();
    const int64_t count =
        summary.at_least[i] - (is_last ? 0 : summary.at_least[i + 1]);
    if (count == 0) continue;
    absl::StrAppend(&text, separator, kStalenessBounds[i]);
    if (is_last) {
      absl::StrAppend(&text, " and more");
    } else if (kStalenessBounds[i + 1] > kStalenessBounds[i] + 1) {
      absl::StrAppend(&text, " to ", kStalenessBounds[i + 1] - 1);
    }
    absl::StrAppend(&text, ": ", count);
    separator = ", ";
  }
  return text;
}

ReplicaTable::ReplicaTable(const Scope& scope, int64_t replicas,
                           int64_t replica)
    : replicas_(replicas), replica_(replica) {
  const std::string name = absl::StrCat(scope.name(), "replicas");
  table_ =
      ops::MutableHashTableV2(scope.WithOpName("replicas"), DataType::kInt64,
                              DataType::kInt64, {.shared_name = name});
}

Output ReplicaTable::Find(const Scope& scope, const Input& keys) const {
  return ops::LookupTableFindV2(scope, table_, keys, int64_t{0});
}

Operation ReplicaTable::Count(const Scope& scope, const Output& staleness,
                              const Output& applied) const {
  FieldNumbers keys, bounds;
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = replica_ * kFields + kClock + static_cast<int64_t>(i);
    bounds[i] = kNoClock;  // not one of those that count
  }
  bounds[0] = 0;  // the clock
  std::copy(kStalenessBounds.begin(), kStalenessBounds.end(),
            bounds.begin() + (kAtLeast - kClock));

  const Scope any_time = scope.WithoutControlDependencies();
  const auto as_number = [&](const Output& value) {
    return ops::Cast(any_time, value, DataType::kInt64);
  };
  std::vector<Output> parts = {
      Find(scope, VectorOf(keys)),
      as_number(ops::GreaterEqual(any_time, staleness, VectorOf(bounds))),
      ops::Mul(any_time, staleness, Only(kSum))};
  if (applied) {
    parts.push_back(ops::Mul(any_time,
                             as_number(ops::LogicalNot(any_time, applied)),
                             Only(kDropped)));
  }
  const Output counted =
      ops::Maximum(any_time, ops::AddN(any_time, parts),
                   ops::Mul(any_time, staleness, Only(kGreatest)));
  return ops::LookupTableInsertV2(any_time, table_, VectorOf(keys), counted);
}

Output ReplicaTable::Read(const Scope& scope) const {
  Tensor keys =
      Tensor::New(DataType::kInt64, TensorShape({replicas_, kFields}));
  const absl::Span<int64_t> numbers = keys.mutable_flat<int64_t>();
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int64_t>(i);
  return Find(scope, keys);
}

Output ReplicaTable::Join(const Scope& scope) const {
  std::vector<int64_t> clocks, states;  // keys of the others
  for (int64_t r = 0; r < replicas_; ++r) {
    if (r == replica_) continue;
    clocks.push_back(r * kFields + kClock);
    states.push_back(r * kFields + kState);
  }
  const auto trains = static_cast<int64_t>(ReplicaState::kTrains);
  const std::vector<int64_t> own = {replica_ * kFields + kClock,
                                    replica_ * kFields + kState};
  Output clock = Find(scope, own[0]);
  if (!clocks.empty()) {
    const Output counted = ops::Select(
        scope, ops::Equal(scope, Find(scope, VectorOf(states)), trains),
        Find(scope, VectorOf(clocks)),
        VectorOf(std::vector<int64_t>(clocks.size(), kNoClock)));
    const Output slowest = ops::Min(scope, counted, 0);
    clock = ops::Select(scope, ops::Equal(scope, slowest, kNoClock), clock,
                        slowest);
  }
  const Operation joined = ops::LookupTableInsertV2(
      scope, table_, VectorOf(own), ops::Pack(scope, {clock, trains}));
  return ops::Identity(scope.WithControlDependencies({joined}), clock);
}

Operation ReplicaTable::SetState(const Scope& scope, const Output& replica,
                                 const Output& state) const {
  return ops::LookupTableInsertV2(scope, table_,
                                  ops::Mul(scope, replica, kFields), state);
}

ReplicaTable::Figures ReplicaTable::FiguresOf(const Scope& scope,
                                              const Output& records) {
  const Output numbers = ops::Cast(scope, records, DataType::kFloat);
  const Output totals = ops::Sum(scope, numbers, 0);
  const auto of = [&](const Output& fields, int64_t field) {
    return ops::Gather(scope, fields, field);
  };
  return {.staleness = ops::Div(scope, of(totals, kSum),
                                ops::Maximum(scope, of(totals, kAtLeast), 1.f)),
          .max_staleness = of(ops::Max(scope, numbers, 0), kGreatest),
          .dropped = of(totals, kDropped)};
}

}  // namespace millrace::train
