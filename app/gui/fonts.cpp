#include "app/gui/fonts.h"

#include <cmath>

extern "C" {
extern const unsigned char kMoteBodyFontBegin[], kMoteBodyFontEnd[];
extern const unsigned char kMoteHeadingFontBegin[], kMoteHeadingFontEnd[];
extern const unsigned char kMoteMonoFontBegin[], kMoteMonoFontEnd[];
extern const unsigned char kMoteIconFontBegin[], kMoteIconFontEnd[];
}

namespace mote::gui {
namespace {

// Latin with accents, Greek, and the signs of punctuation, currencies, arrows and mathematics.
constexpr ImWchar kLetters[] = {0x0020, 0x024F, 0x0370, 0x03FF, 0x2010, 0x2044, 0x20A0,
                                0x20BF, 0x2190, 0x2193, 0x2212, 0x2265, 0};
constexpr ImWchar kDigitsAndLatin[] = {0x0020, 0x00FF, 0x2010, 0x2026, 0x2212, 0x2212, 0};
constexpr ImWchar kIcons[] = {0xF000, 0xF2E0, 0};

struct FontFile {
  const unsigned char* begin;
  const unsigned char* end;
};

void add(const FontFile& file, float size_px, const ImWchar* glyphs, ImFontConfig config) {
  config.FontDataOwnedByAtlas = false;
  // ImGui does not modify the data.
  ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char*>(file.begin),
                                             static_cast<int>(file.end - file.begin), size_px,
                                             &config, glyphs);
}

/// Loads a font and merges the icons into it. Icons have about the height of capitals and equal
/// widths.
ImFont* load(const FontFile& file, float size_px, const ImWchar* glyphs) {
  ImFontConfig letters;
  letters.OversampleH = 2;
  letters.PixelSnapH = false;
  add(file, size_px, glyphs, letters);
  ImFontConfig icons;
  icons.MergeMode = true;
  icons.PixelSnapH = true;
  const float icon_px = std::round(0.92f * size_px);
  icons.GlyphMinAdvanceX = std::round(1.2f * icon_px);
  icons.GlyphOffset.y = std::round(0.04f * size_px);
  add({kMoteIconFontBegin, kMoteIconFontEnd}, icon_px, kIcons, icons);
  return ImGui::GetIO().Fonts->Fonts.back();
}

}  // namespace

Fonts load_fonts(const FontSizes& sizes) {
  ImGui::GetIO().Fonts->Clear();
  const FontFile body{kMoteBodyFontBegin, kMoteBodyFontEnd};
  const FontFile heading{kMoteHeadingFontBegin, kMoteHeadingFontEnd};
  const FontFile mono{kMoteMonoFontBegin, kMoteMonoFontEnd};
  Fonts fonts;
  fonts.body = load(body, sizes.body, kLetters);
  fonts.heading = load(heading, sizes.heading, kLetters);
  fonts.small = load(body, sizes.small, kLetters);
  fonts.mono = load(mono, sizes.small, kDigitsAndLatin);
  return fonts;
}

}  // namespace mote::gui
