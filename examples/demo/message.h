// What a client and the launcher say to each other: lines of words over pipes.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace millrace::demo {

// From clients:
//   started STEP [PREFIX]     ready to train, restored from PREFIX
//   step STEP LOSS RATE       RATE: examples a second of this client
//   accuracy EPOCH VALUE      of the test set
//   recovered STEP [PREFIX]   after a lost task
//   trained STEP              has seen the last step, waits
//   done STEP                 the chief: all is tested and saved
//   error TEXT...
// To clients:
//   chief    keep checkpoints, events and the test accuracy from now on
//   finish   to the chief, once all have trained: test, save, be done
//   train    go on after "trained", as an older checkpoint was restored
//   stop
struct Message {
  std::string kind;
  std::vector<std::string> words;
  std::string text;  // all words
};
Message ParseMessage(absl::string_view line);

}  // namespace millrace::demo
