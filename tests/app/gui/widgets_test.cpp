// The window's widgets without a window: ImGui produces lists of triangles that are not drawn.
#include "app/gui/widgets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/gui/fields.h"
#include "app/jobs/run_config.h"
#include "app/viewer/viewer.h"
#include "backend/backend.h"
#include "devices/devices.h"

namespace mote::gui {
namespace {

class NoPictures : public Pictures {
 public:
  void show(const std::shared_ptr<const Image8>&, ImVec2 size) override { ImGui::Dummy(size); }
  void stand(ImDrawList&, std::span<const StandingPicture>) override {}
};

class Widgets : public testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {400, 300};
    theme_ = apply_theme(ViewerSettings(), 1);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  }
  void TearDown() override { ImGui::DestroyContext(); }

  /// One frame of a window that fills the display, with the cursor at a position.
  void frame(const std::function<void()>& draw, ImVec2 mouse = {-1, -1}, bool pressed = false) {
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = 0.02f;
    io.MousePos = mouse;
    io.MouseDown[0] = pressed;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(io.DisplaySize);
    ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
    draw();
    ImGui::End();
    ImGui::Render();
  }

  void click(const std::function<void()>& draw, ImVec2 at) {
    frame(draw, at);
    frame(draw, at, true);
    frame(draw, at);
  }

  PanelContext context() { return {session_, actions_, pictures_, theme_, places_}; }

  Theme theme_;
  ActionQueue actions_;
  NoPictures pictures_;
  Places places_;
  Session session_{ViewerSetup{.backend = make_backend("cpu", {.threads = 1, .isa = {}}),
                               .device = "cpu",
                               .version = "test",
                               .settings_folder = testing::TempDir()}};
};

TEST_F(Widgets, TheRowOfEveryOptionKeepsItsValue) {
  RunConfig config;
  OptionTable table;
  config.describe(table);
  const std::string before = config.text(1, "cpu", "test");
  for (const Option& option : table.options()) {
    std::string text = option_text(option);
    const std::string usual = text;
    for (int i = 0; i < 3; ++i) {
      frame([&] { EXPECT_FALSE(option_row(context(), option, text)) << option.name; }, {200, 20});
    }
    EXPECT_EQ(text, usual) << option.name;
  }
  EXPECT_EQ(config.text(1, "cpu", "test"), before);
}

TEST_F(Widgets, AClickTogglesACheckboxAndItsMarkRestoresTheDefault) {
  bool value = false;
  const Option option{.name = "flag", .target = &value, .help = "a flag"};
  std::string text = "false";
  const auto draw = [&] { option_row(context(), option, text); };
  const ImVec2 box{0.5f * ImGui::GetIO().DisplaySize.x, 20};
  click(draw, box);
  EXPECT_EQ(text, "true");
  EXPECT_FALSE(value) << "it holds the default";
  float column = 0;
  frame([&] { column = ImGui::GetCursorPosX() + name_width(); });
  click(draw, {column - 8, 20});
  EXPECT_EQ(text, "false");
}

TEST_F(Widgets, AFieldAcceptsOnlyValidValuesOfItsOption) {
  double rate = 1e-3;
  const Option option{
      .name = "rate", .target = &rate, .help = "a rate", .minimum = 0, .maximum = 1};
  std::string text = "0.001";
  bool changed = false;
  const auto draw = [&] { changed |= option_row(context(), option, text); };
  click(draw, {300, 20});
  const auto type = [&](const char* letters) {
    ImGui::GetIO().AddInputCharactersUTF8(letters);
    frame(draw, {300, 20});
  };
  type("x");
  EXPECT_FALSE(changed);
  EXPECT_EQ(text, "0.001");
  ImGui::GetIO().KeyMap[ImGuiKey_Backspace] = 1;
  ImGui::GetIO().KeysDown[1] = true;
  frame(draw, {300, 20});
  ImGui::GetIO().KeysDown[1] = false;
  frame(draw, {300, 20});
  type("5");
  EXPECT_TRUE(changed);
  EXPECT_NE(text.find('5'), std::string::npos) << text;
  EXPECT_DOUBLE_EQ(rate, 1e-3);
}

/// The boxes around the glyphs of the last frame, and around the grab of its only slider.
struct SliderMarks {
  std::vector<ImVec4> glyphs;
  ImVec4 grab{1e9f, 1e9f, -1e9f, -1e9f};
};

SliderMarks slider_marks() {
  SliderMarks marks;
  const auto widen = [](ImVec4& box, const ImVec2& at) {
    box = {std::min(box.x, at.x), std::min(box.y, at.y), std::max(box.z, at.x),
           std::max(box.w, at.y)};
  };
  const ImU32 grab = ImGui::GetColorU32(ImGuiCol_SliderGrab);
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const ImDrawData& drawn = *ImGui::GetDrawData();
  for (int i = 0; i < drawn.CmdListsCount; ++i) {
    const ImDrawList& list = *drawn.CmdLists[i];
    for (int k = 0; k + 6 <= list.IdxBuffer.Size; k += 3) {
      ImVec4 box{1e9f, 1e9f, -1e9f, -1e9f};
      bool of_glyph = true, of_grab = true;
      for (int corner = 0; corner < 3; ++corner) {
        const ImDrawVert& at = list.VtxBuffer[list.IdxBuffer[k + corner]];
        widen(box, at.pos);
        of_glyph &= at.uv.x != white.x || at.uv.y != white.y;
        of_grab &= at.col == grab;
      }
      if (of_grab) {
        widen(marks.grab, {box.x, box.y});
        widen(marks.grab, {box.z, box.w});
      } else if (of_glyph) {
        marks.glyphs.push_back(box);
      }
    }
  }
  return marks;
}

