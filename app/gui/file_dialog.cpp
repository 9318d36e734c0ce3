#include "app/gui/file_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <system_error>

#include "app/gui/icons.h"
#include "app/gui/input.h"
#include "app/gui/widgets.h"
#include "app/viewer/action.h"
#include "core/machine.h"

namespace mote::gui {
namespace {

namespace fs = std::filesystem;

/// The first words of the argument's help say whether it is there already: "a .png" is written.
bool is_written(const Action& action) {
  return !action.arguments.empty() && action.arguments.front().help.starts_with("a .");
}

/// ".ply" of "a .ply or .spz".
std::string extension_of(const Action& action) {
  const std::string_view help = action.arguments.front().help;
  const std::size_t dot = help.find('.');
  return std::string(help.substr(dot, help.find_first_of(" ,", dot) - dot));
}

bool before(std::string_view a, std::string_view b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](unsigned char x, unsigned char y) { return std::tolower(x) < std::tolower(y); });
}

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? home : "/";
}

}  // namespace

bool lacks_path(const std::string& line) {
  const ActionCall call = find_action(line);
  if (call.action == nullptr || !call.words.empty() || call.action->arguments.empty()) return false;
  const ActionArgument& first = call.action->arguments.front();
  return !first.optional && (first.name == "PATH" || first.name == "FOLDER");
}

void FileDialog::ask(const std::string& line) {
  const Action& action = *find_action(line).action;
  line_ = line;
  writes_ = is_written(action);
  title_ = std::string(action.help);
  title_.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title_.front())));
  name_ = writes_ ? "untitled" + extension_of(action) : "";
  std::error_code ignored;
  go_to(folder_.empty() ? fs::current_path(ignored) : folder_);
  open_ = just_opened_ = true;
}

void FileDialog::go_to(const fs::path& folder) {
  folder_ = folder.lexically_normal();
  folder_text_ = folder_.string();
  entries_.clear();
  fault_.clear();
  std::error_code fault;
  for (fs::directory_iterator entry(folder_, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    std::error_code ignored;
    Entry found{.name = entry->path().filename().string(), .folder = entry->is_directory(ignored)};
    if (found.name.starts_with('.') && !hidden_) continue;
    if (!found.folder) found.bytes = entry->file_size(ignored);
    if (ignored) found.bytes = 0;
    entries_.push_back(std::move(found));
  }
  if (fault) fault_ = fault.message();
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.folder != b.folder ? a.folder : before(a.name, b.name);
  });
}

void FileDialog::choose(const PanelContext& context, const fs::path& path) {
  context.actions.add(line_ + " " + as_word(path.string()));
  open_ = false;
  ImGui::CloseCurrentPopup();
}

void FileDialog::draw(const PanelContext& context) {
  if (!open_) return;
  const std::string title = title_ + "###files";
  if (just_opened_) ImGui::OpenPopup(title.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({0.5f * display.x, 0.5f * display.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(46 * em, 0.9f * display.x), std::min(32 * em, 0.9f * display.y)});
  if (!ImGui::BeginPopupModal(
          title.c_str(), &open_,
          ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    return;
  }
  if (!just_opened_ && pressed({find_key("Escape")})) {
    open_ = false;
    ImGui::CloseCurrentPopup();
  }
  draw_places(context);
  draw_list(context);
  draw_foot(context);
  just_opened_ = false;
  ImGui::EndPopup();
}

void FileDialog::draw_places(const PanelContext& context) {
  if (ImGui::Button(icons::kLevelUp)) go_to(folder_.parent_path());
  context.places.add("The folder above");
  tooltip(context, "The folder above");
  ImGui::SameLine();
  if (ImGui::Button(icons::kHome)) go_to(home_folder());
  tooltip(context, "Home");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-ImGui::GetFrameHeight() - 4 * ImGui::GetFontSize());
  const bool entered =
      ImGui::InputText("##folder", &folder_text_, ImGuiInputTextFlags_EnterReturnsTrue);
  context.places.add("Folder");
  if (entered) {
    std::error_code ignored;
    if (!writes_ && fs::is_regular_file(folder_text_, ignored)) {
      choose(context, folder_text_);
    } else {
      go_to(folder_text_);
    }
  }
  ImGui::SameLine();
  if (ImGui::Checkbox("Hidden", &hidden_)) go_to(folder_);
  context.places.add("Hidden");
}

void FileDialog::draw_list(const PanelContext& context) {
  const float foot = ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
  ImGui::BeginChild("list", {0, -foot});
  if (!fault_.empty()) note(context, fault_);
  if (fault_.empty() && entries_.empty()) note(context, "This folder is empty.");
  fs::path next;
  for (const Entry& entry : entries_) {
    const std::string label =
        icon_label(entry.folder ? icons::kFolder : icons::kFile, entry.name) + "##entry";
    const bool chosen = entry.name == name_;
    if (ImGui::Selectable(
            label.c_str(), chosen,
            ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
      if (!entry.folder || !writes_) name_ = entry.name;
      const bool twice = ImGui::IsMouseDoubleClicked(0);
      if (twice && entry.folder) next = folder_ / entry.name;
      if (twice && !entry.folder) choose(context, folder_ / entry.name);
    }
    context.places.add(label);
    if (entry.folder) continue;
    const std::string size = bytes_text(entry.bytes);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(size.c_str()).x -
                    ImGui::GetStyle().FramePadding.x);
    ImGui::TextColored(context.theme.faint, "%s", size.c_str());
  }
  ImGui::EndChild();
  if (next.empty()) return;
  name_ = writes_ ? name_ : "";
  go_to(next);
}

void FileDialog::draw_foot(const PanelContext& context) {
  const float button = 7 * ImGui::GetFontSize();
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetNextItemWidth(-2 * (button + spacing));
  if (just_opened_) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputTextWithHint("##name", writes_ ? "Name of the file" : "File or folder", &name_,
                               ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  const bool any = !name_.empty();
  ImGui::BeginDisabled(!any);
  const bool taken = ImGui::Button(writes_ ? "Save" : "Open", {button, 0});
  context.places.add(writes_ ? "Save" : "Open");
  ImGui::EndDisabled();
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel", {button, 0});
  context.places.add("Cancel");
  if (cancelled) {
    open_ = false;
    ImGui::CloseCurrentPopup();
  } else if (any && (entered || taken)) {
    choose(context, fs::path(name_).is_absolute() ? fs::path(name_) : folder_ / name_);
  }
}

}  // namespace mote::gui
