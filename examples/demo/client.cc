#include "examples/demo/client.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "absl/strings/str_format.h"
#include "examples/demo/fashion_mnist.h"
#include "examples/demo/message.h"
#include "examples/demo/network.h"
#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/checkpoint/event_writer.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/train/monitored_session.h"

namespace millrace::demo {
namespace {

constexpr int64_t kReportNanos = 200'000'000;
constexpr int64_t kStepsPerSummary = 50;
constexpr int64_t kTestBatch = 1000;
constexpr int64_t kReadyTimeoutMs = 60'000;
constexpr int64_t kPollMs = 100;

class Client {
 public:
  Client(const DemoOptions& options, const ClientOptions& client)
      : options_(options), client_(client), chief_(client.chief) {}

  Status Run() {
    MR_ASSIGN(test_, LoadTestSet(options_.data));
    MR_ASSIGN(ImageSet training, LoadTrainingSet(options_.data));
    // Each replica has an order of its own.
    Batches batches(
        std::move(training), options_.batch,
        options_.seed * 1000 + static_cast<uint64_t>(client_.index));
    const Scope root = Scope::NewRoot();
    MR_ASSIGN(const Network net, BuildNetwork(root, options_, client_.index));
    train::StopAtStepHook stop(options_.epochs * StepsPerEpoch(options_));
    train::MonitoredSession session(root, SessionOptionsOf(), {&stop},
                                    &coordinator_);
    session_ = &session;
    graph_ = root.graph_ref();
    train_ = session.Define({.feeds = {net.images, net.labels},
                             .fetches = {net.loss, net.step},
                             .step_fetch = 1});
    test_run_ = session.Define(
        {.feeds = {net.images, net.labels}, .fetches = {net.correct}});
    const Status status = Train(batches);
    const bool stopped = status.code() == StatusCode::kCancelled;
    const Status closed = session.Close();
    if (events_) UpdateStatus(written_, events_->Close());
    MR_RETURN_IF_ERROR(stopped ? OkStatus() : status);
    MR_RETURN_IF_ERROR(written_);
    return stopped ? OkStatus() : closed;
  }

 private:
  train::MonitoredOptions SessionOptionsOf() {
    train::MonitoredOptions options;
    options.session.target = client_.target;
    options.is_chief = [this] {
      ReadControl();
      return chief_;
    };
    options.checkpoint_dir = options_.dir;
    options.checkpoint_name = kCheckpointName;
    options.save_seconds = options_.checkpoint_seconds;
    options.poll_ms = kPollMs;
    options.ready_timeout_ms = kReadyTimeoutMs;
    return options;
  }

  void Say(const std::string& line) {
    if (!WriteLine(STDOUT_FILENO, line)) coordinator_.RequestStop();
  }

  void ReadControl() {
    for (const std::string& line : control_.Read()) {
      if (line == "chief") chief_ = true;
      if (line == "stop") stopped_ = true;
    }
    // Without a launcher there is nothing to train for.
    if (control_.ended()) stopped_ = true;
    if (stopped_) coordinator_.RequestStop();
  }

  Status Train(Batches& batches) {
    MR_RETURN_IF_ERROR(session_->Start());
    Say(absl::StrCat("started ", session_->global_step(), " ",
                     session_->restored_from()));
    tested_epoch_ = session_->global_step() / StepsPerEpoch(options_);
    int64_t recoveries = 0;
    reported_nanos_ = NowNanos();
    while (!session_->ShouldStop()) {
      ReadControl();
      const ImageSet batch = batches.Next();
      MR_ASSIGN(const std::vector<Tensor> out,
                session_->Run(train_, {batch.images, batch.labels}));
      examples_ += options_.batch;
      if (session_->recoveries() > recoveries) {
        recoveries = session_->recoveries();
        tested_epoch_ = std::min(
            tested_epoch_, session_->global_step() / StepsPerEpoch(options_));
        Say(absl::StrCat("recovered ", session_->global_step(), " ",
                         session_->restored_from()));
      }
      const float loss = out[0].scalar<float>();
      Report(loss);
      if (chief_) MR_RETURN_IF_ERROR(Record(loss));
    }
    return Finish();
  }

