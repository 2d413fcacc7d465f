// FetchedViews: results of a step that are views of variables and that another
// task fetches.
//
// TensorFlow sends such a result to the task of the master as soon as it is
// there, so what it shows is the variable after those updates that wait for
// nothing, and before those that wait for another task, a queue or a long
// kernel: `run([train_op, global_step])` by a worker gives the step before the
// update. Here the step binds these results when it first waits.
#pragma once

#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/variable_view.h"

namespace millrace {

// Thread-safe.
class FetchedViews {
 public:
  // Both must outlive it. Other results may be written meanwhile.
  FetchedViews(std::vector<Tensor>& results, Allocator* allocator)
      : results_(results), allocator_(allocator) {}

  // The result `index` is there, and is a view.
  void Add(int index) {
    MutexLock lock(mu_);
    views_.push_back(index);
  }

  // Binds the results that are there. Those that fail stay views, and fail
  // again when this is called again.
  Status Bind() {
    MutexLock lock(mu_);
    Status status;
    absl::InlinedVector<int, 2> failed;
    for (const int index : views_) {
      if (Status s = millrace::Bind(&results_[index], allocator_); !s.ok()) {
        UpdateStatus(status, s);
        failed.push_back(index);
      }
    }
    views_ = std::move(failed);
    return status;
  }

 private:
  std::vector<Tensor>& results_;
  Allocator* const allocator_;
  Mutex mu_;
  absl::InlinedVector<int, 2> views_;  // guarded by mu_
};

}  // namespace millrace
