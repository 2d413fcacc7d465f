// `millrace status HOST:PORT`.
#pragma once

#include <string>

#include "millrace/protocol/peer.h"

namespace millrace {

struct StatusFlags {
  std::string address;
  bool json = false;
  int waits = 20;  // how many of the current waits
};

// Prints to stdout. Returns the exit code: 0, or 1 if the server could not be
// reached.
int RunStatus(const StatusFlags& flags);

// Returns a few human-readable lines.
std::string StatusText(const ServerStatusReply& reply);
// Returns one JSON object; its keys are the fields of the message.
std::string StatusJson(const ServerStatusReply& reply);

}  // namespace millrace
