#include "millrace/kernel/device.h"

#include <utility>

namespace millrace {
namespace {

Status NoOwnMemory(const Device& device) {
  return Internal("device ", device.name(), " has no memory of its own");
}

}  // namespace

void Device::CopyToHost(Tensor, Tensor*, Done done) {
  std::move(done)(NoOwnMemory(*this));
}

void Device::CopyFromHost(Tensor, Tensor*, Done done) {
  std::move(done)(NoOwnMemory(*this));
}

void Device::CopyFromPeer(Tensor, Tensor*, Done done) {
  std::move(done)(NoOwnMemory(*this));
}

}  // namespace millrace
