#pragma once

namespace cuda_host {

/// After this call a crash by an invalid access also writes kernel, block, thread and address to
/// stderr, before the program ends.
void report_crashes();

}  // namespace cuda_host
