#include "examples/support/usage.h"

#include <algorithm>
#include <cstdio>

#include "millrace/millrace.h"

namespace millrace::examples {
namespace {

constexpr int kUsageError = 2;

// "; did you mean X?" for the first word of which the error speaks, and which
// is near to a known one; or nothing.
std::string Hint(const std::string& error,
                 const std::vector<std::string>& known, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    for (const std::string& word :
         {text.substr(0, text.find('=')), text.substr(text.find('=') + 1)}) {
      if (error.find(word) == std::string::npos) continue;
      const bool is_known =
          std::find(known.begin(), known.end(), word) != known.end();
      const std::string near = NearestWord(word, known);
      if (!near.empty() && !is_known) return "; did you mean " + near + "?";
    }
  }
  return "";
}

}  // namespace

std::optional<int> ParseArguments(CLI::App& app, int argc, char** argv,
                                  std::vector<std::string> words) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->nonpositional() && !option->get_group().empty())
        words.push_back(option->get_name());
    }
    std::fprintf(stderr, "%s: %s%s (--help shows what there is)\n",
                 app.get_name().c_str(), error.what(),
                 Hint(error.what(), words, argc, argv).c_str());
    return kUsageError;
  }
}

}  // namespace millrace::examples
