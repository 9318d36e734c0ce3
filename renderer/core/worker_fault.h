#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/interrupt.h"

namespace mote {

/// Runs a worker's job. Returns its error message, so that the program continues; empty on success.
/// Interrupted passes through.
template <class Work>
std::optional<std::string> fault_of(const Work& work) {
  try {
    work();
    return {};
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "out of memory; close other scenes or programs";
  } catch (const std::exception& error) {
    return std::string("internal fault: ") + error.what();
  }
}

}  // namespace mote
