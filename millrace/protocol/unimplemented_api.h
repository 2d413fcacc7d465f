// Servers whose methods all answer UNIMPLEMENTED with the method's name. Tests
// and benchmarks override the methods that they call.
#pragma once

#include <utility>

#include "millrace/protocol/master.h"
#include "millrace/protocol/worker.h"

namespace millrace {

#define MR_UNIMPLEMENTED(Name)                                           \
  void Name(CallContext&, const Name##Request&, Name##Reply*, Done done) \
      override {                                                         \
    std::move(done)(Unimplemented(#Name));                               \
  }
class UnimplementedMaster : public MasterApi {
 public:
  MR_MASTER_METHODS(MR_UNIMPLEMENTED)
};

class UnimplementedWorker : public WorkerApi {
 public:
  MR_WORKER_METHODS(MR_UNIMPLEMENTED)
};
#undef MR_UNIMPLEMENTED

}  // namespace millrace
