// Rooms: train client session ops.grad ops.cpu ops.gpu ops.op
// The program behind test_queue_runner_graphs.py.
//
//   queue_runner_graphs FOLDER   saves a pipeline of queues with its runners to
//                                FOLDER/pipeline.meta (and a checkpoint)
#include <cstdio>

#include "millrace/client/ops.h"
#include "millrace/train/global_step.h"
#include "millrace/train/input/batches.h"
#include "millrace/train/input/input_producers.h"
#include "millrace/train/saver.h"

namespace millrace {
namespace {

Status Write(const std::string& folder) {
  const Scope s = Scope::NewRoot();
  train::CreateGlobalStep(s);
  const Queue numbers =
      train::RangeInputProducer(s, 7, {.num_epochs = 2, .shuffle = false});
  const Output x = numbers.Dequeue(s)[0];
  train::Batch(s, {x, ops::Mul(s, x, x)}, 4,
               {.num_threads = 2, .allow_smaller_final_batch = true});
  const Queue words = train::StringInputProducer(
      s.WithOpName("words"), {"a", "b"}, {.num_epochs = 1, .capacity = 5});
  const Output word = words.Dequeue(s)[0];
  train::ShuffleBatchJoin(s, {{word}, {word}}, 2,
                          {.capacity = 10, .min_after_dequeue = 1});
  train::Saver saver(s);
  Session session(s);
  MR_RETURN_IF_ERROR(session.RunTargets({ops::GlobalVariablesInitializer(s)}));
  return saver.Save(session, folder + "/pipeline").status();
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: queue_runner_graphs FOLDER\n", stderr);
    return 2;
  }
  const millrace::Status status = millrace::Write(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
