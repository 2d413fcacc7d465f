#include "millrace/train/estimator/checkpoint_evaluator.h"

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/checkpoint/checkpoint_paths.h"

namespace millrace::train {
namespace {

constexpr double kEvaluatorSecondsPerNano = 1e-9;

}  // namespace

StatusOr<bool> CheckpointEvaluator::EvaluateNewest() {
  FileSystem* const files = estimator_.config().file_system();
  MR_ASSIGN_OR_RETURN(std::string checkpoint, estimator_.NewestCheckpoint());
  for (;;) {
    if (checkpoint.empty()) {
      MR_LOG_EVERY_SECONDS(Info, 600)
          << "evaluations begin with the first checkpoint in "
          << estimator_.config().model_dir;
      return false;
    }
    if (last_ && last_->checkpoint == checkpoint) return false;
    StatusOr<EvaluateResult> result =
        estimator_.Evaluate(spec_.input, {.steps = spec_.steps,
                                          .checkpoint = checkpoint,
                                          .name = spec_.name,
                                          .hooks = spec_.hooks});
    if (result.ok()) {
      last_ = *std::move(result);
      return true;
    }
    if (CheckpointExists(files, checkpoint)) return result.status();
    MR_ASSIGN_OR_RETURN(std::string newest, estimator_.NewestCheckpoint());
    if (newest.empty() || newest == checkpoint) return result.status();
    MR_LOG(Info) << "the training has removed " << checkpoint
                 << " before it was evaluated; the next one is " << newest;
    checkpoint = std::move(newest);
  }
}

Status EvaluateAfterSaveHook::AfterSave(HookContext& /*context*/,
                                        const std::string& /*checkpoint*/) {
  const int64_t now = NowNanos();
  if (begun_nanos_ &&
      static_cast<double>(now - *begun_nanos_) * kEvaluatorSecondsPerNano <
          throttle_secs_) {
    return OkStatus();
  }
  begun_nanos_ = now;
  const Status status = evaluator_.EvaluateNewest().status();
  // The training ends by the same stop.
  if (status.code() == StatusCode::kCancelled && evaluator_.stop_requested())
    return OkStatus();
  return status;
}

}  // namespace millrace::train
