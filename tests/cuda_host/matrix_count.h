#pragma once

namespace cuda_host {

/// Sets matrix_products() to zero.
void forget_matrix_products();

}  // namespace cuda_host
