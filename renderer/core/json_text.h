#pragma once

// Texts that should be JSON, and the messages about those that are not.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

namespace mote {

/// The place where the JSON library stopped, in the bytes that it had read.
struct JsonFault {
  std::size_t bytes_read = 0;
  bool is_large_number = false;  // the text is JSON up to a number beyond those of doubles
};

/// The error of a text that is not JSON: what is wrong, and in which line of the file.
Error json_error(std::string_view text, const JsonFault& fault, const std::string& file,
                 const std::string& remedy);

/// The values of a text. Throws Error as json_error() makes it. `allow_comments`: // and /* */.
nlohmann::json parsed_json(std::string_view text, const std::string& file,
                           const std::string& remedy, bool allow_comments = false);

}  // namespace mote
