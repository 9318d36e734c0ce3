#pragma once

#include <string>

#include "app/cli/command.h"
#include "core/options.h"

namespace mote {

inline constexpr const char* kFigureName = "figure";

/// `mote synth figure`: a creature as a mesh, instead of a scene as a dataset.
struct FigureWriting {
  int triangles = 250'000;

  void describe(OptionTable& table);
};

/// Writes the figure to the file `out` and prints its facts. Shows progress and stops on Ctrl-C.
/// Throws UsageError for a name that is not one of a mesh, and Error for a file that cannot be
/// written. `threads` = 0: all usable CPUs.
void write_figure(const FigureWriting& plan, const std::string& out, int threads,
                  const GlobalOptions& globals);

}  // namespace mote
