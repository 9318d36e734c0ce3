// The two layers of the window, laid out without a window.
#include "app/gui/gui_layers.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace mote::gui {
namespace {

class Layers : public testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {400, 300};
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    for (int i = 0; i < 3; ++i) take([] {});  // until ImGui knows its sizes
  }
  void TearDown() override { ImGui::DestroyContext(); }

  /// A frame with one element at the left and one with the given text, over the view.
  void take(const std::function<void()>& draw_side, const std::string& over = "over") {
    ImGui::GetIO().DeltaTime = 0.02f;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({100, 300});
    ImGui::Begin("side", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::TextUnformatted("side");
    ImGui::BeginChild("part");
    draw_side();
    ImGui::EndChild();
    ImGui::End();
    ImGui::SetNextWindowPos({150, 0});
    ImGui::SetNextWindowSize({100, 100});
    ImGui::Begin("statistics", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::TextUnformatted(over.c_str());
    ImGui::End();
    ImGui::Render();
    layers_.take(*ImGui::GetDrawData());
  }

  GuiLayers layers_;
};

TEST_F(Layers, ContainTheWholeLayout) {
  take([] { ImGui::TextUnformatted("a text"); });
  const ImDrawData& all = *ImGui::GetDrawData();
  EXPECT_EQ(layers_.around().TotalVtxCount + layers_.over().TotalVtxCount, all.TotalVtxCount);
  EXPECT_EQ(layers_.around().TotalIdxCount + layers_.over().TotalIdxCount, all.TotalIdxCount);
  EXPECT_EQ(layers_.around().CmdListsCount + layers_.over().CmdListsCount, all.CmdListsCount);
  EXPECT_GT(layers_.around().TotalVtxCount, 0);
  EXPECT_GT(layers_.over().TotalVtxCount, 0);
}

TEST_F(Layers, TheUpperLayerDoesNotChangeTheLowerOne) {
  const auto side = [] { ImGui::TextUnformatted("a text"); };
  take(side, "16 ms");
  const std::uint64_t version = layers_.around_version();
  take(side, "17 ms");
  EXPECT_EQ(layers_.around_version(), version);
}

TEST_F(Layers, AnyVisibleChangeOfTheLowerLayerChangesItsVersion) {
  take([] { ImGui::TextUnformatted("a text"); });
  const std::uint64_t version = layers_.around_version();
  take([] { ImGui::TextUnformatted("a next"); });
  EXPECT_NE(layers_.around_version(), version);
  take([] {
    ImGui::PushStyleColor(ImGuiCol_Text, {1, 0, 0, 1});
    ImGui::TextUnformatted("a text");
    ImGui::PopStyleColor();
  });
  EXPECT_NE(layers_.around_version(), version);
  // Fewer of the same triangles.
  take([] {
    ImGui::PushClipRect({0, 0}, {20, 300}, true);
    ImGui::TextUnformatted("a text");
    ImGui::PopClipRect();
  });
  EXPECT_NE(layers_.around_version(), version);
  take([] { ImGui::TextUnformatted("a text"); });
  EXPECT_EQ(layers_.around_version(), version);
}

TEST_F(Layers, ElementsWithPicturesAreInTheUpperLayer) {
  take([] { ImGui::TextUnformatted("a text"); });
  const int around = layers_.around().CmdListsCount;
  take([] {
    ImGui::GetWindowDrawList()->AddCallback([](const ImDrawList*, const ImDrawCmd*) {}, nullptr);
    ImGui::TextUnformatted("a text");
  });
  EXPECT_EQ(layers_.around().CmdListsCount, around - 1);
}

}  // namespace
}  // namespace mote::gui
