#pragma once

#include <string>

#include "app/cli/described_command.h"

namespace mote {

/// The manual page mote(1) in mdoc(7) macros: every command with its options, notes, exit codes and
/// files.
std::string manual_page(const DescribedProgram& program);

}  // namespace mote
