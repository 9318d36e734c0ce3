// Opens projects, and keeps the session as one for a crash.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/viewer/document/run_facts.h"
#include "app/viewer/project/project_opening.h"
#include "app/viewer/project/project_snapshot.h"
#include "app/viewer/project/recovery.h"
#include "app/viewer/project/unsaved.h"
#include "app/viewer/viewer.h"
#include "app/viewer/workers/seconds.h"
#include "io/projects/project_file.h"

namespace mote {

void Viewer::keep_for_crashes() {
  ProjectState& state = session_.project;
  state.recovery = std::make_shared<Recovery>(session_.file.folder() / "recovery");
  state.kept_s = now_s();
  try {
    state.found = state.recovery->find();
  } catch (const Error& error) {
    session_.notices.add(NoticeKind::warning, error.what());
  }
}

void Viewer::take_project(const Opened& opened) {
  ProjectState& state = session_.project;
  const std::filesystem::path file =
      opened.recovered ? opened.project->saved_in : whole_path(opened.path);
  try {
    begin_project(session_, opened.project, file, opened.recovered);
  } catch (const Error& error) {
    session_.notices.add(NoticeKind::error, error.what());
    return;
  }
  if (!opened.recovered) {
    session_.file.add_recent(opened.path);
    settings_due_ = true;
  } else if (state.recovery) {
    state.recovery->adopt();
    state.found.reset();
    state.offered = false;
    state.kept = "recovered";
  }
}

/// Keeps unsaved changes for a crash, once per interval of the settings.
void Viewer::keep_project() {
  ProjectState& state = session_.project;
  const int interval_s = session_.settings().autosave;
  if (!state.recovery || interval_s == 0 || session_.quitting) return;
  if (now_s() - state.kept_s < interval_s) return;
  if (session_.loading || session_.editing || state.opening) return;
  state.kept_s = now_s();
  if (unsaved_work(session_).empty()) {
    if (std::exchange(state.kept, {}).empty()) return;
    session_.writer.add(
        [recovery = state.recovery] {
          recovery->forget();
          return TaskWorker::Reply();
        },
        false);
    return;
  }
  ProjectOrder order = project_order(session_);
  order.project.saved_in = state.file;
  std::string text = project_text(order.project, "/") + order.essence;
  if (text == state.kept) return;
  state.kept = std::move(text);
  const auto job = [this, recovery = state.recovery, order = std::move(order)] {
    std::string fault;
    try {
      recovery->keep(order);
    } catch (const Error& error) {
      fault = error.what();
    }
    return [this, fault] {
      // Said once, not once per interval.
      if (std::exchange(session_.project.kept_fault, fault) == fault || fault.empty()) return;
      session_.notices.add(NoticeKind::warning,
                           fmt::format("unsaved changes are not kept for a crash: {}", fault));
    };
  };
  session_.writer.add(job, false);
}

}  // namespace mote
