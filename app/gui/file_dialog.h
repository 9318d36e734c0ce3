#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/gui/panel.h"

namespace mote::gui {

/// Asks for the path that an action lacks: of something that there is, or of a file to be written.
class FileDialog {
 public:
  /// Opens it for the line of an action whose path is missing.
  void ask(const std::string& line);
  bool open() const { return open_; }
  /// Asks for the action once a path is chosen.
  void draw(const PanelContext& context);

 private:
  struct Entry {
    std::string name;
    bool folder = false;
    std::uintmax_t bytes = 0;
  };

  void go_to(const std::filesystem::path& folder);
  void draw_places(const PanelContext& context);
  void draw_list(const PanelContext& context);
  void draw_foot(const PanelContext& context);
  void choose(const PanelContext& context, const std::filesystem::path& path);

  bool open_ = false, just_opened_ = false, writes_ = false, hidden_ = false;
  std::string line_, title_;
  std::filesystem::path folder_;  // empty until the first time
  std::string fault_;             // why the folder cannot be listed
  std::vector<Entry> entries_;
  std::string name_, folder_text_;
};

/// Whether the line is an action that lacks its path, and nothing before it.
bool lacks_path(const std::string& line);

}  // namespace mote::gui
