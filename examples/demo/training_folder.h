// TrainingFolder: where a training's checkpoints, events and logs are.
#pragma once

#include <string>
#include <vector>

#include "examples/demo/demo_options.h"
#include "millrace/millrace.h"

namespace millrace::demo {

// Belongs to one demo at a time, until that ends. One thread.
class TrainingFolder {
 public:
  TrainingFolder() = default;
  ~TrainingFolder();
  TrainingFolder(const TrainingFolder&) = delete;
  TrainingFolder& operator=(const TrainingFolder&) = delete;

  // Makes the folder and, for a new training, deletes what an older one left;
  // parts of a save that was cut short always. UNAVAILABLE if another demo
  // works there, FAILED_PRECONDITION if what it would delete is no demo's.
  Status Open(const DemoOptions& options);
  // The checkpoint to resume from; "" if there is none. FAILED_PRECONDITION
  // unless it has all of `variables`.
  StatusOr<std::string> Newest(const std::vector<std::string>& variables) const;

 private:
  Status CheckNobodyElses(bool resume) const;

  std::string path_;
  int lock_ = -1;  // a descriptor
};

}  // namespace millrace::demo
