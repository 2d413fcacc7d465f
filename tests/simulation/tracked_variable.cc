#include "tests/simulation/tracked_variable.h"

namespace millrace::sim {

int64_t EqualElements(const Tensor& value) {
  const auto elements = value.flat<float>();
  if (elements.empty()) return -1;
  for (const float element : elements) {
    if (element != elements[0]) return -1;
  }
  return static_cast<int64_t>(elements[0]);
}

TrackedVariable::TrackedVariable(Connection& connection,
                                 const ops::Variable& variable, int ps)
    : connection_(connection),
      variable_(variable),
      ps_(ps),
      initialized_(variable.IsInitialized(
          Scope(Ref<ClientGraph>::Share(variable.op().graph()))
              .WithDevice(variable.op().device()))) {}

void TrackedVariable::Distrust() {
  trusted_ = false;
  distrusted_life_ = life();
  trusted_from_ = Deadline::AfterMillis(kQuietMs);
}

bool TrackedVariable::Usable(Status* status) {
  if (trusted_) return true;
  if (life() > distrusted_life_) {
    // Assignments in flight went to a task that has ended.
    trusted_ = true;
    account_.Set(0, life());
    return true;
  }
  if (!trusted_from_.expired()) return false;
  const auto value = connection_.Run({}, {variable_.value()});
  if (value.ok()) {
    account_.Settle(EqualElements((*value)[0]));
    trusted_ = true;
    return true;
  }
  *status = value.status();
  if (IsStateLost(*status)) {
    trusted_ = true;
    *status = Initialize();
    return status->ok();
  }
  return false;
}

Status TrackedVariable::Initialize() {
  const int asked = life();
  MR_ASSIGN_OR_RETURN(const auto initialized,
                      connection_.Run({}, {initialized_}));
  if (initialized[0].scalar<bool>()) return OkStatus();
  if (asked == life() && asked == initialized_life_) {
    connection_.Fail(
        Internal("effect: ", variable_.op_name(),
                 " has lost its value, and its ps did not restart"));
  }
  const int begun = life();
  Status status = connection_.Run({}, {}, {variable_.initializer()}).status();
  if (status.ok()) {
    account_.Set(0, life());
    if (begun == life()) initialized_life_ = begun;
  } else {
    Distrust();
  }
  return status;
}

int64_t TrackedVariable::Check(const Tensor& value, const char* what) {
  const int64_t number = EqualElements(value);
  if (number < 0) {
    connection_.Fail(Internal("torn: ", what, " of ", variable_.op_name(),
                              " has different elements"));
  } else if (!account_.Allows(number)) {
    connection_.Fail(Internal(
        "effect: ", what, " of ", variable_.op_name(), " is ", number,
        ", acknowledged are ", account_.least(), " additions, and ",
        account_.most() - account_.least(), " more may have happened"));
  } else {
    account_.Learn(number);
  }
  return number;
}

}  // namespace millrace::sim
