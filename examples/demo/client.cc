#include "examples/demo/client.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "examples/demo/message.h"
#include "examples/demo/network.h"
#include "examples/demo/numpy_file.h"
#include "examples/support/fashion_mnist.h"
#include "examples/support/lines.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

constexpr int64_t kReportNanos = 200'000'000;
constexpr int64_t kStepsPerSummary = 50;
constexpr int64_t kTestBatch = 1000;
constexpr int64_t kReadyPollMs = 100;
constexpr int64_t kReadyTimeoutMs = 60'000;
constexpr int64_t kPollMs = 20;
constexpr int64_t kLookMs = 500;
constexpr double kRateSeconds = 3;

class Client {
 public:
  Client(const DemoOptions& options, const ClientOptions& client)
      : options_(options),
        client_(client),
        last_step_(options.epochs * StepsPerEpoch(options)),
        chief_(client.chief) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(test_set_, examples::LoadTestSet(options_.data));
    MR_ASSIGN_OR_RETURN(examples::ImageSet training,
                        examples::LoadTrainingSet(options_.data));
    // Each replica has an order of its own.
    examples::Batches batches(
        std::move(training), options_.batch,
        options_.seed * 1000 + static_cast<uint64_t>(client_.index));
    const Scope root = Scope::NewRoot();
    MR_ASSIGN_OR_RETURN(const Network net,
                        BuildNetwork(root, options_, client_.index));
    std::vector<Output> values;
    for (const ops::Variable& v : ops::GlobalVariables(root)) {
      values.push_back(v);
      value_names_.push_back(v.op_name());
    }
    train::MonitoredSession session(root, SessionOptionsOf());
    session_ = &session;
    graph_ = root.graph_ref();
    train_ = session.Prepare({net.images, net.labels, net.rate},
                             {net.loss, net.step}, {}, {.step_fetch = 1});
    test_ = session.Prepare({net.images, net.labels}, {net.correct});
    read_step_ = session.Prepare({}, {net.global_step});
    read_values_ = session.Prepare({}, values);
    const Status status = Train(batches);
    const bool stopped = status.code() == StatusCode::kCancelled;
    const Status closed = session.Close();
    if (events_) UpdateStatus(written_, events_->Close());
    MR_RETURN_IF_ERROR(stopped ? OkStatus() : status);
    MR_RETURN_IF_ERROR(written_);
    return stopped ? OkStatus() : closed;
  }

 private:
  train::MonitoredSessionOptions SessionOptionsOf() {
    train::MonitoredSessionOptions options;
    options.session.target = client_.target;
    options.is_chief = [this] {
      ReadControl();
      return chief_;
    };
    options.checkpoint_dir = options_.dir;
    options.checkpoint_name = kCheckpointName;
    options.save_seconds = options_.checkpoint_seconds;
    options.poll_ms = kReadyPollMs;
    options.ready_timeout_ms = kReadyTimeoutMs;
    options.coordinator = &coordinator_;
    return options;
  }

  void Say(const std::string& line) {
    if (!examples::WriteLine(STDOUT_FILENO, line)) coordinator_.RequestStop();
  }

  void ReadControl() {
    for (const std::string& line : control_.Read()) {
      if (line == "chief") chief_ = true;
      if (line == "finish") finish_ = true;
      if (line == "train") train_more_ = true;
      if (line == "stop") stopped_ = true;
    }
    // Without a launcher there is nothing to train for.
    if (control_.ended()) stopped_ = true;
    if (stopped_) coordinator_.RequestStop();
  }

  Status Train(examples::Batches& batches) {
    MR_RETURN_IF_ERROR(session_->Start());
    Say(absl::StrCat("started ", session_->global_step(), " ",
                     session_->restored_from()));
    tested_epoch_ = session_->global_step() / StepsPerEpoch(options_);
    reported_nanos_ = NowNanos();
    for (bool more = false; !session_->ShouldStop();) {
      // What was trained may be lost: then the first step finds out.
      while (!session_->ShouldStop() &&
             (more || session_->global_step() < last_step_)) {
        ReadControl();
        MR_RETURN_IF_ERROR(TrainStep(batches.Next()));
        more = false;
      }
      MR_ASSIGN_OR_RETURN(more, Finish());
      if (!more) break;
    }
    return OkStatus();
  }

  Status TrainStep(const examples::ImageSet& batch) {
    const Tensor rate =
        Tensor::Scalar(LearningRate(options_, session_->global_step()));
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                        Run(train_, {batch.images, batch.labels, rate}));
    examples_ += options_.batch;
    const float loss = out[0].scalar<float>();
    Report(loss);
    return chief_ ? Record(loss) : OkStatus();
  }

  StatusOr<std::vector<Tensor>> Run(const train::MonitoredCallable& run,
                                    const std::vector<Tensor>& feeds = {}) {
    auto out = run.Run(feeds);
    if (session_->recoveries() > recoveries_) {
      recoveries_ = session_->recoveries();
      tested_epoch_ = std::min(
          tested_epoch_, session_->global_step() / StepsPerEpoch(options_));
      Say(absl::StrCat("recovered ", session_->global_step(), " ",
                       session_->restored_from()));
    }
    return out;
  }

  // Until the launcher says what comes next. True: there is more to train, as
  // an older checkpoint was restored.
  StatusOr<bool> Finish() {
    Say(absl::StrFormat("step %d %.4f %.0f", session_->global_step(),
                        last_loss_, rate_));
    Say(absl::StrCat("trained ", session_->global_step()));
    Deadline look = Deadline::AfterMillis(kLookMs);
    for (; !session_->ShouldStop(); ReadControl()) {
      if (std::exchange(train_more_, false)) return true;
      if (chief_ && (finish_ || look.expired())) {
        look = Deadline::AfterMillis(kLookMs);
        // The others may be waiting for a chief that restores.
        const Status status =
            finish_ ? TestAndSave() : Run(read_step_).status();
        const bool lost = train::IsRecoverable(status) ||
                          session_->global_step() < last_step_;
        if (lost && !session_->ShouldStop()) {
          finish_ = false;
          return true;
        }
        MR_RETURN_IF_ERROR(status);
        if (!finish_) continue;
        Say(absl::StrCat("done ", session_->global_step()));
        return false;
      }
      SleepUntil(Deadline::AfterMillis(kPollMs));
    }
    return false;
  }

  // Nobody trains any more: what is tested is what is saved.
  Status TestAndSave() {
    tested_epoch_ = -1;
    MR_RETURN_IF_ERROR(TestIfDue());
    MR_RETURN_IF_ERROR(session_->SaveNow());
    if (options_.values.empty()) return OkStatus();
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values, Run(read_values_));
    for (size_t i = 0; i < values.size(); ++i) {
      MR_RETURN_IF_ERROR(WriteNumpyFile(
          JoinPath(options_.values, value_names_[i] + ".npy"), values[i]));
    }
    return OkStatus();
  }

  void Report(float loss) {
    const int64_t now = NowNanos();
    last_loss_ = loss;
    if (now - reported_nanos_ < kReportNanos) return;
    const double seconds = static_cast<double>(now - reported_nanos_) / 1e9;
    const double rate = static_cast<double>(examples_) / seconds;
    rate_ += (rate - rate_) *
             (rate_ > 0 ? 1 - std::exp(-seconds / kRateSeconds) : 1);
    Say(absl::StrFormat("step %d %.4f %.0f", session_->global_step(), loss,
                        rate_));
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
    // The last one's is for the end, when nobody trains any more.
    if (epoch <= tested_epoch_ || (epoch >= options_.epochs && !finish_)) {
      return OkStatus();
    }
    int64_t correct = 0;
    const int64_t n = test_set_.labels.dim(0);
    for (int64_t at = 0; at < n; at += kTestBatch) {
      const int64_t end = std::min(n, at + kTestBatch);
      MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                          Run(test_, {test_set_.images.Rows(at, end),
                                      test_set_.labels.Rows(at, end)}));
      correct += out[0].scalar<int32_t>();
    }
    tested_epoch_ = epoch;
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
  const int64_t last_step_;
  bool chief_;
  bool finish_ = false;
  bool train_more_ = false;
  bool stopped_ = false;
  examples::LineReader control_{STDIN_FILENO};
  train::Coordinator coordinator_;
  train::MonitoredSession* session_ = nullptr;
  Ref<ClientGraph> graph_;
  examples::ImageSet test_set_;
  train::MonitoredCallable train_;
  train::MonitoredCallable test_;
  train::MonitoredCallable read_step_;
  train::MonitoredCallable read_values_;
  std::vector<std::string> value_names_;
  int64_t recoveries_ = 0;
  int64_t tested_epoch_ = 0;
  int64_t reported_nanos_ = 0;
  int64_t examples_ = 0;  // since the last report
  double rate_ = 0;       // examples a second, smoothed
  float last_loss_ = 0;
  std::unique_ptr<EventWriter> events_;
  int64_t recorded_step_ = -kStepsPerSummary;
  Status written_;
};

}  // namespace

int64_t StepsPerEpoch(const DemoOptions& options) {
  return std::max<int64_t>(1, examples::kTrainImages / options.batch);
}

int RunClient(const DemoOptions& options, const ClientOptions& client) {
  // The launcher decides about the end; its own end is seen by the pipes.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
  const Status status = Client(options, client).Run();
  if (status.ok()) return 0;
  MR_LOG(Error) << "client " << client.index << ": " << status;
  examples::WriteLine(
      STDOUT_FILENO,
      absl::StrCat("error ",
                   status.ToString().substr(0, status.ToString().find('\n'))));
  return 1;
}

}  // namespace millrace::demo
