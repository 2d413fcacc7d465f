#include "millrace/exec/frames.h"

namespace millrace {

FrameState::FrameState(const Plan& p, int32_t n, uint64_t frame_id,
                       Iteration* from)
    : plan(p),
      layout(p.frame(n)),
      number(n),
      id(frame_id),
      parent(from),
      enters_missing(p.frame(n).num_enters) {
  if (!is_root()) {
    iterations.push_back(
        std::make_unique<Iteration>(this, 0, IterationStorage(layout)));
  }
}

}  // namespace millrace
