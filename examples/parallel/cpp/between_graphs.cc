// Between-graph replication: each worker has a client with a graph of its own.
#include <utility>

#include "examples/parallel/cpp/replicas.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int64_t kReadyPollMs = 20;
constexpr int64_t kStepPollMs = 1;
// A token that another replica may miss is kept for so long.
constexpr int64_t kHoldMs = 20;

class Replica {
 public:
  Replica(Cluster& cluster, const Images& images, const RaceOptions& race,
          const ReplicasOptions& options, RaceClient& client)
      : cluster_(cluster),
        images_(images),
        race_(race),
        options_(options),
        client_(client),
        number_(client.number()) {}

  Status Train(const MakeStep& make) {
    const Scope scope = cluster_.ReplicaOf(cluster_.NewGraph(), number_);
    const ops::Variable step = train::CreateGlobalStep(scope);
    const Classifier net =
        MakeClassifier(VariableScope(scope), race_.classifier);
    const ReplicaStep made =
        make(scope, net.loss, step, number_,
             [&](const Scope& s, const Gradients& gradients) {
               return options_.hold ? options_.hold(number_, s, gradients)
                                    : gradients;
             });
    MR_RETURN_IF_ERROR(scope.status());

    train::MonitoredSessionOptions monitored;
    monitored.session = cluster_.Master(number_);
    monitored.is_chief = [this] { return number_ == 0; };
    monitored.poll_ms = kReadyPollMs;
    monitored.hooks = made.hooks;
    train::MonitoredSession session(scope, monitored);
    std::vector<Output> fetches = {made.train_op.output(0)};
    fetches.insert(fetches.end(), made.fetches.begin(), made.fetches.end());
    train_ = session.Prepare({net.images, net.labels}, fetches, {},
                             {.step_fetch = 0});
    if (made.another_token) {
      another_token_ =
          session.Prepare({}, {made.another_token}, {}, {.step_fetch = 0});
      step_now_ = session.Prepare({}, {made.step_now});
      give_token_back_ = session.Prepare({}, {}, {made.give_token_back});
    }
    if (made.may_come_later) client_.ComeLater();
    MR_RETURN_IF_ERROR(session.Start());
    client_.Start();
    // Of the last gradient, or the next one.
    int64_t token = session.global_step();
    while (client_.GoesOn() && !session.ShouldStop()) {
      MR_ASSIGN_OR_RETURN(token, Step(made, token, session.coordinator()));
    }
    return session.Close();
  }

 private:
  StatusOr<int64_t> Step(const ReplicaStep& made, int64_t step,
                         train::Coordinator& coordinator) {
    if (options_.before_step) options_.before_step(number_);
    const examples::ImageSet batch = BatchOf(
        images_.training,
        options_.first_batch + client_.steps() * race_.clients + number_,
        options_.batch);
    MR_ASSIGN_OR_RETURN(std::vector<Tensor> out,
                        train_.Run({batch.images, batch.labels}));
    auto token = out[0].scalar<int64_t>();
    client_.Count(token);
    if (options_.after_step) {
      out.erase(out.begin());
      options_.after_step(number_, out);
    }
    while (made.another_token && token <= step && client_.GoesOn()) {
      MR_RETURN_IF_ERROR(AwaitUpdate(step, token == step, coordinator));
      if (!client_.GoesOn() || coordinator.ShouldStop()) break;
      MR_ASSIGN_OR_RETURN(out, another_token_.Run());
      token = out[0].scalar<int64_t>();
    }
    return token;
  }

  // Returns when the global step is later than `step`, of which the replica has
  // a second token if `has_another`, or when the training ends.
  Status AwaitUpdate(int64_t step, bool has_another,
                     train::Coordinator& coordinator) {
    const Deadline hold = Deadline::AfterMillis(kHoldMs);
    while (client_.GoesOn()) {
      MR_ASSIGN_OR_RETURN(const std::vector<Tensor> now, step_now_.Run());
      if (now[0].scalar<int64_t>() > step) return OkStatus();
      if (has_another && hold.expired()) {
        MR_RETURN_IF_ERROR(give_token_back_.Run().status());
        has_another = false;
      }
      if (coordinator.WaitForStop(Deadline::AfterMillis(kStepPollMs))) break;
    }
    return OkStatus();
  }

  Cluster& cluster_;
  const Images& images_;
  const RaceOptions& race_;
  const ReplicasOptions& options_;
  RaceClient& client_;
  const int number_;
  train::MonitoredCallable train_;
  train::MonitoredCallable another_token_;
  train::MonitoredCallable step_now_;
  train::MonitoredCallable give_token_back_;
};

}  // namespace

StatusOr<RaceResult> TrainBetweenGraphs(Cluster& cluster, const Images& images,
                                        const RaceOptions& race,
                                        const MakeStep& make,
                                        const ReplicasOptions& options) {
  return RunRace(cluster, images, race, [&](RaceClient& client) {
    return Replica(cluster, images, race, options, client).Train(make);
  });
}

}  // namespace millrace::parallel
