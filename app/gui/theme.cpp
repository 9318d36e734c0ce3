// Style of the window: neutral greys, one accent colour, space instead of lines.
#include "app/gui/theme.h"

#include <algorithm>
#include <cmath>

#include "app/gui/fonts.h"

namespace mote::gui {
namespace {

/// Colours that differ between the two themes; all other colours are derived from them.
struct Palette {
  ImVec4 window, raised, field, line, text, faint, accent, good, warning, bad;
  std::array<ImVec4, 4> curves;
};

ImVec4 rgb(int hex, float alpha = 1) {
  return {static_cast<float>(hex >> 16 & 255) / 255, static_cast<float>(hex >> 8 & 255) / 255,
          static_cast<float>(hex & 255) / 255, alpha};
}

ImVec4 with_alpha(const ImVec4& color, float alpha) {
  return {color.x, color.y, color.z, alpha};
}

Palette dark_palette() {
  return {
      .window = rgb(0x18191b),
      .raised = rgb(0x222326),
      .field = rgb(0x2a2b2f),
      .line = rgb(0x36383c),
      .text = rgb(0xe6e6e4),
      .faint = rgb(0x9a9ca1),
      .accent = rgb(0xe8a33d),
      .good = rgb(0x7fb98a),
      .warning = rgb(0xe0b34f),
      .bad = rgb(0xe57468),
      .curves = {rgb(0xe8a33d), rgb(0x5fb3b3), rgb(0xb18ad6), rgb(0x8fb573)},
  };
}

Palette light_palette() {
  return {
      .window = rgb(0xf4f4f2),
      .raised = rgb(0xffffff),
      .field = rgb(0xeaeae7),
      .line = rgb(0xcdcdc9),
      .text = rgb(0x1e1f21),
      .faint = rgb(0x5c5e63),
      .accent = rgb(0x8f5207),
      .good = rgb(0x2f7d43),
      .warning = rgb(0x94680a),
      .bad = rgb(0xb93a2e),
      .curves = {rgb(0xb06a10), rgb(0x1f7a7a), rgb(0x7a4fa8), rgb(0x4f7d2e)},
  };
}

void color_surfaces(ImGuiStyle& style, const Palette& palette) {
  ImVec4* colors = style.Colors;
  colors[ImGuiCol_Text] = palette.text;
  colors[ImGuiCol_TextDisabled] = palette.faint;
  colors[ImGuiCol_WindowBg] = palette.window;
  colors[ImGuiCol_ChildBg] = with_alpha(palette.window, 0);
  colors[ImGuiCol_PopupBg] = palette.raised;
  colors[ImGuiCol_MenuBarBg] = palette.window;
  colors[ImGuiCol_Border] = palette.line;
  colors[ImGuiCol_BorderShadow] = with_alpha(palette.line, 0);
  colors[ImGuiCol_TitleBg] = palette.window;
  colors[ImGuiCol_TitleBgActive] = palette.window;
  colors[ImGuiCol_ScrollbarBg] = with_alpha(palette.window, 0);
  colors[ImGuiCol_ScrollbarGrab] = palette.line;
  colors[ImGuiCol_ScrollbarGrabHovered] = palette.faint;
  colors[ImGuiCol_ScrollbarGrabActive] = palette.faint;
  colors[ImGuiCol_Separator] = palette.line;
  colors[ImGuiCol_SeparatorHovered] = palette.accent;
  colors[ImGuiCol_SeparatorActive] = palette.accent;
  colors[ImGuiCol_TableHeaderBg] = palette.raised;
  colors[ImGuiCol_TableBorderStrong] = palette.line;
  colors[ImGuiCol_TableBorderLight] = with_alpha(palette.line, 0.5f);
  colors[ImGuiCol_TableRowBg] = with_alpha(palette.window, 0);
  colors[ImGuiCol_TableRowBgAlt] = with_alpha(palette.text, 0.025f);
  colors[ImGuiCol_ModalWindowDimBg] = rgb(0, 0.45f);
}

void color_widgets(ImGuiStyle& style, const Palette& palette) {
  ImVec4* colors = style.Colors;
  colors[ImGuiCol_FrameBg] = palette.field;
  colors[ImGuiCol_FrameBgHovered] = palette.line;
  colors[ImGuiCol_FrameBgActive] = palette.line;
  colors[ImGuiCol_Button] = palette.field;
  colors[ImGuiCol_ButtonHovered] = palette.line;
  colors[ImGuiCol_ButtonActive] = with_alpha(palette.accent, 0.55f);
  // A row that is chosen or hovered.
  colors[ImGuiCol_Header] = with_alpha(palette.accent, 0.22f);
  colors[ImGuiCol_HeaderHovered] = with_alpha(palette.text, 0.08f);
  colors[ImGuiCol_HeaderActive] = with_alpha(palette.accent, 0.35f);
  colors[ImGuiCol_CheckMark] = palette.accent;
  colors[ImGuiCol_SliderGrab] = with_alpha(palette.accent, 0.45f);  // under the numbers
  colors[ImGuiCol_SliderGrabActive] = with_alpha(palette.accent, 0.65f);
  colors[ImGuiCol_ResizeGrip] = with_alpha(palette.line, 0);
  colors[ImGuiCol_ResizeGripHovered] = palette.line;
  colors[ImGuiCol_ResizeGripActive] = palette.accent;
  colors[ImGuiCol_Tab] = with_alpha(palette.window, 0);
  colors[ImGuiCol_TabHovered] = palette.line;
  colors[ImGuiCol_TabActive] = palette.field;
  colors[ImGuiCol_TabUnfocused] = with_alpha(palette.window, 0);
  colors[ImGuiCol_TabUnfocusedActive] = palette.field;
  colors[ImGuiCol_PlotLines] = palette.accent;
  colors[ImGuiCol_PlotLinesHovered] = palette.text;
  colors[ImGuiCol_PlotHistogram] = palette.accent;
  colors[ImGuiCol_PlotHistogramHovered] = palette.text;
  colors[ImGuiCol_TextSelectedBg] = with_alpha(palette.accent, 0.35f);
  colors[ImGuiCol_DragDropTarget] = palette.accent;
  colors[ImGuiCol_NavHighlight] = with_alpha(palette.accent, 0.7f);
  colors[ImGuiCol_NavWindowingHighlight] = palette.accent;
}

ImGuiStyle make_style(const Palette& palette, float scale) {
  ImGuiStyle style;
  style.WindowPadding = {12, 12};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 8};
  style.ItemInnerSpacing = {8, 4};
  style.CellPadding = {6, 3};
  style.IndentSpacing = 16;
  style.ScrollbarSize = 10;
  style.GrabMinSize = 10;
  style.WindowRounding = style.ChildRounding = style.FrameRounding = 4;
  style.PopupRounding = style.ScrollbarRounding = style.GrabRounding = style.TabRounding = 4;
  style.WindowBorderSize = style.ChildBorderSize = style.FrameBorderSize = 0;
  style.TabBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowTitleAlign = {0, 0.5f};
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.WindowMinSize = {16, 16};
  style.DisplaySafeAreaPadding = {0, 0};
  style.ScaleAllSizes(scale);
  color_surfaces(style, palette);
  color_widgets(style, palette);
  return style;
}

}  // namespace

