// Counts the calls of a library, and makes chosen ones fail.
#pragma once

#include <string>

namespace millrace::cuda::standin {

// Counts a call. Returns 0, or the error that it has to return.
int CountCall(const char* name);

// Counts `more` of something else that a test asks for, "blocks of ENTRY".
void AddCount(const std::string& name, unsigned long long more);

// Adds failures: "cuMemAlloc_v2:3=2;cuLaunchKernel:5-=719", which are names,
// the number of the call counted from now (with "-" that one and all later
// ones) and the error, 999 if it is left out. "" takes all failures away.
// Returns false if the text is malformed.
bool AddFailures(const std::string& text);

// Returns how often a name was counted since the last reset.
unsigned long long CountOf(const std::string& name);

// Takes all failures and counts away.
void ResetCalls();

}  // namespace millrace::cuda::standin

// The control functions, which each of the libraries exports for tests.
#pragma GCC visibility push(default)
extern "C" {
int millraceStandInFail(const char* failures);
unsigned long long millraceStandInCalls(const char* name);
void millraceStandInReset();
int millraceStandInSet(const char* name, const char* value);
}
#pragma GCC visibility pop
