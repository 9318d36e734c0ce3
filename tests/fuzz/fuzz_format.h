#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mote {

/// Reads the bytes as the format of that name, whatever its probe says of them, and uses the
/// result. Returns 0, as libFuzzer wants it; everything but a cloud or an Error ends the program.
int fuzz_format(std::string_view format_name, const std::uint8_t* data, std::size_t size);

}  // namespace mote