float text_height(const ViewerSettings& settings, float scale) {
  return std::round(static_cast<float>(settings.font_size) * std::clamp(scale, 0.5f, 4.0f));
}

Theme apply_theme(const ViewerSettings& settings, float scale, const Theme& former) {
  Theme theme = former;
  theme.dark = settings.theme != "light";
  theme.unit = std::clamp(scale, 0.5f, 4.0f);
  const Palette palette = theme.dark ? dark_palette() : light_palette();
  ImGui::GetStyle() = make_style(palette, theme.unit);
  // On a light background the colour of a field alone is hard to see.
  if (!theme.dark) ImGui::GetStyle().FrameBorderSize = 1;
  const float text_px = text_height(settings, scale);
  if (former.text_px != text_px) {
    const Fonts fonts = load_fonts({.body = text_px,
                                    .heading = text_px,
                                    .small = std::max(8.0f, std::round(0.84f * text_px))});
    theme.text_px = text_px;
    theme.body = fonts.body;
    theme.heading = fonts.heading;
    theme.small = fonts.small;
    theme.mono = fonts.mono;
  }
  theme.accent = palette.accent;
  theme.faint = palette.faint;
  theme.good = palette.good;
  theme.warning = palette.warning;
  theme.bad = palette.bad;
  theme.curves = palette.curves;
  return theme;
}

}  // namespace mote::gui
