// The choice of a path, without its drawing.
#include "app/gui/file_dialog.h"

#include <imgui.h>

#include <cctype>
#include <system_error>
#include <utility>

#include "app/gui/proposed_path.h"

namespace mote::gui {
namespace {

namespace fs = std::filesystem;

/// The path argument of the action; null if it has none.
const ActionArgument* path_argument(const ActionCall& call) {
  if (call.action == nullptr || call.action->arguments.empty()) return nullptr;
  const ActionArgument& first = call.action->arguments.front();
  return first.optional || first.path == PathUse::none ? nullptr : &first;
}

}  // namespace

bool lacks_path(const ActionCall& call) {
  return call.values.empty() && path_argument(call) != nullptr;
}

void FileDialog::ask(const Session& session, const ActionCall& call) {
  const ActionArgument& argument = *path_argument(call);
  call_ = call;
  use_ = argument.path;
  extensions_ =
      argument.extensions_now != nullptr ? argument.extensions_now(session) : argument.extensions;
  title_ = std::string(call.action->help);
  title_.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title_.front())));
  name_ = writes() ? proposed_name(session, *call.action, extensions_) : "";
  doubted_.clear();
  chosen_.reset();
  writing_.reset();
  new_folder_.reset();
  start_in(first_folder(session));
  open_ = just_opened_ = true;
}

void FileDialog::await(TaskWorker::Job job) {
  ++awaited_;
  disk_.add(std::move(job), false);
}

void FileDialog::take_answers() {
  for (const std::string& fault : disk_.take_faults()) {
    --awaited_;
    listing_ = {.fault = fault};
  }
  for (const TaskWorker::Reply& reply : disk_.take()) {
    --awaited_;
    reply();
  }
}

/// Lists the folder in which the last file was chosen, as far as it still exists.
void FileDialog::start_in(const fs::path& folder) {
  listing_ = {};
  folder_ = folder.lexically_normal();
  folder_text_ = folder_.string();
  await([this, number = ++listed_, folder] {
    return [this, number, folder = existing_folder(folder)] {
      if (number == listed_) go_to(folder);
    };
  });
}

void FileDialog::go_to(const fs::path& folder) {
  folder_ = folder.lexically_normal();
  folder_text_ = folder_.string();
  await([this, number = ++listed_, path = folder_, hidden = hidden_] {
    FolderListing listing = list_folder(path, hidden);
    return [this, number, path, listing = std::move(listing)]() mutable {
      if (number != listed_) return;
      if (listing.is_file && !writes()) chosen_ = path;
      listing_ = std::move(listing);
    };
  });
}

/// A path to read is accepted; the action reports a missing file. A path to write may replace
/// something, so the disk is checked first.
void FileDialog::want(const PanelContext& context, fs::path path) {
  // Nothing is written at once to the folder of an import; its panel tells what is in it.
  if (!writes() || call_.action->name == "import to") {
    chosen_ = std::move(path);
    return;
  }
  if (use_ == PathUse::new_file) path = with_extension(std::move(path), extensions_);
  std::vector<std::pair<fs::path, std::string>> sources;
  for (const Document& document : context.session.documents.list()) {
    if (!document.source.empty()) sources.emplace_back(document.source, document.name);
  }
  await([this, path = std::move(path), sources = std::move(sources)] {
    const PlaceFacts facts = look_at_place(path, sources);
    return [this, path, facts] { judge(path, facts); };
  });
}

/// Enter on the path of a folder shows that folder; a button opens it.
void FileDialog::enter(fs::path path) {
  await([this, path = std::move(path)] {
    std::error_code ignored;
    const bool is_folder = fs::is_directory(path, ignored);
    return [this, path, is_folder] {
      if (is_folder) {
        name_.clear();
        go_to(path);
      } else {
        chosen_ = path;
      }
    };
  });
}

void FileDialog::make_folder(const std::string& name) {
  await([this, path = folder_ / name] {
    std::error_code fault;
    fs::create_directories(path, fault);
    return [this, path, fault] {
      if (fault) {
        listing_ = {.fault = fmt::format("{}: {}", path.string(), fault.message())};
      } else {
        go_to(path);
      }
    };
  });
}

void FileDialog::judge(const fs::path& path, const PlaceFacts& facts) {
  const bool folder_wanted = use_ == PathUse::new_folder;
  const std::string name = path.filename().empty() ? path.string() : path.filename().string();
  if (facts.is_folder && !folder_wanted) {
    name_.clear();
    go_to(path);
  } else if (!facts.fault.empty()) {
    doubted_ = path;
    replaceable_ = false;
    doubt_ = fmt::format("{} cannot be written: {}", name, facts.fault);
  } else if (facts.is_file || (facts.is_folder && !facts.is_empty)) {
    doubted_ = path;
    replaceable_ = !folder_wanted || facts.is_folder;
    doubt_ =
        !folder_wanted ? fmt::format("{} already exists. Replace it?", name)
        : facts.is_folder
            ? fmt::format("{} already exists. Replace the pictures of the same names in it?", name)
            : fmt::format("{} is a file, not a folder.", name);
    if (!facts.opened.empty()) {
      doubt_ += fmt::format(" The open scene {} was read from it, and its original will be lost.",
                            facts.opened);
    }
  } else {
    chosen_ = path;
  }
}

/// Closes the dialog when the file is written, or tells why it is not.
void FileDialog::follow_writing(const PanelContext& context) {
  const Session& session = context.session;
  if (!writing_ || session.saving || session.has_tasks()) return;
  const fs::path path = *std::exchange(writing_, {});
  if (session.notices.errors() == faults_before_) {
    close();
    return;
  }
  const auto& list = session.notices.list();
  const auto fault = std::find_if(list.rbegin(), list.rend(), [](const Notice& notice) {
    return notice.kind == NoticeKind::error;
  });
  doubted_ = path;
  replaceable_ = false;
  doubt_ = path.string() + " is not written";
  if (fault == list.rend()) return;
  doubt_ = fault->text;
  context.actions.add("notices dismiss", fault->number);  // its card would cover the dialog
}

void FileDialog::close() {
  open_ = false;
  ImGui::CloseCurrentPopup();
}

}  // namespace mote::gui
