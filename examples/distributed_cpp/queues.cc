// The four kinds of queues: order, batches, tuples, padding, priorities,
// waiting and closing.
#include <algorithm>
#include <cstdio>
#include <set>

#include "absl/strings/str_cat.h"
#include "examples/distributed_cpp/examples.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

const PartialShape kScalar = PartialShape(TensorShape());

// Fetches and prints, tensors between commas.
Status Print(Session& session, const char* what,
             const std::vector<Output>& fetches) {
  MR_ASSIGN_OR_RETURN(const auto values, session.Run(fetches));
  std::string text;
  for (const Tensor& value : values) {
    absl::StrAppend(&text, text.empty() ? " " : ", ", value.SummarizeValue(20));
  }
  std::printf("%s%s\n", what, text.c_str());
  return OkStatus();
}

Status Fifo(Session& session, const Scope& s, const Queue& fifo) {
  MR_RETURN_IF_ERROR(session.RunTargets({fifo.Enqueue(s, {{1, 2}, "a"})}));
  MR_RETURN_IF_ERROR(session.RunTargets(
      {fifo.EnqueueMany(s, {{{3, 4}, {5, 6}}, {"b", "c"}})}));
  MR_RETURN_IF_ERROR(Print(session, "size", {fifo.Size(s)}));
  MR_RETURN_IF_ERROR(Print(session, "one", fifo.Dequeue(s)));
  return Print(session, "many", fifo.DequeueMany(s, 2));
}

Status Shuffled(Session& session, const Scope& s) {
  const RandomShuffleQueue queue(
      s.WithOpName("shuffled"), {DataType::kInt32}, /*min_after_dequeue=*/10,
      {.capacity = 50, .shapes = {kScalar}, .seed = 7});
  std::vector<int32_t> numbers;
  for (int32_t i = 0; i < 20; ++i) numbers.push_back(i);
  MR_RETURN_IF_ERROR(session.RunTargets({queue.EnqueueMany(s, {numbers})}));
  MR_ASSIGN_OR_RETURN(const auto batch, session.Run(queue.DequeueMany(s, 10)));
  const auto values = batch[0].flat<int32_t>();
  const std::set<int32_t> different(values.begin(), values.end());
  std::printf("shuffled: %zu different, in order: %s\n", different.size(),
              std::is_sorted(values.begin(), values.end()) ? "yes" : "no");
  return OkStatus();
}

Status Padded(Session& session, const Scope& s) {
  const PaddingFIFOQueue queue(
      s.WithOpName("padded"), {DataType::kInt32},
      {.capacity = 10, .shapes = {PartialShape({-1, -1})}});
  MR_RETURN_IF_ERROR(session.RunTargets({queue.Enqueue(s, {{{1, 2}}})}));
  MR_RETURN_IF_ERROR(session.RunTargets({queue.Enqueue(s, {{{3}, {4}, {5}}})}));
  MR_RETURN_IF_ERROR(session.RunTargets({queue.Enqueue(s, {{{6}}})}));
  MR_RETURN_IF_ERROR(Print(session, "padded", queue.DequeueMany(s, 3)));
  // A limit of time for an operation that nothing will end.
  const Status late =
      session.Run({}, queue.Dequeue(s), {}, {.options = {.timeout_ms = 200}})
          .status();
  std::printf("timed out: %s\n",
              late.code() == StatusCode::kDeadlineExceeded ? "yes" : "no");
  return OkStatus();
}

Status Ordered(Session& session, const Scope& s) {
  const PriorityQueue queue(s.WithOpName("ordered"), {DataType::kString},
                            {.capacity = 10, .shapes = {kScalar}});
  MR_RETURN_IF_ERROR(session.RunTargets(
      {queue.EnqueueMany(s, {{30, 10, 20}, {"third", "first", "second"}})}));
  return Print(session, "ordered", queue.DequeueMany(s, 3));
}

// A dequeue waits until somebody enqueues.
Status Waiting(Session& session, const Scope& s, const Queue& fifo) {
  const Output take = fifo.Dequeue(s)[1];
  const Operation put = fifo.Enqueue(s, {{7, 8}, "at last"});
  MR_RETURN_IF_ERROR(session.Extend());
  StatusOr<std::vector<Tensor>> taken = std::vector<Tensor>();
  Thread waiter("waiter", [&] { taken = session.Run({take}); });
  const Status status = session.RunTargets({put});
  waiter.Join();
  MR_RETURN_IF_ERROR(status);
  MR_RETURN_IF_ERROR(taken.status());
  std::printf("waited for %s\n", (*taken)[0].SummarizeValue(1).c_str());
  return OkStatus();
}

// Closed: what is inside can still be taken, then there is an error.
Status Closing(Session& session, const Scope& s, const Queue& fifo) {
  MR_RETURN_IF_ERROR(session.RunTargets(
      {fifo.EnqueueMany(s, {{{1, 1}, {2, 2}, {3, 3}}, {"x", "y", "z"}})}));
  MR_RETURN_IF_ERROR(session.RunTargets({fifo.Close(s)}));
  MR_RETURN_IF_ERROR(Print(session, "closed", {fifo.IsClosed(s)}));
  MR_RETURN_IF_ERROR(Print(session, "up to", fifo.DequeueUpTo(s, 5)));
  const Status dequeue = session.Run(fifo.Dequeue(s)).status();
  const Status enqueue =
      session.RunTargets({fifo.Enqueue(s, {{0, 0}, "late"})});
  std::printf("a dequeue: %s, an enqueue: %s\n",
              absl::StatusCodeToString(dequeue.code()).c_str(),
              absl::StatusCodeToString(enqueue.code()).c_str());
  return OkStatus();
}

}  // namespace

Status Queues(const Cluster& cluster) {
  const Scope root = cluster.NewGraph();
  const Scope s = root.WithDevice("/job:ps/task:0");
  const FIFOQueue fifo(
      s.WithOpName("fifo"), {DataType::kInt32, DataType::kString},
      {.capacity = 10, .shapes = {PartialShape({2}), kScalar}});
  Session session(root, cluster.Master());
  MR_RETURN_IF_ERROR(Fifo(session, s, fifo));
  MR_RETURN_IF_ERROR(Shuffled(session, s));
  MR_RETURN_IF_ERROR(Padded(session, s));
  MR_RETURN_IF_ERROR(Ordered(session, s));
  MR_RETURN_IF_ERROR(Waiting(session, s, fifo));
  return Closing(session, s, fifo);
}

}  // namespace millrace::distributed
