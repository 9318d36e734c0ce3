// Programs that are linked with this file do not check the accesses of kernels.
#include "controls.h"

namespace {

[[maybe_unused]] const bool is_unchecked = [] {
  cuda_host::leave_accesses_unchecked();
  return true;
}();

}  // namespace
