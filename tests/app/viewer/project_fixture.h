#pragma once

// Viewers that save projects and open them again.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/viewer/project/project_snapshot.h"
#include "app/viewer/project/unsaved.h"
#include "support/viewer_fixture.h"

namespace mote {

namespace fs = std::filesystem;

class Projects : public ScriptedViewer {
 protected:
  const Document& document(std::size_t i) const { return session().documents.list().at(i); }
  std::size_t scenes() const { return session().documents.list().size(); }

  std::vector<float> picture() {
    run("wait still\n");
    const auto pixels = session().frame->picture().pixels.span();
    return {pixels.begin(), pixels.end()};
  }

  /// Saves as room.mote and opens that in a new viewer.
  void reopen() {
    run("wait still\nproject save as {}/room.mote\nwait saved\n");
    start();
    run("open {}/room.mote\nwait loaded\nwait still\n");
  }

  nlohmann::json saved() const { return nlohmann::json::parse(text_of(path("room.mote"))); }
  void change(const nlohmann::json& project) const {
    std::ofstream(path("room.mote"), std::ios::trunc) << project.dump();
  }

  std::size_t edits_files() const {
    const fs::path folder = edits_folder(path("room.mote"));
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  /// Whether a notice of the kind contains all phrases.
  bool told(NoticeKind kind, const std::vector<std::string>& phrases) const {
    const auto& list = session().notices.list();
    return std::ranges::any_of(list, [&](const Notice& notice) {
      return notice.kind == kind && std::ranges::all_of(phrases, [&](const std::string& phrase) {
               return notice.text.find(phrase) != std::string::npos;
             });
    });
  }
};

}  // namespace mote
