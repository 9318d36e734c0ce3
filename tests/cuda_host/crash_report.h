#pragma once

namespace cuda_host {

/// From now on an access to memory that may not be touched says on stderr which kernel, block and
/// thread did it, and what the address is, before the program ends as it would have.
void report_crashes();

}  // namespace cuda_host
