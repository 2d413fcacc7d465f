#include "millrace/train/session_hook.h"

#include <algorithm>
#include <cmath>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"

namespace millrace::train {
namespace {

constexpr double kNanosInSecond = 1e9;

}  // namespace

StatusOr<double> ScalarValue(const Tensor& tensor) {
  if (tensor.num_elements() == 1) {
    switch (tensor.dtype()) {
      case DataType::kFloat:
        return tensor.flat<float>()[0];
      case DataType::kDouble:
        return tensor.flat<double>()[0];
      case DataType::kInt32:
        return tensor.flat<int32_t>()[0];
      case DataType::kInt64:
        return static_cast<double>(tensor.flat<int64_t>()[0]);
      default:
        break;
    }
  }
  return InvalidArgument("expected a scalar of a real type, got ",
                         DataTypeName(tensor.dtype()), " of shape ",
                         tensor.shape().DebugString());
}

Status StopAtStepHook::AfterCreate(HookContext& context) {
  return AfterRun(context);
}

Status StopAtStepHook::AfterRun(HookContext& context) {
  if (context.global_step >= last_step_) context.coordinator.RequestStop();
  return OkStatus();
}

Status StopAfterStepsHook::AfterCreate(HookContext& context) {
  if (!last_step_) last_step_ = context.global_step + steps_;
  return AfterRun(context);
}

Status StopAfterStepsHook::AfterRun(HookContext& context) {
  if (last_step_ && context.global_step >= *last_step_) {
    context.coordinator.RequestStop();
  }
  return OkStatus();
}

Status NanHook::AfterRun(HookContext& context) {
  if (fetch_ >= context.fetches.size()) {
    return InvalidArgument("the run gives no fetch ", fetch_, " for the ",
                           name_, ", it has ", context.fetches.size());
  }
  MR_ASSIGN_OR_RETURN(const double value, ScalarValue(context.fetches[fetch_]));
  if (!std::isnan(value)) return OkStatus();
  return FailedPrecondition("NaN ", name_, " during training, at step ",
                            context.global_step);
}

LoggingHook::LoggingHook(std::vector<std::string> names, double every_seconds)
    : names_(std::move(names)),
      every_nanos_(static_cast<int64_t>(every_seconds * kNanosInSecond)) {}

Status LoggingHook::AfterRun(HookContext& context) {
  const int64_t now = NowNanos();
  if (now < next_nanos_) return OkStatus();
  next_nanos_ = now + every_nanos_;
  std::string line = absl::StrCat("global step ", context.global_step);
  const size_t count = std::min(names_.size(), context.fetches.size());
  for (size_t i = 0; i < count; ++i) {
    if (names_[i].empty()) continue;
    absl::StrAppend(&line, ", ", names_[i], " = ",
                    context.fetches[i].SummarizeValue(3));
  }
  MR_LOG(Info) << line;
  return OkStatus();
}

SummaryHook::SummaryHook(EventWriter* writer, std::vector<std::string> names,
                         int64_t every_steps)
    : writer_(writer), names_(std::move(names)), every_steps_(every_steps) {}

Status SummaryHook::AfterRun(HookContext& context) {
  if (!context.is_chief) return OkStatus();
  const int64_t step = context.global_step;
  // After a recovery the step may be smaller.
  if (last_step_ >= 0 && step >= last_step_ &&
      step < last_step_ + every_steps_) {
    return OkStatus();
  }
  const int64_t now = NowNanos();
  const size_t count = std::min(names_.size(), context.fetches.size());
  for (size_t i = 0; i < count; ++i) {
    if (names_[i].empty()) continue;
    MR_ASSIGN_OR_RETURN(const double value, ScalarValue(context.fetches[i]));
    MR_RETURN_IF_ERROR(
        writer_->AddScalar(step, names_[i], static_cast<float>(value)));
  }
  if (last_step_ >= 0 && step > last_step_ && now > last_nanos_) {
    const double seconds =
        static_cast<double>(now - last_nanos_) / kNanosInSecond;
    MR_RETURN_IF_ERROR(writer_->AddScalar(
        step, "global_step/sec",
        static_cast<float>(static_cast<double>(step - last_step_) / seconds)));
  }
  last_step_ = step;
  last_nanos_ = now;
  return OkStatus();
}

Status SummaryHook::AtEnd(HookContext&) { return writer_->Flush(); }

}  // namespace millrace::train
