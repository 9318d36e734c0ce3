#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "app/gui/file_dialog.h"
#include "app/gui/notice_cards.h"
#include "app/gui/panel.h"
#include "app/gui/question.h"
#include "app/gui/statistics.h"
#include "app/gui/view_controls.h"
#include "present/display_pass.h"

namespace mote::gui {

/// All that the window shows around the view and over it.
class Shell {
 public:
  Shell();

  /// Lays out one frame, between ImGui::NewFrame() and ImGui::Render().
  void draw(const PanelContext& context, const WindowCosts& last);
  /// Asks the user for the path that a line lacks.
  void ask_for_path(const std::string& line) { dialog_.ask(line); }
  /// Whether hands may have the line done now. Where something would be lost the user is asked
  /// first, and who agrees asks for the line once more.
  bool allows(const Session& session, const std::string& line);
  /// The part of the window that the view has, framebuffer px.
  const present::Rectangle& view() const { return view_; }
  /// Where the picture is shown in it.
  present::Rectangle picture(const Session& session) const;
  const ViewControls& controls() const { return controls_; }
  /// What is shown changes by itself.
  bool moving() const { return controls_.flying() || notices_.moving(); }
  /// Nothing is awaited that will be shown.
  bool settled() const { return dialog_.settled(); }

 private:
  void draw_rail(const PanelContext& context, float top, float bottom);
  void draw_side(const PanelContext& context, float left, float top, float bottom);
  void draw_drawer(const PanelContext& context, float left, float top, float bottom);
  void take_keys(const PanelContext& context);
  Panel* panel_of(const PanelEntry& entry) const;

  std::map<std::string_view, std::unique_ptr<Panel>> panels_;  // by name; those that there are
  FileDialog dialog_;
  Question question_;
  ViewControls controls_;
  Statistics statistics_;
  NoticeCards notices_;
  present::Rectangle view_{};
};

}  // namespace mote::gui
