#include "millrace/device/cuda/card.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/log.h"
#include "millrace/device/cuda/module_cache.h"

namespace millrace::cuda {
namespace {

// The cards in use, by the driver's number.
struct CardTable {
  Mutex mu;
  std::map<DeviceOrdinal, std::weak_ptr<Card>> cards;
};

CardTable& CardsOfProcess() {
  static constinit Mutex mu;
  static constinit CardTable* cards = nullptr;
  MutexLock lock(mu);
  if (cards == nullptr) cards = new CardTable;
  return *cards;
}

std::string UuidText(const Uuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    absl::StrAppend(&text, absl::Hex(uuid.bytes[i], absl::kZeroPad2));
  }
  return text;
}

}  // namespace

StatusOr<CardFacts> ReadCardFacts(const Driver& driver, DeviceOrdinal ordinal) {
  CardFacts facts;
  facts.ordinal = ordinal;
  const auto check = [&](Result result, const char* call) -> Status {
    if (result == Result::kSuccess) return OkStatus();
    return Internal("GPU ", ordinal, " cannot be used: ", call, ": ",
                    ErrorText(driver, result));
  };
  char text[256] = "";
  MR_RETURN_IF_ERROR(check(driver.DeviceGetName(text, sizeof(text), ordinal),
                           "cuDeviceGetName"));
  facts.name = text;
  MR_RETURN_IF_ERROR(
      check(driver.DeviceGetPciBusId(text, sizeof(text), ordinal),
            "cuDeviceGetPCIBusId"));
  facts.pci_bus_id = absl::AsciiStrToLower(text);
  Uuid uuid{};
  MR_RETURN_IF_ERROR(
      check(driver.DeviceGetUuid(&uuid, ordinal), "cuDeviceGetUuid"));
  facts.uuid = UuidText(uuid);
  MR_RETURN_IF_ERROR(check(driver.DeviceTotalMem(&facts.total_bytes, ordinal),
                           "cuDeviceTotalMem"));
  const std::pair<DeviceAttribute, int*> attributes[] = {
      {DeviceAttribute::kComputeCapabilityMajor, &facts.major},
      {DeviceAttribute::kComputeCapabilityMinor, &facts.minor},
      {DeviceAttribute::kMultiprocessorCount, &facts.multiprocessors},
      {DeviceAttribute::kMaxThreadsPerMultiprocessor,
       &facts.threads_per_multiprocessor},
      {DeviceAttribute::kClockRateKhz, &facts.clock_khz},
      {DeviceAttribute::kMemoryClockRateKhz, &facts.memory_clock_khz},
      {DeviceAttribute::kMemoryBusWidthBits, &facts.memory_bus_bits},
      {DeviceAttribute::kMaxSharedMemoryPerBlock,
       &facts.shared_bytes_per_block},
      {DeviceAttribute::kMaxSharedMemoryPerBlockOptin,
       &facts.shared_bytes_per_block_optin},
  };
  for (const auto& [attribute, value] : attributes) {
    MR_RETURN_IF_ERROR(
        check(driver.DeviceGetAttribute(value, attribute, ordinal),
              "cuDeviceGetAttribute"));
  }
  return facts;
}

Card::Card(const Driver& driver, const CardFacts& facts)
    : driver_(driver),
      facts_(facts),
      modules_(std::make_unique<ModuleCache>(*this)) {}

StatusOr<std::shared_ptr<Card>> Card::Open(const Driver& driver,
                                           const CardFacts& facts) {
  CardTable& open = CardsOfProcess();
  MutexLock lock(open.mu);
  std::weak_ptr<Card>& known = open.cards[facts.ordinal];
  if (std::shared_ptr<Card> card = known.lock()) {
    return card;
  }
  std::shared_ptr<Card> card(new Card(driver, facts));
  MR_RETURN_IF_ERROR(card->Start());
  known = card;
  return card;
}

