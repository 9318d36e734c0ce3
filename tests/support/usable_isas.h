#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cpu/kernels.h"

namespace mote {

/// Whether the networks of an instruction set have factors in BF16.
inline bool rounds_to_bf16(std::string_view isa) {
  return isa.ends_with("bf16") || isa.ends_with("amx");
}

/// The instruction sets with compiled kernels that this processor supports, in the order of
/// isa_table().
inline std::vector<const IsaEntry*> usable_isas() {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  std::vector<const IsaEntry*> found;
  for (std::size_t i = 0; i < count; ++i) {
    if (entries[i].usable()) found.push_back(&entries[i]);
  }
  return found;
}

inline std::vector<std::string> usable_isa_names() {
  std::vector<std::string> names;
  for (const IsaEntry* entry : usable_isas()) names.emplace_back(entry->kernels->name);
  return names;
}

}  // namespace mote
