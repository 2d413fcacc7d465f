// `millrace status HOST:PORT`.
#pragma once

#include <string>

#include "millrace/protocol/peer.h"

namespace millrace {

struct StatusFlags {
  std::string address;
  bool json = false;
  int waits = 20;  // how many of the waits in progress
};

// Prints on stdout. The exit code: 0, or 1 if the server could not be reached.
int RunStatus(const StatusFlags& flags);

// A few lines for people.
std::string StatusText(const ServerStatusReply& reply);
// One object; keys as the fields of the message.
std::string StatusJson(const ServerStatusReply& reply);

}  // namespace millrace