  // The last one of those who train waits until the chief is done, in case it
  // has to take over.
  Status Finish() {
    Say(absl::StrCat("step ", session_->global_step(), " ", last_loss_, " 0"));
    while (!stopped_ && !chief_) {
      SleepUntil(Deadline::AfterMillis(kPollMs));
      ReadControl();
    }
    if (chief_ && !stopped_) {
      if (!tested_) tested_epoch_ = -1;
      MR_RETURN_IF_ERROR(TestIfDue());
      MR_RETURN_IF_ERROR(session_->SaveNow());
    }
    Say(absl::StrCat("done ", session_->global_step()));
    return OkStatus();
  }

  void Report(float loss) {
    const int64_t now = NowNanos();
    last_loss_ = loss;
    if (now - reported_nanos_ < kReportNanos) return;
    const double rate = 1e9 * static_cast<double>(examples_) /
                        static_cast<double>(now - reported_nanos_);
    Say(absl::StrFormat("step %d %.4f %.0f", session_->global_step(), loss,
                        rate));
    reported_nanos_ = now;
    examples_ = 0;
  }

  // Events are not worth an end of the training: the first error is kept.
  Status Record(float loss) {
    const int64_t step = session_->global_step();
    if (!events_ && written_.ok()) OpenEvents();
    if (events_ &&
        (step >= recorded_step_ + kStepsPerSummary || step < recorded_step_)) {
      recorded_step_ = step;
      UpdateStatus(written_, events_->AddScalar(step, "loss", loss));
    }
    return TestIfDue();
  }

  void OpenEvents() {
    auto events =
        EventWriter::Open(DefaultFiles(), options_.dir, {.flush_seconds = 2});
    UpdateStatus(written_, events.status());
    if (!events.ok()) return;
    events_ = *std::move(events);
    UpdateStatus(written_,
                 events_->AddGraph(SerializeGraphDef(graph_->Export())));
  }

  // After each epoch: how many of the test images are classified right.
  Status TestIfDue() {
    const int64_t epoch = session_->global_step() / StepsPerEpoch(options_);
    if (epoch <= tested_epoch_) return OkStatus();
    int64_t correct = 0;
    const int64_t n = test_.labels.dim(0);
    for (int64_t at = 0; at < n; at += kTestBatch) {
      const int64_t end = std::min(n, at + kTestBatch);
      MR_ASSIGN(const std::vector<Tensor> out,
                session_->Run(test_run_, {test_.images.Rows(at, end),
                                          test_.labels.Rows(at, end)}));
      correct += out[0].scalar<int32_t>();
    }
    tested_epoch_ = epoch;
    tested_ = true;
    const double accuracy =
        static_cast<double>(correct) / static_cast<double>(n);
    Say(absl::StrFormat("accuracy %d %.4f", epoch, accuracy));
    if (events_) {
      UpdateStatus(written_,
                   events_->AddScalar(session_->global_step(), "accuracy",
                                      static_cast<float>(accuracy)));
    }
    return OkStatus();
  }

  const DemoOptions options_;
  const ClientOptions client_;
  bool chief_;
  bool stopped_ = false;
  LineReader control_{STDIN_FILENO};
  train::Coordinator coordinator_;
  train::MonitoredSession* session_ = nullptr;
  Ref<ClientGraph> graph_;
  ImageSet test_;
  int train_ = 0;
  int test_run_ = 0;
  int64_t tested_epoch_ = 0;
  bool tested_ = false;
  int64_t reported_nanos_ = 0;
  int64_t examples_ = 0;  // since the last report
  float last_loss_ = 0;
  std::unique_ptr<EventWriter> events_;
  int64_t recorded_step_ = -kStepsPerSummary;
  Status written_;
};

}  // namespace

int64_t StepsPerEpoch(const DemoOptions& options) {
  return std::max<int64_t>(1, kTrainImages / options.batch);
}

int RunClient(const DemoOptions& options, const ClientOptions& client) {
  // The launcher decides about the end; its own end is seen by the pipes.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
  const Status status = Client(options, client).Run();
  if (status.ok()) return 0;
  MR_LOG(Error) << "client " << client.index << ": " << status;
  WriteLine(STDOUT_FILENO,
            absl::StrCat("error ", status.ToString().substr(
                                       0, status.ToString().find('\n'))));
  return 1;
}

}  // namespace millrace::demo
