#include "millrace/rpc/fault/fault_network.h"

#include <utility>

#include "millrace/rpc/fault/fault_call.h"
#include "millrace/rpc/fault/fault_state.h"

namespace millrace {
namespace {

using State = FaultNetwork::State;

class FaultCaller final : public Caller {
 public:
  FaultCaller(std::shared_ptr<State> network, std::string from,
              std::string address)
      : network_(std::move(network)),
        base_(network_->base().Connect(address)),
        from_(std::move(from)),
        address_(std::move(address)) {}

  void Call(const Method& method, CallContext& context, ByteChunks request,
            ByteChunks* reply, Done done) override {
    const uint64_t id = network_->NewId();
    const auto call = MakeRef<FaultCall>(
        network_, base_, from_, network_->NameOf(address_), method, address_,
        context, reply,
        [network = network_, id, done = std::move(done)](Status s) mutable {
          network->Leave(id);
          std::move(done)(std::move(s));
        });
    network_->Enter(id, call);
    if (call->Begin()) call->Start(std::move(request));
  }

 private:
  const std::shared_ptr<State> network_;
  const std::shared_ptr<Caller> base_;
  const std::string from_;
  const std::string address_;
};

class FaultTransport final : public Transport {
 public:
  FaultTransport(std::shared_ptr<State> network, std::string name)
      : network_(std::move(network)), name_(std::move(name)) {}

  std::shared_ptr<Caller> Connect(const std::string& address) override {
    return std::make_shared<FaultCaller>(network_, name_, address);
  }

  StatusOr<std::unique_ptr<Listener>> Listen(
      const ListenOptions& options, const Services& services) override {
    MR_ASSIGN_OR_RETURN(auto listener,
                        network_->base().Listen(options, services));
    network_->AddName(listener->address(), name_);
    return listener;
  }

 private:
  const std::shared_ptr<State> network_;
  const std::string name_;
};

}  // namespace

FaultNetwork::FaultNetwork(std::shared_ptr<Transport> base,
                           FaultOptions options)
    : state_(std::make_shared<State>(std::move(base), std::move(options))) {}

FaultNetwork::~FaultNetwork() { HealAll(); }

std::shared_ptr<Transport> FaultNetwork::Endpoint(const std::string& name) {
  return std::make_shared<FaultTransport>(state_, name);
}

void FaultNetwork::set_options(FaultOptions options) {
  state_->set_options(std::move(options));
}

void FaultNetwork::Partition(const std::string& a, const std::string& b,
                             Deadline until) {
  state_->Partition(a, b, until);
}

void FaultNetwork::Heal(const std::string& a, const std::string& b) {
  state_->Heal(a, b);
}

void FaultNetwork::HealAll() { state_->HealAll(); }

void FaultNetwork::Reset(const std::string& from, const std::string& to) {
  state_->Reset(state_->NameOf(from), state_->NameOf(to));
}

int64_t FaultNetwork::count(Fault fault) const {
  return state_->count(fault, nullptr);
}

int64_t FaultNetwork::count(Fault fault, MethodId method) const {
  return state_->count(fault, &method);
}

int64_t FaultNetwork::calls() const { return state_->calls(); }

std::string FaultNetwork::Report() const { return state_->Report(); }

}  // namespace millrace
