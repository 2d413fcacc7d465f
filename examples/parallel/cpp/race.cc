#include "examples/parallel/cpp/race.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr double kMillisPerSecond = 1e3;
// Images for the test by which the curve is drawn.
constexpr int64_t kCurveImages = 2'000;

}  // namespace

// What the clients share.
class RaceOfClients {
 public:
  RaceOfClients(Cluster& cluster, const RaceOptions& options)
      : cluster_(cluster),
        options_(options),
        reader_(cluster, options.classifier),
        watch_(reader_, batches_, options.look_ms),
        missing_(options.clients) {}

  StatusOr<RaceResult> Run(const Images& images,
                           const std::function<Status(RaceClient&)>& client) {
    std::vector<RaceClient> clients(static_cast<size_t>(options_.clients));
    for (int i = 0; i < options_.clients; ++i) {
      RaceClient& each = clients[static_cast<size_t>(i)];
      each.number_ = i;
      each.race_ = this;
    }
    MR_RETURN_IF_ERROR(OnThreads(options_.clients, [&](int i) {
      RaceClient& me = clients[static_cast<size_t>(i)];
      const Status status = client(me);
      if (!status.ok()) stopped_.store(true);
      Arrive(me);  // the others do not wait for one that did not start
      return status;
    }));
    MR_RETURN_IF_ERROR(status_);
    RaceResult result;
    MR_ASSIGN_OR_RETURN(const int64_t bytes, cluster_.BytesBetweenTasks());
    result.bytes = bytes - bytes_before_;
    MR_ASSIGN_OR_RETURN(const std::vector<SeenValues> seen, watch_.End());
    result.seconds = seen.back().seconds;
    MR_ASSIGN_OR_RETURN(result.updates, reader_.GlobalStep());
    result.batches = batches_.load();
    result.update_seconds = std::move(update_seconds_);
    MR_RETURN_IF_ERROR(Judge(images, seen, &result));
    return result;
  }

  void Arrive(RaceClient& client) {
    if (client.is_here_) return;
    client.is_here_ = true;
    MutexLock lock(mu_);
    if (--missing_ > 0) return;
    lock.Unlock();
    status_ = Begin();
    if (!status_.ok()) stopped_.store(true);
    start_.Notify();
  }
  void AwaitStart() {
    const WaitScope wait("the other clients of a race");
    start_.Wait();
  }
  bool GoesOn(int64_t steps) const {
    const bool is_late =
        end_.expired() && seen_step_.load() >= options_.end.least_updates;
    return !stopped_.load() && !is_late &&
           (options_.end.steps == 0 || steps < options_.end.steps);
  }

  void Count(int64_t global_step, int64_t batches) {
    batches_.fetch_add(batches);
    MutexLock lock(mu_);
    const int64_t steps = global_step - seen_step_.load();
    if (steps <= 0) return;
    const double each = SecondsSince(seen_nanos_) / static_cast<double>(steps);
    update_seconds_.insert(update_seconds_.end(), static_cast<size_t>(steps),
                           each);
    seen_step_.store(global_step);
    seen_nanos_ = NowNanos();
  }

 private:
  Status Begin() {
    if (stopped_.load()) return OkStatus();
    MR_ASSIGN_OR_RETURN(bytes_before_, cluster_.BytesBetweenTasks());
    watch_.Begin();
    seen_nanos_ = NowNanos();
    if (options_.end.seconds > 0) {
      end_ = Deadline::AfterMillis(
          static_cast<int64_t>(options_.end.seconds * kMillisPerSecond));
    }
    return OkStatus();
  }

  Status Judge(const Images& images, const std::vector<SeenValues>& seen,
               RaceResult* result) const {
    Scorer scorer(options_.classifier);
    const int64_t some = std::min(kCurveImages, images.test.labels.dim(0));
    const examples::ImageSet first = {
        .images = images.test.images.Rows(0, some),
        .labels = images.test.labels.Rows(0, some)};
    for (const SeenValues& each : seen) {
      MR_ASSIGN_OR_RETURN(const Score score, scorer.Of(each.values, first));
      result->curve.emplace_back(each.seconds, score.accuracy);
      result->curve_batches.push_back(each.batches);
    }
    MR_ASSIGN_OR_RETURN(result->score,
                        scorer.Of(seen.back().values, images.test));
    return OkStatus();
  }

  Cluster& cluster_;
  const RaceOptions options_;
  std::atomic<int64_t> batches_{0};
  std::atomic<int64_t> seen_step_{0};  // the latest
  ValuesReader reader_;
  ValuesWatch watch_;
  std::atomic<bool> stopped_{false};
  Notification start_;
  // Set before the start.
  Status status_;
  int64_t bytes_before_ = 0;
  Deadline end_;

  Mutex mu_;  // guards all below
  int missing_;
  int64_t seen_nanos_ = 0;
  std::vector<double> update_seconds_;
};

double RaceResult::SecondsTo(double accuracy) const {
  for (const auto& [at, share] : curve) {
    if (share >= accuracy) return at;
  }
  return -1;
}

double RaceResult::AccuracyAfter(int64_t batches_counted) const {
  for (size_t i = 0; i < curve.size(); ++i) {
    if (curve_batches[i] >= batches_counted) return curve[i].second;
  }
  return -1;
}

void RaceClient::Start() {
  race_->Arrive(*this);
  race_->AwaitStart();
}

void RaceClient::ComeLater() { race_->Arrive(*this); }

bool RaceClient::GoesOn() const { return race_->GoesOn(steps_); }

void RaceClient::Count(int64_t global_step, int64_t batches) {
  ++steps_;
  race_->Count(global_step, batches);
}

StatusOr<RaceResult> RunRace(Cluster& cluster, const Images& images,
                             const RaceOptions& options,
                             const std::function<Status(RaceClient&)>& client) {
  MR_RETURN_IF_ERROR(cluster.Reset());
  return RaceOfClients(cluster, options).Run(images, client);
}

double Median(std::vector<double> values) {
  if (values.empty()) return -1;
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double MeanOf(const std::vector<double>& values) {
  if (values.empty()) return -1;
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

}  // namespace millrace::parallel
