// Runs the suite on the transports that need no gRPC.
#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/fault/fault_network.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/rpc/testing/transport_suite.h"

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

// Bulk sockets, found through loopback; a case for each value of
// first_calls_wait.
INSTANTIATE_TEST_SUITE_P(
    Bulk, TransportSuite,
    ::testing::Values(
        TransportCase{.name = "FromTheFirstCall",
                      .make =
                          [] {
                            return MakeBulkTransport(
                                MakeLoopback(), {.first_calls_wait = true});
                          }},
        TransportCase{
            .name = "AsSoonAsItIsThere",
            .make = [] { return MakeBulkTransport(MakeLoopback()); }}),
    [](const auto& info) { return info.param.name; });

// Without faults the fault transport behaves like the transport it wraps.
std::shared_ptr<Transport> MakeFault() {
  return FaultNetwork(MakeLoopback(), {}).Endpoint("suite");
}

INSTANTIATE_TEST_SUITE_P(Fault, TransportSuite,
                         ::testing::Values(TransportCase{.name = "Threads",
                                                         .make = MakeFault},
                                           TransportCase{.name = "Simulated",
                                                         .make = MakeFault,
                                                         .seeds = 20,
                                                         .big_bytes = 100'000}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace millrace
