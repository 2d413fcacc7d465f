#include "tools/millrace/status_command.h"

#include <cstdio>

#include "absl/strings/str_format.h"
#include "millrace/base/json/json_text.h"
#include "tools/millrace/admin_client.h"
#include "tools/millrace/exit_codes.h"

namespace millrace {
namespace {

std::string Mebibytes(int64_t bytes) {
  return absl::StrFormat("%.1f MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string Seconds(int64_t ms) {
  return absl::StrFormat("%.1f s", static_cast<double>(ms) / 1000);
}

}  // namespace

std::string StatusText(const ServerStatusReply& r) {
  std::string text = absl::StrFormat(
      "%s, Millrace %s, up %s, %d threads\n"
      "sessions: %d as master, %d as worker; %d kinds of runs; %d graphs, "
      "%d plans, %d kernels\n"
      "steps: %d running, %d done, %d failed; %d values at rendezvous\n"
      "resources: %d variables (%s), %d queues\n"
      "memory: %s of %s, at most %s so far\n",
      r.task, r.version, Seconds(r.uptime_ms), r.threads, r.master_sessions,
      r.worker_sessions, r.prepared_runs, r.registered_graphs, r.plans,
      r.kernels, r.running_steps, r.steps_done, r.steps_failed,
      r.rendezvous_entries, r.variables, Mebibytes(r.variable_bytes), r.queues,
      Mebibytes(r.memory_used_bytes), Mebibytes(r.memory_limit_bytes),
      Mebibytes(r.memory_peak_bytes));
  if (r.bytes_sent > 0 || r.bytes_received > 0) {
    absl::StrAppend(&text, "network: ", Mebibytes(r.bytes_sent), " sent, ",
                    Mebibytes(r.bytes_received), " received\n");
  }
  for (const ServerDevice& device : r.devices) {
    absl::StrAppend(&text, "device ", device.name, ": ",
                    Mebibytes(device.memory_used_bytes), " of ",
                    Mebibytes(device.memory_limit_bytes), ", at most ",
                    Mebibytes(device.memory_peak_bytes), " so far");
    if (!device.description.empty()) {
      absl::StrAppend(&text, "; ", device.description);
    }
    text += "\n";
  }
  for (const ServerWait& wait : r.waits) {
    absl::StrAppend(&text, "wait: ", Seconds(wait.waiting_ms), " ", wait.kind);
    if (wait.step_id != 0) absl::StrAppend(&text, " ", wait.step_id);
    absl::StrAppend(&text, ": ", wait.text, "\n");
  }
  return text;
}

std::string StatusJson(const ServerStatusReply& r) {
  std::string json = absl::StrCat(
      "{\"task\": ", JsonString(r.task),
      ", \"version\": ", JsonString(r.version), ", \"incarnation\": \"",
      absl::Hex(r.incarnation, absl::kZeroPad16), "\"");
  const auto number = [&json](absl::string_view key, int64_t value) {
    absl::StrAppend(&json, ", \"", key, "\": ", value);
  };
  number("uptime_ms", r.uptime_ms);
  number("master_sessions", r.master_sessions);
  number("worker_sessions", r.worker_sessions);
  number("prepared_runs", r.prepared_runs);
  number("registered_graphs", r.registered_graphs);
  number("plans", r.plans);
  number("kernels", r.kernels);
  number("running_steps", r.running_steps);
  number("rendezvous_entries", r.rendezvous_entries);
  number("queues", r.queues);
  number("variables", r.variables);
  number("variable_bytes", r.variable_bytes);
  number("memory_used_bytes", r.memory_used_bytes);
  number("memory_peak_bytes", r.memory_peak_bytes);
  number("memory_limit_bytes", r.memory_limit_bytes);
  number("steps_done", r.steps_done);
  number("steps_failed", r.steps_failed);
  number("bytes_sent", r.bytes_sent);
  number("bytes_received", r.bytes_received);
  number("threads", r.threads);
  absl::StrAppend(&json, ", \"devices\": [");
  bool first = true;
  for (const ServerDevice& device : r.devices) {
    absl::StrAppend(
        &json, first ? "" : ", ", "{\"name\": ", JsonString(device.name),
        ", \"description\": ", JsonString(device.description),
        ", \"memory_used_bytes\": ", device.memory_used_bytes,
        ", \"memory_peak_bytes\": ", device.memory_peak_bytes,
        ", \"memory_limit_bytes\": ", device.memory_limit_bytes, "}");
    first = false;
  }
  absl::StrAppend(&json, "], \"waits\": [");
  first = true;
  for (const ServerWait& wait : r.waits) {
    absl::StrAppend(&json, first ? "" : ", ",
                    "{\"kind\": ", JsonString(wait.kind),
                    ", \"text\": ", JsonString(wait.text),
                    ", \"waiting_ms\": ", wait.waiting_ms,
                    ", \"step_id\": ", wait.step_id, "}");
    first = false;
  }
  return json + "]}";
}

int RunStatus(const StatusFlags& flags) {
  StatusOr<std::unique_ptr<AdminClient>> client =
      AdminClient::Connect(flags.address);
  Status status = client.status();
  if (status.ok()) {
    StatusOr<ServerStatusReply> reply =
        (*client)->GetStatus({.max_waits = flags.waits});
    status = reply.status();
    if (status.ok()) {
      const std::string text =
          flags.json ? StatusJson(*reply) + "\n" : StatusText(*reply);
      std::fputs(text.c_str(), stdout);
      return 0;
    }
  }
  return Fail("status", status, kStartError);
}

}  // namespace millrace