TEST_F(Widgets, TheGrabOfASliderNeverCoversItsNumber) {
  const auto expect_apart = [&](const std::function<void()>& draw) {
    frame(draw);
    const SliderMarks marks = slider_marks();
    ASSERT_LT(marks.grab.x, marks.grab.z) << "there is a grab";
    ASSERT_GT(marks.glyphs.size(), 4u) << "a name and a number";
    for (const ImVec4& glyph : marks.glyphs) {
      EXPECT_TRUE(glyph.z <= marks.grab.x || glyph.x >= marks.grab.z || glyph.w <= marks.grab.y ||
                  glyph.y >= marks.grab.w)
          << glyph.x << " to " << glyph.z << ", grab " << marks.grab.x << " to " << marks.grab.z;
    }
  };
  double share = 0.5;
  const Option of_share{.name = "share", .target = &share, .help = "", .minimum = 0, .maximum = 1};
  int count = 5;
  const Option of_count{
      .name = "count", .target = &count, .help = "", .unit = "px", .minimum = 0, .maximum = 10};
  for (int i = 0; i <= 20; ++i) {
    SCOPED_TRACE(i);
    double value = -1 + 0.1 * i;
    expect_apart([&] {
      slider_row(context(), "Value", "", value, {.minimum = -1, .maximum = 1, .format = "%.3f"});
    });
    std::string text = fmt::format("{:.3g}", 0.05 * i);
    expect_apart([&] { option_row(context(), of_share, text); });
    text = std::to_string(i / 2);
    expect_apart([&] { option_row(context(), of_count, text); });
  }
}

TEST_F(Widgets, AWordStandsForZero) {
  int count = 0;
  const Option option{.name = "count",
                      .target = &count,
                      .help = "a number",
                      .minimum = 0,
                      .maximum = 1e9,
                      .zero = "auto"};
  std::string text = "0";
  const auto draw = [&] { option_row(context(), option, text); };
  const ImVec2 at{300, 20};
  const auto type = [&](const char* letters) {
    ImGui::GetIO().AddInputCharactersUTF8(letters);
    frame(draw, at);
  };
  places_.begin_frame(true);
  frame(draw, at);
  frame(draw, at);
  bool told = false;
  for (const NamedPlace& place : places_.take()) {
    told |= place.name.find("Default: auto") != std::string::npos;
  }
  EXPECT_TRUE(told);
  click(draw, at);
  type("5");
  EXPECT_EQ(text, "5") << "the word is replaced";
  ImGui::GetIO().KeyMap[ImGuiKey_Backspace] = 1;
  ImGui::GetIO().KeysDown[1] = true;
  frame(draw, at);
  ImGui::GetIO().KeysDown[1] = false;
  frame(draw, at);
  type("auto");
  EXPECT_EQ(text, "0");
}

TEST_F(Widgets, TitlesAreSpelledAsWords) {
  EXPECT_EQ(option_title("pose-opt"), "Pose correction");
  EXPECT_EQ(option_title("pose-lr"), "Pose rate");
  EXPECT_EQ(option_title("absgrad"), "Absolute gradients");
  EXPECT_EQ(option_title("opacity-reset-every"), "Opacity reset");
  EXPECT_EQ(option_title("backdrop-color"), "Backdrop colour");
  EXPECT_EQ(option_title("surface-color"), "Surface colour");
  EXPECT_EQ(option_title("sh-degree"), "SH degree");
  EXPECT_EQ(option_title("max-splats"), "Max splats");
  EXPECT_EQ(option_title("target-fps"), "Target FPS");
  EXPECT_EQ(option_title(""), "");
}

TEST_F(Widgets, APlotDrawsAnyValues) {
  const double nan = std::nan("");
  const std::vector<double> none, one{3}, x{0, 1, 2, 3}, y{1, nan, -2, 1e9};
  for (const bool logarithmic : {false, true}) {
    for (const auto& [xs, ys] : {std::pair{none, none}, {one, one}, {x, y}}) {
      const Curve curves[] = {{xs, ys, theme_.curves[0], "line"},
                              {xs, ys, theme_.curves[1], "dots", true}};
      for (const ImVec2 size : {ImVec2{300, 150}, {20, 10}, {1, 1}}) {
        frame([&] { plot(context(), "plot", curves, size, {.logarithmic = logarithmic}); },
              {20, 20});
      }
    }
  }
}

}  // namespace
}  // namespace mote::gui
