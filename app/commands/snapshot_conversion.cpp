#include "app/commands/snapshot_conversion.h"

#include <optional>
#include <utility>

#include "core/interrupt.h"
#include "io/fields/field_snapshot.h"
#include "train/fields/field_model.h"

namespace mote {

void SnapshotConversion::describe(OptionTable& table) {
  table
      .add({.name = "parameter-format",
            .target = &parameter_format,
            .help = "snapshot of a field: numbers of its parameters",
            .choices = {"half", "float"}})
      .add({.name = "optimizer-state",
            .target = &optimizer_state,
            .help = "snapshot of a field: keep the state of the optimiser that the input has"});
}

void choose_snapshot_form(const LoadedModel& loaded, const SnapshotConversion& conversion,
                          const GlobalOptions& globals) {
  auto* field = dynamic_cast<HostField*>(loaded.model.get());
  if (field == nullptr) return;
  std::optional<OptimizerStates> states;
  if (conversion.optimizer_state) {
    const std::string in = loaded.file.string();
    Progress progress(globals.progress_mode(), "reading the state of the optimiser", 1, "");
    states = read_snapshot_optimizer(InputFile(loaded.file), [&](double done) {
      throw_if_interrupted();
      progress.set(done);
    });
    if (!states) {
      throw Error("has no state of an optimiser", in,
                  "train with --optimizer-state, or leave --optimizer-state out");
    }
  }
  field->set_file_form(conversion.parameter_format == "half", std::move(states));
}

}  // namespace mote
