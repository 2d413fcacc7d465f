#include "tests/gpu/standin/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace millrace::cuda::standin {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Returns the card that an entry of CUDA_VISIBLE_DEVICES names, -1 if none: a
// number, or the beginning of the UUID of one card.
int NamedCard(const std::string& entry,
              const std::vector<Settings::Card>& cards) {
  if (entry.rfind("GPU-", 0) == 0) {
    int found = -1;
    for (const Settings::Card& card : cards) {
      if (card.uuid.rfind(entry, 0) != 0) continue;
      if (found >= 0) return -1;
      found = card.number;
    }
    return found;
  }
  char* end = nullptr;
  const long number = std::strtol(entry.c_str(), &end, 10);
  const bool is_number = end != entry.c_str() && *end == '\0';
  return is_number && number >= 0 && number < static_cast<long>(cards.size())
             ? static_cast<int>(number)
             : -1;
}

// The rules of CUDA_VISIBLE_DEVICES: the list ends at the first entry that
// names no card; a card that is named twice makes none visible.
std::vector<Settings::Card> Visible(std::vector<Settings::Card> all) {
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) return all;
  std::vector<Settings::Card> visible;
  for (const std::string& entry : Split(list, ',')) {
    const int number = NamedCard(Trimmed(entry), all);
    if (number < 0) break;
    for (const Settings::Card& card : visible) {
      if (card.number == number) return {};
    }
    visible.push_back(all[static_cast<size_t>(number)]);
  }
  return visible;
}

std::vector<Settings::Card> AllCards() {
  const int count = std::atoi(Variable("GPUS", "1").c_str());
  const std::vector<std::string> megabytes =
      Split(Variable("MEMORY_MB", "1024"), ',');
  std::vector<Settings::Card> cards;
  for (int i = 0; i < count; ++i) {
    const size_t which = std::min(static_cast<size_t>(i), megabytes.size() - 1);
    char uuid[64], bus_id[32];
    std::snprintf(uuid, sizeof(uuid), "GPU-4d696c6c-7261-6365-0000-%012x", i);
    std::snprintf(bus_id, sizeof(bus_id), "0000:%02X:00.0", i);
    cards.push_back(
        {i, "Millrace stand-in " + std::to_string(i), uuid, bus_id,
         static_cast<size_t>(std::atoll(megabytes[which].c_str())) << 20});
  }
  return cards;
}

Settings* Read() {
  auto* s = new Settings;
  s->cards = Visible(AllCards());
  std::sscanf(Variable("CAPABILITY", "8.0").c_str(), "%d.%d",
              &s->capability_major, &s->capability_minor);
  s->shared_counts = Variable("CARDS", "");
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  s->threads = std::atoi(
      Variable("THREADS", std::to_string(std::clamp(cores, 1, 4)).c_str())
          .c_str());
  s->deadline_ms = std::atoll(Variable("DEADLINE_MS", "120000").c_str());
  s->strict = Variable("STRICT", "0") == "1";
  s->lazy_seed = std::strtoull(Variable("LAZY", "0").c_str(), nullptr, 10);
  s->thread_seed = std::strtoull(Variable("SEED", "0").c_str(), nullptr, 10);
  return s;
}

}  // namespace

std::string Variable(const char* name, const char* otherwise) {
  const char* value =
      std::getenv((std::string("MILLRACE_STANDIN_") + name).c_str());
  return value != nullptr ? value : otherwise;
}

bool FusesMultiplyAdds() { return Variable("FMA", "0") == "1"; }

Settings& GetSettings() {
  // Streams of the process use it until the process ends.
  static Settings* const settings = Read();
  return *settings;
}

bool ChangeSetting(const std::string& name, const std::string& value) {
  Settings& s = GetSettings();
  const uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
  if (name == "strict") {
    s.strict = number != 0;
  } else if (name == "lazy") {
    s.lazy_seed = number;
  } else if (name == "seed") {
    s.thread_seed = number;
  } else {
    return false;
  }
  return true;
}

}  // namespace millrace::cuda::standin
