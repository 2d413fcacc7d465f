// Training: a client updates its model, saves it, and restores it when a ps has
// lost it; the disk must always hold a checkpoint that was saved.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "millrace/train/saver.h"
#include "tests/simulation/tracked_variable.h"

namespace millrace::sim {

// Not thread-safe.
class Training {
 public:
  Training(Connection& connection, const ClientOps& ops);

  // Adds one to the model, which is placed on all ps.
  Status Train();
  // Reads a part, adds to it and fetches both: the value that was read must not
  // change.
  Status Snapshot();
  Status Save();
  // Reads the newest checkpoint on the disk, without faults of the disk:
  // returns its prefix and values, which must be those of some save. "" if
  // there was none yet.
  StatusOr<std::string> CheckDisk(std::vector<int64_t>* values);

  int64_t saved() const { return saved_; }
  int64_t restored() const { return restored_; }

 private:
  struct Saved {
    int64_t number = 0;
    std::vector<int64_t> least, most;  // of each part
  };
  bool Usable(Status* status);
  // Restores the model from the newest checkpoint, or initializes it.
  Status Recover();

  Connection& connection_;
  const ClientOps& ops_;
  std::vector<TrackedVariable> parts_;
  const std::string directory_;
  train::Saver saver_;
  std::map<std::string, Saved> saves_;  // all that were tried, by prefix
  int64_t tried_ = 0;
  int64_t newest_ = 0;  // the number of the last acknowledged one
  int64_t saved_ = 0;
  int64_t restored_ = 0;
};

}  // namespace millrace::sim
