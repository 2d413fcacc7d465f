#include "millrace/protocol/method.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace millrace {
namespace {

#define MASTER(Name) \
  MethodId::k##Name, Service::kMaster, #Name, "/tensorflow.MasterService/" #Name
#define WORKER(Name) \
  MethodId::k##Name, Service::kWorker, #Name, "/tensorflow.WorkerService/" #Name

constexpr bool kOnce = false, kIdempotent = true;
constexpr bool kNotRetried = false, kRetried = true;
constexpr bool kEnds = false, kWaits = true;

constexpr std::array<Method, kNumMethods> kMethods = {{
    {MASTER(CreateSession), kOnce, kNotRetried, kWaits, 0},
    {MASTER(ExtendSession), kOnce, kNotRetried, kWaits, 0},
    {MASTER(PartialRunSetup), kOnce, kNotRetried, kWaits, 0},
    {MASTER(RunStep), kOnce, kNotRetried, kWaits, 0},
    {MASTER(CloseSession), kIdempotent, kNotRetried, kEnds, 0},
    {MASTER(ListDevices), kIdempotent, kRetried, kWaits, 0},
    {MASTER(Reset), kIdempotent, kNotRetried, kWaits, 0},
    {MASTER(MakeCallable), kOnce, kNotRetried, kWaits, 0},
    {MASTER(RunCallable), kOnce, kNotRetried, kWaits, 0},
    {MASTER(ReleaseCallable), kIdempotent, kNotRetried, kEnds, 0},

    {WORKER(GetStatus), kIdempotent, kRetried, kEnds, 10'000},
    {WORKER(CreateWorkerSession), kIdempotent, kRetried, kWaits, 60'000},
    {WORKER(DeleteWorkerSession), kIdempotent, kRetried, kEnds, 10'000},
    // Idempotent because of its registration number.
    {WORKER(RegisterGraph), kIdempotent, kNotRetried, kWaits, 0},
    {WORKER(DeregisterGraph), kIdempotent, kRetried, kEnds, 10'000},
    {WORKER(RunGraph), kOnce, kNotRetried, kWaits, 0},
    {WORKER(CleanupGraph), kIdempotent, kRetried, kEnds, 10'000},
    {WORKER(CleanupAll), kIdempotent, kRetried, kWaits, 60'000},
    {WORKER(RecvTensor), kOnce, kNotRetried, kWaits, 0},
    {WORKER(RecvBuf), kOnce, kNotRetried, kWaits, 0},
    {WORKER(Logging), kOnce, kNotRetried, kEnds, 10'000},
    {WORKER(Tracing), kOnce, kNotRetried, kWaits, 0},
    {WORKER(CompleteGroup), kOnce, kNotRetried, kWaits, 0},
    {WORKER(CompleteInstance), kOnce, kNotRetried, kWaits, 0},
    {WORKER(GetStepSequence), kIdempotent, kNotRetried, kEnds, 10'000},
    {WORKER(MarkRecvFinished), kIdempotent, kNotRetried, kEnds, 10'000},

    {MethodId::kHello, Service::kPeer, "Hello", "/millrace.Peer/Hello", kOnce,
     kNotRetried, kEnds, 5'000},
    {MethodId::kStop, Service::kAdmin, "Stop", "/millrace.Admin/Stop",
     kIdempotent, kNotRetried, kEnds, 10'000},
    {MethodId::kServerStatus, Service::kAdmin, "Status",
     "/millrace.Admin/Status", kIdempotent, kNotRetried, kEnds, 10'000},
    {MethodId::kStartTrace, Service::kAdmin, "StartTrace",
     "/millrace.Admin/StartTrace", kIdempotent, kNotRetried, kEnds, 10'000},
    {MethodId::kCollectTrace, Service::kAdmin, "CollectTrace",
     "/millrace.Admin/CollectTrace", kOnce, kNotRetried, kEnds, 30'000},
}};
#undef MASTER
#undef WORKER

constexpr bool InOrder() {
  for (int i = 0; i < kNumMethods; ++i) {
    if (static_cast<int>(kMethods[i].id) != i) return false;
    if (kMethods[i].retried && !kMethods[i].idempotent) return false;
  }
  return true;
}
static_assert(InOrder(), "the table has the order of MethodId");

}  // namespace

const Method& GetMethod(MethodId id) {
  return kMethods[static_cast<size_t>(id)];
}

absl::Span<const Method> AllMethods() { return kMethods; }

std::vector<std::string> PathsOf(const Method& method) {
  std::vector<std::string> paths = {std::string(method.path)};
  absl::string_view rest = method.path;
  if (absl::ConsumePrefix(&rest, "/tensorflow.")) {
    paths.push_back(absl::StrCat("/tensorflow.grpc.", rest));
  }
  return paths;
}

int64_t RetryDelayMillis(int attempt) {
  return std::min<int64_t>(2000, int64_t{20} << std::clamp(attempt - 1, 0, 10));
}

Status StatusForClient(const Status& status) {
  if (status.code() != StatusCode::kUnavailable) return status;
  Status result(StatusCode::kAborted, status.message());
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    result.SetPayload(url, value);
  });
  return result;
}

Status CutMessage(const Status& status, size_t max_bytes) {
  absl::string_view message = status.message();
  if (message.size() <= max_bytes) return status;
  constexpr absl::string_view kMark = " [...]";
  size_t end = max_bytes - kMark.size();
  // Does not split a character: continuation bytes of UTF-8 are 10xxxxxx.
  while (end > 0 && (static_cast<uint8_t>(message[end]) & 0xc0) == 0x80) --end;
  Status result(status.code(), absl::StrCat(message.substr(0, end), kMark));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    result.SetPayload(url, value);
  });
  return result;
}

}  // namespace millrace
