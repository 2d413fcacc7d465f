// Maps UTF-8 text to lower and upper case, by Unicode's full mappings.
#pragma once

#include <locale.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Thread-safe. Single characters are mapped by the C library's tables, and
// characters that become several by our own; a sigma at the end of a word
// becomes the final sigma. Malformed UTF-8 becomes U+FFFD.
class CaseMapping {
 public:
  // Returns UNAVAILABLE if the C library has no tables for UTF-8.
  static StatusOr<CaseMapping> Make();
  CaseMapping(CaseMapping&& o) noexcept
      : locale_(std::exchange(o.locale_, locale_t{})) {}
  CaseMapping& operator=(CaseMapping&&) = delete;
  ~CaseMapping();

  std::string Lower(absl::string_view text) const;
  std::string Upper(absl::string_view text) const;

 private:
  explicit CaseMapping(locale_t locale) : locale_(locale) {}
  bool IsFinalSigma(absl::string_view before, absl::string_view after) const;

  locale_t locale_;
};

}  // namespace millrace::ops
