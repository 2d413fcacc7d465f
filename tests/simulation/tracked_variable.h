// TrackedVariable: a variable of a client and what it must hold.
#pragma once

#include <string>

#include "tests/simulation/account.h"
#include "tests/simulation/connection.h"

namespace millrace::sim {

// A scalar, or a vector whose elements are equal. One thread.
class TrackedVariable {
 public:
  TrackedVariable(Connection& connection, const ops::Variable& variable,
                  int ps);

  int ps() const { return ps_; }
  int life() const { return connection_.cluster().life(ps_); }
  const ops::Variable& variable() const { return variable_; }
  Account& account() { return account_; }

  // False while an assignment may still come that nobody knows of, so that
  // nothing can be said of the value. When that time has passed, reads it.
  // Sets `*status` to the error if that fails.
  bool Usable(Status* status);
  // An assignment of unknown outcome: not usable for a while.
  void Distrust();
  // Gives the variable its first value if it has none.
  Status Initialize();

  // A value that was fetched: fails the run if it cannot be. Gives it.
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

// The number that all elements of a float tensor are; -1 if they differ.
int64_t EqualElements(const Tensor& value);

}  // namespace millrace::sim