Status Card::Start() {
  // Waiting threads sleep; most results come through the poller anyway. It
  // fails where the context is somebody else's already, who then decides.
  (void)driver_.DevicePrimaryCtxSetFlags(facts_.ordinal, kScheduleBlockingSync);
  const Status status =
      Check(driver_.DevicePrimaryCtxRetain(&context_, facts_.ordinal),
            "cuDevicePrimaryCtxRetain");
  if (!status.ok()) context_ = nullptr;
  return status;
}

Card::~Card() {
  if (context_ == nullptr) return;
  // What these return is of no use to anybody: the context ends.
  (void)driver_.CtxSetCurrent(context_);
  modules_.reset();
  for (const Event event : events_) (void)driver_.EventDestroy(event);
  (void)driver_.CtxSetCurrent(nullptr);
  (void)driver_.DevicePrimaryCtxRelease(facts_.ordinal);
}

std::string Card::name() const {
  return absl::StrCat("GPU ", facts_.ordinal, " (", facts_.name, ")");
}

Status Card::Use() {
  if (failed_.load(std::memory_order_acquire)) [[unlikely]]
    return error();
  return Check(driver_.CtxSetCurrent(context_), "cuCtxSetCurrent");
}

Status Card::Check(Result result, const char* call) {
  if (result == Result::kSuccess) [[likely]]
    return OkStatus();
  if (IsSticky(result)) return Fail(result, call);
  const std::string text = ErrorText(driver_, result);
  if (result == Result::kOutOfMemory) {
    return ResourceExhausted(name(), ": ", call, ": ", text);
  }
  return Internal(name(), ": ", call, ": ", text);
}

Status Card::error() const {
  if (!failed_.load(std::memory_order_acquire)) return OkStatus();
  MutexLock lock(mu_);
  return error_;
}

Status Card::Fail(Result result, const char* call) {
  const Status error =
      Internal(name(), " has failed: ", call, ": ", ErrorText(driver_, result),
               "; nothing runs on it until all sessions and servers of this "
               "process that use it have ended");
  MutexLock lock(mu_);
  if (error_.ok()) {
    error_ = error;
    failed_.store(true, std::memory_order_release);
    MR_LOG(Error) << error.message();
  }
  return error_;
}

StatusOr<Event> Card::TakeEvent() {
  {
    MutexLock lock(mu_);
    if (!events_.empty()) {
      const Event event = events_.back();
      events_.pop_back();
      return event;
    }
  }
  Event event = nullptr;
  MR_RETURN_IF_ERROR(
      Check(driver_.EventCreate(&event, kEventDisableTiming), "cuEventCreate"));
  return event;
}

void Card::ReturnEvent(Event event) {
  MutexLock lock(mu_);
  events_.push_back(event);
}

void Card::Drain(Stream stream) {
  (void)driver_.CtxSetCurrent(context_);
  // A context that answers with an error again and again has no work left.
  if (driver_.StreamSynchronize(stream) != Result::kSuccess) {
    (void)driver_.StreamSynchronize(stream);
  }
}

bool Card::CanReach(Card& peer) {
  if (&peer == this) return true;
  MutexLock lock(mu_);
  for (const auto& [ordinal, can] : peers_) {
    if (ordinal == peer.facts_.ordinal) return can;
  }
  int can = 0;
  if (driver_.DeviceCanAccessPeer(&can, facts_.ordinal, peer.facts_.ordinal) !=
      Result::kSuccess) {
    can = 0;
  }
  if (can != 0) {
    Result result = driver_.CtxSetCurrent(context_);
    if (result == Result::kSuccess) {
      result = driver_.CtxEnablePeerAccess(peer.context_, 0);
    }
    can = result == Result::kSuccess ||
          result == Result::kPeerAccessAlreadyEnabled;
  }
  MR_LOG(Info) << "copies from GPU " << peer.facts_.ordinal << " to GPU "
               << facts_.ordinal
               << (can != 0 ? " go directly" : " go through the host");
  peers_.emplace_back(peer.facts_.ordinal, can != 0);
  return can != 0;
}

}  // namespace millrace::cuda
