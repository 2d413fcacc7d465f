#include "millrace/rpc/fault/fault_state.h"

#include <algorithm>
#include <utility>

#include "millrace/base/sim/sim.h"
#include "millrace/rpc/fault/fault_call.h"

namespace millrace {
namespace {

constexpr int kMillion = 1'000'000;

// SimRandom returns 0 where there is no seed.
bool Chance(int in_a_million) {
  return 1 + static_cast<int>(SimRandom(kMillion)) > kMillion - in_a_million;
}
int64_t Below(int64_t nanos) {
  return static_cast<int64_t>(SimRandom(std::max<int64_t>(nanos, 1)));
}

bool Matches(const std::string& pattern, const std::string& name) {
  return pattern == "*" || pattern == name;
}

}  // namespace

absl::string_view FaultName(Fault fault) {
  static constexpr std::array<absl::string_view, kNumFaults> kNames = {
      "request_lost",  "reply_lost", "duplicated", "request_delayed",
      "reply_delayed", "reset",      "held"};
  return kNames[static_cast<size_t>(fault)];
}

bool FaultNetwork::State::Split::Cuts(const std::string& from,
                                      const std::string& to) const {
  return (Matches(a, from) && Matches(b, to)) ||
         (Matches(a, to) && Matches(b, from));
}

void FaultNetwork::State::set_options(FaultOptions options) {
  MutexLock lock(mu_);
  options_ = std::move(options);
}

void FaultNetwork::State::AddName(const std::string& address,
                                  const std::string& name) {
  MutexLock lock(mu_);
  names_[address] = name;
  ++lives_[address];
}

int64_t FaultNetwork::State::StartsOf(absl::string_view address) const {
  MutexLock lock(mu_);
  const auto it = lives_.find(address);
  return it == lives_.end() ? 0 : it->second;
}

std::string FaultNetwork::State::NameOf(const std::string& address) const {
  MutexLock lock(mu_);
  const auto it = names_.find(address);
  return it == names_.end() ? address : it->second;
}

FaultPlan FaultNetwork::State::Decide(const Method& method) {
  FaultOptions o;
  {
    MutexLock lock(mu_);
    ++calls_;
    o = options_;
  }
  FaultPlan plan;
  if (!o.methods.empty() && std::find(o.methods.begin(), o.methods.end(),
                                      method.id) == o.methods.end()) {
    return plan;
  }
  plan.request_lost = Chance(o.request_lost);
  plan.reply_lost = Chance(o.reply_lost);
  plan.duplicated = Chance(o.duplicated);
  plan.reset = Chance(o.reset);
  if (Chance(o.request_delayed)) plan.request_delay = Below(o.max_delay_nanos);
  if (Chance(o.reply_delayed)) plan.reply_delay = Below(o.max_delay_nanos);
  if (plan.duplicated) plan.duplicate_delay = Below(o.max_delay_nanos);
  if (plan.request_lost || plan.reply_lost) {
    plan.loss_delay = Below(o.max_loss_nanos);
  }
  if (plan.reset) plan.reset_delay = Below(o.max_reset_nanos);
  return plan;
}

void FaultNetwork::State::Count(Fault fault, const FaultCall& call) {
  RecordEvent(absl::StrCat("fault ", FaultName(fault), " ", call.method().name,
                           " ", call.from(), " -> ", call.to()));
  const auto method = static_cast<size_t>(call.method().id);
  if (method >= kNumMethods) return;
  MutexLock lock(mu_);
  ++counts_[static_cast<size_t>(fault)][method];
}

uint64_t FaultNetwork::State::NewId() {
  MutexLock lock(mu_);
  return ++last_id_;
}

void FaultNetwork::State::Enter(uint64_t id, Ref<FaultCall> call) {
  MutexLock lock(mu_);
  open_.emplace(id, std::move(call));
}

void FaultNetwork::State::Leave(uint64_t id) {
  Ref<FaultCall> dropped;
  MutexLock lock(mu_);
  const auto it = open_.find(id);
  if (it == open_.end()) return;
  dropped = std::move(it->second);
  open_.erase(it);
}

void FaultNetwork::State::Reset(const std::string& from,
                                const std::string& to) {
  std::vector<Ref<FaultCall>> broken;
  {
    MutexLock lock(mu_);
    for (const auto& [id, call] : open_) {
      if (Matches(from, call->from()) && Matches(to, call->to())) {
        broken.push_back(call);
      }
    }
  }
  for (const auto& call : broken) call->Break();
}

bool FaultNetwork::State::IsCut(const std::string& from,
                                const std::string& to) const {
  return std::any_of(splits_.begin(), splits_.end(),
                     [&](const Split& s) { return s.Cuts(from, to); });
}

bool FaultNetwork::State::WhenConnected(const std::string& from,
                                        const std::string& to, Lanes& lanes,
                                        absl::AnyInvocable<void()> task) {
  {
    MutexLock lock(mu_);
    if (IsCut(from, to)) {
      held_.push_back({from, to, &lanes, std::move(task)});
      return false;
    }
  }
  task();
  return true;
}

void FaultNetwork::State::Partition(const std::string& a, const std::string& b,
                                    Deadline until) {
  const std::string first = NameOf(a), second = NameOf(b);
  RecordEvent(absl::StrCat("partition ", first, " | ", second));
  const uint64_t id = NewId();
  {
    MutexLock lock(mu_);
    splits_.push_back({id, first, second});
  }
  if (until.infinite()) return;
  Lanes::Process().timer.RunAt(until, [weak = weak_from_this(), id] {
    const std::shared_ptr<State> state = weak.lock();
    if (state) state->Rejoin([&](const Split& s) { return s.id == id; });
  });
}

void FaultNetwork::State::Heal(const std::string& a, const std::string& b) {
  const std::string first = NameOf(a), second = NameOf(b);
  Rejoin([&](const Split& s) {
    return (s.a == first && s.b == second) || (s.a == second && s.b == first);
  });
}

void FaultNetwork::State::HealAll() {
  Rejoin([](const Split&) { return true; });
}

void FaultNetwork::State::Rejoin(absl::FunctionRef<bool(const Split&)> over) {
  std::vector<Held> free;
  {
    MutexLock lock(mu_);
    splits_.erase(std::remove_if(splits_.begin(), splits_.end(), over),
                  splits_.end());
    std::vector<Held> still;
    for (Held& h : held_) {
      (IsCut(h.from, h.to) ? still : free).push_back(std::move(h));
    }
    held_ = std::move(still);
  }
  for (Held& h : free) h.lanes->control.Schedule(std::move(h.task));
}

int64_t FaultNetwork::State::count(Fault fault, const MethodId* method) const {
  MutexLock lock(mu_);
  const auto& row = counts_[static_cast<size_t>(fault)];
  if (method) return row[static_cast<size_t>(*method)];
  int64_t sum = 0;
  for (const int64_t n : row) sum += n;
  return sum;
}

int64_t FaultNetwork::State::calls() const {
  MutexLock lock(mu_);
  return calls_;
}

std::string FaultNetwork::State::Report() const {
  MutexLock lock(mu_);
  std::string text = absl::StrCat("calls ", calls_, "\n");
  for (int f = 0; f < kNumFaults; ++f) {
    for (int m = 0; m < kNumMethods; ++m) {
      if (counts_[f][m] == 0) continue;
      absl::StrAppend(&text, FaultName(static_cast<Fault>(f)), " ",
                      GetMethod(static_cast<MethodId>(m)).name, " ",
                      counts_[f][m], "\n");
    }
  }
  return text;
}

}  // namespace millrace
