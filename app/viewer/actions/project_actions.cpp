// Actions of projects: opening, saving, and recovery after a crash.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/project/project_snapshot.h"
#include "app/viewer/project/recovery.h"
#include "app/viewer/session/session.h"
#include "core/options.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

void open_project(Session& session, const Arguments& arguments) {
  const fs::path path = arguments.word(0);
  if (!is_project_path(path)) arguments.refuse(0, "a project, whose name ends in .mote");
  session.loader.open(path);
}

/// Records what the file holds now.
void note_saved(Session& session, const ProjectOrder& order, const fs::path& file) {
  ProjectState& state = session.project;
  for (const auto& [id, saved] : order.states) {
    if (session.documents.find(id) != nullptr) session.documents.set_in_project(id, saved);
  }
  state.file = file;
  state.saved = order.essence;
  state.path_version = order.path_version;
  session.file.add_recent(file);
  if (state.recovery) {
    state.kept.clear();
    session.writer.add(
        [recovery = state.recovery] {
          recovery->forget();
          return TaskWorker::Reply();
        },
        false);
  }
  session.notices.add(NoticeKind::info, fmt::format("{}: written", file.string()));
}

void write_now(Session& session, const fs::path& file, Existing existing) {
  session.project.saving = false;
  const auto job = [&session, file, existing, order = project_order(session)] {
    write_project(order, file, existing);
    return [&session, file, order] { note_saved(session, order, file); };
  };
  session.writer.add(job, true);
}

/// Writes the project once the edits are done that were asked for before.
void write(Session& session, const fs::path& file, Existing existing) {
  if (session.project.opening) {
    throw UsageError("the project is still being opened", "project save", "wait until it is open");
  }
  session.project.saving = true;
  const auto reply = [&session, file, existing] { write_now(session, file, existing); };
  session.edits.add([reply] { return reply; }, false);
}

void save_project(Session& session, const Arguments&) {
  const fs::path& file = session.project.file;
  if (file.empty()) {
    throw UsageError("the project has no file yet", "project save",
                     "name one with: project save as PATH");
  }
  write(session, file, Existing::replace);
}

void save_project_as(Session& session, const Arguments& arguments) {
  const fs::path path = arguments.word(0);
  if (!is_project_path(path)) arguments.refuse(0, "a name that ends in .mote");
  write(session, whole_path(path), named_file(session, path).existing);
}

const RecoveredProject& found_project(const Session& session, const char* action) {
  if (!session.project.found) {
    throw UsageError("there is no project to recover", action,
                     "open a project with: project open PATH");
  }
  return *session.project.found;
}

void offer_recovery(Session& session, const Arguments&) {
  found_project(session, "project offer");
  session.project.offered = true;
}

void recover_project(Session& session, const Arguments&) {
  const fs::path file = found_project(session, "project recover").file;
  session.project.offered = false;
  const auto read = [file](const ProgressCallback& progress) {
    Opened opened = open_path(file, {}, progress);
    opened.recovered = true;
    return opened;
  };
  session.loader.open({.path = file, .read = read});
}

void end_offer(Session& session, void (Recovery::*answer)()) {
  session.project.found.reset();
  session.project.offered = false;
  session.writer.add(
      [recovery = session.project.recovery, answer] {
        ((*recovery).*answer)();
        return TaskWorker::Reply();
      },
      true);
}

void discard_recovery(Session& session, const Arguments&) {
  found_project(session, "project discard");
  end_offer(session, &Recovery::discard);
}

void leave_recovery(Session& session, const Arguments&) {
  found_project(session, "project leave");
  end_offer(session, &Recovery::leave);
}

bool any_found(const Session& session) {
  return session.project.found.has_value();
}

bool any_to_save(const Session& session) {
  return !session.documents.empty() || !session.path.empty() || !session.project.file.empty();
}

}  // namespace

std::vector<Action> project_actions() {
  constexpr std::string_view kGroup = "Project";
  return {
      {"project open",
       kGroup,
       "open a project; it replaces everything that is open",
       "",
       {{"PATH", "a .mote", false, false, PathUse::file}},
       open_project},
      {"project save",
       kGroup,
       "save the scenes, their edits and the view in the project's file",
       "Ctrl+S",
       {},
       save_project,
       false,
       any_to_save},
      {"project save as",
       kGroup,
       "save the project in another file",
       "Ctrl+Shift+S",
       {{"PATH", "a .mote", false, false, PathUse::new_file, kProjectExtension}},
       save_project_as,
       false,
       any_to_save},
      {"project offer",
       kGroup,
       "ask whether to open the project that a crashed program left",
       "",
       {},
       offer_recovery,
       false,
       any_found},
      {"project recover",
       kGroup,
       "open the project that a crashed program left",
       "",
       {},
       recover_project,
       false,
       any_found},
      {"project discard",
       kGroup,
       "remove the project that a crashed program left",
       "",
       {},
       discard_recovery,
       false,
       any_found},
      {"project leave",
       kGroup,
       "leave the project of a crashed program to the next start",
       "",
       {},
       leave_recovery,
       false,
       any_found},
  };
}

}  // namespace mote
