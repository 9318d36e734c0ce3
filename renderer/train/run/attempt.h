#pragma once

#include <new>

#include "core/error.h"
#include "core/log.h"

namespace mote {

/// Runs work whose failure must not end hours of training. An Error becomes a warning with
/// `remark`, and the run continues.
template <class Work>
bool attempt(const char* remark, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    log_warning("{}; {}", error.what(), remark);
  } catch (const std::bad_alloc&) {
    log_warning("out of memory; {}", remark);
  }
  return false;
}

}  // namespace mote
