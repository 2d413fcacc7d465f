#include "millrace/base/threads/done.h"

#include "millrace/base/check.h"

namespace millrace {

void Done::DieCalledTwice() {
  internal::Die(__FILE__, __LINE__, "armed",
                "a completion callback was called twice, or after a move");
}

}  // namespace millrace
