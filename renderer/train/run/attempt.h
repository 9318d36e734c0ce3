#pragma once

#include <new>

#include "core/error.h"
#include "core/log.h"

namespace mote {

/// Runs work that is not worth losing hours of training: a fault becomes a warning with `remark`,
/// and training goes on. The one place outside `main` that swallows an Error.
template <class Work>
bool attempt(const char* remark, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    log_warning("{}; {}", error.what(), remark);
  } catch (const std::bad_alloc&) {
    log_warning("memory has run out; {}", remark);
  }
  return false;
}

}  // namespace mote
