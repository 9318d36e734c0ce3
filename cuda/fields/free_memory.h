#pragma once

// Memory that is priced before it is taken.

#include <cstddef>
#include <string>

namespace mote::cuda {

/// Throws Error if the device has less free memory. `purpose`: its use, for the message, such as "a
/// step".
void check_free_memory(std::size_t needed, const std::string& purpose, const std::string& remedy);

/// The remedy where the parameters of a field in training have too little memory.
std::string remedy_of_field();
/// The same for the samples of a step.
std::string remedy_of_step();

}  // namespace mote::cuda
