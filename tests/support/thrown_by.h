#pragma once

#include <gtest/gtest.h>

#include "core/error.h"

namespace mote {

/// Returns the Error thrown by `work`; fails the test if there is none.
template <class Work>
Error thrown_by(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {"", "", ""};
}

}  // namespace mote
