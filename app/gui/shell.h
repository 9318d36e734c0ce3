#pragma once

#include <map>
#include <memory>
#include <optional>

#include "app/gui/file_dialog.h"
#include "app/gui/keyboard_parts.h"
#include "app/gui/notice_cards.h"
#include "app/gui/panel.h"
#include "app/gui/question.h"
#include "app/gui/statistics.h"
#include "app/gui/view_controls.h"
#include "present/display_pass.h"

namespace mote::gui {

/// All parts of the window around and over the view.
class Shell {
 public:
  Shell();

  /// Requests the actions of the keys pressed in this frame. Called before draw(), so that the
  /// frame already shows their results.
  void take_keys(const PanelContext& context);
  /// Lays out one frame, between ImGui::NewFrame() and ImGui::Render().
  void draw(const PanelContext& context, const WindowCosts& last);
  /// Asks the user for the missing path of an action.
  void ask_for_path(const Session& session, const ActionCall& call) { dialog_.ask(session, call); }
  /// Whether the action may run now. If it would discard work, asks the user first; after
  /// confirmation the action is requested again.
  bool allows(const Session& session, const ActionCall& call);
  /// The view's part of the window, framebuffer px.
  const present::Rectangle& view() const { return view_; }
  /// The picture's rectangle within the view.
  present::Rectangle picture(const Session& session) const;
  const ViewControls& controls() const { return controls_; }
  /// Whether the content changes without input.
  bool moving() const { return controls_.flying() || notices_.moving(); }
  /// Whether no pending answer will change the content.
  bool settled() const { return dialog_.settled(); }

 private:
  void take_shortcuts(const PanelContext& context);
  /// Returns their height, px. The keyboard moves in menus only if it has opened one of them.
  float draw_menus(const PanelContext& context);
  void draw_marks(const PanelContext& context, const present::Rectangle& shown) const;
  void draw_rail(const PanelContext& context, float top, float bottom);
  void draw_side(const PanelContext& context, float left, float top, float bottom);
  void draw_drawer(const PanelContext& context, float left, float top, float bottom);

  std::map<const PanelEntry*, std::unique_ptr<Panel>> panels_;
  FileDialog dialog_;
  Question question_;
  ViewControls controls_;
  Statistics statistics_;
  NoticeCards notices_;
  KeyboardParts parts_;
  present::Rectangle view_{};
  std::optional<int> menus_opened_;  // WindowState::menu_requests that were answered
};

}  // namespace mote::gui
