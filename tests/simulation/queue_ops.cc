#include "tests/simulation/queue_ops.h"

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"

namespace millrace::sim {
namespace {

constexpr DataType kInt64 = DataType::kInt64;

// Returns the length of the vector that represents an element of a padding
// queue.
int64_t LengthOf(int64_t number) { return 1 + number % 3; }

Queue MakeQueue(const Scope& scope, QueueKind kind, const std::string& name) {
  QueueOptions options;
  options.capacity = kQueueCapacity;
  options.shapes = {PartialShape({})};
  options.shared_name = name;
  switch (kind) {
    case QueueKind::kFifo:
      return FIFOQueue(scope, {kInt64}, options);
    case QueueKind::kShuffle:
      return RandomShuffleQueue(scope, {kInt64}, /*min_after_dequeue=*/0,
                                {.capacity = options.capacity,
                                 .shapes = options.shapes,
                                 .shared_name = options.shared_name,
                                 .seed = 7});
    case QueueKind::kPadding:
      options.shapes = {PartialShape({kUnknownDim})};
      return PaddingFIFOQueue(scope, {kInt64}, options);
    case QueueKind::kPriority:
      return PriorityQueue(scope, {kInt64}, options);
  }
  return Queue();
}

// Returns the number of an element of a padding queue: some equal numbers, in a
// batch padded with zeros.
int64_t NumberOfVector(absl::Span<const int64_t> row, bool padded) {
  if (row.empty() || row[0] <= 0) return -1;
  size_t length = 1;
  while (length < row.size() && row[length] == row[0]) ++length;
  if (!padded && length < row.size()) return -1;
  for (size_t i = length; i < row.size(); ++i) {
    if (row[i] != 0) return -1;
  }
  return row[0];
}

}  // namespace

int64_t PriorityOf(int64_t number) { return number * 5 % 7; }

QueueOps MakeQueueOps(const Scope& scope, int owner, QueueKind kind, int ps) {
  QueueOps q;
  q.kind = kind;
  q.ps = ps;
  q.queue = MakeQueue(
      scope, kind, absl::StrCat("queue_", owner, "_", static_cast<int>(kind)));
  for (const PartialShape& shape : q.queue.shapes()) {
    q.element.push_back(ops::Placeholder(scope, kInt64, {.shape = shape}));
    q.rows.push_back(ops::Placeholder(
        scope, kInt64,
        {.shape = PartialShape({kUnknownDim}).Concatenate(shape)}));
  }
  q.put = q.queue.Enqueue(scope, q.element);
  q.put_rows = q.queue.EnqueueMany(scope, q.rows);
  q.n = ops::Placeholder(scope, DataType::kInt32, {.shape = PartialShape({})});
  q.taken = q.queue.Dequeue(scope);
  q.taken_rows = q.queue.DequeueMany(scope, q.n);
  q.taken_up_to = q.queue.DequeueUpTo(scope, q.n);
  q.close = q.queue.Close(scope);
  q.close_cancelling = q.queue.Close(scope, {.cancel_pending_enqueues = true});
  q.size = q.queue.Size(scope);
  q.is_closed = q.queue.IsClosed(scope);
  return q;
}

std::vector<Feed> FeedElement(const QueueOps& ops, int64_t number) {
  const Tensor value = Tensor::Scalar<int64_t>(number);
  switch (ops.kind) {
    case QueueKind::kPadding: {
      const std::vector<int64_t> same(static_cast<size_t>(LengthOf(number)),
                                      number);
      return {{ops.element[0], Tensor::Vector<int64_t>(same)}};
    }
    case QueueKind::kPriority:
      return {{ops.element[0], Tensor::Scalar<int64_t>(PriorityOf(number))},
              {ops.element[1], value}};
    default:
      return {{ops.element[0], value}};
  }
}

std::vector<Feed> FeedRows(const QueueOps& ops,
                           const std::vector<int64_t>& numbers) {
  const Tensor values = Tensor::Vector<int64_t>(numbers);
  switch (ops.kind) {
    case QueueKind::kPadding: {
      // The rows of a batch have one length.
      const auto rows = static_cast<int64_t>(numbers.size());
      const int64_t length = LengthOf(numbers[0]);
      Tensor batch = Tensor::Zeros(kInt64, {rows, length});
      for (int64_t i = 0; i < batch.num_elements(); ++i) {
        batch.mutable_flat<int64_t>()[static_cast<size_t>(i)] =
            numbers[static_cast<size_t>(i / length)];
      }
      return {{ops.rows[0], batch}};
    }
    case QueueKind::kPriority: {
      std::vector<int64_t> priorities;
      for (const int64_t number : numbers) {
        priorities.push_back(PriorityOf(number));
      }
      return {{ops.rows[0], Tensor::Vector<int64_t>(priorities)},
              {ops.rows[1], values}};
    }
    default:
      return {{ops.rows[0], values}};
  }
}

std::vector<int64_t> NumbersOf(const QueueOps& ops,
                               absl::Span<const Tensor> components, bool rows) {
  const Tensor& values = components.back();
  const absl::Span<const int64_t> flat = values.flat<int64_t>();
  std::vector<int64_t> numbers;
  if (ops.kind == QueueKind::kPadding) {
    const int64_t count = rows ? values.dim(0) : 1;
    const size_t width =
        count == 0 ? 0 : flat.size() / static_cast<size_t>(count);
    for (int64_t i = 0; i < count; ++i) {
      numbers.push_back(NumberOfVector(
          flat.subspan(static_cast<size_t>(i) * width, width), rows));
    }
    return numbers;
  }
  numbers.assign(flat.begin(), flat.end());
  if (ops.kind == QueueKind::kPriority) {
    const absl::Span<const int64_t> priorities = components[0].flat<int64_t>();
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (i >= priorities.size() || priorities[i] != PriorityOf(numbers[i])) {
        numbers[i] = -1;
      }
    }
  }
  return numbers;
}

}  // namespace millrace::sim
