#pragma once

#include <gtest/gtest.h>

#include "core/error.h"

namespace mote {

/// What `work` throws; fails where it throws nothing.
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
