// TrackedVariable: a variable of a client and its expected value.
#pragma once

#include <string>

#include "tests/simulation/account.h"
#include "tests/simulation/connection.h"

namespace millrace::sim {

// A scalar, or a vector whose elements are equal. Not thread-safe.
class TrackedVariable {
 public:
  TrackedVariable(Connection& connection, const ops::Variable& variable,
                  int ps);

  int ps() const { return ps_; }
  int life() const { return connection_.cluster().life(ps_); }
  const ops::Variable& variable() const { return variable_; }
  Account& account() { return account_; }

  // Returns false while an assignment of unknown outcome may still arrive, so
  // that the value is unknown. When that time has passed, reads it. Sets
  // `*status` to the error if that fails.
  bool Usable(Status* status);
  // Records an assignment of unknown outcome: the variable is not usable for a
  // while.
  void Distrust();
  // Assigns the variable's initial value if it has none.
  Status Initialize();

  // Fails the run if a fetched value is not possible. Returns it.
  int64_t Check(const Tensor& value, const char* what);

 private:
  Connection& connection_;
  const ops::Variable variable_;
  const int ps_;
  const Output initialized_;
  Account account_;
  bool trusted_ = true;
  int distrusted_life_ = 0;
  int initialized_life_ = -1;  // of the ps, in which it was given a value
  Deadline trusted_from_ = Deadline::Infinite();
};

// Returns the number to which all elements of a float tensor are equal; -1 if
// they differ.
int64_t EqualElements(const Tensor& value);

}  // namespace millrace::sim
