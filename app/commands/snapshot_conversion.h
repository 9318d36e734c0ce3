#pragma once

#include <string>

#include "app/cli/command.h"
#include "app/commands/scene_loading.h"

namespace mote {

/// The options of writing a neural field as a snapshot.
struct SnapshotConversion {
  std::string parameter_format = "half";  // "half" or "float"
  bool optimizer_state = false;

  void describe(OptionTable& table);
};

/// Gives a model that is a neural field the form in which it is to be written. Throws Error if the
/// state of the optimiser is wanted and its file has none.
void choose_snapshot_form(const LoadedModel& loaded, const SnapshotConversion& conversion,
                          const GlobalOptions& globals);

}  // namespace mote
