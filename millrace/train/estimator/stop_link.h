// StopLink: lets a stop of one coordinator stop another. Private to estimator/.
#pragma once

#include <memory>

#include "millrace/train/coordinator.h"

namespace millrace::train {

// While it lives, a stop that is requested of `from` (null: none) is one of
// `to`, too.
class StopLink {
 public:
  StopLink(Coordinator* from, Coordinator& to) {
    if (!from) return;
    scope_ = from->stop_scope();
    const CancelScope::Registration registration =
        scope_->Register([&to] { to.RequestStop(); });
    token_ = registration.token;
    if (!registration.ok()) to.RequestStop();
  }
  ~StopLink() {
    if (scope_) scope_->Unregister(token_);
  }
  StopLink(const StopLink&) = delete;
  StopLink& operator=(const StopLink&) = delete;

 private:
  std::shared_ptr<CancelScope> scope_;
  CancelScope::Token token_ = 0;
};

}  // namespace millrace::train
