#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mote {

/// Reads the bytes as the named format, without its probe, and uses the result. Returns 0, as
/// libFuzzer requires; any result other than a cloud or an Error ends the program.
int fuzz_format(std::string_view format_name, const std::uint8_t* data, std::size_t size);

}  // namespace mote
