#include "app/viewer/session/importing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/viewer/document/run_facts.h"
#include "core/cancel_scope.h"
#include "core/interrupt.h"
#include "core/options.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "import start";

void open_panel(Session& session) {
  const auto found = std::ranges::find_if(
      session.panels, [](const PanelEntry* panel) { return panel->name == "import"; });
  if (session.window.is_there && found != session.panels.end()) session.window.side = *found;
}

void check_idle(const Session& session) {
  if (!session.import_task.busy()) return;
  throw UsageError("an import is running already", session.photo_import.photos.string(),
                   "wait for its end, or cancel it with: import cancel");
}

/// Runs on the import's own thread.
void import_now(Session& session, const PhotographImport& order, bool replace,
                const LongTask::Control& control) {
  const CancelScope scope([&control] { return control.cancelling(); });
  const fs::path out = order.out.empty() ? proposed_dataset_folder(order.photos) : order.out;
  const ImportResult result =
      import_photographs(order.photos, out, order.options, replace, order.progress.get());
  control.reply([&session, out, result] {
    for (const std::string& warning : result.warnings) {
      session.notices.add(NoticeKind::warning, fmt::format("{}: {}", out.string(), warning));
    }
    session.notices.add(NoticeKind::info,
                        fmt::format("{}: {} of {} photographs with poses, {} points", out.string(),
                                    result.registered, result.photographs, result.points));
    session.photo_import.photos.clear();
    session.photo_import.out.clear();
    session.loader.open(out);
    session.loading = true;
  });
}

}  // namespace

void choose_photographs(Session& session, const fs::path& photos) {
  check_idle(session);
  session.photo_import.photos = whole_path(photos);
  session.photo_import.out.clear();
  session.photo_import.fault.clear();
  open_panel(session);
  check_import(session);
}

void check_import(Session& session) {
  PhotographImport& chosen = session.photo_import;
  chosen.outlook.reset();
  ++chosen.checks;
  if (chosen.photos.empty()) return;
  const auto job = [&session, number = chosen.checks, photos = chosen.photos, out = chosen.out,
                    options = chosen.options] {
    const fs::path place = out.empty() ? proposed_dataset_folder(photos) : out;
    ImportOutlook outlook;
    try {
      outlook = import_outlook(photos, place, options);
    } catch (const Interrupted&) {
      return TaskWorker::Reply();  // the program ends
    }
    return TaskWorker::Reply([&session, number, place, outlook] {
      if (session.photo_import.checks != number) return;
      session.photo_import.out = place;
      session.photo_import.outlook = outlook;
    });
  };
  session.tasks.add(job, false);
}

void start_import(Session& session) {
  check_idle(session);
  PhotographImport& chosen = session.photo_import;
  if (chosen.photos.empty()) {
    throw UsageError("no photographs are chosen", std::string(kStart),
                     "choose them with: import photographs PATH");
  }
  for (const Document& document : session.documents.list()) {
    if (chosen.out.empty() || document.source != whole_path(chosen.out)) continue;
    throw UsageError("is open, and would be replaced", document.name,
                     "close it, or choose another folder with: import to PATH");
  }
  const bool replace = session.existing == Existing::replace;
  chosen.fault.clear();
  chosen.progress = std::make_shared<ImportProgress>();
  session.import_task.start(chosen.photos.string(),
                            [&session, order = chosen, replace](const LongTask::Control& control) {
                              import_now(session, order, replace, control);
                            });
  session.importing = true;
}

void end_import(Session& session, const LongTaskEnd& end) {
  session.photo_import.fault = end.fault;
  check_import(session);
}

}  // namespace mote
