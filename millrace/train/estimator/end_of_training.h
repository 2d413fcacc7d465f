// How tasks that do not train learn that a training is over. Private to
// estimator/.
//
// Each task that trains says so to every parameter server when it has come to
// its end: it initializes a variable of its name there. A parameter server is
// done when all have, or when the chief has and the others cannot be reached
// any more; then it takes back what they said, for a next training on a server
// that lives on. For evaluators, which are beside the cluster, the chief leaves
// a file in the folder of the model. Variables and file are those of the
// estimators in Python, so tasks of both may be in one cluster.
#pragma once

#include <string>

#include "millrace/train/estimator/run_config.h"

namespace millrace::train {

// Says to all parameter servers that this task has come to its end. Those that
// cannot be reached are tried for a minute, and then named in the log.
void ReportEnd(const RunConfig& config);

// Blocks a parameter server, whose own server runs, until the training is over.
// Returns CANCELLED after a stop, and an error if its server cannot be reached
// for two minutes.
Status AwaitEnd(const RunConfig& config);

// The file by which the chief tells evaluators that there will be no other
// checkpoint.
class EndMarker {
 public:
  explicit EndMarker(const RunConfig& config);

  // Called before the training: what an earlier one left is not true any more.
  Status Remove() const;
  // Called after the training, with the last checkpoint.
  Status Write(const std::string& checkpoint) const;
  // Returns whether the training is over. A file that was there before this
  // object was made counts only after a while in which the chief could remove
  // it.
  bool IsThere() const;

 private:
  FileSystem* const files_;
  const std::string path_;
  const double begun_;  // seconds since 1970
};

}  // namespace millrace::train
