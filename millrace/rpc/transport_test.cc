// The suite on the transports that need no sockets.
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/rpc/transport_suite.h"

namespace millrace {
namespace {

std::shared_ptr<Transport> MakeLoopback() {
  return std::make_shared<LoopbackNetwork>();
}

INSTANTIATE_TEST_SUITE_P(Loopback, TransportSuite,
                         ::testing::Values(TransportCase{.name = "Threads",
                                                         .make = MakeLoopback},
                                           TransportCase{.name = "Simulated",
                                                         .make = MakeLoopback,
                                                         .seeds = 20,
                                                         .big_bytes = 100'000}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace millrace
