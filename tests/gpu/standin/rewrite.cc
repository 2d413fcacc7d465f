#include "tests/gpu/standin/rewrite.h"

#include <algorithm>
#include <cctype>

namespace millrace::cuda::standin {
namespace {

constexpr char kGlobal[] = "standin_global";
constexpr char kShared[] = "standin_shared";

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string Trimmed(const std::string& text) {
  size_t begin = 0, end = text.size();
  while (begin < end && std::isspace(static_cast<unsigned char>(text[begin])))
    ++begin;
  while (end > begin && std::isspace(static_cast<unsigned char>(text[end - 1])))
    --end;
  return text.substr(begin, end - begin);
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Returns the name of the function whose declaration goes on at `at`.
std::string FunctionName(const std::string& text, size_t at) {
  size_t end = text.find('(', at);
  if (end == std::string::npos) return "";
  while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1])))
    --end;
  size_t begin = end;
  while (begin > at && IsWordCharacter(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// Takes `alignas(...)` out of the beginning of a declaration, and returns it.
std::string TakeAlignment(std::string* declaration) {
  *declaration = Trimmed(*declaration);
  if (declaration->rfind("alignas", 0) != 0) return "";
  size_t end = declaration->find('(');
  for (int open = 0; end < declaration->size(); ++end) {
    if ((*declaration)[end] == '(') ++open;
    if ((*declaration)[end] == ')' && --open == 0) break;
  }
  if (end >= declaration->size()) return "";
  const std::string alignment = declaration->substr(0, end + 1);
  *declaration = declaration->substr(end + 1);
  return alignment;
}

// "float buffer[]" as a pointer to the block's dynamic shared memory.
std::string DynamicShared(std::string declaration) {
  TakeAlignment(&declaration);
  const size_t attribute = declaration.find("__attribute__");
  if (attribute != std::string::npos) {
    const size_t end = declaration.find("))", attribute);
    declaration.erase(attribute, declaration.find(')', end + 2) == end + 2
                                     ? end + 3 - attribute
                                     : end + 2 - attribute);
  }
  declaration = Trimmed(declaration.substr(0, declaration.find('[')));
  size_t begin = declaration.size();
  while (begin > 0 && IsWordCharacter(declaration[begin - 1])) --begin;
  const std::string type = declaration.substr(0, begin);
  return type + "* const " + declaration.substr(begin) + " = (" + type +
         "*)standin_thread->dynamic_shared";
}

}  // namespace

std::string RewriteDeviceText(const std::string& text,
                              std::vector<std::string>* entries) {
  std::string out;
  size_t at = 0;
  for (;;) {
    const size_t next = text.find("standin_", at);
    out.append(text, at, next - at);
    if (next == std::string::npos) return out;
    at = next;
    if (text.compare(at, sizeof(kGlobal) - 1, kGlobal) == 0) {
      at += sizeof(kGlobal) - 1;
      const std::string name = FunctionName(text, at);
      if (EndsWith(Trimmed(out), "extern \"C\"") && !name.empty() &&
          std::find(entries->begin(), entries->end(), name) == entries->end())
        entries->push_back(name);
    } else if (text.compare(at, sizeof(kShared) - 1, kShared) == 0) {
      at += sizeof(kShared) - 1;
      const std::string before = Trimmed(out);
      const size_t end = text.find(';', at);
      if (EndsWith(before, "extern") && end != std::string::npos) {
        out = before.substr(0, before.size() - 6) + " " +
              DynamicShared(text.substr(at, end - at));
        at = end;
      } else {
        // g++ wants the alignment first.
        std::string declaration = text.substr(at, end - at);
        const std::string alignment = TakeAlignment(&declaration);
        if (!alignment.empty()) {
          out += alignment + " ";
          at = end;
        }
        out += "static __thread";
        if (!alignment.empty()) out += declaration;
      }
    } else {
      out += text[at++];
    }
  }
}

std::string ModuleDefinition(const std::vector<std::string>& entries) {
  std::string list;
  std::string text = "\n";
  for (const std::string& name : entries) {
    text += "static constexpr StandInEntry standin_entry_" + name +
            " = StandInEntryOf<decltype(&" + name + "), &" + name +
            ">::Make(\"" + name + "\");\n";
    list += "&standin_entry_" + name + ", ";
  }
  return text + "static const StandInEntry* const standin_entries[] = {" +
         list +
         "nullptr};\n"
         "static void standin_begin(StandInThread* t, const StandInDevice* d) "
         "{ standin_thread = t; standin_device = d; }\n"
         "extern \"C\" __attribute__((visibility(\"default\"))) const "
         "StandInModule standin_module = {" +
         std::to_string(entries.size()) +
         ", standin_entries, standin_begin};\n";
}

}  // namespace millrace::cuda::standin
